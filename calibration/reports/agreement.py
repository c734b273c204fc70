"""Agreement of the judges with the truth, with that of people among themselves beside it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from calibration.figures import Figure
from calibration.reports.blocks import Block, Cell, Chart, Charts, Items, Section, Text, figure_cell, table
from calibration.reports.charts import Dot, interval_chart
from calibration.reports.findings import PANEL, Findings
from calibration.reports.links import Link
from calibration.reports.overview import name_cell, used_cell
from calibration.reports.wording import DASH, count, ended, number, percent
from calibration.results import Agreement, AltTest

MOST_CHARTED = 20
NO_CEILING = "no item was labelled by several people"


def agreement_section(findings: Findings, _link: Link) -> Section:
    """Every statistic of agreement per criterion, with the human ceiling and the base rates beside it."""
    lead = "No one number is enough: raw agreement flatters a judge that always says yes, and kappa collapses where nearly all is good."
    if not findings.agreements:
        return Section("agreement", "Agreement", lead, (Text("Nothing was labelled, so there is nothing to compare."),))
    pooled = [a for a in findings.agreements if a.a == PANEL] or list(findings.agreements)
    others = [a for a in findings.agreements if a not in pooled]
    blocks: list[Block] = [Charts((_chart(pooled, findings.people),)), _beyond_table(pooled), _error_table(pooled)]
    if others:
        blocks.append(_short_table(others))
    if findings.alt_tests:
        blocks.append(_alt_table(findings.alt_tests))
    warnings = dict.fromkeys(ended(f"{_name(a)}: {warning}") for a in findings.agreements for warning in a.warnings)
    blocks += [Items(tuple(warnings))] if warnings else []
    return Section("agreement", "Agreement", lead, tuple(blocks))


def _name(found: Agreement) -> str:
    return name_cell(found.criterion).text


def _beyond_chance(found: Agreement) -> Figure:
    graded = len(found.levels) > 2 and found.weighted_kappa.value is not None
    return found.weighted_kappa if graded else found.kappa


def _chart(pooled: Sequence[Agreement], people: str) -> Chart:
    dots = [
        Dot(_name(a), (k := _beyond_chance(a)).value, k.low, k.high, mark=a.ceiling.kappa.value if a.ceiling else None)
        for a in pooled[:MOST_CHARTED]
    ]
    title = f"Agreement beyond chance of judges and {people}"
    says = "Dot and line: kappa with its interval (weighted where a scale has more than two levels). Stroke: people with each other."
    return Chart(
        title,
        partial(interval_chart, dots, "agreement", title, axis="kappa: 0 is chance, 1 is perfect", ends=(0, 1)),
        says,
    )


def _beyond_table(pooled: Sequence[Agreement]) -> Block:
    rows = [
        (
            name_cell(a.criterion), figure_cell(a.raw, share=True), _of_people(a, "raw", share=True), figure_cell(a.kappa),
            figure_cell(a.weighted_kappa), figure_cell(a.ac2), figure_cell(a.alpha), _of_people(a, "kappa"), _of_people(a, "alpha"),
            _used(a),
        )
        for a in pooled
    ]  # fmt: skip
    head = "criterion|agree|people agree|kappa|weighted kappa|AC2|alpha|kappa of people|alpha of people|n".split("|")
    return table("Agreement, with that of people among themselves", head, rows)


def _of_people(found: Agreement, name: str, *, share: bool = False) -> Cell:
    if found.ceiling is None:
        return Cell(DASH, why=NO_CEILING)
    return figure_cell(getattr(found.ceiling, name), share=share)


def _error_table(pooled: Sequence[Agreement]) -> Block:
    rows = [
        (
            name_cell(a.criterion), figure_cell(a.rate_a, share=True), figure_cell(a.rate_b, share=True),
            figure_cell(a.tpr, share=True), figure_cell(a.tnr, share=True), figure_cell(a.youden), figure_cell(a.spearman), _used(a),
        )
        for a in pooled
    ]  # fmt: skip
    head = "criterion|judges say pass|truth says pass|good work passed (TPR)|bad work failed (TNR)|J|rank correlation|n".split(
        "|"
    )
    return table("Base rates and errors, cut at a half", head, rows)


def _used(found: Agreement) -> Cell:
    if found.coverage:
        return used_cell(found.n, round(found.n / found.coverage))
    return Cell(count(found.n))


def _short_table(others: Sequence[Agreement]) -> Block:
    rows = [
        (
            Cell(f"{a.a} and {a.b}"), name_cell(a.criterion), figure_cell(a.raw, share=True), figure_cell(a.kappa),
            figure_cell(a.ac2), figure_cell(a.alpha), figure_cell(a.youden), _used(a),
        )
        for a in others
    ]  # fmt: skip
    return table("Other raters compared", ("who", "criterion", "agree", "kappa", "AC2", "alpha", "J", "n"), rows)


def _alt_table(tests: Sequence[AltTest]) -> Block:
    answers = {True: "yes", False: "no", None: DASH}
    rows = [
        (
            Cell(t.judge, code=True), name_cell(t.criterion), Cell(answers[t.passes], why=t.why if t.passes is None else ""),
            Cell(percent(t.winning_rate)), Cell(number(t.advantage)), Cell(number(t.epsilon)), Cell(count(t.raters)), Cell(count(t.n)),
        )
        for t in tests
    ]  # fmt: skip
    head = ("judge", "criterion", "may stand in", "people it can replace", "advantage", "allowance", "people", "n")
    return table("May a judge stand in for a person? (alternative-annotator test)", head, rows)
