"""Rates whose hits may be unknown, with the interval that agreement gives them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from calibration.agreeing.rates import proportion
from calibration.figures import Figure
from calibration.items import Floats


def rate(hits: Floats, weights: Floats, tasks: NDArray[np.int64], *, of: str) -> Figure:
    """The weighted mean of `hits` (0, 1, or a half for a tie; NaN is left out) with Wilson's interval by task.

    `of` says what there were none of.
    """
    known = ~np.isnan(hits)
    if not known.any() or not weights[known].sum():
        return Figure(value=None, n=0, why=f"there are no {of}")
    return proportion(hits[known], tasks=tasks[known], weights=weights[known])


def youden(tpr: Figure, tnr: Figure) -> Figure:
    """TPR + TNR - 1 of two rates from different items, with Newcombe's hybrid score interval (1998, method 10)."""
    if tpr.value is None or tnr.value is None:
        return Figure(value=None, n=tpr.n + tnr.n, why=tpr.why or tnr.why)
    value = tpr.value + tnr.value - 1
    down = math.hypot(tpr.value - (tpr.low or 0.0), tnr.value - (tnr.low or 0.0))
    up = math.hypot((tpr.high or 0.0) - tpr.value, (tnr.high or 0.0) - tnr.value)
    return Figure(value=value, low=max(-1.0, value - down), high=min(1.0, value + up), n=tpr.n + tnr.n)
