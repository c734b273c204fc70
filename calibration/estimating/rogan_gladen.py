"""The estimator of Rogan and Gladen (1978): a pass rate from the judge's rate, its TPR and its TNR.

For labels that were collected by class, so many passes and so many fails. It takes the judge's error rates to be the same
wherever it is used, which a better or a gaming policy breaks, and its intervals are wide.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from calibration.errors import CalibrationError
from calibration.estimating.intervals import Interval, clipped
from calibration.estimating.samples import Ints, Sample
from calibration.items import Floats
from calibration.maps import Z95

HALF = 0.5


class Known(NamedTuple):
    """A share and how many independent observations it rests on."""

    share: float
    n: float

    @property
    def variance(self) -> float:
        """The binomial variance of the share."""
        return self.share * (1 - self.share) / self.n

    def smoothed(self, pseudo: float) -> Known:
        """The share with so many observations more, half of them passes."""
        return Known((self.n * self.share + pseudo / 2) / (self.n + pseudo), self.n + pseudo)


class Rates(NamedTuple):
    """How often the judge passes an episode, what is good (TPR), and fails what is bad (TNR)."""

    passed: Known
    tpr: Known
    tnr: Known

    @property
    def youden(self) -> float:
        """TPR + TNR - 1."""
        return self.tpr.share + self.tnr.share - 1

    @property
    def value(self) -> float:
        """(rate + TNR - 1) / (TPR + TNR - 1)."""
        return (self.passed.share + self.tnr.share - 1) / self.youden

    @property
    def error(self) -> float:
        """The standard error by the delta method."""
        parts = self.passed.variance + (1 - self.value) ** 2 * self.tnr.variance + self.value**2 * self.tpr.variance
        return math.sqrt(parts) / self.youden


class Inverted(NamedTuple):
    """The rate, clipped to [0, 1], and its interval."""

    value: float
    interval: Interval


def rogan_gladen(sample: Sample) -> Inverted:
    """The rate with the adjusted interval of Lee et al. (arXiv:2511.21140, 2025), judge and truth both cut at a half.

    Observations are counted by what they are worth where tasks have several or weights differ. Episodes that are settled
    without a label count as they are. Raises CalibrationError where one class has no label, or the judge is no better than chance.
    """
    found = rates_of(sample)
    if found.youden <= 0:
        raise CalibrationError(
            f"TPR {found.tpr.share:.2f} + TNR {found.tnr.share:.2f} is not above 1: the judge is no better than chance, so its rate "
            "can't be corrected by class; label a random sample instead"
        )
    open_, settled = 1.0 - float(sample.settled.mean()), float(sample.truth[sample.settled].sum()) / len(sample)
    low, high = _adjusted(found)
    value = min(1.0, max(0.0, found.value))
    return Inverted(
        settled + open_ * value, Interval(settled + open_ * min(low, value), settled + open_ * max(high, value))
    )


def _adjusted(found: Rates) -> Interval:
    z = Z95**2
    smooth = Rates(found.passed.smoothed(z), found.tpr.smoothed(2), found.tnr.smoothed(2))
    if smooth.youden <= 0:
        return Interval(0.0, 1.0)
    shift = 2 * z * (smooth.value * smooth.tpr.variance - (1 - smooth.value) * smooth.tnr.variance)
    middle, reach = smooth.value + shift, Z95 * smooth.error
    return clipped(middle - reach, middle + reach)


def rates_of(sample: Sample) -> Rates:
    """The judge's pass rate over all episodes, and its TPR and TNR over the labelled ones; without those that are settled."""
    passes, asked = (sample.judged >= HALF).astype(float), ~sample.settled
    weights = np.zeros(len(sample))
    weights[sample.known] = sample.weights
    good, bad = asked & (sample.truth > HALF), asked & (sample.truth < HALF)
    if not good.any() or not bad.any():
        raise CalibrationError(
            f"{int(good.sum())} labels pass and {int(bad.sum())} fail; labels collected by class need both, better 20 of each"
        )
    groups = sample.groups
    return Rates(
        _known(passes[asked], groups[asked], np.ones(int(asked.sum()))),
        _known(passes[good], groups[good], weights[good]),
        _known(1.0 - passes[bad], groups[bad], weights[bad]),
    )


def _known(hits: Floats, groups: Ints, weights: Floats) -> Known:
    from calibration.fitting.clustering import design_effect

    kish = float(weights.sum() ** 2 / (weights**2).sum())
    return Known(float(np.average(hits, weights=weights)), kish / design_effect(hits, groups))
