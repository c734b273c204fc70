"""How severe each judge is, beside the others: the two-way additive fit, with gaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.diagnosing.moments import products
from calibration.diagnosing.sheets import Sheet
from calibration.items import Floats

SMALLEST = 1e-9


@dataclass(frozen=True, slots=True)
class Additive:
    """Value = item + judge + rest, by weighted least squares, items taken out; one fit for each row of weights.

    `offsets` (samples, judges) are the judges' parts, centred: above 0 is lenient. `explained` is the sum of squares that they
    explain once items are taken out. `rank` is the number of judges less the number of sets of judges that share no item.
    """

    offsets: Floats
    explained: Floats
    rank: NDArray[np.int64]


def additive(sheet: Sheet, weights: Floats) -> Additive:
    """The fits. Judges that share no item with others, not even through third ones, are centred among themselves."""
    there = sheet.present.astype(float)
    filled = np.where(sheet.present, sheet.values, 0.0)
    each = 1 / np.maximum(1.0, there.sum(axis=1, keepdims=True))
    overlap = -products(weights, there * each, there)
    diagonal = np.arange(len(sheet.judges))
    overlap[:, diagonal, diagonal] += weights @ there
    excess = weights @ (there * (filled - filled.sum(axis=1, keepdims=True) * each))
    roots, axes = np.linalg.eigh(overlap)
    known = roots > SMALLEST * np.maximum(1.0, roots[:, -1:])
    along = np.einsum("sjk,sj->sk", axes, excess)
    along = np.divide(along, roots, out=np.zeros_like(along), where=known)
    offsets = np.einsum("sjk,sk->sj", axes, along)
    return Additive(offsets, (excess * offsets).sum(axis=1), known.sum(axis=1))
