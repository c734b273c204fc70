"""Circularity: a judge that saw the state, or a score made of it, says nothing when it is measured against that state."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from calibration.errors import CalibrationError
from calibration.oracles.facts import state_criteria, weighted_state
from calibration.records import RecordLike
from calibration.values import GATES_OPEN
from rubrics.references import CriterionRef

RECORDED = "recorded"
STATE = "state"


def state_shown(record: RecordLike, criterion: str | None = None, *, judge: str | None = None) -> bool | None:
    """Whether the judges that answered saw what changed in the state; None where the record can't say.

    For one criterion, or for any of the judged ones; of one judge, or of all. What a recorded judge was shown is not known.
    False does not mean that a tool's answer in the transcript did not tell the same.
    """
    recorded = recorded_judges(record)
    return None if judge in recorded or (judge is None and recorded) else state_in_evidence(record, criterion)


def recorded_judges(record: RecordLike) -> frozenset[str]:
    """The judges whose stored answers were replayed."""
    return frozenset(judgement.judge for judgement in record.judgements if RECORDED in judgement.notes)


def state_in_evidence(record: RecordLike, criterion: str | None = None) -> bool | None:
    """Whether the rubric lets judges see the state, on one criterion or on any; None for records that do not say."""
    references = record.rubric.criteria
    asked = [references.get(criterion)] if criterion is not None else [r for r in references.values() if r.judged]
    seen = [_sees(reference) for reference in asked]
    if True in seen:
        return True
    return None if None in seen or not seen else False


def _sees(reference: CriterionRef | None) -> bool | None:
    return None if reference is None or reference.evidence is None else STATE in reference.evidence


def refuse_circularity(records: Iterable[RecordLike], *, covariates: Collection[str] = (), gated: bool = False) -> None:
    """Raise CalibrationError where the state check is the truth of whole episodes and a part of what it is to judge.

    That is where it has a weight in the score, where one of `covariates` is made of it (itself, or `gates_open`), or where what is
    measured is `gated` by it. Truth that only comes from criteria's `shadows` needs no such care.
    """
    for record in records:
        criteria = state_criteria(record)
        weighted = next(weighted_state(record), None)
        if weighted is not None:
            raise CalibrationError(
                f"criterion {weighted!r} is a state check, which is the truth here, and has a weight in the score, so the score "
                "would be measured against itself; make it a gate without a weight, or calibrate criteria by `shadows`"
            )
        gates = [c for c in criteria if c in record.rubric.criteria and record.rubric.criteria[c].gate]
        feature = next((name for name in covariates if name in criteria or (name == GATES_OPEN and gates)), None)
        if feature is not None:
            raise CalibrationError(
                f"covariate {feature!r} is made of the state check {_named(gates or criteria)}, which is the truth here; "
                "leave it out, or calibrate against people"
            )
        if gated and gates:
            raise CalibrationError(
                f"the reward is 0 behind the state check {_named(gates)}, which is the truth here, so it would be right by "
                "construction; measure the ungated score, or measure against people"
            )


def _named(criteria: Collection[str]) -> str:
    return ", ".join(map(repr, criteria))
