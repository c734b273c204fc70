"""What each judge gives more than the truth, or without labels more than the other judges do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.items import Floats, Item, Pair, tasks_of, weights_of

PANEL = "panel"
PEOPLE, OTHERS = "people do", "the other judges do"

Signs = Mapping[tuple[str, str], float]
"""By rubric and criterion: -1 for a penalty, where a high value is against the agent."""


@dataclass(frozen=True)
class Excess:
    """One judge's excess over what it is held against, a number an item; `against` says whose answer that is.

    For a penalty it is turned round, so that above 0 always favours the agent. `truth` is likewise, None without labels.
    """

    judge: str
    against: str
    items: tuple[Item, ...]
    values: Floats
    truth: Floats | None
    tasks: NDArray[np.int64]
    weights: Floats

    def among(self, chosen: NDArray[np.bool_]) -> Excess:
        """The same on some of the items."""
        return Excess(
            self.judge, self.against, tuple(i for i, take in zip(self.items, chosen, strict=True) if take),
            self.values[chosen], None if self.truth is None else self.truth[chosen], self.tasks[chosen], self.weights[chosen],
        )  # fmt: skip

    def spread(self, numbers: Floats) -> float:
        """Their weighted standard deviation."""
        off = numbers - np.average(numbers, weights=self.weights)
        return float(np.sqrt(np.average(off**2, weights=self.weights)))

    def within_criteria(self, numbers: Floats) -> Floats:
        """`numbers` less their weighted mean over the items of the same criterion: differences of criteria are no bias."""
        names: dict[tuple[str, str | None], int] = {}
        places = np.array(
            [names.setdefault((i.fingerprint, i.criterion), len(names)) for i in self.items], dtype=np.int64
        )
        total = np.bincount(places, weights=self.weights)
        mean = np.bincount(places, weights=self.weights * numbers) / total
        return np.asarray(numbers - mean[places])


def of_pairs(pairs: Sequence[Pair], signs: Signs) -> Iterator[Excess]:
    """Each judge's, and the panel's where there are several judges, over the truth."""
    items = [pair.item for pair in pairs]
    turn = _turns(items, signs)
    truth = np.array([pair.truth for pair in pairs]) * turn + (turn < 0)
    whole = Excess(PANEL, PEOPLE, tuple(items), np.zeros(0), truth, tasks_of(items), weights_of(pairs))
    for judge, values in _columns(items):
        found = values * turn + (turn < 0) - truth
        known = ~np.isnan(found)
        yield Excess(judge, PEOPLE, whole.items, found, truth, whole.tasks, whole.weights).among(known)


def of_items(items: Sequence[Item], signs: Signs) -> Iterator[Excess]:
    """Each judge's over the mean of the other judges of the same item."""
    turn = _turns(items, signs)
    tasks, weights = tasks_of(items), np.ones(len(items))
    table = np.array([values for judge, values in _columns(items) if judge != PANEL])
    if len(table) < 2:
        return
    count = (~np.isnan(table)).sum(axis=0) - 1
    for judge, values in zip((j for j, _ in _columns(items) if j != PANEL), table, strict=True):
        others = np.divide(np.nansum(table, axis=0) - values, count, out=np.full(len(items), np.nan), where=count > 0)
        found = turn * (values - others)
        yield Excess(judge, OTHERS, tuple(items), found, None, tasks, weights).among(~np.isnan(found))


def _turns(items: Sequence[Item], signs: Signs) -> Floats:
    return np.array([signs.get((item.rubric, item.criterion or ""), 1.0) for item in items])


def _columns(items: Sequence[Item]) -> Iterator[tuple[str, Floats]]:
    judges = sorted({judge for item in items for judge in item.judges})
    for judge in judges:
        yield judge, np.array([item.judges.get(judge, np.nan) for item in items])
    if len(judges) > 1 and PANEL not in judges:
        yield PANEL, np.array([np.nan if item.pooled is None else item.pooled for item in items])
