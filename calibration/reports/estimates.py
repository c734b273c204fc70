"""What the grades can be used for: the rate over all episodes, single grades that may stand, other policies, and what to label next."""

from __future__ import annotations

from functools import partial

from calibration.reports.blocks import Block, Cell, Chart, Charts, Items, Section, Text, figure_cell, table
from calibration.reports.charts import Dot, escalation_chart, interval_chart
from calibration.reports.findings import Findings
from calibration.reports.links import Link
from calibration.reports.overview import name_cell
from calibration.reports.rules import policy_name
from calibration.reports.wording import DASH, count, ended, number, percent, plural, sentence, short, signed
from calibration.results import Difference, Estimate

METHODS = {
    "ppi_wilson": "PPI++ inside Wilson's", "ppi++": "PPI++", "wilson": "labels alone (Wilson)",
    "bayes": "Bayes, post-stratified by grade", "rogan_gladen": "Rogan–Gladen",
}  # fmt: skip
QUEUE_SHOWN = 20
MOST_DOTS = 30


def estimate_section(findings: Findings, _link: Link) -> Section:
    """The rate with and without correction, and differences between policies."""
    lead = "The judges' own rate is off by as much as they are lenient; the labels correct it, and the interval says how far."
    title = "The rate over all episodes"
    if not findings.estimates:
        return Section("estimate", title, lead, (Text("No estimate was made: there are no labels."),))
    blocks: list[Block] = [Charts((_estimate_chart(findings),)), _estimate_table(findings.estimates)]
    warnings = tuple(dict.fromkeys(ended(warning) for e in findings.estimates for warning in e.warnings))
    blocks += [Items(warnings)] if warnings else []
    if findings.differences:
        blocks.append(_difference_table(findings.differences))
    return Section("estimate", title, lead, tuple(blocks))


def _estimate_chart(findings: Findings) -> Chart:
    dots: list[Dot] = []
    for criterion in dict.fromkeys(e.criterion for e in findings.estimates):
        dots += _dots([e for e in findings.estimates if e.criterion == criterion], criterion)
    says = "Line: 95% interval. The raw rate (diamond) has none: it is as wrong as the judges are."
    title = "The rate with and without correction"
    return Chart(
        title,
        partial(interval_chart, dots[:MOST_DOTS], "estimate", title, axis="rate", ends=(0, 1), write=percent),
        says,
    )


def _dots(estimates: list[Estimate], criterion: str | None) -> list[Dot]:
    first, of = estimates[0], "" if criterion is None else f"{short(criterion, 16)}: "
    alone = first.labels_only
    dots = [Dot(f"{of}raw", first.naive, plain=True)] if first.naive is not None else []
    dots += [Dot(f"{of}labels alone", alone.value, alone.low, alone.high)] if alone and alone.value is not None else []
    return dots + [
        Dot(f"{of}{method_name(e.method)}", e.value, e.low, e.high) for e in estimates if e.value is not None
    ]


def method_name(method: str) -> str:
    """How a reader calls a way to estimate."""
    return METHODS.get(method, method.replace("_", " "))


def _estimate_table(estimates: tuple[Estimate, ...]) -> Block:
    rows = [
        (
            Cell(method_name(e.method)), name_cell(e.criterion), _value_cell(e), Cell(percent(e.naive)),
            figure_cell(e.labels_only, share=True), Cell(count(e.labelled)), Cell(count(e.judged)), Cell(count(e.tasks)),
        )
        for e in estimates
    ]  # fmt: skip
    return table("Estimates", ("method", "of", "corrected", "raw", "labels alone", "labelled", "judged", "tasks"), rows)


def _value_cell(e: Estimate) -> Cell:
    if e.value is None:
        return Cell(DASH, why=e.why)
    return Cell(percent(e.value), f"{percent(e.low)} to {percent(e.high)}" if e.low is not None else "")


def _difference_table(differences: tuple[Difference, ...]) -> Block:
    rows = [
        (
            Cell(f"{d.first} less {d.second}"), _difference_cell(d),
            Cell(signed(d.naive)), Cell(count(d.paired_tasks)),
        )
        for d in differences
    ]  # fmt: skip
    return table("Differences of two policies", ("policies", "corrected", "raw", "tasks of both"), rows)


def _difference_cell(d: Difference) -> Cell:
    if d.value is None:
        return Cell(DASH, why=d.why)
    return Cell(signed(d.value), f"{signed(d.low)} to {signed(d.high)}" if d.low is not None else "")


def escalation_section(findings: Findings, _link: Link) -> Section:
    """Agreement against the share of grades that stand without another look, with the target."""
    found = findings.escalation
    lead = "Which grades may stand, and which go to a stronger judge or a person: a promise that holds with known assurance."
    title = "Which grades may stand alone"
    if found is None:
        return Section(
            "escalation", title, lead, (Text("No threshold was looked for: it takes labels of whole episodes."),)
        )
    target = f"at least {percent(found.target)} agreement, with {percent(1 - found.delta)} assurance"
    based = f"{plural(found.n, 'label')} on {plural(found.tasks, 'task')}"
    if found.threshold is None:
        said = f"Cannot be certified: {target}. {sentence(found.why)} It rests on {based}."
    else:
        said = (
            f"Grades with a confidence (p or 1 − p, whichever is larger) of {number(found.threshold)} or more may stand: {target}. "
            f"That is {percent(found.coverage)} of episodes. It rests on {based}."
        )
    chart = Chart(
        "Agreement against the share of grades that stand",
        partial(escalation_chart, found, "escalation", "Agreement against the share of grades that stand"),
        "Dashed: the lower bound that must stay above the target. Further right, more grades stand.",
    )
    return Section("escalation", title, lead, (Text(said), *((Charts((chart,)),) if found.curve else ())))


def transport_section(findings: Findings, _link: Link) -> Section | None:
    """Whether the calibration holds for other policies, on fresh labels."""
    if not findings.transports:
        return None
    answers = {True: "yes", False: "no", None: "cannot be said yet"}
    rows = [
        (
            Cell(policy_name(t.policy, t.policy_step)), Cell(answers[t.holds]), figure_cell(t.residual), Cell(number(t.p_value, 3)),
            Cell(count(t.failures)), Cell(t.reads, wide=True), Cell(count(t.n), plural(t.tasks, "task")),
        )
        for t in findings.transports
    ]  # fmt: skip
    head = ("policy", "does it hold?", "truth − calibrated", "p value", "failures", "reads", "n")
    lead = "A policy that got better, or learned to please the judge, breaks a calibration made on an older one."
    return Section(
        "transport", "Does it hold for other policies?", lead, (table("Audits on fresh labels", head, rows),)
    )


def plan_section(findings: Findings, link: Link) -> Section | None:
    """How many labels a wish takes, and which episodes come next."""
    plan = findings.plan
    if plan is None:
        return None
    need = "cannot be said" if plan.labels is None else count(plan.labels)
    alone = f", {count(plan.labels_alone)} with labels alone" if plan.labels_alone is not None else ""
    said = (
        sentence(plan.reads)
        or f"For {plan.wish}: {need} labels with the judges' help{alone}; {count(plan.have)} are there."
    )
    rows = [
        (link.cell(q.episode), Cell(number(q.inclusion, 3)), Cell(q.stratum or DASH), Cell(q.why, wide=True))
        for q in plan.queue
    ]
    head = ("episode", "chosen with probability", "stratum", "why")
    queue = (table("Episodes to label next", head, rows, most=QUEUE_SHOWN),) if rows else ()
    lead = "Keep the probability with which an episode was chosen beside its label: estimates use it."
    return Section("plan", "What to label next", lead, (Text(said), *queue))
