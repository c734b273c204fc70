"""How much two levels agree: 1 for the same one, less the further apart they are."""

from __future__ import annotations

from typing import Literal

import numpy as np

from calibration.agreeing.tables import Floats

Weighting = Literal["identity", "linear", "quadratic", "ordinal"]


def agreement_weights(kind: Weighting, k: int) -> Floats:
    """The (k, k) weights in [0, 1] by the ranks i, j of levels, worst to best.

    `identity`: 1 where i = j. `linear`: 1 - |i-j| / (k-1) and `quadratic`: 1 - (i-j)^2 / (k-1)^2 (Cohen 1968).
    `ordinal`: 1 - C(|i-j|+1, 2) / C(k, 2) (Gwet 2014, chapter 3).
    """
    if kind == "identity" or k < 2:
        return np.eye(k)
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(float)
    distance = {"linear": apart, "quadratic": apart**2, "ordinal": apart * (apart + 1)}[kind]
    return np.asarray(1.0 - distance / distance.max())


def weighted(tables: Floats, weights: Floats) -> Floats:
    """The mean weight of tables (…, k, k): with identity weights the share of items on the diagonal."""
    return np.asarray((weights * tables).sum(axis=(-2, -1)) / tables.sum(axis=(-2, -1)))


def chance_corrected(observed: Floats, expected: Floats) -> Floats:
    """(observed - expected) / (1 - expected); NaN where agreement by chance is certain, so that there is nothing to correct."""
    room = 1.0 - expected
    return np.divide(observed - expected, room, out=np.full_like(room, np.nan), where=room > 1e-12)
