"""What one fit sees, as arrays: the judges' values, the truth, the tasks, weights and covariates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibration.items import Floats, Pair, matrix_of, tasks_of, truths_of, weights_of

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Sample:
    """`n` labelled items: `values` (n, judges) in [0, 1], `truth` (n,) in [0, 1], `tasks` (n,) numbered from 0, `weights` (n,)
    with mean 1, `covariates` (n, names)."""

    values: Floats
    truth: Floats
    tasks: Ints
    weights: Floats
    covariates: Floats
    judges: tuple[str, ...]
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, pairs: Sequence[Pair], judges: Sequence[str], names: Sequence[str] = ()) -> Sample:
        """The arrays of `pairs`; NaN where a judge or a covariate has no value."""
        items = [pair.item for pair in pairs]
        covariates = np.array([[item.covariates.get(name, np.nan) for name in names] for item in items], dtype=float)
        return cls(
            matrix_of(items, judges), truths_of(pairs), tasks_of(items), weights_of(pairs),
            covariates.reshape(len(items), len(names)), tuple(judges), tuple(names),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.truth)

    @cached_property
    def mean(self) -> Floats:
        """The panel's plain mean value of each item."""
        return np.asarray(self.values.mean(axis=1))

    @cached_property
    def sides(self) -> NDArray[np.bool_]:
        """Which truths lie above a half."""
        return np.asarray(self.truth > 0.5)

    @cached_property
    def settled(self) -> NDArray[np.bool_]:
        """Which truths do not lie at exactly a half: the others count in no accuracy."""
        return np.asarray(self.truth != 0.5)

    @property
    def task_count(self) -> int:
        """How many tasks the items come from."""
        return int(np.unique(self.tasks).size)

    def rows(self, chosen: NDArray[np.bool_]) -> Sample:
        """The same with only the chosen items, tasks numbered anew and weights scaled to a mean of 1."""
        weights = self.weights[chosen]
        return Sample(
            self.values[chosen], self.truth[chosen], np.unique(self.tasks[chosen], return_inverse=True)[1],
            weights / weights.mean() if weights.size else weights, self.covariates[chosen], self.judges, self.names,
        )  # fmt: skip

    def with_covariates(self, names: Sequence[str]) -> Sample:
        """The same with only the named covariates."""
        places = [self.names.index(name) for name in names]
        return Sample(
            self.values, self.truth, self.tasks, self.weights, self.covariates[:, places], self.judges, tuple(names)
        )
