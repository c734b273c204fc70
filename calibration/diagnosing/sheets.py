"""The answers of a panel as one table, with the truth beside it where it is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibration.items import Floats, Item, Pair, matrix_of, tasks_of, truths_of, weights_of

DRAWS = 200
MOST_CELLS = 4_000_000
HALF = 0.5


@dataclass(frozen=True)
class Sheet:
    """Values in [0, 1] with a row for each item and a column for each judge; NaN where a judge gave none.

    `truth` is None without labels. `weights` have a mean of 1: 1 / the probability with which an item was labelled.
    """

    judges: tuple[str, ...]
    values: Floats
    tasks: NDArray[np.int64]
    weights: Floats
    truth: Floats | None = None

    @classmethod
    def of_items(cls, items: Sequence[Item]) -> Sheet:
        """The sheet of items that have no labels."""
        judges = tuple(sorted({judge for item in items for judge in item.judges}))
        return cls(judges, matrix_of(items, judges), tasks_of(items), np.ones(len(items)))

    @classmethod
    def of_pairs(cls, pairs: Sequence[Pair]) -> Sheet:
        """The sheet of labelled items."""
        plain = cls.of_items([pair.item for pair in pairs])
        return cls(plain.judges, plain.values, plain.tasks, weights_of(pairs), truths_of(pairs))

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """Where a judge gave a value."""
        return ~np.isnan(self.values)

    @cached_property
    def passes(self) -> Floats:
        """1 where a judge's value is above a half, else 0; NaN where it gave none."""
        return np.where(self.present, self.values > HALF, np.nan)

    @cached_property
    def wrong(self) -> Floats:
        """1 where a judge passes what the truth fails or the other way round, else 0; NaN where that can't be said.

        A truth of exactly a half (people are split) decides nothing.
        """
        if self.truth is None:
            return np.full_like(self.values, np.nan)
        decided = np.where(self.truth == HALF, np.nan, self.truth > HALF)
        return np.abs(self.passes - decided[:, None])

    def draws(self, rng: np.random.Generator, times: int = DRAWS) -> Iterator[Floats]:
        """The weights of the items in bootstrap samples of tasks: `times` rows in all, in blocks that fit in memory."""
        tasks = int(self.tasks.max()) + 1
        block = max(1, min(times, MOST_CELLS // len(self.tasks)))
        for start in range(0, times, block):
            rows = min(block, times - start)
            drawn = rng.integers(tasks, size=(rows, tasks)) + tasks * np.arange(rows)[:, None]
            counts = np.bincount(drawn.ravel(), minlength=rows * tasks).reshape(rows, tasks)
            yield self.weights * counts[:, self.tasks]


Statistic = Callable[[Sheet, Floats], Floats]
"""Of a sheet and rows of weights, one a sample: an array whose first axis is the samples."""


def estimate(sheet: Sheet, statistic: Statistic, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """The statistic with the 2.5% and 97.5% quantiles of its bootstrap by task; NaN where half of the samples have none."""
    value = statistic(sheet, sheet.weights[None])[0]
    drawn = np.concatenate([statistic(sheet, block) for block in sheet.draws(rng)])
    known = ~np.isnan(drawn)
    enough = known.mean(axis=0) > HALF
    low, high = np.nanquantile(np.where(enough, drawn, 0.0), (0.025, 0.975), axis=0)
    return value, np.where(enough, low, np.nan), np.where(enough, high, np.nan)
