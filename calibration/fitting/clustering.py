"""What it costs that items of one task are not independent: means with errors by task, and the design effect."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibration.fitting.samples import Ints
from calibration.items import Floats


class Mean(NamedTuple):
    """A weighted mean; its standard error by task is None where there is one task only."""

    value: float
    error: float | None
    tasks: int


def mean_by_task(values: Floats, tasks: Ints, weights: Floats) -> Mean:
    """The mean with its cluster-robust standard error (linearised, with the K / (K - 1) of a sample of K tasks)."""
    mean = float(np.average(values, weights=weights))
    places = np.unique(tasks, return_inverse=True)[1]
    sums = np.bincount(places, weights * (values - mean))
    count = len(sums)
    if count < 2:
        return Mean(mean, None, count)
    return Mean(mean, float(np.sqrt(count / (count - 1) * (sums**2).sum()) / weights.sum()), count)


def intraclass_correlation(values: Floats, tasks: Ints) -> float:
    """The share of variance that lies between tasks, by the moments of one-way analysis of variance (Donner, 1986); at
    least 0, and 0 where every item has a task of its own or all have the same."""
    places = np.unique(tasks, return_inverse=True)[1]
    sizes = np.bincount(places)
    n, count = len(values), len(sizes)
    if count < 2 or count == n:
        return 0.0
    means = np.bincount(places, values) / sizes
    between = float((sizes * (means - values.mean()) ** 2).sum()) / (count - 1)
    within = float(((values - means[places]) ** 2).sum()) / (n - count)
    size = (n - float((sizes**2).sum()) / n) / (count - 1)
    whole = between + (size - 1) * within
    return max(0.0, (between - within) / whole) if whole > 0 else 0.0


def design_effect(values: Floats, tasks: Ints) -> float:
    """How many clustered items are worth one independent one: 1 + (m - 1) ICC (Kish, 1965), m the size of the task of an item."""
    sizes = np.unique(tasks, return_counts=True)[1]
    return 1.0 + (float((sizes**2).sum()) / len(values) - 1.0) * intraclass_correlation(values, tasks)
