"""Gwet's AC1 and AC2 of any number of raters, with missing ratings (Gwet 2008, 2014)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from calibration.agreeing.tables import Floats, coded, counts_of, levels_of, pair_tables
from calibration.agreeing.undefined import NO_PAIRS, figure
from calibration.agreeing.weights import Weighting, agreement_weights, chance_corrected, weighted
from calibration.figures import Figure

ONE_LEVEL = "one level only occurs, and no others are given"


def gwet_ac(ratings: ArrayLike, *, weights: Weighting = "identity", levels: ArrayLike | None = None) -> Figure:
    """AC1 (identity weights) or AC2 (others) of ratings (units, raters), NaN for missing.

    Unlike kappa it does not collapse where nearly all items have one level. It depends on how many `levels` there are, so
    name them all; by default those that occur. `n` counts the units with two ratings or more.
    """
    known = levels_of(ratings) if levels is None else np.asarray(levels, dtype=float)
    counts = counts_of(coded(ratings, known), known.size)
    raters = counts.sum(axis=1)
    n = int((raters >= 2).sum())
    if not n or known.size < 2:
        return figure(None, n, ONE_LEVEL if n else NO_PAIRS)
    matrix = agreement_weights(weights, known.size)
    rated = counts[raters > 0] / raters[raters > 0, None]
    value = ac_from(pair_tables(counts).sum(axis=0), rated.mean(axis=0), matrix)
    return figure(float(value), n, "")


def ac_from(pairs: Floats, shares: Floats, weights: Floats) -> Floats:
    """AC1 or AC2 of tables of pairs (…, k, k) and each level's share of ratings (…, k); NaN for fewer than two levels.

    The agreement expected by chance is sum(w) / (k (k-1)) * sum(p_k (1 - p_k)) (Gwet 2014, chapter 4).
    """
    k = weights.shape[0]
    if k < 2:
        return np.full(pairs.shape[:-2], np.nan)
    expected = weights.sum() / (k * (k - 1)) * (shares * (1 - shares)).sum(axis=-1)
    return chance_corrected(weighted(pairs, weights), np.asarray(expected))
