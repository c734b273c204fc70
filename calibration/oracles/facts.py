"""What a grade record says of its state check: the verdict, whether the goal asked for anything, whether anything was done."""

from __future__ import annotations

from collections.abc import Iterator

from calibration.oracles.changes import REQUIRED
from calibration.records import RecordLike
from rubrics.references import CriterionRef

STATE = "state"
STATE_RATER = "check:state"
CUT_OFF = "episode_truncated"
POSITIVE = frozenset({"called", "cell", "json_schema", "regex", "says"})
"""Checks that an agent which does and says nothing can't pass, unless they are turned round with `not`."""
EPSILON = 1e-9


def state_criteria(record: RecordLike) -> tuple[str, ...]:
    """The criteria of its rubric that the `state` check settles."""
    rated = {v.criterion for v in record.verdicts if v.rater == STATE_RATER}
    rated |= {f.criterion for f in record.failures if f.rater == STATE_RATER and f.criterion is not None}
    named = (c for c, reference in record.rubric.criteria.items() if check_name(reference) == STATE)
    return tuple(dict.fromkeys((*named, *sorted(rated))))


def check_name(reference: CriterionRef) -> str | None:
    """The name of the check that settles a criterion; None if judges do, or if the record does not say."""
    return None if reference.check is None else str(reference.check.get("name"))


def state_value(record: RecordLike) -> float | None:
    """The lowest value in [0, 1] that its state checks gave; None if there is none, or one could not look."""
    values = [record.values.get(c) for c in state_criteria(record) if c not in record.not_applicable]
    known = [value for value in values if value is not None]
    if not known or (len(known) < len(values) and min(known) >= 1 - EPSILON):
        return None
    return min(known)


def state_passes(record: RecordLike) -> bool | None:
    """True if the final state is right in full; None if no state check could tell."""
    value = state_value(record)
    return None if value is None else value >= 1 - EPSILON


def required_changes(record: RecordLike) -> int:
    """How many changes its goal asks for."""
    return sum(change.get("kind") in REQUIRED for change in record.changes)


def goal_is_empty(record: RecordLike) -> bool | None:
    """True if its goal asks for no change, so that doing nothing passes; None if no states were compared.

    Of an `any_of` goal it is the alternative that came closest.
    """
    return None if state_value(record) is None else required_changes(record) == 0


def did_nothing(record: RecordLike) -> bool | None:
    """True if no place that was compared changed; None if no states were compared."""
    if state_value(record) is None:
        return None
    absent = object()
    return all(change.get("was", absent) == change.get("now", absent) for change in record.changes)


def positive_gates(record: RecordLike) -> dict[str, bool]:
    """Which gates, settled by code, require something of the agent that is not in the state, and whether each is open.

    The environment's recorded outcome is none: it may be the same state check. Nor is a look at the final state.
    """
    return {
        criterion: criterion not in record.closed_gates
        for criterion, reference in record.rubric.criteria.items()
        if reference.gate and _asks_for_something(reference) and record.values.get(criterion) is not None
    }


def _asks_for_something(reference: CriterionRef) -> bool:
    check = reference.check or {}
    return check.get("name") in POSITIVE and not check.get("not")


def weighted_state(record: RecordLike) -> Iterator[str]:
    """The state criteria that have a weight, so that the score is made of them too."""
    references = record.rubric.criteria
    return (c for c in state_criteria(record) if c in references and abs(references[c].weight) > EPSILON)
