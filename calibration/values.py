"""What each judge of a record gave, averaged over its samples: on every criterion, and on the whole."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping

from calibration.records import RecordLike

GATES_OPEN = "gates_open"
LENGTH = "log_reply_chars"


def values_by_judge(record: RecordLike) -> dict[str, dict[str, float]]:
    """For each criterion the value in [0, 1] of each judge that counts."""
    found: dict[str, dict[str, list[float]]] = defaultdict(dict)
    for judgement in record.judgements:
        judge = judgement.judge
        if judge in record.panel:
            for verdict in judgement.verdicts:
                if (value := verdict.value) is not None:
                    found[verdict.criterion].setdefault(judge, []).append(value)
    return {criterion: _means(judges) for criterion, judges in found.items()}


def scores_by_judge(record: RecordLike) -> dict[str, float]:
    """The score in [0, 1] that the rubric makes of each judge alone, all gates open."""
    found: dict[str, list[float]] = defaultdict(list)
    for judgement in record.judgements:
        if judgement.judge in record.panel and judgement.score is not None and judgement.verdicts:
            found[judgement.judge].append(judgement.score)
    if not found and len(record.panel) == 1 and record.ungated is not None:
        found[record.panel[0]].append(record.ungated)
    return _means(found)


def covariates_of(record: RecordLike) -> dict[str, float]:
    """The record's covariates that are numbers; `gates_open` (0 or 1) where its rubric has gates; `log_reply_chars`.

    Lengths are skewed, so that their logarithm is what a linear slope can be about.
    """
    numbers = {
        name: float(value)
        for name, value in record.covariates.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    if any(reference.gate for reference in record.rubric.criteria.values()):
        numbers[GATES_OPEN] = 0.0 if record.closed_gates else 1.0
    if "reply_chars" in numbers:
        numbers[LENGTH] = math.log1p(numbers["reply_chars"])
    return numbers


def _means(found: Mapping[str, list[float]]) -> dict[str, float]:
    return {judge: values[0] if len(values) == 1 else sum(values) / len(values) for judge, values in found.items()}
