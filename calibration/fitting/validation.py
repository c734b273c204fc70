"""Figures on items that a fit had not seen: cross-validated losses of each rung, and what they say about signal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibration.agreeing.rates import proportion, rates
from calibration.calibration import HeldOut
from calibration.figures import Figure
from calibration.fitting.clustering import Mean, mean_by_task
from calibration.fitting.folds import training_counts
from calibration.fitting.rungs import Rung
from calibration.fitting.samples import Ints, Sample
from calibration.items import Floats

CUT = 0.5
MATERIAL = 0.05  # of the reference: judges may agree with the truth more than by chance, and too little to be of use
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


def accuracy_of(scores: Scores, sample: Sample) -> Figure:
    """The share on the truth's side, among truths that do not lie at a half."""
    chosen = sample.settled
    if not chosen.any():
        return Figure(value=None, why="every truth lies at exactly a half")
    return proportion(scores.hits[chosen], tasks=sample.tasks[chosen], weights=sample.weights[chosen])


def held_out(key: str, sample: Sample, scores: Scores) -> HeldOut:
    """The figures of the chosen map's scores."""
    base = min(1.0, float(np.average(sample.truth, weights=sample.weights)))
    constant = (sample.truth - base) ** 2
    reference = float(np.average(constant, weights=sample.weights))
    gain = _by_t(mean_by_task(constant - scores.losses, sample.tasks, sample.weights), len(sample))
    youden = rates(sample.mean, sample.truth, tasks=sample.tasks, weights=sample.weights).youden
    return HeldOut(
        key=key, n=len(sample), tasks=sample.task_count, base_rate=base,
        brier=_by_t(mean_by_task(scores.losses, sample.tasks, sample.weights), len(sample), least=0.0),
        reference_brier=reference, accuracy=accuracy_of(scores, sample), youden=youden, gain=gain,
        signal=_above_zero(gain) or (_above_zero(youden) and (gain.value or 0.0) >= MATERIAL * reference),
    )  # fmt: skip


def _above_zero(figure: Figure) -> bool:
    """Whether the whole interval lies above 0; False without an interval."""
    return figure.low is not None and figure.low > 0.0


def _by_t(mean: Mean, n: int, *, least: float = -1.0) -> Figure:
    """A mean between `least` and 1 with its interval by t over tasks."""
    from scipy.special import stdtrit

    if mean.error is None:
        return Figure(value=mean.value, n=n, why="no interval: all items come from one task")
    reach = float(stdtrit(mean.tasks - 1, 0.975)) * mean.error
    return Figure(value=mean.value, low=max(least, mean.value - reach), high=min(1.0, mean.value + reach), n=n)
