"""The alternative-annotator test: may a judge stand in for a person? (Calderon, Reichart and Dror, ACL 2025.)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from calibration.agreeing.ratings import PANEL
from calibration.agreeing.scales import commonest, observed
from calibration.agreeing.tables import Floats, placed, renumbered
from calibration.items import Pair
from calibration.results import AltTest

SKILLED = 0.15
FALSE_DISCOVERIES = 0.05
FEWEST_PEOPLE = 3
FEWEST_EACH = 30


def alternative_annotator_test(pairs: Sequence[Pair], judge: str, *, epsilon: float = SKILLED) -> AltTest:
    """Whether `judge` (a name, or `panel`) is as close to the other people as each person is, at the cost `epsilon`.

    For each person, on every item that others rated too: 1 where the person is at least as close to the others as the
    judge, less 1 where the judge is at least as close as the person; a one-sided t-test, by task, of a mean below
    `epsilon`, with the false discovery rate over people held at 5% (Benjamini and Yekutieli 2001). Closeness is the share of
    the others with the same level where there are two levels, else less the root mean square difference. Epsilon is what a
    person's cost is worth: 0.2 for experts, 0.15 for skilled people, 0.1 for a crowd. Give the pairs of one criterion. None,
    and why, with fewer than three people who rated 30 such items each.
    """
    rated = [row for pair in pairs if (row := _row(pair, judge)) is not None]
    criteria = {pair.item.criterion for pair in pairs}
    criterion = criteria.pop() if len(criteria) == 1 else None
    two_levels = len(_scale(rated)) <= 2
    people = sorted({person for row in rated for person in row.people})
    tests = {person: _compare(person, [row for row in rated if person in row.people], two_levels) for person in people}
    able = {person: test for person, test in tests.items() if len(test.differences) >= FEWEST_EACH}
    if len(able) < FEWEST_PEOPLE:
        why = f"{len(able)} people rated {FEWEST_EACH} items that others rated too, at least {FEWEST_PEOPLE} are needed"
        return AltTest(
            judge=judge, criterion=criterion, epsilon=epsilon, winning_rate=None, advantage=None, passes=None,
            raters=len(people), n=len(rated), why=why,
        )  # fmt: skip
    p_values = {person: _p_value(test, epsilon) for person, test in able.items()}
    replaced = _discoveries(p_values)
    rate = len(replaced) / len(able)
    return AltTest(
        judge=judge, criterion=criterion, epsilon=epsilon, winning_rate=rate,
        advantage=float(np.mean([test.wins.mean() for test in able.values()])), passes=rate >= 0.5,
        raters=len(able), n=len(rated), p_values=p_values, replaced=replaced,
    )  # fmt: skip


class _Row(NamedTuple):
    """An item that two people or more and the judge rated."""

    task: str
    judge: float
    people: dict[str, float]
    levels: dict[str, float]


class _Compared(NamedTuple):
    """For each item: did the judge come at least as close as the person; the person's wins less the judge's; the task."""

    wins: Floats
    differences: Floats
    tasks: np.ndarray


def _row(pair: Pair, judge: str) -> _Row | None:
    value = pair.item.pooled if judge == PANEL else pair.item.judges.get(judge)
    if value is None or len(pair.raters) < 2:
        return None
    return _Row(pair.item.task, value, dict(pair.raters), dict(pair.item.levels))


def _scale(rows: Sequence[_Row]) -> dict[str, float]:
    said = np.array([value for row in rows for value in row.people.values()])
    return commonest(row.levels for row in rows) or observed(said)


def _compare(person: str, rows: Sequence[_Row], two_levels: bool) -> _Compared:
    closeness = _same_level if two_levels else _nearness
    others = [np.array([value for name, value in row.people.items() if name != person]) for row in rows]
    judge = np.array([closeness(row.judge, rest) for row, rest in zip(rows, others, strict=True)])
    human = np.array([closeness(row.people[person], rest) for row, rest in zip(rows, others, strict=True)])
    wins = (judge >= human).astype(float)
    return _Compared(wins, (human >= judge) - wins, renumbered([row.task for row in rows]))


def _same_level(value: float, others: Floats) -> float:
    two = np.array([0.0, 1.0])
    return float(np.mean(placed(others, two) == placed(np.array(value), two)))


def _nearness(value: float, others: Floats) -> float:
    return -round(float(np.sqrt(np.mean((others - value) ** 2))), 9)


def _p_value(test: _Compared, epsilon: float) -> float:
    """Of a mean at or above epsilon: the t-test's, with the standard error by task (one item a task: the plain one)."""
    from scipy.special import stdtr

    mean = float(test.differences.mean())
    sums = np.bincount(test.tasks, test.differences - mean)
    tasks = sums.size
    error = np.sqrt((sums**2).sum() * tasks / (tasks - 1)) / test.differences.size if tasks > 1 else 0.0
    if error < 1e-12:
        return 0.0 if mean < epsilon and tasks > 1 else 1.0
    return float(stdtr(tasks - 1, (mean - epsilon) / error))


def _discoveries(p_values: dict[str, float]) -> tuple[str, ...]:
    """The people whose test is passed: the largest k with p_(k) <= k q / (m (1 + 1/2 + … + 1/m)), and all below it."""
    ordered = sorted(p_values, key=lambda person: p_values[person])
    m = len(ordered)
    harmonic = sum(1 / rank for rank in range(1, m + 1))
    passed = [k for k, name in enumerate(ordered, 1) if p_values[name] <= k * FALSE_DISCOVERIES / (m * harmonic)]
    return tuple(sorted(ordered[: max(passed, default=0)]))
