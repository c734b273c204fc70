"""What each judge adds: how much worse the probabilities get when it is left out, on labels that the fit had not seen."""

from __future__ import annotations

import numpy as np

from calibration.diagnosing.sheets import Sheet
from calibration.figures import Figure
from calibration.fitting.clustering import mean_by_task
from calibration.fitting.folds import grouped_folds, training_counts
from calibration.fitting.logistic import Priors, fit_logistic, sigmoids
from calibration.items import Floats
from calibration.maps import Z95

FEWEST = 30
FEWEST_TASKS = 5
PENALTY = 10.0  # 1 / C for C = 0.1
FREE = 1e-6


def gains(sheet: Sheet, rng: np.random.Generator) -> tuple[list[Figure], list[bool | None]]:
    """For each judge the rise of the cross-validated Brier score without it, and whether it is within its standard error of 0.

    By ridge logistic stacking (C = 0.1) in folds by task; a gap is filled with the mean of the item's other judges. None below 30
    labels or five tasks.
    """
    n, tasks = len(sheet.values), len(np.unique(sheet.tasks))
    if sheet.truth is None or n < FEWEST or tasks < FEWEST_TASKS:
        why = f"{n} labels of {tasks} tasks, expected at least {FEWEST} of {FEWEST_TASKS} or more"
        return [Figure(value=None, n=n, why=why)] * len(sheet.judges), [None] * len(sheet.judges)
    rises = _rises(sheet, sheet.truth, rng)
    means = [mean_by_task(rise, sheet.tasks, sheet.weights) for rise in rises.T]
    found = [(mean.value, mean.error or 0.0) for mean in means]
    figures = [Figure(value=value, low=value - Z95 * error, high=value + Z95 * error, n=n) for value, error in found]
    return figures, [value <= error for value, error in found]


def _rises(sheet: Sheet, truth: Floats, rng: np.random.Generator) -> Floats:
    """For each item and judge how much larger the squared error is without the judge, cross-fitted, the mean over repeats."""
    folds = grouped_folds(sheet.tasks, rng)
    if folds is None:
        raise AssertionError("gains asks for five tasks or more")
    counts, _ = training_counts(folds)
    columns = _columns(sheet)
    full, without = _with_and_without(columns, truth, counts * sheet.weights)
    rises = np.zeros(sheet.values.shape)
    for fit, seen in enumerate(counts):
        unseen = seen == 0
        whole = (sigmoids(columns[unseen] @ full[fit]) - truth[unseen]) ** 2
        less = (sigmoids(columns[unseen] @ without[fit].T) - truth[unseen, None]) ** 2
        rises[unseen] += (less - whole[:, None]) / len(folds)
    return rises


def _columns(sheet: Sheet) -> Floats:
    """Ones, and the judges' values, standardised."""
    filled = np.where(sheet.present, sheet.values, np.nanmean(sheet.values, axis=1, keepdims=True))
    spread = filled.std(axis=0)
    return np.column_stack([np.ones(len(filled)), (filled - filled.mean(axis=0)) / np.where(spread > 0, spread, 1.0)])


def _with_and_without(columns: Floats, truth: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The coefficients with every judge (fits, columns), and those without each (fits, judges, columns).

    Without judge j they are one Newton step from the whole fit: b - H^-1[:, j] / H^-1[j, j] b[j], with H the curvature there.
    Refits would cost as many times as much as there are judges, for gains that differ by less than their standard errors.
    """
    judges = np.arange(1, columns.shape[1])
    fits = fit_logistic(columns, truth, weights, Priors.ridge(np.array([FREE, *[PENALTY] * len(judges)])))
    full, spread = fits.coefficients[:, 0], np.linalg.inv(fits.hessians[:, 0])
    along = np.swapaxes(spread[:, :, judges], 1, 2) / spread[:, judges, judges][..., None]
    return full, full[:, None] - along * full[:, judges, None]
