"""Trivial predictors and how well they do, so that what a judge shows above them is skill and not the difficulty of the tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.agreeing.rates import wilson
from calibration.figures import Figure
from calibration.items import Floats
from calibration.maps import Z95
from calibration.oracles.facts import did_nothing
from calibration.records import RecordLike

RESAMPLES = 1000
COVARIATES = ("reply_chars", "steps")
SMALLEST = 1e-12


def trivial_predictors(records: Sequence[RecordLike], truth: Floats, tasks: NDArray[np.int64]) -> dict[str, Floats]:
    """What needs no judge: `did_nothing` (0 or 1), `reply_chars`, `steps`, and `task_mean`, the mean truth of the task's other
    episodes. NaN stands where one is not known."""
    idle = [did_nothing(record) for record in records]
    found = {"did_nothing": np.array([np.nan if each is None else float(each) for each in idle])}
    for name in COVARIATES:
        found[name] = np.array([_number(record.covariates.get(name)) for record in records])
    found["task_mean"] = task_mean(truth, tasks)
    return found


def task_mean(truth: Floats, tasks: NDArray[np.int64]) -> Floats:
    """For each episode the mean truth of the other episodes of its task; NaN where it is the only one."""
    count, total = np.bincount(tasks)[tasks], np.bincount(tasks, weights=truth)[tasks]
    return np.where(count > 1, (total - truth) / np.maximum(count - 1, 1), np.nan)


def auc(scores: Floats, truth: Floats, tasks: NDArray[np.int64]) -> Figure:
    """The probability that an episode that passes has a higher score than one that fails (ties count a half).

    `truth` is 0 or 1. The interval allows for tasks with several episodes (Obuchowski, 1997); undefined with one class only.
    """
    known = ~np.isnan(scores)
    scores, passed, tasks = scores[known], truth[known] > 0.5, tasks[known]
    if passed.all() or not passed.any():
        return Figure(value=None, n=len(scores), why="one class only: every episode passes, or none does")
    right = _placements(scores[passed], scores[~passed])
    wrong = 1 - _placements(scores[~passed], scores[passed])
    value = float(right.mean())
    groups = int(tasks.max()) + 1
    off = np.bincount(tasks[passed], weights=right - value, minlength=groups) / len(right)
    off += np.bincount(tasks[~passed], weights=wrong - value, minlength=groups) / len(wrong)
    return _figure(value, off[np.unique(tasks)], len(scores))


def pairwise(scores: Floats, truth: Floats, tasks: NDArray[np.int64]) -> Figure:
    """Of the pairs of episodes of one task of which one is better in truth, the share that scores rank so (ties: a half).

    That is what a policy gradient within groups learns from, and no monotone calibration changes it. `n` counts pairs; the
    interval goes by task. Undefined where no task has two episodes that differ.
    """
    known = ~np.isnan(scores)
    scores, truth, tasks = scores[known], truth[known], tasks[known]
    won, pairs = _wins(scores, truth, tasks)
    if not pairs.sum():
        return Figure(value=None, n=0, why="no task has two episodes that differ in truth")
    value = float(won.sum() / pairs.sum())
    return _figure(value, ((won - value * pairs) / pairs.sum())[pairs > 0], int(pairs.sum()))


def intraclass(truth: Floats, tasks: NDArray[np.int64], rng: np.random.Generator | None = None) -> Figure:
    """The correlation of two episodes of one task: ICC(1) by analysis of variance (Fisher, 1925), for tasks of unequal size.

    The interval is a bootstrap over tasks. Undefined where no task has two episodes, or where truth does not vary.
    """
    sizes = np.bincount(tasks).astype(float)
    sums = np.bincount(tasks, weights=truth)
    squares = np.bincount(tasks, weights=truth**2)
    if (sizes > 1).sum() < 2:
        return Figure(value=None, n=len(truth), why="fewer than two tasks have several episodes")
    table = np.stack([np.ones_like(sizes), sizes, sizes**2, sums, sums**2 / np.maximum(sizes, 1), squares], axis=1)
    value = float(_correlation(table.sum(axis=0)))
    if math.isnan(value):
        return Figure(value=None, n=len(truth), why="every episode has the same truth")
    rng = rng or np.random.default_rng(0)
    counts = rng.multinomial(len(sizes), np.full(len(sizes), 1 / len(sizes)), size=RESAMPLES)
    low, high = np.nanquantile(_correlation(counts @ table), [0.025, 0.975])
    return Figure(value=value, low=float(low), high=float(high), n=len(truth))


def worth(n: int, tasks: int, correlation: float) -> float:
    """How many independent episodes `n` episodes of so many tasks are worth: n / (1 + (n / tasks - 1) r) (Kish, 1965)."""
    return n / (1 + (n / tasks - 1) * max(0.0, correlation))


def same_outcome(truth: Floats, tasks: NDArray[np.int64]) -> tuple[int, int]:
    """How many tasks with several episodes have one outcome in all of them, and how many such tasks there are."""
    sizes, sums = np.bincount(tasks), np.bincount(tasks, weights=truth)
    several = sizes > 1
    return int((several & ((sums < SMALLEST) | (sums > sizes - SMALLEST))).sum()), int(several.sum())


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan


def _placements(scores: Floats, others: Floats) -> Floats:
    """For each score the share of the others that lie below it, ties a half."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, scores, side="left") + np.searchsorted(ordered, scores, side="right")
    return np.asarray(below / (2 * len(others)))


def _wins(scores: Floats, truth: Floats, tasks: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """For each task the pairs ranked right and the pairs that differ in truth."""
    won, pairs = np.zeros(tasks.max(initial=0) + 1), np.zeros(tasks.max(initial=0) + 1)
    order = np.argsort(tasks, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(tasks[order])) + 1):
        better = truth[rows][:, None] > truth[rows] + SMALLEST
        if better.any():
            apart = scores[rows][:, None] - scores[rows]
            won[tasks[rows[0]]] = (better * (np.sign(apart) + 1) / 2).sum()
            pairs[tasks[rows[0]]] = better.sum()
    return won, pairs


def _figure(value: float, influence: Floats, n: int) -> Figure:
    """The figure with Wilson's interval for as many independent trials as would vary like the tasks' influences.

    With few tasks the variance itself is uncertain, so trials are cut by (z / t) squared (Korn and Graubard, 1998).
    """
    from scipy.special import stdtrit

    groups = len(influence)
    variance = float((influence**2).sum()) * groups / max(1, groups - 1)
    trials = groups if variance <= SMALLEST else min(float(n), value * (1 - value) / variance)
    cut = (Z95 / float(stdtrit(max(1, groups - 1), 0.975))) ** 2
    low, high = wilson(value, max(1.0, trials * cut))
    return Figure(value=value, low=low, high=high, n=n)


def _correlation(totals: Floats) -> Floats:
    """ICC(1) from the sums over tasks of 1, n, n squared, the sum, its square / n, and the sum of squares."""
    groups, n, squared_sizes, total, between, squares = np.moveaxis(totals, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        among = (between - total**2 / n) / (groups - 1)
        within = (squares - between) / (n - groups)
        size = (n - squared_sizes / n) / (groups - 1)
        return np.asarray((among - within) / (among + (size - 1) * within))
