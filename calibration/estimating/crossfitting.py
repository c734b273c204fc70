"""One value out of several judges', learned from the labels without letting any label vouch for itself."""

from __future__ import annotations

import numpy as np

from calibration.estimating.samples import Ints, Sample
from calibration.items import Floats

FOLDS = 5
PENALTY = 1.0


def cross_fitted(sample: Sample, rng: np.random.Generator) -> Floats:
    """The truth that the judges' values make expect, for every episode (cross-PPI: Zrnic and Candès, 2024).

    Ridge regression on the panel's mean, unpenalised, and each judge's deviation from it, so that with few labels it is about
    the mean. Fitted five times, each without the tasks of one fold; an episode of a labelled task gets the value of the fit
    that had not seen the task, every other one the mean of the five.
    """
    judges = sample.judges if sample.judges is not None else sample.judged[:, None]
    mean = judges.mean(axis=1, keepdims=True)
    columns = np.concatenate([mean, judges - mean], axis=1)
    folds = _folds(sample, rng)
    mine = folds[sample.groups]
    fits = np.array([_predicted(sample, columns, mine[sample.known] != fold) for fold in range(FOLDS)])
    return np.where(mine >= 0, fits[mine, np.arange(len(sample))], fits.mean(axis=0)).clip(0.0, 1.0)


def _folds(sample: Sample, rng: np.random.Generator) -> Ints:
    """The fold of each labelled task, -1 for the others."""
    folds = np.full(len(sample.labelled_groups), -1, dtype=np.int64)
    tasks = rng.permutation(np.flatnonzero(sample.labelled_groups))
    folds[tasks] = np.arange(len(tasks)) % FOLDS
    return folds


def _predicted(sample: Sample, columns: Floats, used: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Floats:
    x, y, w = columns[sample.known[used]], sample.known_truth[used], sample.weights[used] * len(sample.known)
    centre, level = w @ x / w.sum(), float(w @ y / w.sum())
    apart = x - centre
    penalty = np.diag([1e-6] + [PENALTY] * (x.shape[1] - 1))
    slopes = np.linalg.solve((apart * w[:, None]).T @ apart + penalty, (w * (y - level)) @ apart)
    return np.asarray(level + (columns - centre) @ slopes)
