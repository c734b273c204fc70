"""Intervals by resampling tasks, not items: rollouts of one task are not independent."""

from __future__ import annotations

from collections import Counter

import numpy as np

from calibration.agreeing.tables import Floats

RESAMPLES = 1000
TAIL = 0.025
FEW_KINDS = 6
ROOM = 8_000_000


def resampled(
    by_task: Floats, imagined: Floats, *, resamples: int = RESAMPLES, rng: np.random.Generator | None = None
) -> Floats:
    """Sums of the rows of `by_task` (tasks, features) over tasks drawn with replacement: (resamples, features).

    One task more, which may fall on any row of `imagined` with equal chance, is among those drawn: what was not seen in
    thirty items may still happen, and without it the interval around complete agreement would be a point.
    """
    generator = np.random.default_rng(0) if rng is None else rng
    tasks = len(by_task)
    kinds = Counter(row.tobytes() for row in np.ascontiguousarray(by_task))
    if len(kinds) * FEW_KINDS > tasks:
        return _times(tasks, len(imagined), resamples, generator) @ np.concatenate((by_task, imagined))
    # Tasks with equal rows are drawn together: the same distribution, and many times faster where tasks have one item each.
    rows = np.frombuffer(b"".join(kinds), dtype=float).reshape(-1, by_task.shape[1])
    chances = np.concatenate((list(kinds.values()), np.full(len(imagined), 1 / len(imagined))))
    drawn = generator.multinomial(tasks, chances / chances.sum(), size=resamples)
    return np.asarray(drawn.astype(float) @ np.concatenate((rows, imagined)))


def _times(tasks: int, imagined: int, resamples: int, rng: np.random.Generator) -> Floats:
    """How often each task and each imagined one is drawn, in each resample."""
    picks = rng.integers(0, tasks + 1, size=(resamples, tasks))
    beyond = picks == tasks
    picks[beyond] += rng.integers(0, imagined, size=int(beyond.sum()))
    return np.array([np.bincount(row, minlength=tasks + imagined) for row in picks], dtype=float)


def imagined_size(by_task: Floats) -> float:
    """How many items the imagined task has: the square root of the mean, between one item and a whole task all alike."""
    return float(np.sqrt(by_task.sum() / len(by_task)))


def affordable(resamples: int, features: int) -> int:
    """As many resamples as memory allows for that many features, at least 200."""
    return min(resamples, max(200, ROOM // features))


def percentiles(draws: Floats, value: float) -> tuple[float, float] | None:
    """The central 95% of the draws, widened to hold `value`; None where over half of them are undefined (NaN)."""
    known = np.sort(draws[~np.isnan(draws)])
    if known.size * 2 < draws.size:
        return None
    beyond = int(TAIL * known.size)
    return min(float(known[beyond]), value), max(float(known[-1 - beyond]), value)
