"""Rules that pick the confidence above which grades stand, for comparison with `calibration.escalation`.

Each takes labelled episodes sorted from the most to the least confident and gives how many to accept, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from calibration.certifying import least_accepted
from calibration.items import Floats

Rule = Callable[[Floats, Floats, float, float], int | None]


def plug_in(confidence: Floats, agrees: Floats, target: float, _delta: float) -> int | None:
    """The lowest threshold at which the labels themselves agree to the target: no promise at all."""
    ends = _ends(confidence)
    reached = ends[np.cumsum(agrees)[ends - 1] >= target * ends]
    return int(reached[-1]) if len(reached) else None


def fine(confidence: Floats, agrees: Floats, target: float, delta: float) -> int | None:
    """Fixed-sequence testing through every threshold, from the first that can pass."""
    ends = _ends(confidence)
    return _chain(ends[ends >= least_accepted(target, delta)], _p_values(agrees, target), delta)


def ten_steps(confidence: Floats, agrees: Floats, target: float, delta: float) -> int | None:
    """The same in steps of a tenth of the episodes."""
    counts = [c for c in _quantiles(confidence, 0.1) if c >= least_accepted(target, delta)]
    return _chain(counts, _p_values(agrees, target), delta)


def bonferroni(confidence: Floats, agrees: Floats, target: float, delta: float) -> int | None:
    """Ten thresholds, each tested at a tenth of delta."""
    p = _p_values(agrees, target)
    return max((c for c in _quantiles(confidence, 0.1) if p[c - 1] <= delta / 10), default=None)


def multi_start(confidence: Floats, agrees: Floats, target: float, delta: float) -> int | None:
    """Chains in steps of a tenth from the 25, 50 and 75% most confident, each at a third of delta."""
    p = _p_values(agrees, target)
    chains = (_chain(_quantiles(confidence, start), p, delta / 3) for start in (0.25, 0.5, 0.75))
    return max((found for found in chains if found is not None), default=None)


RULES: dict[str, Rule] = {
    "plug-in": plug_in, "FST, fine": fine, "FST, 10 steps": ten_steps, "Bonferroni, 10": bonferroni,
    "multi-start, delta/3": multi_start,
}  # fmt: skip


def one_a_task(
    confidence: Floats, agrees: Floats, tasks: NDArray[np.int64], rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """One episode of each task, chosen at random: what is left if only independent episodes may be used."""
    order = rng.permutation(len(tasks))
    kept = order[np.unique(tasks[order], return_index=True)[1]]
    return confidence[kept], agrees[kept]


def _p_values(agrees: Floats, target: float) -> Floats:
    agreed, n = np.cumsum(agrees), np.arange(1, len(agrees) + 1)
    return np.where(agreed > 0, betainc(np.maximum(agreed, 1), n - agreed + 1, target), 1.0)


def _chain(counts: Iterable[int], p: Floats, level: float) -> int | None:
    found = None
    for count in counts:
        if p[count - 1] > level:
            break
        found = int(count)
    return found


def _ends(confidence: Floats) -> NDArray[np.int64]:
    return np.flatnonzero(np.append(np.diff(confidence) != 0, True)) + 1


def _quantiles(confidence: Floats, start: float) -> Sequence[int]:
    ends = _ends(confidence)
    counts = np.ceil(np.arange(start, 1.0001, 0.1) * len(confidence) - 1e-9)
    return sorted({int(ends[min(len(ends) - 1, place)]) for place in np.searchsorted(ends, counts)})
