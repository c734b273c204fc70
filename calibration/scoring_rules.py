"""How good probabilities are: Brier score and its parts, log loss, calibration error with its floor, the calibration line."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.fitting.logistic import Priors, fit_logistic
from calibration.items import Floats

BINS = 5
DRAWS = 400
SMALLEST = 1e-6
FLAT = 1e-9


class BrierParts(NamedTuple):
    """Murphy's decomposition (1973): `score` = reliability - resolution + uncertainty + within.

    `reliability` is the mean squared distance of a bin's rate from its mean probability (0 is best); `resolution` how far the
    bins' rates lie from the overall rate (more is better); `uncertainty` the variance of the truth. `within` is what
    spreads inside bins add (Stephenson et al., 2008), so that the sum is exact.
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float


class Bin(NamedTuple):
    """A bar of the reliability diagram: mean probability, mean truth, how many items."""

    predicted: float
    observed: float
    n: int


class Line(NamedTuple):
    """Logistic regression of the truth on the logit of p (Cox, 1958): perfect is slope 1, intercept 0. A slope below 1 is
    overconfidence."""

    slope: float
    intercept: float


def brier(p: Floats, truth: Floats, weights: Floats | None = None) -> float:
    """The mean squared distance of probability and truth, in [0, 1], less is better (Brier, 1950)."""
    return float(np.average((p - truth) ** 2, weights=weights))


def log_loss(p: Floats, truth: Floats, weights: Floats | None = None) -> float:
    """The mean cross-entropy in nats. Probabilities are kept 1e-6 from 0 and 1, so that one sure error is finite."""
    inside = np.clip(p, SMALLEST, 1 - SMALLEST)
    losses = -(truth * np.log(inside) + (1 - truth) * np.log1p(-inside))
    return float(np.average(losses, weights=weights))


def brier_parts(p: Floats, truth: Floats, *, bins: int = BINS) -> BrierParts:
    """The decomposition over bins of equal mass."""
    places = equal_mass_bins(p, bins)
    counts = np.bincount(places)
    share, rates, means = counts / len(p), np.bincount(places, truth) / counts, np.bincount(places, p) / counts
    base = float(truth.mean())
    score, spread = brier(p, truth), float(((truth - base) ** 2).mean())
    reliability, resolution = float(share @ (means - rates) ** 2), float(share @ (rates - base) ** 2)
    return BrierParts(score, reliability, resolution, spread, score - reliability + resolution - spread)


def equal_mass_bins(p: Floats, bins: int = BINS) -> NDArray[np.int64]:
    """The bin of each item, from 0: about as many items in each; equal probabilities share a bin, so that there may be fewer."""
    values, places, counts = np.unique(p, return_inverse=True, return_counts=True)
    middle = (np.cumsum(counts) - counts / 2) / len(p)
    found = np.minimum((middle * bins).astype(np.int64), bins - 1)
    return np.asarray(np.unique(found, return_inverse=True)[1][places]).reshape(len(values[places]))


def reliability_bins(p: Floats, truth: Floats, *, bins: int = BINS) -> tuple[Bin, ...]:
    """The bars of the reliability diagram, by rising probability."""
    places = equal_mass_bins(p, bins)
    groups = (places == place for place in range(int(places.max(initial=-1)) + 1))
    return tuple(Bin(float(p[group].mean()), float(truth[group].mean()), int(group.sum())) for group in groups)


def expected_calibration_error(p: Floats, truth: Floats, *, bins: int = BINS) -> float:
    """The mean distance of a bin's rate from its mean probability, over bins of equal mass. Read it beside `ece_floor`."""
    return float(
        sum(bar.n * abs(bar.predicted - bar.observed) for bar in reliability_bins(p, truth, bins=bins)) / len(p)
    )


def ece_floor(p: Floats, *, bins: int = BINS, rng: np.random.Generator | None = None) -> float:
    """The expected calibration error that perfectly calibrated probabilities like these would show with so many items: the
    mean over 400 draws of the truth from `p`. With truths that are means of several people's it lies too high."""
    rng = rng or np.random.default_rng(0)
    places = equal_mass_bins(p, bins)
    member = (places[:, None] == np.arange(places.max() + 1)).astype(float)
    drawn = (rng.random((DRAWS, len(p))) < p).astype(float)
    return float(np.abs((drawn - p) @ member).sum(axis=1).mean() / len(p))


def calibration_line(p: Floats, truth: Floats) -> Line | None:
    """Slope and intercept; None where p is constant or the truth is all on one side: no line can be drawn."""
    inside = np.clip(p, SMALLEST, 1 - SMALLEST)
    logits = np.log(inside) - np.log1p(-inside)
    if np.ptp(logits) < FLAT or np.ptp(truth) < FLAT:
        return None
    columns = np.stack([np.ones(len(p)), logits], axis=1)
    held = Priors.ridge(np.full(2, SMALLEST))
    intercept, slope = fit_logistic(columns, truth, np.ones((1, len(p))), held).coefficients[0, 0]
    return Line(float(slope), float(intercept))
