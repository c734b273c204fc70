"""Ratings as counts: values at their levels, two raters as a table, several as a table of their pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.errors import CalibrationError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SAME = 1e-9


def levels_of(*columns: ArrayLike) -> Floats:
    """The distinct values, rising; NaN stands for a missing one."""
    values = np.concatenate([np.ravel(np.asarray(column, dtype=float)) for column in columns])
    return np.unique(values[~np.isnan(values)])


def placed(values: ArrayLike, levels: Floats) -> Ints:
    """The index of each value's nearest level; -1 where it is missing or exactly midway between two."""
    given = np.asarray(values, dtype=float)
    if not levels.size:
        return np.full(given.shape, -1)
    distance = np.abs(given[..., None] - levels)
    nearest = distance.argmin(axis=-1)
    unplaced = np.isnan(given)
    if levels.size > 1:
        closest = np.partition(distance, 1, axis=-1)
        unplaced |= closest[..., 1] - closest[..., 0] < SAME
    return np.where(unplaced, -1, nearest)


def coded(values: ArrayLike, levels: ArrayLike) -> Ints:
    """The index of each value among `levels`, -1 where it is NaN. Raises CalibrationError for any other value."""
    given, known = np.asarray(values, dtype=float), np.asarray(levels, dtype=float)
    codes = placed(given, known)
    rated = ~np.isnan(given)
    off = rated & ((codes < 0) | (np.abs(given - known[codes]) > SAME)) if known.size else rated
    if off.any():
        raise CalibrationError(f"value {given[off][0]:g} is not among the levels {known.tolist()}; give all of them")
    return codes


def contingency(a: Ints, b: Ints, k: int, weights: Floats | None = None) -> Floats:
    """The (k, k) table of how many items (or how much weight) have level `a` from one rater and `b` from the other."""
    both = (a >= 0) & (b >= 0)
    weights = None if weights is None else weights[both]
    return np.asarray(np.bincount(a[both] * k + b[both], weights, minlength=k * k).reshape(k, k), dtype=float)


def summed_by(groups: Ints, cells: Ints, width: int, weights: Floats) -> Floats:
    """For each group 0, 1, 2 … the weight in each of `width` cells, as a (groups, width) array."""
    n = int(groups.max(initial=-1)) + 1
    return np.asarray(np.bincount(groups * width + cells, weights, minlength=n * width).reshape(n, width), dtype=float)


def counts_of(codes: Ints, k: int) -> Floats:
    """For each unit, how many raters chose each level: (units, k) from codes (units, raters), -1 for missing."""
    return np.asarray((codes[..., None] == np.arange(k)).sum(axis=1), dtype=float)


def pair_tables(counts: Floats) -> Floats:
    """For each unit the (k, k) shares of its ordered pairs of raters by their levels; all 0 for fewer than two raters.

    A unit's table sums to 1, so that every unit weighs the same however many raters it has.
    """
    raters = counts.sum(axis=1)
    ordered = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(counts.shape[1])
    return np.asarray(ordered / np.maximum(raters * (raters - 1), 1.0)[:, None, None])


def renumbered(labels: ArrayLike) -> Ints:
    """The same grouping as 0, 1, 2 … without gaps."""
    return np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64)
