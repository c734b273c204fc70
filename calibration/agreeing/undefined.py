"""Figures that can't be computed, and the sentence that says why."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from calibration.agreeing.tables import Floats
from calibration.figures import Figure

NO_ITEMS = "no item that both rated"
NO_PAIRS = "no item has two raters"


def figure(value: float | None, n: int, why: str) -> Figure:
    """The figure; or, where `value` is None or NaN, none and `why`."""
    if value is None or math.isnan(value):
        return Figure(value=None, n=n, why=why)
    return Figure(value=value, n=n)


def one_class(table: Floats, levels: Sequence[str] | ArrayLike) -> str:
    """Why chance-corrected agreement is undefined for a table (k, k) with a single level: both always said the same."""
    names = [name if isinstance(name, str) else f"{name:g}" for name in np.asarray(levels).tolist()]
    only = int(np.argmax(np.diagonal(table)))
    return f"one class only: all {round(float(table.sum()))} items are {names[only]!r}"
