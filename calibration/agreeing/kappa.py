"""Raw agreement and Cohen's kappa of two raters, plain or weighted (Cohen 1960, 1968)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from calibration.agreeing.tables import Floats, coded, contingency, levels_of
from calibration.agreeing.undefined import NO_ITEMS, figure, one_class
from calibration.agreeing.weights import Weighting, agreement_weights, chance_corrected, weighted
from calibration.figures import Figure


def confusion(a: ArrayLike, b: ArrayLike, *, levels: ArrayLike | None = None) -> Floats:
    """How many items have each level from `a` (rows) and from `b` (columns). Items with a NaN are left out.

    `levels` are all that there are, worst to best; by default those that occur. Raises CalibrationError for any other value.
    """
    known = levels_of(a, b) if levels is None else np.asarray(levels, dtype=float)
    return contingency(coded(a, known), coded(b, known), known.size)


def raw_agreement(a: ArrayLike, b: ArrayLike) -> Figure:
    """The share of items on which both give the same value, in [0, 1]."""
    table = confusion(a, b)
    n = int(table.sum())
    return figure(float(np.trace(table)) / n if n else None, n, NO_ITEMS)


def cohen_kappa(
    a: ArrayLike, b: ArrayLike, *, levels: ArrayLike | None = None, weights: Weighting = "identity"
) -> Figure:
    """Cohen's kappa in [-1, 1]: agreement beyond what the two raters' own base rates bring about by chance.

    Weights go by rank among `levels`. None where both raters gave all items one and the same level.
    """
    known = levels_of(a, b) if levels is None else np.asarray(levels, dtype=float)
    table = confusion(a, b, levels=known)
    n = int(table.sum())
    if not n:
        return figure(None, 0, NO_ITEMS)
    value = kappa_from(table, agreement_weights(weights, known.size))
    return figure(float(value), n, one_class(table, known))


def kappa_from(tables: Floats, weights: Floats) -> Floats:
    """Cohen's kappa of each table (…, k, k); NaN where it is undefined.

    The agreement expected by chance is the sum of w_ij p_i. p_.j over the raters' marginal shares p (Cohen 1968).
    """
    n = tables.sum(axis=(-2, -1))
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    expected = ((rows @ weights) * columns).sum(axis=-1) / n**2
    return chance_corrected(weighted(tables, weights), expected)
