"""Weighted moments of every two columns of a table with gaps, and what follows from them: correlation, agreement, kappa."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calibration.items import Floats

SMALLEST = 1e-12


@dataclass(frozen=True, slots=True)
class Moments:
    """Over the rows that both of two columns have: the weight, and the means of x, of x squared and of x times y.

    Each is of shape (samples, columns, columns): at [s, i, j] stands column i's moment where column j is known too.
    """

    weight: Floats
    mean: Floats
    square: Floats
    product: Floats

    @classmethod
    def of(cls, table: Floats, weights: Floats) -> Moments:
        """The moments of a table whose gaps are NaN, for rows of weights, one a sample."""
        known = ~np.isnan(table)
        there, filled = known.astype(float), np.where(known, table, 0.0)
        total = products(weights, there, there)
        sums = (
            products(weights, left, right) for left, right in ((filled, there), (filled**2, there), (filled, filled))
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            return cls(total, *(each / total for each in sums))

    @property
    def covariance(self) -> Floats:
        """Of every two columns."""
        return self.product - self.mean * _turned(self.mean)

    @property
    def variance(self) -> Floats:
        """Of column i where column j is known too."""
        return self.square - self.mean**2

    @property
    def correlation(self) -> Floats:
        """Pearson's; NaN where a column does not vary."""
        return _ratio(self.covariance, np.sqrt(np.clip(self.variance * _turned(self.variance), 0, None)))

    @property
    def agreement(self) -> Floats:
        """The share of rows on which two columns of 0 and 1 are the same."""
        both: Floats = 1.0 - (self.mean + _turned(self.mean) - 2 * self.product)
        return np.where(self.weight > 0, both, np.nan)

    @property
    def kappa(self) -> Floats:
        """The quadratic weighted kappa of the values as they are, which on two levels is Cohen's; NaN if neither varies.

        With quadratic weights kappa is Lin's concordance (1989): 2 cov / (var x + var y + (mean x - mean y)^2).
        """
        apart = (self.mean - _turned(self.mean)) ** 2
        return _ratio(2 * self.covariance, self.variance + _turned(self.variance) + apart)


def products(weights: Floats, left: Floats, right: Floats) -> Floats:
    """For each row of weights the matrix left.T @ diag(weights) @ right."""
    return np.stack([weights @ (left[:, [i]] * right) for i in range(left.shape[1])], axis=1)


def _turned(matrices: Floats) -> Floats:
    return np.swapaxes(matrices, -1, -2)


def _ratio(over: Floats, under: Floats) -> Floats:
    known: Any = under > SMALLEST
    return np.where(known, np.divide(over, under, out=np.zeros_like(over), where=known), np.nan)
