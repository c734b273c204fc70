"""What to do next: one list, the most urgent first, without saying a thing twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from calibration.reports.evidence import Mark, Trust, name_of
from calibration.reports.wording import listed, plural, sentence, stated
from calibration.results import JudgeDiagnosis, PanelDiagnosis, Plan, StateAudit

URGENCY: tuple[Mark, ...] = ("not trusted", "no signal", "not enough labels", "with care", "trusted")
MOST = 8
NAME = "\0"


def steps_of(
    whole: Trust, criteria: Sequence[Trust], panels: Sequence[PanelDiagnosis], plan: Plan | None, state: StateAudit | None
) -> tuple[str, ...]:  # fmt: skip
    """At most eight steps: for the whole, for its judges, for the state's goals, then for criteria from the worst mark on."""
    worst_first = sorted(criteria, key=lambda trust: URGENCY.index(trust.mark))
    found = [
        *whole.steps[:2],
        *_about_judges(panels),
        *_about_goals(state),
        *_about_criteria(worst_first),
        *_from_plan(plan),
    ]
    return tuple(dict.fromkeys(found))[:MOST]


def _about_criteria(criteria: Sequence[Trust]) -> Iterator[str]:
    """The first step of each, criteria with the same one together."""
    grouped: dict[str, list[str]] = {}
    for trust in criteria:
        if trust.steps:
            name = name_of(trust.criterion)
            grouped.setdefault(trust.steps[0].replace(name, NAME), []).append(name)
    yield from (step.replace(NAME, listed(names)) for step, names in grouped.items())


def _about_judges(panels: Sequence[PanelDiagnosis]) -> Iterator[str]:
    panel = next((p for p in panels if p.criterion is None), panels[0] if panels else None)
    if panel is None or len(panel.judges) < 2:
        return
    bad = [
        judge
        for judge in panel.judges
        if judge.youden.high is not None and judge.youden.low is not None and judge.youden.low <= 0
    ]
    if len(bad) < len(panel.judges):
        yield from (f"Drop judge {judge.judge}: no better than chance, J {stated(judge.youden)}." for judge in bad)
    if not bad and (idle := _idlest(panel.judges)) is not None:
        yield f"Judge {idle.judge} adds nothing that can be measured: drop it, or replace it by one of another family."


def _idlest(judges: Sequence[JudgeDiagnosis]) -> JudgeDiagnosis | None:
    """The judge that adds least. One only: two that say the same each add nothing beside the other, and both would be lost."""
    idle = [judge for judge in judges if judge.adds_nothing and judge.gain.value is not None]
    return min(idle, key=lambda judge: judge.gain.value or 0.0, default=None)


def _about_goals(state: StateAudit | None) -> Iterator[str]:
    if state is None:
        return
    if state.suspect_goals:
        found = plural(len(state.suspect_goals), "episode")
        yield f"Check the goal states of {found} that the state check fails and panel and people pass."
    if state.gamed:
        yield f"Read {plural(len(state.gamed), 'episode')} that the state check passes and others fail: the goal may be too weak."


def _from_plan(plan: Plan | None) -> Iterator[str]:
    if plan is None or plan.labels is None or plan.labels <= plan.have:
        return
    yield sentence(f"label {plural(plan.labels - plan.have, 'more episode')} for {plan.wish}; the queue is below")
