"""The sections of a report, in the order in which a reader needs them."""

from __future__ import annotations

from collections.abc import Callable

from calibration.reports.accuracy import candidates_section, reliability_section
from calibration.reports.agreement import agreement_section
from calibration.reports.audit import audit_section, disagreement_section
from calibration.reports.blocks import Section
from calibration.reports.estimates import escalation_section, estimate_section, plan_section, transport_section
from calibration.reports.findings import Findings
from calibration.reports.glossary import glossary_section, rules_section
from calibration.reports.leanings import bias_section
from calibration.reports.links import Link
from calibration.reports.overview import criteria_section, fingerprints_section, sources_section
from calibration.reports.panel import panel_section

PARTS: tuple[Callable[[Findings, Link], Section | None], ...] = (
    criteria_section, sources_section, reliability_section, agreement_section, panel_section, estimate_section,
    escalation_section, bias_section, transport_section, audit_section, disagreement_section, plan_section,
    candidates_section, rules_section, fingerprints_section, glossary_section,
)  # fmt: skip


def sections_of(findings: Findings, link: Link) -> tuple[Section, ...]:
    """Every section that has something to say; one that has nothing says why in its lead."""
    return tuple(section for part in PARTS if (section := part(findings, link)) is not None)
