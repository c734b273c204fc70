"""Bayesian post-stratification: the pass rate within bins of the judge's value, put together by how many episodes each holds."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from calibration.estimating.clusters import Spread
from calibration.estimating.intervals import Interval, central
from calibration.estimating.samples import Ints, Sample
from calibration.items import Floats

MOST_BINS, LEAST_LABELS = 4, 8
JEFFREYS = 0.5


class Posterior(NamedTuple):
    """The mean of the posterior, its central 95%, and how many bins of the judge's value there were."""

    value: float
    interval: Interval
    bins: int


def post_stratified(sample: Sample, judged: Floats, spread: Spread) -> Posterior:
    """theta = sum over bins of share x rate: shares ~ Dirichlet(episodes + .5), rates ~ Beta(passes + .5, fails + .5).

    Up to four bins, each with eight labels or more; a judge that says yes or no has two. Passes and fails are weighted, and
    counted by what clustered labels are worth. The posterior's mean and variance are exact, its shape taken for a beta's.
    """
    places = bins_of(judged, judged[sample.known])
    count = int(places.max()) + 1
    episodes = np.bincount(places, minlength=count) + JEFFREYS
    rates, variances = _rates(sample, places[sample.known], count, spread)
    whole = episodes.sum()
    shares = episodes / whole
    value = float(shares @ rates)
    between = (float(shares @ rates**2) - value**2) / (whole + 1)
    within = float((shares * (1 - shares) / (whole + 1) + shares**2) @ variances)
    return Posterior(value, central(value, between + within), count)


def bins_of(judged: Floats, labelled: Floats) -> Ints:
    """The bin of each judged value: cut at quantiles of the labelled values, so that each bin has eight labels or more."""
    ordered = np.sort(labelled)
    wanted = max(1, min(MOST_BINS, len(ordered) // LEAST_LABELS))
    cuts = np.unique([ordered[math.ceil(k * len(ordered) / wanted)] for k in range(1, wanted)])
    kept: list[float] = []
    for cut in cuts:
        above = int((ordered >= cut).sum())
        since = int((ordered < cut).sum()) - int((ordered < kept[-1]).sum() if kept else 0)
        if above >= LEAST_LABELS and since >= LEAST_LABELS:
            kept.append(float(cut))
    return np.searchsorted(kept, judged, side="right").astype(np.int64)


def _rates(sample: Sample, places: Ints, count: int, spread: Spread) -> tuple[Floats, Floats]:
    """Mean and variance of each bin's rate under Jeffreys' prior."""
    w, y = sample.weights, sample.known_truth
    whole = np.bincount(places, w, minlength=count)
    worth = whole**2 / np.bincount(places, w**2, minlength=count) / max(1.0, spread.effect)
    passes = np.bincount(places, w * y, minlength=count) / whole * worth + JEFFREYS
    size = worth + 2 * JEFFREYS
    mean = passes / size
    return mean, mean * (1 - mean) / (size + 1)
