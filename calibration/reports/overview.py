"""The verdict criterion by criterion, and what the report rests on."""

from __future__ import annotations

from calibration.reports.blocks import Block, Cell, Items, Section, Table, Terms, Text, figure_cell, table
from calibration.reports.evidence import Trust
from calibration.reports.findings import Findings, Sources
from calibration.reports.links import Link
from calibration.reports.wording import DASH, count, ended, listed, percent, plural

IDS_SHOWN = 8
NO_CEILING = (
    "no item was labelled by several people; or the scale has more than two levels, and kappa tells more (below)"
)


def criteria_section(findings: Findings, _link: Link) -> Section:
    """Each criterion with its mark and the reason."""
    rows = [_row(trust, findings.people) for trust in (findings.whole, *findings.criteria)]
    head = ("criterion", "trust", "because", f"judges and {findings.people} agree", "people agree", "labels used")
    blocks: list[Block] = [table("How far each criterion may be trusted", head, rows)]
    silent = findings.asked - len(findings.criteria)
    if silent > 0:
        judged = plural(silent, "criterion was", "criteria were")
        blocks.append(Text(f"{judged} judged and not labelled: this report can't speak of what nobody looked at."))
    return Section(
        "criteria",
        "Criterion by criterion",
        "Each mark follows from written rules, listed near the end.",
        tuple(blocks),
    )


def _row(trust: Trust, people: str) -> tuple[Cell, ...]:
    because = " ".join((trust.reason, *trust.cautions))
    agreement = (
        figure_cell(trust.agreement, share=True) if trust.agreement else Cell(DASH, why=f"not compared with {people}")
    )
    ceiling = figure_cell(trust.ceiling, share=True) if trust.ceiling else Cell(DASH, why=NO_CEILING)
    return (name_cell(trust.criterion), Cell(trust.mark, mark=trust.mark), Cell(because, wide=True), agreement, ceiling,
            used_cell(trust.used, trust.labelled))  # fmt: skip


def name_cell(criterion: str | None) -> Cell:
    """How a table calls a criterion."""
    return (
        Cell("the whole")
        if criterion is None
        else Cell("all criteria")
        if criterion == "any"
        else Cell(criterion, code=True)
    )


def used_cell(used: int, labelled: int) -> Cell:
    """How many of the labelled were used, and their share."""
    return Cell(f"{count(used)} of {count(labelled)}", f"{percent(used / labelled)} covered" if labelled else "")


def sources_section(findings: Findings, _link: Link) -> Section:
    """Who graded, which questions, which labels; and what was left out."""
    sources = findings.sources
    blocks: list[Block] = [Terms(tuple(_terms(sources, findings)))]
    if findings.left_out or findings.disputed:
        blocks.append(_left_out(findings))
    if findings.warnings:
        blocks.append(Items(tuple(ended(warning) for warning in findings.warnings)))
    return Section(
        "sources", "What this rests on",
        "Two reports are about the same thing only if these are the same: an edited question, prompt, judge or label shows here.",
        tuple(blocks),
    )  # fmt: skip


def _terms(sources: Sources, findings: Findings) -> list[tuple[str, Cell]]:
    used = f"{count(sources.used)} of {plural(sources.labelled, 'labelled item')} used"
    cover = f" ({percent(sources.used / sources.labelled)} covered)" if sources.labelled else ""
    judges = [f"{j} ({', '.join(m) or 'model not known'})" for j, m in sources.judges.items()]
    fitted = sources.calibration_labels
    same = (
        "the same that the calibration was fitted on: figures are cross-fitted" if sources.same_labels
        else "other labels than those that the calibration was fitted on"
    )  # fmt: skip
    derived = f"; {plural(sources.derived, 'whole')} added up from labels of criteria" if sources.derived else ""
    return [
        ("Labels", Cell(f"{used}{cover}, by {plural(sources.raters, 'rater')}, on {plural(sources.tasks, 'task')}{derived}")),
        ("Episodes judged", Cell(count(sources.episodes))),
        ("Judges, and the models that answered", Cell(listed(judges, most=20) or DASH)),
        ("Truth", Cell(findings.people)),
        ("Calibration", Cell(sources.calibration or DASH, small=f"fitted {sources.fitted}" if sources.fitted else "", code=True)),
        ("Method (judges, prompts, pooling)", Cell(sources.method, code=True)),
        ("Hash of the labels used here", Cell(sources.labels_hash, same, code=True)),
        ("Hash of the labels it was fitted on", Cell(fitted.ids_hash or DASH, plural(fitted.n, "label"), code=True)),
        ("Badges", Cell(listed([badge.replace("_", " ") for badge in findings.badges], most=10) or "none")),
    ]  # fmt: skip


def _left_out(findings: Findings) -> Table:
    found = [*findings.left_out, *([findings.disputed] if findings.disputed else [])]
    rows = [(Cell(x.reason), Cell(count(x.n)), _ids(x.ids, x.n)) for x in found]
    return table("What was left out or in dispute, and why", ("why", "how many", "which"), rows)


def _ids(ids: tuple[str, ...], n: int) -> Cell:
    more = f" and {count(n - IDS_SHOWN)} more" if n > IDS_SHOWN else ""
    return Cell(", ".join(ids[:IDS_SHOWN]) + more, wide=True)


def fingerprints_section(findings: Findings, _link: Link) -> Section:
    """The fingerprints of the questions and of the grader's parts."""
    sources = findings.sources
    rows = [
        *((Cell(name, code=True), Cell("rubric"), Cell(mark, code=True)) for name, mark in sources.rubrics.items()),
        *((Cell(name, code=True), Cell("criterion"), Cell(mark, code=True)) for name, mark in sources.criteria.items()),
        *(
            (Cell(name, code=True), Cell("part of the grader"), Cell(mark, code=True))
            for name, mark in sources.grader.items()
        ),
    ]
    lead = "An edited question, prompt or judge has another fingerprint, and a calibration does not carry over to it."
    blocks = (
        table("Fingerprints of what was asked, and of who was asked", ("name", "what it is", "fingerprint"), rows),
    )
    return Section("fingerprints", "Fingerprints", lead, blocks)
