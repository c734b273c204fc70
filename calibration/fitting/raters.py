"""How severe each person is, beside what the judges make expect: several people's labels without their leanings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from calibration.items import Floats, Pair

PRIOR_LABELS = 4.0
ROUNDS = 20


def severities(pairs: Sequence[Pair], *, expected: Floats | None = None) -> dict[str, float]:
    """For each rater how far above (+, lenient) or below what is expected they label, shrunk: o = sum of residuals / (n + 4).

    A residual is what the rater said less what is expected of the item: `expected` (a value for each pair), or else a line
    on the panel's value, fitted by turns with the offsets (a model of each annotator, as in LLM-Rubric: Hashemi et al., ACL
    2024, with one number each).
    """
    if expected is not None:
        return _offsets(pairs, expected)
    offsets: dict[str, float] = {}
    panel = np.array([sum(pair.item.judges.values()) / len(pair.item.judges) for pair in pairs])
    for _ in range(ROUNDS):
        offsets = _offsets(pairs, _line(panel, _without(pairs, offsets)))
    return offsets


def adjusted_truths(pairs: Sequence[Pair], offsets: Mapping[str, float]) -> Floats:
    """The truth of each pair with each rater's offset taken off first, kept in [0, 1]."""
    return np.asarray(np.clip(_without(pairs, offsets), 0.0, 1.0))


def _without(pairs: Sequence[Pair], offsets: Mapping[str, float]) -> Floats:
    sums = [sum(value - offsets.get(rater, 0.0) for rater, value in pair.raters.items()) for pair in pairs]
    return np.asarray(np.array(sums, dtype=float) / np.array([len(pair.raters) for pair in pairs]))


def _line(panel: Floats, truth: Floats) -> Floats:
    """The least-squares line of the truth on the panel's value; flat where that is constant."""
    apart = panel - panel.mean()
    slope = float(apart @ truth) / float(apart @ apart) if np.ptp(panel) > 0 else 0.0
    return np.asarray(truth.mean() + slope * apart)


def _offsets(pairs: Sequence[Pair], line: Floats) -> dict[str, float]:
    residuals: dict[str, list[float]] = defaultdict(list)
    for pair, expected in zip(pairs, line.tolist(), strict=True):
        for rater, value in pair.raters.items():
            residuals[rater].append(value - expected)
    return {rater: sum(found) / (len(found) + PRIOR_LABELS) for rater, found in sorted(residuals.items())}
