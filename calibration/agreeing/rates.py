"""Shares with Wilson's interval, by task, and TPR, TNR and Youden's J of one rater against another."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.agreeing.tables import Floats, Ints, renumbered, summed_by
from calibration.figures import Figure
from calibration.maps import Z95

Bools = NDArray[np.bool_]
HALF = 0.5


def wilson(share: float, n: float, *, z: float = Z95) -> tuple[float, float]:
    """Wilson's score interval (1927) for a share of `n` items; `n` may be an effective number, not whole."""
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


def proportion(hits: ArrayLike, *, tasks: ArrayLike | None = None, weights: ArrayLike | None = None) -> Figure:
    """The share of `hits` (0 or 1 each) with its 95% interval; None for no item.

    Wilson's interval at the effective number of items: n over the design effect (Kish 1965) by task and by weight. With one
    item a task and equal weights that is Wilson's own.
    """
    found = np.asarray(hits, dtype=float)
    if not found.size:
        return Figure(value=None, why="no item to count")
    return _share(found, *_defaults(found, tasks, weights)).figure


class _Share(NamedTuple):
    value: float
    low: float
    high: float
    n: int
    deviations: Floats
    """For each task, its hits above what the share makes expect: what says whether two shares vary together."""

    @property
    def figure(self) -> Figure:
        return Figure(value=self.value, low=self.low, high=self.high, n=self.n)


def _share(hits: Floats, tasks: Ints, weights: Floats) -> _Share:
    groups = renumbered(tasks)
    weights = weights / weights.mean()
    size, hit = (summed_by(groups, np.zeros_like(groups), 1, each)[:, 0] for each in (weights, weights * hits))
    share = float(hit.sum() / size.sum())
    low, high = wilson(share, hits.size / _design_effect(hit, size, weights))
    return _Share(share, low, high, hits.size, hit - share * size)


def _design_effect(hit: Floats, size: Floats, weights: Floats) -> float:
    """How many items are worth one independent one: from 1 (nothing shared within tasks) to a whole task (all the same).

    Estimated with one more task of mean size, half of it a hit: a few tasks that happen to be all alike are no proof.
    """
    least, most = (weights**2).sum() / weights.sum(), (size**2).sum() / size.sum()
    tasks, mean = size.size, size.mean()
    if most <= least or tasks < 2:
        return float(most)
    share = (hit.sum() + mean / 2) / (size.sum() + mean)
    spread = ((hit - share * size) ** 2).sum() + mean**2 * (share**2 + (1 - share) ** 2) / 2
    effect = spread / ((size.sum() + mean) * share * (1 - share)) * tasks / (tasks - 1)
    return float(np.clip(effect, least, most))


class Rates(NamedTuple):
    """True positive rate, true negative rate, and Youden's J = TPR + TNR - 1 (0: no better than chance)."""

    tpr: Figure
    tnr: Figure
    youden: Figure


def rates(a: ArrayLike, b: ArrayLike, *, tasks: ArrayLike | None = None, weights: ArrayLike | None = None) -> Rates:
    """TPR, TNR and J of `a` against the truth `b`, both cut at a half; items at a half exactly, or NaN, are left out.

    A rate is None where the truth has no such item, and J where one rate is. J's interval is Newcombe's square-and-add of
    the two Wilson intervals (1998, method 10), with the correlation of the two rates across tasks.
    """
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    groups, w = _defaults(x, tasks, weights)
    cut = ~(np.isnan(x) | np.isnan(y) | (x == HALF) | (y == HALF))
    hits = (x > HALF) == (y > HALF)
    sides = [cut & (y > HALF), cut & (y < HALF)]
    if not sides[0].any() or not sides[1].any():
        return _one_sided(hits, sides, groups, w)
    tpr, tnr = (_share(hits[side].astype(float), groups[side], w[side]) for side in sides)
    return Rates(tpr.figure, tnr.figure, _youden(tpr, tnr, [groups[side] for side in sides]))


def _one_sided(hits: Bools, sides: list[Bools], groups: Ints, w: Floats) -> Rates:
    whys = ["no item that the truth puts above a half", "no item that the truth puts below a half"]
    found = [
        proportion(hits[side], tasks=groups[side], weights=w[side]) if side.any() else Figure(value=None, why=why)
        for side, why in zip(sides, whys, strict=True)
    ]
    missing = " and ".join(why for side, why in zip(sides, whys, strict=True) if not side.any())
    return Rates(found[0], found[1], Figure(value=None, n=int(sum(side.sum() for side in sides)), why=missing))


def _youden(p: _Share, q: _Share, tasks: list[Ints]) -> Figure:
    r = _correlation_by_task(p.deviations, q.deviations, tasks)
    value = p.value + q.value - 1
    down, up = (p.value - p.low, q.value - q.low), (p.high - p.value, q.high - q.value)
    below, above = (math.sqrt(max(0.0, x * x + 2 * r * x * y + y * y)) for x, y in (down, up))
    return Figure(value=value, low=max(-1.0, value - below), high=min(1.0, value + above), n=p.n + q.n)


def _correlation_by_task(first: Floats, second: Floats, tasks: list[Ints]) -> float:
    """How the two rates vary together: 0 where no task has items of both sides."""
    whole = np.zeros((2, int(max(groups.max() for groups in tasks)) + 1))
    whole[0, np.unique(tasks[0])], whole[1, np.unique(tasks[1])] = first, second
    spread = math.sqrt(float((whole[0] ** 2).sum() * (whole[1] ** 2).sum()))
    return float((whole[0] * whole[1]).sum()) / spread if spread > 0 else 0.0


def _defaults(values: Floats, tasks: ArrayLike | None, weights: ArrayLike | None) -> tuple[Ints, Floats]:
    groups = np.arange(values.size) if tasks is None else renumbered(tasks)
    return groups, np.ones(values.size) if weights is None else np.asarray(weights, dtype=float)
