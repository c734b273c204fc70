"""The state check audited both ways, and the episodes on which judges and truth differ most."""

from __future__ import annotations

from collections.abc import Sequence

from calibration.reports.blocks import Block, Cell, Items, Section, Text, figure_cell, table
from calibration.reports.findings import Findings
from calibration.reports.links import Link
from calibration.reports.overview import name_cell
from calibration.reports.wording import count, ended, listed, number, percent, plural, sentence, stated
from calibration.results import AgainstState, Disagreement, StateAudit, StateUse

HIDDEN = {
    True: "hidden from the judges",
    False: "shown to the judges, so that their agreement with it proves nothing",
    None: "hidden from the judges or shown to them: that is not known",
}
MOST_READ = 30


def audit_section(findings: Findings, link: Link) -> Section | None:
    """Panel and people against the state check, both ways."""
    state = findings.state
    if state is None:
        return None
    blocks: list[Block] = [Text(_about(state))]
    if state.judges:
        blocks.append(_against_table(state.judges))
    if state.agreement is not None or state.shadowed:
        blocks.append(_agreement_table(state))
    for heading, found in (
        ("The state check fails what panel and people pass: a wrong goal state?", state.suspect_goals),
        ("The state check passes what people or a second opinion fail: a goal that can be gamed?", state.gamed),
    ):
        blocks.append(_disagreement_table(heading, found, link) if found else Text(f"{heading} Nothing was found."))
    if findings.state_uses:
        blocks.append(_use_table(findings.state_uses))
    warnings = tuple(ended(warning) for warning in state.warnings)
    blocks += [Items(warnings)] if warnings else []
    lead = "A state check is trusted as far as its goal state is right, so it is audited like any other rater."
    return Section("state", "The state check, audited both ways", lead, tuple(blocks))


def _about(state: StateAudit) -> str:
    said = [
        f"{plural(state.n, 'episode')} of {plural(state.tasks, 'task')}; the state was {HIDDEN[state.state_hidden]}."
    ]
    if state.pass_rate is not None and state.pass_rate.value is not None:
        said.append(f"The state check passes {stated(state.pass_rate, as_percent=True)}.")
    if state.intraclass is not None and state.intraclass.value is not None:
        worth = f", so that they are worth {number(state.worth, 0)} independent ones" if state.worth is not None else ""
        said.append(f"Episodes of one task are alike: intra-class correlation {stated(state.intraclass)}{worth}.")
    if state.repeated:
        said.append(
            f"{count(state.same_outcome)} of {plural(state.repeated, 'task')} with several episodes end alike in all of them."
        )
    for figure, whom in ((state.within_tasks, "the state check"), (state.within_tasks_people, "people")):
        if figure is not None and figure.value is not None:
            said.append(
                f"Within a task the panel ranks as {whom} would in {stated(figure, as_percent=True)} of pairs (a half is chance)."
            )
    trivial = [
        f"{name.replace('_', ' ')} {stated(figure)}"
        for name, figure in state.baselines.items()
        if figure.value is not None
    ]
    if trivial:
        said.append(f"What trivial predictors reach (AUC, a half is chance): {listed(trivial)}.")
    if state.empty_goals:
        said.append(
            f"The goals of {plural(len(state.empty_goals), 'episode')} require nothing, so these are no free truth."
        )
    return " ".join(said)


def _against_table(judges: Sequence[AgainstState]) -> Block:
    sight = {True: "shown", False: "hidden", None: "not known"}
    rows = [
        (
            Cell(j.judge, code=True), name_cell(j.criterion), Cell(sight[j.shown]), figure_cell(j.rate, share=True),
            figure_cell(j.accuracy, share=True), figure_cell(j.tpr, share=True), figure_cell(j.tnr, share=True), figure_cell(j.youden),
            Cell(count(j.n), f"{count(j.failures)} failures"),
        )
        for j in judges
    ]  # fmt: skip
    head = (
        "judge",
        "criterion",
        "state was",
        "judge says pass",
        "right",
        "good work passed (TPR)",
        "bad work failed (TNR)",
        "J",
        "n",
    )
    return table("Each judge against the state check", head, rows)


def _use_table(uses: Sequence[StateUse]) -> Block:
    rows = [
        (
            Cell(use.reads),
            figure_cell(use.accuracy, share=True),
            figure_cell(use.auc),
            figure_cell(use.brier),
            Cell(count(use.n)),
        )
        for use in uses
    ]
    return table(
        "The state check as a gate or as a feature, against people",
        ("reward", "accuracy", "AUC", "Brier score", "n"),
        rows,
    )


def _agreement_table(state: StateAudit) -> Block:
    known = [state.agreement] if state.agreement is not None else []
    rows = [
        (
            Cell(f"{a.a} and {a.b}"), name_cell(a.criterion), figure_cell(a.raw, share=True), figure_cell(a.tpr, share=True),
            figure_cell(a.tnr, share=True), figure_cell(a.youden), figure_cell(a.kappa), Cell(count(a.n)),
        )
        for a in (*known, *state.shadowed)
    ]  # fmt: skip
    return table("Judges against the state check", ("who", "criterion", "agree", "TPR", "TNR", "J", "kappa", "n"), rows)


def disagreement_section(findings: Findings, link: Link) -> Section:
    """The episodes to read: where judge and truth differ most."""
    lead = "Read these first: each shows a plainer question, a wrong label, or what the judges can't see."
    title = "Worst disagreements"
    if not findings.disagreements:
        return Section("disagreements", title, lead, (Text("Nothing was listed."),))
    return Section("disagreements", title, lead, (_disagreement_table(title, findings.disagreements, link),))


def _disagreement_table(caption: str, found: Sequence[Disagreement], link: Link) -> Block:
    state = any(d.state is not None for d in found)
    rows = [
        (
            link.cell(d.episode), name_cell(d.criterion), Cell(d.kind.replace("_", " ")), Cell(percent(d.panel)), Cell(percent(d.p)),
            Cell(percent(d.people)), *([Cell(percent(d.state))] if state else []), _story(d),
        )
        for d in found
    ]  # fmt: skip
    head = (
        "episode",
        "criterion",
        "kind",
        "panel",
        "calibrated",
        "people",
        *(["state check"] if state else []),
        "what to look at",
    )
    return table(caption, head, rows, most=MOST_READ)


def _story(d: Disagreement) -> Cell:
    return Cell(sentence(d.detail), small=f"“{d.reason}”" if d.reason else "", wide=True)
