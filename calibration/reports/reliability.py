"""Does a probability of 0.8 come true in 80 of 100? Predictions in bins, with what chance alone would show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.figures import Figure
from calibration.maps import Z95
from rubrics.criterion import Noun
from rubrics.grade import Score

BINS = 5
BARS = 20
DRAWS = 400
NARROWEST, WIDEST = 1e-3, 1 - 1e-3
MOST_STEPS, CLOSE = 20, 1e-6

Floats = NDArray[np.float64]


class Bin(Noun):
    """Predictions of about the same probability: their mean, and how often it was so, with Wilson's interval."""

    predicted: Score
    observed: Figure


class Reliability(Noun):
    """How far the probabilities of one map hold on labels that its fit had not seen.

    `bins` are of equal mass, equal predictions together. `bars` counts predictions in twenty equal steps from 0 to 1.
    `error` is the expected calibration error over `bins`; `floor` is what perfectly calibrated predictions would show on
    average with so few labels, `floor_high` in 95 of 100 cases. `slope` is that of the truth on the logit of p (ideal 1; below 1
    the judge is too sure of itself; Cox 1958).
    """

    key: str
    n: int
    base_rate: Score
    bins: tuple[Bin, ...]
    bars: tuple[int, ...]
    brier: Score
    reference_brier: Score
    error: Score
    floor: Score
    floor_high: Score
    slope: Figure


def reliability(
    key: str, predictions: Sequence[tuple[float, float]], rng: np.random.Generator | None = None
) -> Reliability | None:
    """The reliability of cross-fitted predictions, rows of (probability, truth in [0, 1]); None without any."""
    rows = np.asarray(predictions, dtype=float).reshape(-1, 2)
    rows = rows[np.isfinite(rows).all(axis=1)]
    if not len(rows):
        return None
    p, truth = np.clip(rows[:, 0], 0.0, 1.0), rows[:, 1]
    which = _bins(p)
    rng = np.random.default_rng(0) if rng is None else rng
    by_chance = _errors_by_chance(p, which, rng)
    return Reliability(
        key=key, n=len(p), base_rate=float(truth.mean()), bins=_observed(p, truth, which),
        bars=tuple(int(n) for n in np.histogram(p, bins=BARS, range=(0, 1))[0]),
        brier=float(np.mean((p - truth) ** 2)), reference_brier=float(truth.var()),
        error=_error(p, truth, which), floor=float(np.mean(by_chance)), floor_high=float(np.quantile(by_chance, 0.95)),
        slope=_slope(p, truth),
    )  # fmt: skip


def wilson(successes: float, n: int) -> tuple[float, float]:
    """Wilson's 95% interval of a rate (Wilson 1927)."""
    rate, z2 = successes / n, Z95**2
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 / (1 + z2 / n) * float(np.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n)))
    return max(0.0, centre - half), min(1.0, centre + half)


def _bins(p: Floats) -> NDArray[np.int64]:
    """The bin of each prediction. Equal predictions share one, so that the order of rows can't matter."""
    edges = np.unique(np.quantile(p, np.arange(1, BINS) / BINS))
    return np.searchsorted(edges, p, side="right")


def _observed(p: Floats, truth: Floats, which: NDArray[np.int64]) -> tuple[Bin, ...]:
    found = []
    for place in np.unique(which):
        inside = which == place
        n, rate = int(inside.sum()), float(truth[inside].mean())
        low, high = wilson(rate * n, n)
        found.append(
            Bin(
                predicted=float(p[inside].mean()),
                observed=Figure(value=rate, low=min(low, rate), high=max(high, rate), n=n),
            )
        )
    return tuple(found)


def _error(p: Floats, truth: Floats, which: NDArray[np.int64]) -> float:
    gaps = np.bincount(which, weights=p - truth)
    return float(np.abs(gaps).sum() / len(p))


def _errors_by_chance(p: Floats, which: NDArray[np.int64], rng: np.random.Generator) -> Floats:
    """The error of perfectly calibrated predictions, draw by draw: each comes true with its own probability."""
    inside = (which[:, None] == np.unique(which)).astype(float)
    gaps = (p - (rng.random((DRAWS, len(p))) < p)) @ inside
    return np.asarray(np.abs(gaps).sum(axis=1) / len(p))


def _slope(p: Floats, truth: Floats) -> Figure:
    n = len(p)
    bounded = np.clip(p, NARROWEST, WIDEST)
    x = np.column_stack([np.ones(n), np.log(bounded / (1 - bounded))])
    if np.ptp(x[:, 1]) == 0:
        return Figure(value=None, n=n, why="every prediction is the same")
    if not 0 < truth.mean() < 1:
        return Figure(value=None, n=n, why="one class only")
    by = np.zeros(2)
    for _ in range(MOST_STEPS):
        fitted = 1 / (1 + np.exp(-np.clip(x @ by, -30, 30)))
        information = x.T @ (x * np.maximum(fitted * (1 - fitted), 1e-9)[:, None])
        step = np.linalg.solve(information, x.T @ (truth - fitted))
        by = by + step
        if np.abs(step).max() < CLOSE:
            reach = Z95 * float(np.sqrt(np.linalg.inv(information)[1, 1]))
            return Figure(value=float(by[1]), low=float(by[1] - reach), high=float(by[1] + reach), n=n)
    return Figure(value=None, n=n, why="the predictions part the classes without an error")
