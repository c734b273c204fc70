"""What labelled episodes can prove about agreement: exact binomial arithmetic, by task where episodes are clustered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.errors import CalibrationError
from calibration.items import Floats

MOST_ACCEPTED = 3_000


class Accepted(NamedTuple):
    """What the episodes above a threshold say: `agreement` is their weighted share that agrees with the truth, and `worth` is how
    many independent episodes they are worth."""

    n: int
    tasks: int
    agreement: float
    worth: float

    def p_value(self, target: float) -> float:
        """How probable so much agreement is if the true one is just below `target` (Clopper and Pearson, 1934)."""
        from scipy.special import betainc

        agreed = self.agreement * self.worth
        return float(betainc(agreed, self.worth - agreed + 1, target)) if agreed > 0 else 1.0

    def bound(self, level: float) -> float:
        """The one-sided lower bound of agreement that holds with probability 1 - `level`."""
        from scipy.special import betaincinv

        agreed = self.agreement * self.worth
        return float(betaincinv(agreed, self.worth - agreed + 1, level)) if agreed > 0 else 0.0

    def interval(self) -> tuple[float, float]:
        """The two-sided 95% interval of agreement."""
        missed = Accepted(self.n, self.tasks, 1.0 - self.agreement, self.worth)
        return self.bound(0.025), 1.0 - missed.bound(0.025)


@dataclass(frozen=True)
class Ranked:
    """Labelled episodes from the most to the least confident, with what each is worth."""

    confidence: Floats
    agrees: Floats
    tasks: NDArray[np.int64]
    weights: Floats

    @classmethod
    def of(
        cls,
        confidence: ArrayLike,
        agrees: ArrayLike,
        *,
        tasks: Sequence[Any] | NDArray[Any] | None,
        weights: ArrayLike | None,
    ) -> Ranked:
        """Raises CalibrationError where the columns differ in length or a confidence lies outside [0, 1]."""
        sure, right = np.asarray(confidence, dtype=float), np.asarray(agrees, dtype=float)
        task = np.arange(len(sure)) if tasks is None else np.unique(np.asarray(tasks), return_inverse=True)[1]
        weight = np.ones(len(sure)) if weights is None else np.asarray(weights, dtype=float)
        if not len(sure) == len(right) == len(task) == len(weight):
            raise CalibrationError(
                f"escalation: {len(sure)} confidences, {len(right)} agreements, {len(task)} tasks and {len(weight)} weights; "
                "expected one of each for every labelled episode"
            )
        wrong = [float(x) for x in (*sure, *right) if not 0 <= x <= 1]
        if wrong:
            raise CalibrationError(f"escalation: {wrong[0]} is no confidence or agreement; expected numbers in [0, 1]")
        order = np.argsort(-sure, kind="stable")
        return cls(sure[order], right[order], task[order], weight[order])

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """How many episodes lie at or above each distinct confidence: those that tie are accepted together."""
        return (
            np.flatnonzero(np.append(np.diff(self.confidence) != 0, True)) + 1
            if len(self.confidence)
            else np.array([], int)
        )

    def accepted(self, count: int) -> Accepted:
        """What the `count` most confident episodes say.

        Worth is by the design effect of a ratio estimated from clusters (Korn and Graubard, 1998, with their correction for
        few clusters). To the tasks observed one of average size is added that fails throughout, so that no failures in few
        tasks are no proof that tasks don't fail as a whole: ten tasks without a failure are worth at most ten episodes.
        With one episode a task it is the number of episodes, and bounds are exact.
        """
        tasks, weights = self.tasks[:count], self.weights[:count]
        sizes = np.asarray(np.bincount(tasks, weights), dtype=float)
        agreed = np.asarray(np.bincount(tasks, weights * self.agrees[:count]), dtype=float)[sizes > 0]
        sizes = sizes[sizes > 0]
        agreement = float(agreed.sum() / sizes.sum())
        return Accepted(count, len(sizes), min(1.0, agreement), _worth(sizes, agreed, count))

    @cached_property
    def expected(self) -> Floats:
        """For each count, the agreement that confidences promise, less two standard errors. No label is looked at."""
        mean = np.cumsum(self.weights * self.confidence) / np.cumsum(self.weights)
        error = np.sqrt(mean * (1 - mean) / np.arange(1, len(mean) + 1))
        return np.asarray(np.clip(mean - 2 * error, 0.0, 1.0))

    @cached_property
    def expected_worth(self) -> Floats:
        """For each count, what it would be worth if agreement were as expected and failures fell anywhere."""
        first = np.zeros(len(self.tasks))
        first[np.unique(self.tasks, return_index=True)[1]] = 1
        kish = np.cumsum(self.weights) ** 2 / np.cumsum(self.weights**2)
        size = np.arange(1, len(self.tasks) + 1) / np.cumsum(first)
        share = self.expected * kish / (kish + size)
        square = kish * (self.expected * (1 - share) ** 2 + (1 - self.expected) * share**2) + (share * size) ** 2
        scale = share * (1 - share) * (kish + size)
        return np.asarray(kish / np.maximum(1.0, np.divide(square, scale, out=np.ones_like(scale), where=scale > 0)))


def _worth(sizes: Floats, agreed: Floats, count: int) -> float:
    from scipy.special import stdtrit

    tasks = len(sizes)
    if tasks < 2:
        return float(tasks)
    sizes, agreed = np.append(sizes, sizes.mean()), np.append(agreed, 0.0)
    share = agreed.sum() / sizes.sum()
    if share == 0:
        return float(tasks)
    variance = float(((agreed - share * sizes) ** 2).sum() / sizes.sum() ** 2)
    binomial = share * (1 - share) / (count * (1 + 1 / tasks))
    few = (stdtrit(count - 1, 0.9) / stdtrit(tasks - 1, 0.9)) ** 2 if count > tasks else 1.0
    return float(count / max(1.0, variance / binomial) * few)


def disagreements_allowed(worth: ArrayLike, target: float, level: float) -> NDArray[np.int64]:
    """How many disagreements among so many accepted episodes still certify `target` at that level; -1 if none can."""
    n = np.asarray(worth, dtype=float)
    most = 2 ** math.ceil(math.log2(max(2.0, float(n.max(initial=1.0)))))
    return np.asarray(np.searchsorted(_bearing(target, level, most), n * (1 + 1e-12), side="right") - 1)


@lru_cache(maxsize=64)
def _bearing(target: float, level: float, most: int) -> Floats:
    """The size of sample from which 0, 1, 2 … disagreements can be borne, up to `most`."""
    from scipy.special import bdtrin

    sizes = np.asarray(bdtrin(np.arange(int(most * (1 - target)) + 2), level, 1 - target))
    sizes[0] = math.log(level) / math.log(target)
    return sizes


def least_accepted(target: float, delta: float) -> int:
    """The fewest accepted episodes that can certify `target`, when not one disagrees: ln(delta) / ln(target), rounded up."""
    return math.ceil(math.log(delta) / math.log(target) - 1e-9)


def accepted_to_certify(agreement: float, target: float, delta: float) -> int | None:
    """How many accepted episodes certify `target` with even odds where the true agreement is `agreement`; None where it is not
    above the target, or would take more than 3,000."""
    if agreement <= target:
        return None
    sizes = np.ceil(_bearing(target, delta, MOST_ACCEPTED) - 1e-9)
    likely = (power(np.arange(len(sizes)), sizes, agreement) >= 0.5) & (sizes <= MOST_ACCEPTED)
    return int(sizes[likely.argmax()]) if likely.any() else None


def power(allowed: ArrayLike, worth: ArrayLike, agreement: ArrayLike) -> Floats:
    """The probability of at most `allowed` disagreements among so many episodes, each agreeing with that probability."""
    from scipy.special import betainc

    r, n = np.asarray(allowed, dtype=float), np.asarray(worth, dtype=float)
    certain = np.where(r >= n, 1.0, 0.0)
    inside = (r >= 0) & (r < n)
    return np.asarray(np.where(inside, betainc(np.where(inside, n - r, 1.0), np.maximum(r, 0) + 1, agreement), certain))
