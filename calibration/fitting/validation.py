"""Figures on items that a fit had not seen: cross-validated losses of each rung, and what they say about signal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibration.calibration import HeldOut
from calibration.figures import Figure
from calibration.fitting.clustering import Mean, mean_by_task
from calibration.fitting.folds import training_counts
from calibration.fitting.rungs import Rung
from calibration.fitting.samples import Ints, Sample
from calibration.items import Floats

CUT = 0.5
ONE_TASK = "all items come from one task"


class Scores(NamedTuple):
    """For each item, averaged over repeats: the probability, its squared error, and whether it lies on the truth's side."""

    predictions: Floats
    losses: Floats
    hits: Floats


def cross_validated(rung: Rung, sample: Sample, folds: Ints) -> Scores:
    """The scores of `rung`, each item predicted by fits without its fold."""
    counts, rows = training_counts(folds)
    predicted = rung.predictions(counts)
    return scores_of(np.take_along_axis(predicted, rows, axis=0), sample)


def scores_of(predictions: Floats, sample: Sample) -> Scores:
    """The scores of predictions (repeats, n). A probability of exactly a half is half a hit."""
    hits = np.where(predictions == CUT, 0.5, (predictions > CUT) == sample.sides)
    losses = (predictions - sample.truth) ** 2
    return Scores(predictions.mean(axis=0), losses.mean(axis=0), hits.mean(axis=0))


def accuracy_of(scores: Scores, sample: Sample) -> Mean | None:
    """The share on the truth's side, among truths that do not lie at a half; None if all do."""
    return _mean_where(scores.hits, sample, sample.settled)


def _mean_where(values: Floats, sample: Sample, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Mean | None:
    if not chosen.any():
        return None
    return mean_by_task(values[chosen], sample.tasks[chosen], sample.weights[chosen])


def held_out(key: str, sample: Sample, scores: Scores) -> HeldOut:
    """The figures of the chosen map's scores."""
    brier = _bounded(mean_by_task(scores.losses, sample.tasks, sample.weights), len(sample))
    base = float(np.average(sample.truth, weights=sample.weights))
    reference = float(np.average((sample.truth - base) ** 2, weights=sample.weights))
    youden = _youden(sample)
    accuracy = accuracy_of(scores, sample)
    better = brier.high is not None and brier.high < reference
    return HeldOut(
        key=key, n=len(sample), tasks=sample.task_count, base_rate=min(1.0, base), brier=brier, reference_brier=reference,
        accuracy=_share(accuracy, int(sample.settled.sum()), "every truth lies at exactly a half"), youden=youden,
        signal=better or (youden.low is not None and youden.low > 0.0),
    )  # fmt: skip


def _bounded(mean: Mean, n: int) -> Figure:
    """A mean in [0, 1] with its interval by t over tasks."""
    from scipy.special import stdtrit

    if mean.error is None:
        return Figure(value=mean.value, n=n, why=f"no interval: {ONE_TASK}")
    reach = float(stdtrit(mean.tasks - 1, 0.975)) * mean.error
    return Figure(value=mean.value, low=max(0.0, mean.value - reach), high=min(1.0, mean.value + reach), n=n)


def _share(mean: Mean | None, n: int, why: str) -> Figure:
    """A share with Wilson's interval for as many independent items as its error by task amounts to."""
    if mean is None:
        return Figure(value=None, why=why)
    value = min(1.0, max(0.0, mean.value))
    if mean.error is None:
        return Figure(value=value, n=n, why=f"no interval: {ONE_TASK}")
    low, high = _wilson(value, _effective(mean, n))
    return Figure(value=value, low=low, high=high, n=n)


def _effective(mean: Mean, n: int) -> float:
    spread = mean.value * (1.0 - mean.value)
    if not mean.error or spread <= 0.0:
        return float(min(n, mean.tasks))
    return min(float(n), spread / mean.error**2)


def _wilson(share: float, n: float) -> tuple[float, float]:
    """Wilson's 95% interval (1927)."""
    z2 = 1.959963984540054**2
    centre, reach = share + z2 / (2 * n), np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n)))
    return max(0.0, float(centre - reach) / (1 + z2 / n)), min(1.0, float(centre + reach) / (1 + z2 / n))


def _youden(sample: Sample) -> Figure:
    """TPR + TNR - 1 of the panel's mean cut at a half, ties left out; the interval joins those of the two rates (MOVER: Zou
    and Donner, 2008)."""
    clear = sample.settled & (sample.mean != CUT)
    right = ((sample.mean > CUT) == sample.sides).astype(float)
    rates = [
        _share(_mean_where(right, sample, clear & side), int((clear & side).sum()), "")
        for side in (sample.sides, ~sample.sides)
    ]
    n = int(clear.sum())
    (tpr, tnr) = (rate.value for rate in rates)
    if tpr is None or tnr is None:
        return Figure(value=None, n=n, why="every truth lies on one side of a half")
    j = tpr + tnr - 1.0
    if any(rate.low is None or rate.high is None for rate in rates):
        return Figure(value=j, n=n, why=f"no interval: a side's items come from one task")
    low = np.sqrt(sum((rate.value - rate.low) ** 2 for rate in rates))
    high = np.sqrt(sum((rate.high - rate.value) ** 2 for rate in rates))
    return Figure(value=j, low=float(j - low), high=float(j + high), n=n)
