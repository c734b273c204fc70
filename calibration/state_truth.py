"""Truth from state checks: labels that cost nothing, for the criteria that a state comparison decides and for the whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from calibration.items import LeftOut
from calibration.label import FAIL, PASS, Label
from calibration.oracles.changes import faults_of, in_words
from calibration.oracles.facts import (
    STATE_RATER,
    goal_is_empty,
    positive_gates,
    state_criteria,
    state_passes,
    weighted_state,
)
from calibration.oracles.shadows import Shadow, shadow_of
from calibration.records import RecordLike
from rubrics.references import CriterionRef

EMPTY_GOAL = "the goal requires nothing, so that doing nothing passes"
NO_STATE = "the state check could not look"
NOT_COMPARED = "no state check compares the tables that the criterion shadows"
CIRCULAR = "the state check has a weight in the score, which would be measured against itself"
NOT_STATED = "no state check in the rubric"

Scope = frozenset[str] | None


@dataclass(frozen=True, slots=True)
class StateTruth:
    """The labels that state checks give, and what they leave open, with the reason.

    `empty_goals` are the episodes not labelled as a whole because their goal, and every other gate, requires nothing.
    """

    labels: tuple[Label, ...]
    left_out: tuple[LeftOut, ...]
    empty_goals: tuple[str, ...]


def state_labels(records: Iterable[RecordLike]) -> Iterator[Label]:
    """The labels that state checks give, by rater `check:state`.

    A judged criterion with `shadows` has its best level where no change of the shadowed kinds touches the shadowed part,
    else its worst (turned round for a penalty), provided that the goal asks for something there or that the criterion is
    only about what was to be left alone. The whole has `pass` or `fail`, provided that the goal, or another gate settled by
    code, asks for something. Raises CalibrationError for `shadows` that can't be read.
    """
    return (answer for record in records for answer in _answers(record) if isinstance(answer, Label))


def state_truth(records: Iterable[RecordLike]) -> StateTruth:
    """The same labels with all that was left out and why: episodes, or `EPISODE/CRITERION`."""
    answers = [answer for record in records for answer in _answers(record)]
    left: dict[str, list[str]] = defaultdict(list)
    for open_ in (answer for answer in answers if isinstance(answer, _Open)):
        left[open_.reason].append(open_.name)
    return StateTruth(
        tuple(answer for answer in answers if isinstance(answer, Label)),
        tuple(LeftOut(reason, tuple(names)) for reason, names in left.items()),
        tuple(
            answer.episode
            for answer in answers
            if isinstance(answer, _Open) and answer.criterion is None and answer.reason == EMPTY_GOAL
        ),
    )


@dataclass(frozen=True, slots=True)
class _Open:
    """A question that the state leaves open."""

    episode: str
    criterion: str | None
    reason: str

    @property
    def name(self) -> str:
        return self.episode if self.criterion is None else f"{self.episode}/{self.criterion}"


def _answers(record: RecordLike) -> Iterator[Label | _Open]:
    scopes = {c: _scope(record.rubric.criteria.get(c)) for c in state_criteria(record)}
    yield from (_shadowed(record, c, reference, s, scopes) for c, reference, s in _shadows(record))
    yield _whole(record) if scopes else _Open(record.episode_id, None, NOT_STATED)


def _shadows(record: RecordLike) -> Iterator[tuple[str, CriterionRef, Shadow]]:
    for criterion, reference in record.rubric.criteria.items():
        if reference.judged and reference.shadows is not None and criterion not in record.not_applicable:
            yield criterion, reference, shadow_of(criterion, reference.shadows)


def _shadowed(
    record: RecordLike, criterion: str, reference: CriterionRef, shadow: Shadow, scopes: Mapping[str, Scope]
) -> Label | _Open:
    episode = record.episode_id
    compared = _comparing(shadow, scopes)
    if not compared:
        return _Open(episode, criterion, NOT_COMPARED if scopes else NOT_STATED)
    if any(record.values.get(c) is None for c in compared):
        return _Open(episode, criterion, NO_STATE)
    if shadow.positive and not shadow.required(record.changes):
        return _Open(episode, criterion, EMPTY_GOAL)
    faults = shadow.faults(record.changes)
    ordered = sorted(reference.levels, key=reference.levels.__getitem__)
    level = ordered[0 if bool(faults) == (reference.weight >= 0) else -1]
    note = in_words(faults) if faults else "no such change"
    return Label.trusted(episode=episode, criterion=criterion, rater=STATE_RATER, level=level, note=note)


def _comparing(shadow: Shadow, scopes: Mapping[str, Scope]) -> list[str]:
    """The state criteria that look at what is shadowed; none if a shadowed table is looked at by none."""
    wanted = shadow.tables
    covered = all(any(scope is None or table in scope for scope in scopes.values()) for table in wanted)
    return [c for c, scope in scopes.items() if covered and (scope is None or not wanted or wanted & scope)]


def _scope(reference: CriterionRef | None) -> Scope:
    """The tables that a state criterion compares; None for all."""
    tables = (reference.check or {}).get("tables") if reference else None
    if not isinstance(tables, list | str):
        return None
    return frozenset([tables] if isinstance(tables, str) else map(str, tables))


def _whole(record: RecordLike) -> Label | _Open:
    episode, passes = record.episode_id, state_passes(record)
    if passes is None:
        return _Open(episode, None, NO_STATE)
    if any(True for _ in weighted_state(record)):
        return _Open(episode, None, CIRCULAR)
    note = in_words(faults_of(record.changes)) or "the final state is right"
    if goal_is_empty(record):
        gates = positive_gates(record)
        if not gates:
            return _Open(episode, None, EMPTY_GOAL)
        passes = passes and all(gates.values())
        note = f"the goal requires nothing; decided with {', '.join(gates)}"
    return Label.trusted(episode=episode, rater=STATE_RATER, level=PASS if passes else FAIL, note=note)
