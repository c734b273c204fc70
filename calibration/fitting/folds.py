"""Folds that keep the items of a task together."""

from __future__ import annotations

import numpy as np

from calibration.fitting.samples import Ints
from calibration.items import Floats

FOLDS = 5


def grouped_folds(tasks: Ints, rng: np.random.Generator) -> Ints | None:
    """The fold of each item: (repeats, n).

    Five folds of about equal size, five times over with other draws (fewer times above 500 items). With less than five tasks
    each task is a fold, once. None with one task: nothing can be held out.
    """
    _, places, sizes = np.unique(tasks, return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        return None
    if len(sizes) < FOLDS:
        return np.asarray(places[None])
    folds = [_dealt(sizes, rng)[places] for _ in range(_repeats(len(tasks)))]
    return np.array(folds, dtype=np.int64)


def _repeats(n: int) -> int:
    return 5 if n <= 500 else 2 if n <= 2000 else 1


def _dealt(sizes: Ints, rng: np.random.Generator) -> Ints:
    """Tasks dealt to folds like cards, the large ones first, those of one size in random order."""
    order = rng.permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    fold_of = np.empty(len(sizes), dtype=np.int64)
    fold_of[order] = rng.permutation(FOLDS)[np.arange(len(sizes)) % FOLDS]
    return fold_of


def training_counts(folds: Ints) -> tuple[Floats, Ints]:
    """For every fold of every repeat a row that is 1 for the items outside it, and the rows that each item is held out of:
    (repeats, n)."""
    count = int(folds.max()) + 1
    outside = folds[:, None, :] != np.arange(count)[None, :, None]
    rows = folds + count * np.arange(len(folds))[:, None]
    return outside.reshape(-1, folds.shape[1]).astype(float), rows
