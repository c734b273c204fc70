"""Intervals for rates that stay inside [0, 1]."""

from __future__ import annotations

import math
from typing import NamedTuple

from calibration.maps import Z95


class Interval(NamedTuple):
    """A lower and an upper bound."""

    low: float
    high: float


def wilson(rate: float, n: float, *, quantile: float = Z95) -> Interval:
    """The score interval (Wilson, 1927) of a rate in [0, 1] known as well as from `n` independent labels, not always whole.

    `quantile` is how many standard errors it reaches: 1.96 for 95%, or Student's t where the error itself is estimated.
    """
    z = quantile * quantile / n
    centre, half = rate + z / 2, math.sqrt(z * (rate * (1 - rate) + z / 4))
    return Interval(max(0.0, min(rate, (centre - half) / (1 + z))), min(1.0, max(rate, (centre + half) / (1 + z))))


def student(freedom: float) -> float:
    """Student's 97.5% quantile at so many degrees of freedom, at least 1."""
    from scipy.special import stdtrit

    return float(stdtrit(max(1.0, freedom), 0.975))


def central(mean: float, variance: float) -> Interval:
    """The central 95% of the beta distribution with this mean and variance; the point itself where the variance is 0."""
    from scipy.special import betaincinv

    if variance <= 0 or not 0 < mean < 1:
        return Interval(mean, mean)
    size = max(mean * (1 - mean) / variance - 1.0, 1e-3)
    low, high = betaincinv(mean * size, (1 - mean) * size, [0.025, 0.975])
    return Interval(float(min(low, mean)), float(max(high, mean)))


def clipped(low: float, high: float) -> Interval:
    """The part of an interval that lies in [0, 1]."""
    return Interval(min(1.0, max(0.0, low)), max(0.0, min(1.0, high)))
