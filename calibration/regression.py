"""Least squares whose errors are right when observations of one task are not independent and their spread is not constant."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.figures import Figure
from calibration.items import Floats

FEWEST_CLUSTERS = 5
SINGULAR = 1e-8


class Fitted(NamedTuple):
    """Coefficients, their covariance, and how many clusters and observations they rest on."""

    coefficients: Floats
    covariance: Floats
    clusters: int
    n: int

    def contrast(self, row: Floats) -> tuple[Figure, float]:
        """`row` times the coefficients with its 95% interval, and the p-value of its being 0, by t with one degree less than
        clusters."""
        from scipy.special import stdtr, stdtrit

        value, error = float(row @ self.coefficients), float(np.sqrt(row @ self.covariance @ row))
        reach = float(stdtrit(self.clusters - 1, 0.975)) * error
        p = 2 * float(stdtr(self.clusters - 1, -abs(value) / error)) if error > 0 else float(value == 0)
        return Figure(value=value, low=value - reach, high=value + reach, n=self.n), min(1.0, p)


def clustered(design: Floats, response: Floats, clusters: NDArray[np.int64], weights: Floats) -> Fitted | None:
    """The weighted regression of `response` on the columns of `design`; None as in `from_moments`."""
    _, places = np.unique(clusters, return_inverse=True)
    grams = np.zeros((int(places.max(initial=-1)) + 1, design.shape[1], design.shape[1]))
    moments = np.zeros(grams.shape[:2])
    weighed = design * weights[:, None]
    np.add.at(grams, places, weighed[:, :, None] * design[:, None, :])
    np.add.at(moments, places, weighed * response[:, None])
    return from_moments(grams, moments, n=len(response))


def from_moments(grams: Floats, moments: Floats, *, n: int) -> Fitted | None:
    """The regression of which each cluster gives X'X and X'y. None below five clusters, or where all rests on one of them.

    The covariance is the jackknife's over clusters, CR3 (Bell and McCaffrey, 2002; MacKinnon, Nielsen and Webb, 2023), which
    for clusters of one observation is HC3 (MacKinnon and White, 1985).
    """
    if len(grams) < FEWEST_CLUSTERS:
        return None
    gram = grams.sum(axis=0)
    roots, axes = np.linalg.eigh(gram)
    if roots[0] <= SINGULAR * max(1.0, roots[-1]):
        return None
    half = axes / np.sqrt(roots)
    left = np.eye(len(gram)) - half.T @ grams @ half
    if np.linalg.eigvalsh(left).min() <= SINGULAR:
        return None
    coefficients = half @ half.T @ moments.sum(axis=0)
    scores = moments - grams @ coefficients
    moved = np.linalg.solve(gram - grams, scores[:, :, None])[:, :, 0]
    return Fitted(np.asarray(coefficients), np.asarray(moved.T @ moved), len(grams), n)


def false_discoveries(p_values: list[float | None], *, rate: float = 0.05) -> list[bool]:
    """Which hypotheses Benjamini and Hochberg's step-up procedure (1995) rejects at that false discovery rate; None never."""
    known = sorted(p for p in p_values if p is not None)
    passed = [p for rank, p in enumerate(known, start=1) if p <= rate * rank / len(known)]
    limit = max(passed, default=-1.0)
    return [p is not None and p <= limit for p in p_values]
