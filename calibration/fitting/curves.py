"""Calibration curves from one pooled value to a probability: isotonic, Venn-Abers, beta. All rise, and stay in [0, 1]."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from calibration.fitting.logistic import Priors, fit_logistic, sigmoids
from calibration.items import Floats

FINEST = 200
"""Venn-Abers rounds values to this many steps, so that its tables stay small."""
BETA_POINTS = 50
CLIP = 0.01
BETA_SPREAD = 2.0


class Curve(NamedTuple):
    """Heights at rising points, a line between them; `lows` and `highs` are Venn-Abers' two probabilities, else the heights."""

    points: Floats
    heights: Floats
    lows: Floats
    highs: Floats

    def at(self, values: Floats) -> Floats:
        """The heights at these values; the ends' heights beyond the ends."""
        return np.asarray(np.interp(values, self.points, self.heights))


def isotonic(values: Floats, truth: Floats, weights: Floats) -> Curve:
    """The rising curve of least squares, by pooling adjacent violators (Ayer et al., 1955)."""
    from scipy.optimize import isotonic_regression

    points, sums, masses = _by_point(values, truth, weights)
    heights = np.clip(isotonic_regression(sums / masses, weights=masses).x, 0.0, 1.0)
    return Curve(points, heights, heights, heights)


def venn_abers(values: Floats, truth: Floats, weights: Floats) -> Curve:
    """The inductive Venn-Abers predictor (Vovk and Petej, 2014): at every value the isotonic fit with one more item there,
    once false (p0) and once true (p1), merged to p1 / (1 - p0 + p1), which has the least regret under log loss."""
    points, sums, masses = _by_point(np.round(values * FINEST) / FINEST, truth, weights)
    false, true = (_with_one_more(sums, masses, label) for label in (0.0, 1.0))
    return Curve(points, true / (1.0 - false + true), false, true)


def _with_one_more(sums: Floats, masses: Floats, label: float) -> Floats:
    """The isotonic fit at each point had it one more item there: by the max-min formula, in which any run of points that
    holds the new item gains it, so that one table of runs serves every place."""
    upto, mass = (np.concatenate([[0.0], np.cumsum(part)]) for part in (sums, masses))
    runs = (upto[None, 1:] - upto[:-1, None] + label) / np.maximum(mass[None, 1:] - mass[:-1, None] + 1.0, 1.0)
    start, end = np.indices(runs.shape)
    least = np.minimum.accumulate(np.where(end >= start, runs, np.inf)[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(np.max(np.where(start <= end, least, -np.inf), axis=0))


def beta(values: Floats, truth: Floats, weights: Floats) -> Curve:
    """sigmoid(c + a ln s - b ln(1 - s)) with a, b at least 0 (Kull et al., 2017), shrunk toward the identity a = b = 1."""
    columns, mean = _log_odds_parts(values), np.array([0.0, 1.0, 1.0])
    kept = np.array([True, True, True])
    coefficients = np.zeros(3)
    for _ in range(3):
        size = int(kept.sum())
        prior = Priors(mean[None, kept], np.eye(size)[None] / BETA_SPREAD**2)
        fits = fit_logistic(columns[:, kept], truth, weights[None], prior)
        coefficients = np.zeros(3)
        coefficients[kept] = fits.coefficients[0, 0]
        if (coefficients[1:] >= 0.0).all():
            break
        kept[1 + int(coefficients[1:].argmin())] = False
    points = np.linspace(0.0, 1.0, BETA_POINTS + 1)
    heights = sigmoids(_log_odds_parts(points) @ coefficients)
    return Curve(points, heights, heights, heights)


def _log_odds_parts(values: Floats) -> Floats:
    inside = np.clip(values, CLIP, 1.0 - CLIP)
    return np.stack([np.ones(len(inside)), np.log(inside), -np.log1p(-inside)], axis=1)


def _by_point(values: Floats, truth: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """The distinct values that weigh something, with the weighted sum of truths and the weight at each."""
    weighing = weights > 0
    points, places = np.unique(values[weighing], return_inverse=True)
    sums = np.bincount(places, weights[weighing] * truth[weighing])
    return points, np.asarray(sums), np.asarray(np.bincount(places, weights[weighing]))


CURVES: dict[str, Callable[[Floats, Floats, Floats], Curve]] = {
    "beta": beta,
    "venn_abers": venn_abers,
    "isotonic": isotonic,
}
