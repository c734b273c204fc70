"""What each judge gives more than the truth, or without labels more than the other judges do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.items import Floats, Item, Pair, tasks_of, weights_of

PANEL = "panel"
CHECKS = ("state:", "check:")
PEOPLE, STATE, OTHERS = "people do", "the state check does", "the other judges do"

Signs = Mapping[tuple[str, str], float]
"""By rubric and criterion: -1 for a penalty, where a high value is against the agent."""


@dataclass(frozen=True)
class Excess:
    """One judge's excess over what it is held against, a number an item; `against` says whose answer that is.

    For a penalty it is turned round, so that above 0 always favours the agent. `truth` is likewise, None without labels.
    `criteria` numbers the criterion of each item; `covariates` are by name, NaN where an item has none.
    """

    judge: str
    against: str
    items: NDArray[np.object_]
    values: Floats
    truth: Floats | None
    tasks: NDArray[np.int64]
    weights: Floats
    criteria: NDArray[np.int64]
    covariates: Mapping[str, Floats]

    def among(self, chosen: NDArray[np.bool_]) -> Excess:
        """The same on some of the items."""
        if chosen.all():
            return self
        return replace(
            self, items=self.items[chosen], values=self.values[chosen], tasks=self.tasks[chosen],
            truth=None if self.truth is None else self.truth[chosen], weights=self.weights[chosen],
            criteria=self.criteria[chosen], covariates={name: numbers[chosen] for name, numbers in self.covariates.items()},
        )  # fmt: skip

    def spread(self, numbers: Floats) -> float:
        """Their weighted standard deviation."""
        off = numbers - np.average(numbers, weights=self.weights)
        return float(np.sqrt(np.average(off**2, weights=self.weights)))

    def within_criteria(self, numbers: Floats) -> Floats:
        """`numbers` less their weighted mean over the items of the same criterion: differences of criteria are no bias."""
        total = np.bincount(self.criteria, weights=self.weights)
        sums = np.bincount(self.criteria, weights=self.weights * numbers)
        mean = np.divide(sums, total, out=np.zeros(len(sums)), where=total > 0)
        return np.asarray(numbers - mean[self.criteria])


def of_pairs(pairs: Sequence[Pair], signs: Signs) -> Iterator[Excess]:
    """Each judge's, and the panel's where there are several judges, over the truth."""
    items = [pair.item for pair in pairs]
    turn = _turns(items, signs)
    truth = np.array([pair.truth for pair in pairs]) * turn + (turn < 0)
    start = replace(_start(items, _against(pairs)), truth=truth, weights=weights_of(pairs))
    for judge, values in _columns(items):
        found = values * turn + (turn < 0) - truth
        yield replace(start, judge=judge, values=found).among(~np.isnan(found))


def of_items(items: Sequence[Item], signs: Signs) -> Iterator[Excess]:
    """Each judge's over the mean of the other judges of the same item."""
    columns = {judge: values for judge, values in _columns(items) if judge != PANEL}
    if len(columns) < 2:
        return
    start, turn, table = _start(items, OTHERS), _turns(items, signs), np.array(list(columns.values()))
    count = (~np.isnan(table)).sum(axis=0) - 1
    for judge, values in columns.items():
        others = np.divide(np.nansum(table, axis=0) - values, count, out=np.full(len(items), np.nan), where=count > 0)
        found = turn * (values - others)
        yield replace(start, judge=judge, values=found).among(~np.isnan(found))


def _against(pairs: Sequence[Pair]) -> str:
    """People, unless all labels are a check's."""
    by_people = any(not rater.startswith(CHECKS) for pair in pairs for rater in pair.raters)
    return PEOPLE if by_people else STATE


def _start(items: Sequence[Item], against: str) -> Excess:
    """What the excesses of all judges share."""
    held = np.empty(len(items), dtype=object)
    held[:] = items
    places: dict[tuple[str, str | None], int] = {}
    criteria = [places.setdefault((item.fingerprint, item.criterion), len(places)) for item in items]
    names = dict.fromkeys(name for item in items for name in item.covariates)
    covariates = {name: np.array([item.covariates.get(name, np.nan) for item in items]) for name in names}
    nothing, ones = np.zeros(len(items)), np.ones(len(items))
    return Excess(
        "", against, held, nothing, None, tasks_of(items), ones, np.array(criteria, dtype=np.int64), covariates
    )


def _turns(items: Sequence[Item], signs: Signs) -> Floats:
    return np.array([signs.get((item.rubric, item.criterion or ""), 1.0) for item in items])


def _columns(items: Sequence[Item]) -> Iterator[tuple[str, Floats]]:
    judges = sorted({judge for item in items for judge in item.judges})
    for judge in judges:
        yield judge, np.array([item.judges.get(judge, np.nan) for item in items])
    if len(judges) > 1 and PANEL not in judges:
        yield PANEL, np.array([np.nan if item.pooled is None else item.pooled for item in items])
