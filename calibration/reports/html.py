"""The report as one HTML file: nothing is loaded from anywhere, nothing runs, and every text of a model or agent is escaped."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibration.reports.evidence import Mark
from calibration.reports.findings import Findings
from calibration.reports.links import Link
from calibration.reports.opening import opening_of
from calibration.reports.sections import sections_of
from calibration.reports.wording import visible

if TYPE_CHECKING:
    from jinja2 import Template

HERE = Path(__file__).parent
SIGNS: dict[Mark, str] = {
    "trusted": "✓",
    "with care": "!",
    "not trusted": "✕",
    "no signal": "∅",
    "not enough labels": "?",
}
BREAKS = re.compile(r"([_/.:-])(?=\w)")


def to_html(findings: Findings, *, link: str | None = None) -> str:
    """The page. `link` is an address with `{episode}` in it that leads to an episode; else the command that shows it stands there.

    Raises CalibrationError for a link that is no web address.
    """
    return _template().render(
        findings=findings, opening=opening_of(findings), sections=sections_of(findings, Link(link)), signs=SIGNS,
        style=(HERE / "page.css").read_text(encoding="utf-8"), kind_of=lambda block: type(block).__name__,
    )  # fmt: skip


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        finalize=_seen,
    )  # fmt: skip
    environment.filters["breakable"] = _breakable
    return environment.get_template("page.html.j2")


def _breakable(text: str) -> str:
    """An id that may be broken after its parts, not in the middle of a word."""
    return BREAKS.sub(r"\1<wbr>", escape(visible(text)))


def _seen(value: Any) -> Any:
    return visible(value) if type(value) is str else value
