"""Where the state check and the others differ, both ways: suspect goal states, and outcomes that can be gamed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from calibration.oracles.changes import faults_of, in_words
from calibration.oracles.facts import required_changes
from calibration.oracles.opinions import Opinions
from calibration.results import Disagreement
from rubrics.verdict import Verdict

FAILS_PANEL_AND_PEOPLE = "state fails, panel and people pass"
FAILS_PEOPLE = "state fails, people pass"
FAILS_PANEL = "state fails, panel passes, no person has looked"
PASSES_PEOPLE = "state passes, people fail"
PASSES_SECOND = "state passes, second opinion fails"
PASSES_PANEL = "state passes, panel fails"
REQUIRES_NOTHING = "the goal requires nothing"


def suspect_goals(found: Iterable[Opinions]) -> Iterator[Disagreement]:
    """Episodes that the state check fails and people pass, or the panel where no person has looked."""
    for one in found:
        kind = None if one.state else _suspect(one)
        if kind is not None:
            yield _disagreement(one, kind, detail=in_words(faults_of(one.record.changes)))


def gamed(found: Iterable[Opinions]) -> Iterator[Disagreement]:
    """Episodes that the state check passes and people fail; where no person has looked, a second opinion or the panel.

    Those that were cut off before the agent finished are none: why they fail is known.
    """
    for one in found:
        kind = _gamed(one) if one.state and not one.cut_off else None
        if kind is not None:
            yield _disagreement(one, kind, detail=_what_passed(one))


def _suspect(one: Opinions) -> str | None:
    if one.people_pass:
        return FAILS_PANEL_AND_PEOPLE if one.panel_passes else FAILS_PEOPLE
    alone = one.people is None and one.panel_passes and not one.failing
    return FAILS_PANEL if alone else None


def _gamed(one: Opinions) -> str | None:
    if one.people_pass is not None:
        return None if one.people_pass else PASSES_PEOPLE
    if one.failing:
        return PASSES_SECOND
    return PASSES_PANEL if one.panel_passes is False else None


def _what_passed(one: Opinions) -> str:
    if one.empty_goal:
        return REQUIRES_NOTHING
    number = required_changes(one.record)
    return f"all {number} required changes made" if number > 1 else "the one required change made"


def _disagreement(one: Opinions, kind: str, *, detail: str) -> Disagreement:
    record = one.record
    return Disagreement(
        episode=record.episode_id, task=record.task_id, kind=kind, panel=one.panel, people=one.people, state=float(one.state),
        detail=detail, reason=_reason(one, kind), empty_goal=one.empty_goal,
    )  # fmt: skip


def _reason(one: Opinions, kind: str) -> str:
    """The words of the one that differs: the second opinions that fail, else the lowest judged verdict with a reason."""
    if kind == PASSES_SECOND:
        said = [v for v in one.record.verdicts if v.criterion in one.failing]
        return "; ".join(f"{v.criterion}: {v.reason}" for v in said)
    return _lowest(one) if kind == PASSES_PANEL else ""


def _lowest(one: Opinions) -> str:
    references = one.record.rubric.criteria
    judged = [v for v in one.record.verdicts if v.criterion in references and references[v.criterion].judged]
    known = [v for v in judged if v.value is not None]

    def cost(verdict: Verdict) -> float:
        value = verdict.value or 0.0
        return 1 - value if references[verdict.criterion].weight < 0 else value

    worst = min(known, key=cost, default=None)
    return "" if worst is None else f"{worst.criterion}: {worst.reason}" if worst.reason else worst.criterion
