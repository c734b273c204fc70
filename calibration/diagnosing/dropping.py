"""What each judge adds: how much worse the probabilities get when it is left out, on labels that the fit had not seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.diagnosing.sheets import Sheet
from calibration.figures import Figure
from calibration.items import Floats
from calibration.maps import Z95

FEWEST = 30
FOLDS = 5
REPEATS = 4
PENALTY = 10.0  # 1 / C for C = 0.1, the strength that stacking uses
STEPS = 25


def gains(sheet: Sheet, rng: np.random.Generator) -> tuple[list[Figure], list[bool | None]]:
    """For each judge the rise of the cross-validated Brier score without it, and whether it is within its standard error of 0.

    Ridge logistic stacking, in folds by task; the standard error is over tasks. None below 30 labels or two tasks.
    """
    truth = sheet.truth
    tasks = int(sheet.tasks.max()) + 1 if len(sheet.tasks) else 0
    if truth is None or len(truth) < FEWEST or tasks < FOLDS:
        why = f"{len(sheet.tasks)} labels of {tasks} tasks, expected at least {FEWEST} of {FOLDS} or more"
        return [Figure(value=None, n=len(sheet.tasks), why=why)] * len(sheet.judges), [None] * len(sheet.judges)
    rises = np.mean([_rises(sheet, truth, rng) for _ in range(REPEATS)], axis=0)
    mean = np.average(rises, axis=0, weights=sheet.weights)
    error = _error_by_task(rises - mean, sheet, tasks)
    figures = [
        Figure(value=float(m), low=float(m - Z95 * e), high=float(m + Z95 * e), n=len(truth))
        for m, e in zip(mean, error, strict=True)
    ]
    return figures, [bool(m <= e) for m, e in zip(mean, error, strict=True)]


def _error_by_task(off: Floats, sheet: Sheet, tasks: int) -> Floats:
    sums = np.zeros((tasks, off.shape[1]))
    np.add.at(sums, sheet.tasks, off * sheet.weights[:, None])
    return np.asarray(np.sqrt((sums**2).sum(axis=0) * tasks / (tasks - 1)) / sheet.weights.sum())


def _rises(sheet: Sheet, truth: Floats, rng: np.random.Generator) -> Floats:
    """For each item and judge how much larger the squared error is without the judge, cross-fitted once."""
    design, judges = _design(sheet), len(sheet.judges)
    folds = rng.permutation(np.arange(int(sheet.tasks.max()) + 1) % FOLDS)[sheet.tasks]
    rises = np.zeros((len(truth), judges))
    for fold in range(FOLDS):
        seen, unseen = folds != fold, folds == fold
        full, others = _with_and_without(design[seen], truth[seen], sheet.weights[seen])
        whole = (_logistic(design[unseen] @ full) - truth[unseen]) ** 2
        rises[unseen] = (_logistic(design[unseen] @ others) - truth[unseen, None]) ** 2 - whole[:, None]
    return rises


def _design(sheet: Sheet) -> Floats:
    """A column of ones and the judges' values, standardised; a gap is filled with the mean of the item's other judges."""
    mean = np.nanmean(sheet.values, axis=1, keepdims=True)
    filled = np.where(sheet.present, sheet.values, mean)
    spread = filled.std(axis=0)
    scaled = (filled - filled.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return np.column_stack([np.ones(len(filled)), scaled])


def _with_and_without(design: Floats, truth: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The coefficients with every judge, and those without each (a column a judge, 0 at its place).

    Without a judge they are one Newton step away from the whole fit, which costs no refit and is exact where nothing changes.
    """
    columns = design.shape[1]
    penalty = np.diag([0.0, *[PENALTY] * (columns - 1)])
    full: Floats = np.zeros(columns)
    for _ in range(STEPS):
        gram, moment = _newton(design, truth, weights, full)
        better: Floats = np.asarray(np.linalg.solve(gram + penalty, moment), dtype=np.float64)
        moved, full = float(np.abs(better - full).max()), better
        if moved < 1e-6:
            break
    gram, moment = _newton(design, truth, weights, full)
    others = np.zeros((columns, columns - 1))
    for judge in range(1, columns):
        kept: NDArray[np.int64] = np.delete(np.arange(columns), judge)
        others[kept, judge - 1] = np.linalg.solve((gram + penalty)[np.ix_(kept, kept)], moment[kept])
    return full, others


def _newton(design: Floats, truth: Floats, weights: Floats, at: Floats) -> tuple[Floats, Floats]:
    """The normal equations of the next step of iteratively reweighted least squares."""
    logit = design @ at
    p = _logistic(logit)
    curve = weights * np.clip(p * (1 - p), 1e-6, None)
    return design.T @ (design * curve[:, None]), design.T @ (curve * logit + weights * (truth - p))


def _logistic(logit: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(logit, -30, 30))))
