"""Verdicts from the probabilities of the levels, where a model gives them instead of text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from judge.parsing.answers import AnswerError, shown
from judge.parsing.outcomes import Parsed, failure
from rubrics import Criterion, Verdict

LEAST_MASS, MOST_MASS = 0.98, 1.02


def read_probabilities(
    probabilities: Mapping[str, Mapping[str, float]], criteria: Sequence[Criterion], rater: str
) -> Parsed:
    """For each criterion the most likely level (of equals the lower), with value = sum of p x value over the levels.

    A mass within [0.98, 1.02] is brought to 1; any other is a failure, like a probability that is no number in [0, 1].
    """
    verdicts, failures = [], []
    for criterion in criteria:
        try:
            verdicts.append(_verdict(criterion, probabilities.get(criterion.id), rater))
        except AnswerError as error:
            failures.append(failure(error.kind, criterion, rater, str(error)))
    extra = sorted(set(probabilities) - {criterion.id for criterion in criteria})
    notes = (f"ignored probabilities for ids that were not asked: {extra[:5]}",) if extra else ()
    return Parsed(tuple(verdicts), tuple(failures), notes)


def _verdict(criterion: Criterion, given: Mapping[str, float] | None, rater: str) -> Verdict:
    if not given:
        raise AnswerError("missing", "gave no probabilities for it")
    if unknown := sorted(set(given) - set(criterion.by_name)):
        raise AnswerError("off_scale", f"gave a probability for {unknown[:3]}, expected {list(criterion.by_name)}")
    masses = [_probability(level.name, given.get(level.name, 0.0)) for level in criterion.levels]
    total = math.fsum(masses)
    if not LEAST_MASS <= total <= MOST_MASS:
        raise AnswerError("off_scale", f"gave probabilities that sum to {total:.4g}, expected 1")
    shares = [mass / total for mass in masses]
    likeliest = shares.index(max(shares))
    value = math.fsum(share * level.value for share, level in zip(shares, criterion.levels, strict=True))
    return Verdict(
        criterion=criterion.id,
        rater=rater,
        level=criterion.levels[likeliest].name,
        value=min(1.0, max(0.0, value)),
        probability=min(1.0, shares[likeliest]),
        flags=("no_evidence",) if criterion.require_quote else (),
    )


def _probability(level: str, given: object) -> float:
    wrong = f"gave {shown(given)} as the probability of {level!r}, expected a number in [0, 1]"
    if isinstance(given, float) and not math.isfinite(given):
        raise AnswerError("not_finite", wrong)
    if isinstance(given, bool) or not isinstance(given, int | float) or not -1e-9 <= given <= 1 + 1e-9:
        raise AnswerError("off_scale", wrong)
    return min(1.0, max(0.0, float(given)))
