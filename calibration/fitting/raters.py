"""How severe each person is, beside what the judges make expect: several people's labels without their leanings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from calibration.items import Floats, Pair, truths_of

PRIOR_LABELS = 4.0
ROUNDS = 20


def severities(pairs: Sequence[Pair], *, expected: Floats | None = None) -> dict[str, float]:
    """For each rater how far above (+, lenient) or below the others' line they label, shrunk: o = sum of residuals / (n + 4).

    A residual is what the rater said less what is expected of the item: `expected` (a value for each pair), or else a line
    on the panel's value, fitted by turns with the offsets (LLM-Rubric's idea of a model of each annotator, Hashemi et al.,
    ACL 2024, at one number each).
    """
    given = expected
    offsets: dict[str, float] = {}
    for _ in range(1 if given is not None else ROUNDS):
        line = given if given is not None else _line(pairs, offsets)
        offsets = _offsets(pairs, line)
    return offsets


def adjusted_truths(pairs: Sequence[Pair], offsets: Mapping[str, float]) -> Floats:
    """The truth of each pair with each rater's offset taken off first, kept in [0, 1]."""
    means = [np.mean([value - offsets.get(rater, 0.0) for rater, value in pair.raters.items()]) for pair in pairs]
    return np.asarray(np.clip(np.array(means, dtype=float), 0.0, 1.0))


def has_several_raters(pairs: Iterable[Pair]) -> bool:
    """True if two people or more labelled, so that a severity can be told from the truth."""
    return len({rater for pair in pairs for rater in pair.raters}) > 1


def _line(pairs: Sequence[Pair], offsets: Mapping[str, float]) -> Floats:
    """The least-squares line of the raters' values, less their offsets, on the panel's value; flat where that is constant."""
    truth = truths_of(pairs) - np.array([np.mean([offsets.get(rater, 0.0) for rater in pair.raters]) for pair in pairs])
    panel = np.array([np.mean(list(pair.item.judges.values())) for pair in pairs])
    apart = panel - panel.mean()
    slope = float(apart @ truth) / float(apart @ apart) if np.ptp(panel) > 0 else 0.0
    return np.asarray(truth.mean() + slope * apart)


def _offsets(pairs: Sequence[Pair], line: Floats) -> dict[str, float]:
    residuals: dict[str, list[float]] = defaultdict(list)
    for pair, expected in zip(pairs, line.tolist(), strict=True):
        for rater, value in pair.raters.items():
            residuals[rater].append(value - expected)
    return {rater: sum(found) / (len(found) + PRIOR_LABELS) for rater, found in sorted(residuals.items())}
