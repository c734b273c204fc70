"""A sample to estimate from: what the judge said about every episode, and the truth about those that were labelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.errors import CalibrationError
from calibration.items import Floats, Item, Pairing, matrix_of

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

DEBUG = "debug"
"""The stratum of episodes that were chosen for their difficulty: labels of these say nothing about a rate."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Columns over all judged episodes.

    `judged` is the judge's value or probability in [0, 1]. `truth` is in [0, 1], NaN where nobody labelled. `tasks` says
    which episodes are rollouts of one task. `inclusion` is the known probability with which a labelled episode was chosen;
    NaN: not known, taken as an equal chance for all of these. `judges` holds single judges' values (a column each) if there
    are several. `settled` marks episodes whose truth is known without a label, such as those behind a closed gate. `notes`
    are sentences about what was left out.
    """

    judged: Floats
    truth: Floats
    tasks: NDArray[Any]
    inclusion: Floats
    judges: Floats | None = None
    settled: Bools = field(default_factory=lambda: np.zeros(0, dtype=bool))
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, judged: ArrayLike, truth: ArrayLike, *, tasks: ArrayLike | None = None, inclusion: ArrayLike | None = None,
        judges: ArrayLike | None = None,
    ) -> Sample:  # fmt: skip
        """A sample of plain columns; each episode is a task of its own if `tasks` is not given.

        Raises CalibrationError for columns of different lengths and for values that can't be.
        """
        f, y = np.asarray(judged, dtype=float), np.asarray(truth, dtype=float)
        task = np.arange(len(f)) if tasks is None else np.asarray(tasks)
        chance = np.full(len(f), np.nan) if inclusion is None else np.asarray(inclusion, dtype=float)
        matrix = None if judges is None else np.asarray(judges, dtype=float)
        made = cls(f, y, task, chance, matrix, np.zeros(len(f), dtype=bool))
        made._check()
        return made

    def _check(self) -> None:
        n = len(self.judged)
        columns = {"truth": self.truth, "tasks": self.tasks, "inclusion": self.inclusion, "judges": self.judges}
        for name, column in columns.items():
            if column is not None and len(column) != n:
                raise CalibrationError(
                    f"the sample has {n} judged values but {len(column)} of `{name}`; give one of each"
                )
        if np.isnan(self.judged).any():
            raise CalibrationError(
                f"{int(np.isnan(self.judged).sum())} of {n} episodes have no judged value; leave them out of the sample"
            )
        for name, column in (("judged", self.judged), ("truth", self.truth), ("judges", self.judges)):
            if column is not None and ((column < 0) | (column > 1)).any():
                raise CalibrationError(
                    f"`{name}` has a value outside [0, 1]; give pass/fail as 1/0 and scores as shares"
                )
        if ((self.inclusion <= 0) | (self.inclusion > 1)).any():
            raise CalibrationError(
                "an inclusion probability is not in (0, 1]; give the chance with which it was chosen"
            )

    def __len__(self) -> int:
        return len(self.judged)

    @cached_property
    def known(self) -> Ints:
        """The places of episodes whose truth is known."""
        return np.flatnonzero(~np.isnan(self.truth))

    @cached_property
    def labelled(self) -> int:
        """How many episodes people labelled."""
        return len(self.known) - int(self.settled.sum())

    @cached_property
    def groups(self) -> Ints:
        """The task of each episode as a number from 0."""
        return np.unique(self.tasks, return_inverse=True)[1].astype(np.int64).reshape(-1)

    @cached_property
    def labelled_groups(self) -> Bools:
        """For each task, whether an episode of it was labelled."""
        found = np.zeros(int(self.groups.max(initial=-1)) + 1, dtype=bool)
        found[self.groups[self.known][~self.settled[self.known]]] = True
        return found

    @cached_property
    def weights(self) -> Floats:
        """One over the inclusion probability of each known episode, with sum 1 (Hájek, 1971)."""
        chance = self.inclusion[self.known]
        unknown = np.isnan(chance)
        if unknown.all():
            return np.full(len(chance), 1.0 / max(1, len(chance)))
        equal = int(unknown.sum()) / max(1, len(self) - int(self.settled.sum()))
        raw = 1.0 / np.where(unknown, equal, chance)
        return np.asarray(raw / raw.sum())

    @cached_property
    def known_truth(self) -> Floats:
        """The truth of the known episodes."""
        return self.truth[self.known]

    @cached_property
    def rate(self) -> float:
        """The weighted mean of the truth of the known episodes; exactly their truth where all are alike."""
        least, most = float(self.known_truth.min()), float(self.known_truth.max())
        return min(most, max(least, float(self.weights @ self.known_truth)))


def sample_of(
    pairing: Pairing, criterion: str | None = None, *, values: Mapping[tuple[str, str | None], float] | None = None,
    closed: Literal["failed", "as_judged"] = "failed",
) -> Sample:  # fmt: skip
    """The sample of one criterion, or of episodes as a whole (None), from items paired with labels.

    `values` by episode and criterion stand in for the panel's value, such as calibrated probabilities; give labelled items
    probabilities from fits that had not seen their task, else intervals come out too narrow. An episode behind a closed gate
    is `failed`, as its reward is, and needs no label; or `as_judged`, where the gate is only evidence: then its value counts
    (0 if no judge was asked) and so does its label. Raises CalibrationError if there is no such item.
    """
    asked = [item for item in pairing.items if item.criterion == criterion]
    if not asked:
        raise CalibrationError(f"no grade has a criterion {criterion!r}, expected one of {_criteria(pairing)}")
    given = values or {}
    shut = [criterion is None and item.closed for item in asked]
    found = [given.get((item.episode, criterion), item.pooled) for item in asked]
    kept = [i for i, value in enumerate(found) if value is not None or shut[i]]
    items, gates = [asked[i] for i in kept], np.array([shut[i] for i in kept], dtype=bool)
    f = np.array([0.0 if shut[i] and closed == "failed" else found[i] or 0.0 for i in kept])
    settled = gates if closed == "failed" else np.zeros(len(items), dtype=bool)
    truth, inclusion, never = _labels(pairing, items, settled)
    notes = (
        _note(
            len(asked) - len(kept), "episode has no grade and is left out", "episodes have no grade and are left out"
        ),
        _note(never, "label of the debugging queue is left out", "labels of the debugging queue are left out"),
        _note(int(settled.sum()), "episode failed at a gate", "episodes failed at a gate"),
    )
    made = Sample.of(f, truth, tasks=[item.task for item in items], inclusion=inclusion, judges=_judges(items, f))
    return Sample(made.judged, made.truth, made.tasks, made.inclusion, made.judges, settled, tuple(filter(None, notes)))


def _labels(pairing: Pairing, items: Sequence[Item], settled: Bools) -> tuple[Floats, Floats, int]:
    """The truth and inclusion of each item, and how many labels were left out because they were chosen for difficulty."""
    pairs = {(p.item.episode, p.item.criterion): p for p in pairing.pairs}
    truth, inclusion, never = np.full(len(items), np.nan), np.full(len(items), np.nan), 0
    for i, item in enumerate(items):
        pair = pairs.get((item.episode, item.criterion))
        if settled[i]:
            truth[i], inclusion[i] = 0.0, 1.0
        elif pair is not None and pair.stratum == DEBUG:
            never += 1
        elif pair is not None:
            truth[i] = pair.truth
            inclusion[i] = np.nan if pair.inclusion is None else pair.inclusion
    return truth, inclusion, never


def _judges(items: Sequence[Item], judged: Floats) -> Floats | None:
    """Single judges' values; where one gave none, or a gate is closed, the panel's value stands in."""
    names = sorted({name for item in items for name in item.judges})
    if len(names) < 2:
        return None
    matrix = matrix_of(items, names)
    matrix[np.array([item.closed and item.criterion is None for item in items])] = np.nan
    return np.where(np.isnan(matrix), judged[:, None], matrix)


def _criteria(pairing: Pairing) -> list[str | None]:
    return sorted({item.criterion for item in pairing.items}, key=str)


def _note(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}" if count else ""
