"""The report as Markdown: the same words and tables as the page, without its charts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from calibration.reports.blocks import Block, Cell, Charts, Items, Section, Table, Terms, Text
from calibration.reports.findings import Findings
from calibration.reports.links import Link
from calibration.reports.opening import Line, Opening, opening_of
from calibration.reports.sections import sections_of

SPECIAL = re.compile(r"([\\`*_\[\]|#~$])")


def to_markdown(findings: Findings, *, link: str | None = None) -> str:
    """The report as Markdown with tables in the style of GitHub. `link` is as for the page."""
    opening = opening_of(findings)
    parts = [f"# {plain(findings.title)}", *_opening(opening, findings)]
    for section in sections_of(findings, Link(link)):
        parts += _section(section)
    return "\n\n".join(part for part in parts if part) + "\n"


def plain(text: str) -> str:
    """A text of anyone's as one line that Markdown and HTML take for nothing but text."""
    line = " ".join(text.split())
    return SPECIAL.sub(r"\\\1", line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def _opening(opening: Opening, findings: Findings) -> Iterator[str]:
    created = f" {findings.created}." if findings.created else ""
    sources = findings.sources
    yield f"{plain(opening.about)}{created} Calibration {_code(sources.calibration or '–')}, labels {_code(sources.labels_hash)}."
    yield f"## {opening.asks} {opening.answer}"
    yield plain(" ".join((opening.because, *opening.cautions)))
    yield "\n".join(f"- **{plain(tile.value)}** {plain(tile.name)} ({plain(tile.rests_on)})" for tile in opening.tiles)
    yield "### May be trusted for"
    yield _lines(opening.trusted_for) or "Nothing yet."
    yield "### Not for, or not yet"
    yield _lines(opening.not_for) or "Nothing speaks against the uses above."
    if opening.steps:
        yield "### What to do next"
        yield "\n".join(f"{k}. {plain(step)}" for k, step in enumerate(opening.steps, start=1))


def _lines(lines: tuple[Line, ...]) -> str:
    return "\n".join(f"- {f'**{line.name}** ' if line.name else ''}({line.mark}): {plain(line.says)}" for line in lines)


def _section(section: Section) -> Iterator[str]:
    yield f"## {plain(section.title)}"
    yield plain(section.lead)
    for block in section.blocks:
        yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Table):
        yield from _table(block)
    elif isinstance(block, Charts):
        yield "\n".join(f"- {plain(chart.title)}: {plain(chart.says)}" for chart in block.charts if chart.says)
    elif isinstance(block, Text):
        yield plain(block.text)
    elif isinstance(block, Items):
        yield "\n".join(f"- {plain(item)}" for item in block.items)
    elif isinstance(block, Terms):
        yield "\n".join(f"- **{plain(term)}**: {_cell(cell, ())}" for term, cell in block.terms)


def _table(table: Table) -> Iterator[str]:
    yield f"**{plain(table.caption)}**"
    rows = [[plain(name) for name in table.head], ["---"] * len(table.head)]
    rows += [[_cell(cell, table.notes) for cell in row] for row in table.rows]
    yield "\n".join(f"| {' | '.join(row)} |" for row in rows)
    if table.notes:
        yield "\n".join(f"{k}. {plain(note)}" for k, note in enumerate(table.notes, start=1))
    yield table.more


def _cell(cell: Cell, notes: tuple[str, ...]) -> str:
    text = _code(cell.text) if cell.code else plain(cell.text)
    if cell.href:
        text = f"[{text}](<{cell.href}>)"
    why = f" [{notes.index(cell.why) + 1}]" if cell.why else ""
    small = f" ({plain(cell.small)})" if cell.small else ""
    command = f" ({_code(cell.command)})" if cell.command else ""
    return f"{text}{why}{small}{command}"


def _code(text: str) -> str:
    """A text of a machine. A bar would end the cell of a table even inside code, so it is written as an entity there."""
    line = " ".join(text.split())
    return plain(line) if {"`", "|"} & set(line) else f"`{line}`"
