"""What the judges lean with and people don't, such as length or the place of a question in the call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from calibration.calibration import ANY
from calibration.reports.blocks import Block, Cell, Chart, Charts, Items, Section, Text, figure_cell, table
from calibration.reports.charts import Dot, interval_chart
from calibration.reports.findings import Findings
from calibration.reports.links import Link
from calibration.reports.wording import count, ended, number, signed
from calibration.results import Bias

MOST_DOTS = 16
CLUSTERING = "clustering"


def bias_section(findings: Findings, _link: Link) -> Section:
    """What the judges lean with: a dot with its interval each, and a sentence on those that are no chance."""
    lead = "What moves the judges and not people, such as length, can be gamed by an agent in training."
    title = "Biases"
    if not findings.biases:
        return Section("biases", title, lead, (Text("No bias was looked for: there are no labels, or no covariates."),))
    known = [b for b in findings.biases if b.slope.value is not None]
    said = tuple(dict.fromkeys(_said(b) for b in known if b.flagged and b.reads))
    blocks: list[Block] = [Items(said) if said else Text("Nothing that was looked at can be told from chance.")]
    units = tuple(dict.fromkeys(b.unit for b in known))
    charts = tuple(_chart([b for b in known if b.unit == unit], unit, k) for k, unit in enumerate(units))
    blocks += [Charts(charts)] if charts else []
    blocks.append(_table(findings.biases))
    return Section("biases", title, lead, tuple(blocks))


def _said(bias: Bias) -> str:
    return ended(f"{bias.reads} (over all criteria)" if bias.criterion == ANY else bias.reads)


def _chart(biases: Sequence[Bias], unit: str, k: int) -> Chart:
    shown = sorted(biases, key=lambda b: (not b.flagged, b.p_value if b.p_value is not None else 1.0))[:MOST_DOTS]
    dots = [Dot(f"{_name(b)}: {b.judge}", b.slope.value, b.slope.low, b.slope.high, plain=b.flagged) for b in shown]
    clustered = all(b.name == CLUSTERING for b in shown)
    axis, title = (
        (unit, "One value again and again")
        if clustered
        else (f"given beyond people, per {unit}", f"Leaning, per {unit}")
    )
    says = "Diamonds can be told from chance, all looked at together." if any(b.flagged for b in shown) else ""
    return Chart(title, partial(interval_chart, dots, f"bias-{k}", title, axis=axis, write=signed), says)


def _name(bias: Bias) -> str:
    return bias.name.replace("_", " ") + (" (criteria)" if bias.criterion == ANY else "")


def _table(biases: Sequence[Bias]) -> Block:
    rows = [
        (
            Cell(bias.name.replace("_", " ")), Cell("criteria" if bias.criterion == ANY else bias.criterion or "the whole"),
            Cell(bias.judge, code=True), figure_cell(bias.slope), Cell(bias.unit), Cell(number(bias.p_value, 3)),
            Cell("yes" if bias.flagged else "no"), Cell(count(bias.slope.n)),
        )
        for bias in biases
    ]  # fmt: skip
    head = ("leans with", "on", "judge", "beyond people", "per", "p value", "told from chance?", "n")
    return table("What judges give beyond people", head, rows)
