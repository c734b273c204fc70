"""The report: everything known about a calibrated grader in one record, as HTML, Markdown and JSON.

`gather` puts the results together and finds the words; `to_html`, `to_markdown` and `to_json` write them.
"""

from __future__ import annotations

from calibration.reports.findings import Findings, gather
from calibration.reports.html import to_html
from calibration.reports.markdown import to_markdown

__all__ = ["Findings", "gather", "to_html", "to_json", "to_markdown"]


def to_json(findings: Findings) -> str:
    """The findings with every figure, as one JSON document."""
    return findings.model_dump_json(by_alias=True, indent=1) + "\n"
