"""`difference`: how much better one policy is than another, each rate put right by labels, paired by the tasks they share."""

from __future__ import annotations

import math

import numpy as np

from calibration.estimating.estimate import corrected
from calibration.estimating.intervals import Interval
from calibration.estimating.prediction_powered import Corrected
from calibration.estimating.samples import Sample
from calibration.results import Difference

PSEUDO_TASKS = 2.0


def difference(
    first: Sample,
    second: Sample,
    *,
    names: tuple[str, str] = ("first", "second"),
    rng: np.random.Generator | None = None,
) -> Difference:
    """The mean of `first` less that of `second`, with its 95% interval in [-1, 1] and the judge's own difference beside it.

    Each is corrected by its own labels, as a judge may be wrong in other ways about another policy. The interval puts those of
    the two together by squaring and adding (Newcombe, 1998, method 10; Zou and Donner, 2008), with the correlation of their
    errors over the tasks that both have: where they share none, it is 0.
    """
    about = {
        "first": names[0], "second": names[1], "naive": float(first.judged.mean() - second.judged.mean()),
        "paired_tasks": len(np.intersect1d(first.tasks, second.tasks)),
        "warnings": tuple(f"{name}: {note}" for name, s in zip(names, (first, second), strict=True) for note in s.notes),
    }  # fmt: skip
    lacking = [name for name, s in zip(names, (first, second), strict=True) if int(s.labelled_groups.sum()) < 2]
    if lacking:
        why = f"{' and '.join(lacking)}: labels of two tasks or more are needed, of each policy its own"
        return Difference(value=None, low=None, high=None, why=why, **about)
    rng = rng or np.random.default_rng(0)
    a, b = corrected(first, rng), corrected(second, rng)
    low, high = square_and_add(a, b, correlation(first, second, a, b))
    return Difference(value=a.value - b.value, low=low, high=high, **about)


def square_and_add(a: Corrected, b: Corrected, r: float) -> Interval:
    """The interval of a - b from those of a and b, whose errors have the correlation `r`."""
    value = a.value - b.value
    down = _both(a.value - a.interval.low, b.interval.high - b.value, r)
    up = _both(a.interval.high - a.value, b.value - b.interval.low, r)
    return Interval(max(-1.0, value - down), min(1.0, value + up))


def _both(x: float, y: float, r: float) -> float:
    return math.sqrt(max(0.0, x * x - 2 * r * x * y + y * y))


def correlation(first: Sample, second: Sample, a: Corrected, b: Corrected) -> float:
    """The correlation of the two errors by the tasks that both have, shrunk toward 0 by two pseudo-tasks."""
    _, mine, yours = np.intersect1d(np.unique(first.tasks), np.unique(second.tasks), return_indices=True)
    products = a.influence[mine] * b.influence[yours]
    scale = math.sqrt(float((a.influence**2).sum() * (b.influence**2).sum()))
    squares = float((products**2).sum())
    if scale <= 0 or squares <= 0:
        return 0.0
    telling = float(np.abs(products).sum()) ** 2 / squares
    return float(products.sum()) / scale * telling / (telling + PSEUDO_TASKS)
