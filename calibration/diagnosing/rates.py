"""Rates with Wilson's interval, for labels that are clustered by task and chosen with unequal probabilities."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from calibration.figures import Figure
from calibration.items import Floats
from calibration.maps import Z95


def wilson(rate: float, n: float) -> tuple[float, float]:
    """The 95% score interval of a rate seen in `n` independent trials (Wilson, 1927)."""
    centre = (rate + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
    reach = Z95 / (1 + Z95**2 / n) * math.sqrt(rate * (1 - rate) / n + Z95**2 / (4 * n * n))
    return max(0.0, min(rate, centre - reach)), min(1.0, max(rate, centre + reach))


def rate(hits: Floats, weights: Floats, tasks: NDArray[np.int64], *, of: str) -> Figure:
    """The weighted mean of `hits` (0, 1, or a half for a tie; NaN is left out) with Wilson's interval.

    The interval is that of as many independent trials as would vary likewise (Kish's design effect), counted by task: at
    most the number of hits; where all are alike, the number of tasks. `of` says what there were none of.
    """
    known = ~np.isnan(hits)
    hits, weights, tasks = hits[known], weights[known], tasks[known]
    if not len(hits) or not weights.sum():
        return Figure(value=None, n=0, why=f"there are no {of}")
    value = float(np.average(hits, weights=weights))
    low, high = wilson(value, _independent(hits - value, weights, tasks, value))
    return Figure(value=value, low=low, high=high, n=len(hits))


def _independent(off: Floats, weights: Floats, tasks: NDArray[np.int64], value: float) -> float:
    sums = np.bincount(tasks, weights=weights * off)
    groups = len(np.unique(tasks))
    variance = float((sums**2).sum()) / float(weights.sum()) ** 2 * groups / max(1, groups - 1)
    if variance <= 1e-12 or groups < 2:
        return float(groups)
    return max(1.0, min(float(len(off)), value * (1 - value) / variance))


def youden(tpr: Figure, tnr: Figure) -> Figure:
    """TPR + TNR - 1 with Newcombe's hybrid score interval (1998, method 10)."""
    if tpr.value is None or tnr.value is None:
        return Figure(value=None, n=tpr.n + tnr.n, why=tpr.why or tnr.why)
    value = tpr.value + tnr.value - 1
    down = math.hypot(tpr.value - (tpr.low or 0.0), tnr.value - (tnr.low or 0.0))
    up = math.hypot((tpr.high or 0.0) - tpr.value, (tnr.high or 0.0) - tnr.value)
    return Figure(value=value, low=max(-1.0, value - down), high=min(1.0, value + up), n=tpr.n + tnr.n)
