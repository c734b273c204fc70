"""The figures of one policy step, from its tally."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from calibration.agreeing.rates import wilson
from calibration.figures import Figure
from calibration.health.tallies import Siblings, Sums, Tally, Uses
from calibration.regression import FEWEST_CLUSTERS, from_moments
from calibration.results import StepHealth

EXTREME = 0.98
FEWEST_VALUES = 20
SAME = 1e-9


def measure(policy: str | None, step: int | None, tally: Tally) -> StepHealth:
    """Everything but the warnings."""
    siblings = [group for group in tally.groups.values() if group.episodes > 1]
    silent = sum(group.paid < 2 or group.most - group.least <= SAME for group in siblings)
    used = {name: uses for name, uses in tally.criteria.items() if uses.n >= FEWEST_VALUES}
    return StepHealth(
        policy=policy, policy_step=step, episodes=tally.episodes, tasks=len(tally.tasks),
        groups=len(siblings), paid=_kind(tally), groups_without_signal=_share(silent, len(siblings), "groups of siblings"),
        ungraded=_share(sum(tally.blames.values()), tally.episodes), by_blame=dict(sorted(tally.blames.items())),
        failures=dict(sorted(tally.failures.items())), ties=_share(tally.flags["tie"], tally.episodes),
        forfeited=_share(tally.flags["forfeited"], tally.episodes), escalated=_share(tally.flags["escalated"], tally.episodes),
        closed=_share(tally.flags["closed"], tally.episodes), mean_reward=mean_by_task(tally.rewards, bounds=(0, 1)),
        coverage=mean_by_task(tally.coverage, bounds=(0, 1)), length=_as_characters(mean_by_task(tally.lengths)),
        length_slope=_slope(list(tally.groups.values())), length_within_groups=_slope_between(siblings),
        saturated=tuple(name for name, uses in used.items() if uses.at_best >= EXTREME * uses.n),
        dead=tuple(name for name, uses in used.items() if _is_dead(uses)),
    )  # fmt: skip


def _kind(tally: Tally) -> Literal["reward", "score", "both", "nothing"]:
    if tally.paid["reward"] and tally.paid["score"]:
        return "both"
    return "reward" if tally.paid["reward"] else "score" if tally.paid["score"] else "nothing"


def _share(count: int, of: int, what: str = "episodes") -> Figure:
    if not of:
        return Figure(value=None, why=f"there are no {what}")
    low, high = wilson(count / of, of)
    return Figure(value=count / of, low=low, high=high, n=of)


def _is_dead(uses: Uses) -> bool:
    return uses.at_worst >= EXTREME * uses.n or (uses.most - uses.least <= SAME and uses.at_best < uses.n)


def mean_by_task(sums: Sums, *, bounds: tuple[float, float] = (-math.inf, math.inf)) -> Figure:
    """The mean over episodes; its interval, kept within `bounds`, is by t over tasks, since rollouts of one are not independent."""
    counts = np.array([n for n, _ in sums.by_task.values()], dtype=float)
    totals = np.array([total for _, total in sums.by_task.values()])
    if not len(counts):
        return Figure(value=None, why="no episode has one")
    value = float(totals.sum() / counts.sum())
    if len(counts) < 2:
        return Figure(value=value, n=int(counts.sum()), why="one task gives no interval")
    from scipy.special import stdtrit

    off = totals - value * counts
    error = math.sqrt(float((off**2).sum()) * len(counts) / (len(counts) - 1)) / float(counts.sum())
    reach = float(stdtrit(len(counts) - 1, 0.975)) * error
    return Figure(
        value=value, low=max(bounds[0], value - reach), high=min(bounds[1], value + reach), n=int(counts.sum())
    )


def _as_characters(logs: Figure) -> Figure:
    ends = {name: None if x is None else math.expm1(x) for name, x in (("low", logs.low), ("high", logs.high))}
    return logs if logs.value is None else logs.model_copy(update={"value": math.expm1(logs.value), **ends})


def _slope(groups: Sequence[Siblings]) -> Figure:
    """Over all episodes."""
    known = [group for group in groups if group.n]
    table = np.array([(g.n, g.x, g.xx, g.y, g.xy) for g in known], dtype=float).reshape(-1, 5)
    n, x, xx, y, xy = table.T
    return _per_deviation(np.stack([n, x, x, xx], axis=1).reshape(-1, 2, 2), np.stack([y, xy], axis=1), table)


def _slope_between(groups: Sequence[Siblings]) -> Figure:
    """Between siblings: each group's own mean is taken out."""
    known = [group for group in groups if group.n > 1 and group.xx - group.x**2 / group.n > SAME]
    table = np.array([(g.n, g.x, g.xx, g.y, g.xy) for g in known], dtype=float).reshape(-1, 5)
    n, x, xx, y, xy = table.T
    return _per_deviation((xx - x * x / n).reshape(-1, 1, 1), (xy - x * y / n).reshape(-1, 1), table)


def _per_deviation(grams: np.ndarray, moments: np.ndarray, table: np.ndarray) -> Figure:
    n, x, xx = (float(column.sum()) for column in table.T[:3])
    fit = from_moments(grams, moments, n=int(n))
    if fit is None:
        why = f"lengths vary in fewer than {FEWEST_CLUSTERS} groups, or in one alone"
        return Figure(value=None, n=int(n), why=why)
    spread = math.sqrt(max(0.0, xx / n - (x / n) ** 2))
    last = np.zeros(grams.shape[1])
    last[-1] = spread
    return fit.contrast(last)[0]
