"""Prediction-powered inference (Angelopoulos et al., Science 2023; PPI++, 2023): labels correct what the judge says of all.

theta = mean of the labels + lambda (mean of the judge over all - mean of the judge over the labelled).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from calibration.estimating.clusters import Spread
from calibration.estimating.intervals import Interval, student, wilson
from calibration.estimating.samples import Sample
from calibration.items import Floats
from calibration.maps import Z95

PSEUDO_SLOPE, PSEUDO_RATIO = 1.0, 2.0


class Corrected(NamedTuple):
    """A corrected mean. `influence` is what each task adds to its error, `ratio` the variance over that of the labels alone."""

    value: float
    interval: Interval
    influence: Floats
    ratio: float


def prediction_powered(sample: Sample, judged: Floats, spread: Spread) -> Corrected:
    """PPI++ inside Wilson's interval: never outside [0, 1], and right at high rates and with few labels.

    With P telling tasks (about the number of the rarer outcome), lambda is P / (P + 1) of the least-squares slope, and the
    variance ratio is shrunk toward 1 by two pseudo-labels: where nearly all pass, a judge's worth can't be known, and the
    interval is Wilson's of the labels alone. The interval is Wilson's at the number of labels the estimate is worth, with the
    quantile of Student's t as far as the variance was estimated.
    """
    trust = spread.telling / (spread.telling + PSEUDO_SLOPE)
    slope = trust * max(0.0, least_squares(sample, judged))
    influence = _influence(sample, judged, slope)
    ratio = _ratio(spread, influence, trust)
    value = min(1.0, max(0.0, sample.rate + slope * _gap(sample, judged)))
    interval = wilson(value, spread.worth / ratio, quantile=_reach(spread, trust, ratio))
    return Corrected(value, interval, influence, ratio)


def labels_alone(sample: Sample, spread: Spread) -> Corrected:
    """Wilson's interval of the labels; at their effective number with Student's quantile if tasks have several labels."""
    trust = spread.telling / (spread.telling + PSEUDO_SLOPE)
    return Corrected(
        sample.rate, wilson(sample.rate, spread.worth, quantile=_reach(spread, trust, 1.0)), spread.sums, 1.0
    )


def _reach(spread: Spread, trust: float, ratio: float) -> float:
    """From the normal quantile, where the variance follows from the rate alone, to Student's, where it was estimated.

    The share of the variance that a judge explains is known, from n labels, as well as a variance from n / (2 share); the
    design effect as well as one from the tasks.
    """
    uncertain = max(1.0 if spread.clustered else 0.0, 2.0 * (1.0 - ratio))
    return Z95 + trust * (student((spread.tasks - 1) / uncertain) - Z95) if uncertain > 1e-9 else Z95


def least_squares(sample: Sample, judged: Floats) -> float:
    """The slope of the truth on the judge that gives the least variance (PPI++), 0 where the judge always says the same."""
    w = sample.weights
    f = judged[sample.known] - w @ judged[sample.known]
    scale = float((w**2) @ f**2)
    return float((w**2 * f) @ (sample.known_truth - sample.rate)) / scale if scale > 1e-15 else 0.0


def _gap(sample: Sample, judged: Floats) -> float:
    return float(judged.mean() - sample.weights @ judged[sample.known])


def _influence(sample: Sample, judged: Floats, slope: float) -> Floats:
    """Each task's part of the error: of its labelled episodes, and of its episodes in the mean over all."""
    w, known = sample.weights, sample.known
    others = np.ones(len(sample), dtype=bool)
    others[known] = False
    each = judged - np.where(others, judged[others].mean() if others.any() else 0.0, judged[known].mean())
    each *= slope / len(sample)
    each[known] += w * (sample.known_truth - sample.rate - slope * (judged[known] - w @ judged[known]))
    return np.asarray(np.bincount(sample.groups, each), dtype=float)


def _ratio(spread: Spread, influence: Floats, trust: float) -> float:
    if spread.square <= 0 or spread.tasks < 3:
        return 1.0
    squares, mine = influence**2, spread.sample.labelled_groups
    few = (spread.tasks - 1) / (spread.tasks - 1 - trust)
    seen = float(squares[mine].sum() * few + squares[~mine].sum()) / spread.square
    return min(1.0, (spread.telling * seen + PSEUDO_RATIO) / (spread.telling + PSEUDO_RATIO))


class Classic(NamedTuple):
    """A mean with its standard error and degrees of freedom."""

    value: float
    error: float
    freedom: int

    @property
    def interval(self) -> Interval:
        """Student's interval, which may leave [0, 1]."""
        reach = student(self.freedom) * self.error
        return Interval(self.value - reach, self.value + reach)


def ppi_plus_plus(sample: Sample, judged: Floats) -> Classic:
    """PPI++ as published: lambda clipped to [0, 1], its error by task, Student's interval. Too narrow at high rates.

    Variances have the correction of a sample (ddof 1); lambda = cov(truth, judge) / var(judge over all), which for a random
    sample is cov / ((1 + n/N) var) of the judge over the episodes without a label.
    """
    w, known = sample.weights, sample.known
    spread = float(judged.var(ddof=1)) if len(sample) > 1 else 0.0
    rest = 1.0 - len(known) / len(sample)
    covariance = float((w * (judged[known] - w @ judged[known])) @ (sample.known_truth - sample.rate))
    slope = min(1.0, max(0.0, rest * covariance / spread)) / rest if spread > 0 and rest > 0 else 0.0
    squares, mine = _influence(sample, judged, slope) ** 2, sample.labelled_groups
    variance = sum(_few(int(part.sum())) * float(squares[part].sum()) for part in (mine, ~mine))
    return Classic(sample.rate + slope * _gap(sample, judged), math.sqrt(variance), int(mine.sum()) - 1)


def _few(tasks: int) -> float:
    """The correction of a variance for few tasks."""
    return tasks / (tasks - 1) if tasks > 1 else 1.0
