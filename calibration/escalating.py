"""`escalation`: above which confidence grades may stand, with a promise that holds; below it, they get another look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.calibration import Escalation
from calibration.certifying import (
    Accepted,
    Ranked,
    accepted_to_certify,
    disagreements_allowed,
    least_accepted,
    power,
)
from calibration.errors import CalibrationError
from calibration.figures import Figure

STEP = 0.05
MAIN_SHARE, SECOND_PLACE = 0.8, 0.4
CURVE_POINTS = 20


class Stage(NamedTuple):
    """One grader of a cascade, over the same labelled episodes as the others: its confidence in each (NaN where it did not grade
    it) and whether it agrees with the truth."""

    confidence: ArrayLike
    agrees: ArrayLike


def escalation(
    confidence: ArrayLike, agrees: ArrayLike, *, tasks: Sequence[Any] | NDArray[Any] | None = None,
    weights: ArrayLike | None = None, target: float = 0.85, delta: float = 0.1,
) -> Escalation:  # fmt: skip
    """The lowest threshold above which agreement with the truth is at least `target`, but with probability `delta`.

    `confidence` is max(p, 1 - p) of labelled episodes, cross-fitted so that no map has seen its own label; `agrees` is True
    where p and truth fall on the same side of a half (or the share of people for whom they do). `weights` are one over the
    probability that the episode was labelled.

    Thresholds are tested from high to low, each only if the one before it passed (fixed-sequence testing, as in Jung,
    Brahman and Choi, ICLR 2025), at the bound of Clopper and Pearson by task. Testing starts in two places with shares of
    `delta`; what a passed chain has is handed to the next start (the fallback procedure of Wiens, 2003), so that the chance
    of passing any wrong threshold stays within `delta`. Where to start is chosen by confidences alone, never by agreement. If
    no start passes there is no threshold, and `why` says what it would take.

    Raises CalibrationError for columns of different length, or a target or delta that is not between 0 and 1.
    """
    if not (0 < target < 1 and 0 < delta < 1):
        raise CalibrationError(
            f"escalation: target {target} and delta {delta}; expected numbers between 0 and 1, such as a target of 0.85 and a "
            "delta of 0.1"
        )
    ranked = Ranked.of(confidence, agrees, tasks=tasks, weights=weights)
    n, groups = len(ranked.confidence), len(np.unique(ranked.tasks))
    certified = _certified(ranked, target, delta)
    rows = _curve(ranked, certified)
    about = {
        "target": target, "delta": delta, "n": n, "tasks": groups,
        "curve": tuple((_at(ranked, a), _coverage(ranked, a.n), a.agreement, a.bound(delta)) for a in rows),
    }  # fmt: skip
    if certified is None:
        return Escalation(threshold=None, why=_why(ranked, rows, target, delta), **about)
    found = ranked.accepted(certified)
    low, high = found.interval()
    return Escalation(
        threshold=_at(ranked, found), coverage=_coverage(ranked, certified),
        agreement=Figure(value=found.agreement, low=low, high=high, n=certified), **about,
    )  # fmt: skip


def cascade(
    stages: Sequence[Stage],
    *,
    tasks: Sequence[Any] | NDArray[Any] | None = None,
    target: float = 0.85,
    delta: float = 0.1,
) -> tuple[Escalation, ...]:
    """One threshold for each of several graders in turn, such as a panel, then a stronger judge; the rest goes to people.

    Each stage is certified on the episodes that all before it pass on, at its part of `delta`: so that with probability
    1 - `delta` every stage, and what they accept together, agrees at least to `target`. Coverage is of what the stage sees.
    """
    task = None if tasks is None else np.asarray(tasks)
    left = np.ones(len(np.asarray(stages[0].confidence)) if stages else 0, dtype=bool)
    found = []
    for stage in stages:
        sure, right = np.asarray(stage.confidence, dtype=float), np.asarray(stage.agrees, dtype=float)
        seen = left & ~np.isnan(sure)
        one = escalation(
            sure[seen],
            right[seen],
            tasks=None if task is None else task[seen],
            target=target,
            delta=delta / len(stages),
        )
        found.append(one)
        if one.threshold is not None:
            left = left & ~(seen & (sure >= one.threshold))
    return tuple(found)


def _certified(ranked: Ranked, target: float, delta: float) -> int | None:
    """How many of the most confident episodes may be accepted; None if the tests pass nothing."""
    order, starts = _plan(ranked, target, delta)
    carried, certified = 0.0, None
    for count in order:
        level = carried + starts.get(count, 0.0)
        passed = level > 0 and ranked.accepted(count).p_value(target) <= level
        carried = level if passed else 0.0
        certified = count if passed else certified
    return certified


def _plan(ranked: Ranked, target: float, delta: float) -> tuple[list[int], dict[int, float]]:
    """The counts to be tested in order, and the share of delta that each start has of its own.

    The main start is where coverage times the probability of passing is highest if confidences mean what they say less two
    standard errors. The second lies between the first count that can pass at all and the main one, in case they mean less.
    """
    main, candidates = _best_start(ranked, target, delta)
    if main is None:
        return [], {}
    starts = {main: delta}
    shared, shared_candidates = _best_start(ranked, target, MAIN_SHARE * delta)
    early = _turns(ranked, target, (1 - MAIN_SHARE) * delta)
    if shared is not None and early and shared >= 1.5 * early[0]:
        place = early[0] + SECOND_PLACE * (shared - early[0])
        second = max(count for count in early if count <= place)
        starts = {second: (1 - MAIN_SHARE) * delta, shared: MAIN_SHARE * delta}
        candidates = shared_candidates
    kept = _spaced([c for c in candidates if c >= min(starts)], STEP * len(ranked.confidence))
    return sorted({*kept, *starts, len(ranked.confidence)}), starts


def _best_start(ranked: Ranked, target: float, level: float) -> tuple[int | None, list[int]]:
    turns = _turns(ranked, target, level)
    if not turns:
        return None, []
    at = np.array(turns) - 1
    worth = ranked.expected_worth[at]
    gain = power(disagreements_allowed(worth, target, level), worth, ranked.expected[at]) * np.array(turns)
    return turns[int(gain.argmax())], turns


def _turns(ranked: Ranked, target: float, level: float) -> list[int]:
    """The counts at which one more disagreement can be borne: between them a test only gets harder to pass."""
    if not len(ranked.ends):
        return []
    allowed = np.maximum.accumulate(disagreements_allowed(ranked.expected_worth[ranked.ends - 1], target, level))
    return [int(count) for count in ranked.ends[np.diff(allowed, prepend=-1) > 0]]


def _spaced(counts: list[int], least: float) -> list[int]:
    kept: list[int] = []
    for count in counts:
        if not kept or count - kept[-1] >= least:
            kept.append(count)
    return kept


def _curve(ranked: Ranked, certified: int | None) -> list[Accepted]:
    """What is accepted at evenly spaced coverages, and at the certified one."""
    n, ends = len(ranked.confidence), ranked.ends
    if not n:
        return []
    places = np.searchsorted(ends, np.ceil(np.arange(1, CURVE_POINTS + 1) * n / CURVE_POINTS))
    counts = {int(ends[place]) for place in places} | ({certified} if certified else set())
    return [ranked.accepted(count) for count in sorted(counts)]


def _at(ranked: Ranked, accepted: Accepted) -> float:
    return float(ranked.confidence[accepted.n - 1])


def _coverage(ranked: Ranked, count: int) -> float:
    return min(1.0, float(ranked.weights[:count].sum() / ranked.weights.sum()))


def _why(ranked: Ranked, rows: Sequence[Accepted], target: float, delta: float) -> str:
    n, groups = len(ranked.confidence), len(np.unique(ranked.tasks))
    least = least_accepted(target, delta)
    have = f"{n} labels" + (f" of {groups} tasks" if groups < n else "")
    if not rows or max(row.worth for row in rows) < least:
        what = "labelled episodes" if groups == n else "tasks with labelled episodes"
        return (
            f"{have} can't certify {target:.0%} agreement: it takes at least {least} {what} without a disagreement, and more "
            "with one"
        )
    best = max(rows, key=lambda row: row.bound(MAIN_SHARE * delta))
    shown = best.bound(MAIN_SHARE * delta)
    seen = (
        f"{have} don't certify {target:.0%} agreement: the {best.n} most confident agree in {best.agreement:.0%}, "
        + (
            f"which shows {shown:.1%} at least"
            if shown < target
            else "which is too little where several thresholds are tried"
        )
    )
    needed = [labels for row in rows if (labels := _labels_needed(row, n, target, delta)) is not None]
    if not needed:
        return f"{seen}, and at no confidence is it above {target:.0%}: more labels alone would not help"
    return f"{seen}; it takes about {_rounded(min(needed))} labels like these, or more"


def _labels_needed(row: Accepted, n: int, target: float, delta: float) -> int | None:
    likely = (row.agreement * row.worth + 0.5) / (row.worth + 1)
    accepted = accepted_to_certify(likely, target, MAIN_SHARE * delta)
    return None if accepted is None else max(n + 1, round(accepted * n / row.worth))


def _rounded(labels: int) -> int:
    """To two digits, upwards."""
    unit = int(10 ** max(0, len(str(labels)) - 2))
    return -(-labels // unit) * unit
