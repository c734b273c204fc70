"""Pearson's r, Spearman's rho and Kendall's tau-b of two raters' values, from the values or from tables of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from calibration.agreeing.tables import Floats, Ints
from calibration.agreeing.undefined import NO_ITEMS, figure
from calibration.figures import Figure

CONSTANT = "a rater gives every item the same value"
DECIMALS = 9


def pearson(a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None) -> Figure:
    """Pearson's r in [-1, 1]; items with a NaN are left out. None where a rater gives every item the same value."""
    x, y, w = _complete(a, b, weights)
    return _correlation(x, y, w)


def spearman(a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None) -> Figure:
    """Spearman's rho: Pearson's r of the ranks, ties at their mean rank."""
    x, y, w = _complete(a, b, weights)
    return _correlation(_midranks(x, w), _midranks(y, w), w)


def kendall(a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None) -> Figure:
    """Kendall's tau-b: (concordant - discordant) / sqrt(pairs untied in `a` * pairs untied in `b`) (Kendall 1945)."""
    x, y, w = _complete(a, b, weights)
    if not x.size or _constant(x, y):
        return figure(None, x.size, CONSTANT if x.size else NO_ITEMS)
    x_codes, y_codes = (np.unique(v, return_inverse=True)[1].astype(np.int64) for v in (x, y))
    whole = w.sum() ** 2
    tied_x, tied_y = (float((np.bincount(codes, w) ** 2).sum()) for codes in (x_codes, y_codes))
    both = np.unique(x_codes * (y_codes.max() + 1) + y_codes, return_inverse=True)[1]
    tied_both = float((np.bincount(both, w) ** 2).sum())
    untied = np.sqrt((whole - tied_x) * (whole - tied_y))
    net = whole - tied_x - tied_y + tied_both - 4 * _discordant(x_codes, y_codes, w)
    return figure(float(np.clip(net / untied, -1, 1)), x.size, "")


def pearson_from(tables: Floats, rows: Floats, columns: Floats) -> Floats:
    """Pearson's r of each table (…, r, c) whose rows and columns stand for the values `rows` (…, r) and `columns` (…, c)."""
    n = tables.sum(axis=(-2, -1))[..., None]
    by_row, by_column = tables.sum(axis=-1), tables.sum(axis=-2)
    x = rows - (by_row * rows).sum(axis=-1, keepdims=True) / n
    y = columns - (by_column * columns).sum(axis=-1, keepdims=True) / n
    covariance = ((x[..., None, :] @ tables)[..., 0, :] * y).sum(axis=-1)
    spread = np.sqrt((by_row * x**2).sum(axis=-1) * (by_column * y**2).sum(axis=-1))
    return np.asarray(np.divide(covariance, spread, out=np.full_like(spread, np.nan), where=spread > 1e-12))


def spearman_from(tables: Floats) -> Floats:
    """Spearman's rho of each table (…, r, c), rows and columns in rising order."""
    by_row, by_column = tables.sum(axis=-1), tables.sum(axis=-2)
    return pearson_from(tables, np.cumsum(by_row, axis=-1) - by_row / 2, np.cumsum(by_column, axis=-1) - by_column / 2)


def kendall_from(tables: Floats) -> Floats:
    """Kendall's tau-b of each table (…, r, c), rows and columns in rising order."""
    r, c = tables.shape[-2:]
    up, across = (np.sign(np.subtract.outer(np.arange(k), np.arange(k))).astype(float) for k in (r, c))
    net = (tables * (up @ tables @ across.T)).sum(axis=(-2, -1))
    whole = tables.sum(axis=(-2, -1)) ** 2
    untied = np.sqrt(
        (whole - (tables.sum(axis=-1) ** 2).sum(axis=-1)) * (whole - (tables.sum(axis=-2) ** 2).sum(axis=-1))
    )
    return np.asarray(np.divide(net, untied, out=np.full_like(untied, np.nan), where=untied > 1e-12))


def grouped(values: Floats, most: int) -> tuple[Ints, Floats]:
    """Each value's group, in rising order, and the groups' means: a group a distinct value, or `most` of about equal size."""
    distinct, codes = np.unique(values, return_inverse=True)
    if distinct.size > most:
        counts = np.bincount(codes)
        middles = (np.cumsum(counts) - counts / 2) / counts.sum()
        codes = np.unique((middles * most).astype(np.int64)[codes], return_inverse=True)[1]
    return codes.astype(np.int64), np.bincount(codes, values) / np.bincount(codes)


def _complete(a: ArrayLike, b: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats, Floats]:
    x, y = (np.round(np.asarray(v, dtype=float), DECIMALS) for v in (a, b))
    w = np.ones(x.size) if weights is None else np.asarray(weights, dtype=float)
    both = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both], w[both]


def _correlation(x: Floats, y: Floats, w: Floats) -> Figure:
    if not x.size or _constant(x, y):
        return figure(None, x.size, CONSTANT if x.size else NO_ITEMS)
    dx, dy = (v - np.average(v, weights=w) for v in (x, y))
    r = (w * dx * dy).sum() / np.sqrt((w * dx**2).sum() * (w * dy**2).sum())
    return figure(float(np.clip(r, -1, 1)), x.size, "")


def _constant(x: Floats, y: Floats) -> bool:
    return bool(np.ptp(x) == 0 or np.ptp(y) == 0)


def _midranks(values: Floats, w: Floats) -> Floats:
    codes = np.unique(values, return_inverse=True)[1]
    counts = np.bincount(codes, w, minlength=1)
    return np.asarray((np.cumsum(counts) - counts / 2)[codes])


def _discordant(x: Ints, y: Ints, w: Floats) -> float:
    """The weight of pairs that `x` and `y` order differently, in n log^2 n: for each bit of `y`, the pairs that it decides."""
    order = np.lexsort((y, x))
    y, w = y[order], w[order]
    total = 0.0
    for bit in range(int(y.max(initial=0)).bit_length()):
        by_prefix = np.argsort(y >> (bit + 1), kind="stable")
        prefix, ones, weight = y[by_prefix] >> (bit + 1), (y[by_prefix] >> bit) & 1, w[by_prefix]
        before = np.cumsum(weight * ones)
        starts = np.concatenate(([True], prefix[1:] != prefix[:-1]))
        base = np.maximum.accumulate(np.where(starts, before - weight * ones, 0.0))
        total += float((weight * (1 - ones) * (before - base)).sum())
    return total
