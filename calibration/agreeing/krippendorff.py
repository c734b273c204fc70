"""Krippendorff's alpha of any number of raters, with missing ratings (Krippendorff 2011)."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from calibration.agreeing.tables import Floats, coded, counts_of, levels_of, pair_tables
from calibration.agreeing.undefined import NO_PAIRS, figure, one_class
from calibration.figures import Figure

Measurement = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(
    ratings: ArrayLike, *, measurement: Measurement = "nominal", levels: ArrayLike | None = None
) -> Figure:
    """Alpha of ratings (units, raters), NaN for missing: 1 is perfect, 0 is chance, below 0 worse than chance.

    `n` counts the units with two ratings or more; others say nothing. None where all pairable values are the same.
    """
    known = levels_of(ratings) if levels is None else np.asarray(levels, dtype=float)
    counts = counts_of(coded(ratings, known), known.size)
    counts = counts[counts.sum(axis=1) >= 2]
    if not len(counts):
        return figure(None, 0, NO_PAIRS)
    shares = pair_tables(counts)
    coincidences = (shares * counts.sum(axis=1)[:, None, None]).sum(axis=0)
    value = alpha_from(coincidences, known, measurement)
    return figure(float(value), len(counts), one_class(shares.sum(axis=0), known))


def alpha_from(coincidences: Floats, levels: Floats, measurement: Measurement) -> Floats:
    """Alpha of each coincidence matrix (…, k, k); NaN where it is undefined.

    1 - (n-1) sum(o_ck d_ck) / sum(n_c n_k d_ck), with o the coincidences, n_c their margins, n their sum and d the squared
    distance of two values.
    """
    margins = coincidences.sum(axis=-1)
    n = margins.sum(axis=-1)
    distance = squared_distances(margins, levels, measurement)
    observed = (coincidences * distance).sum(axis=(-2, -1))
    expected = (margins[..., :, None] * margins[..., None, :] * distance).sum(axis=(-2, -1))
    ratio = np.divide((n - 1) * observed, expected, out=np.full_like(expected, np.nan), where=expected > 1e-12)
    return np.asarray(1.0 - ratio)


def squared_distances(margins: Floats, levels: Floats, measurement: Measurement) -> Floats:
    """The squared distance between each two values; for ordinal ones it depends on how often those between them occur."""
    if measurement == "nominal":
        return 1.0 - np.eye(levels.size)
    if measurement == "interval":
        return np.asarray(np.subtract.outer(levels, levels) ** 2)
    middles = np.cumsum(margins, axis=-1) - margins / 2
    return np.asarray((middles[..., :, None] - middles[..., None, :]) ** 2)
