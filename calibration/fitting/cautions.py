"""What a reader of a fit must be told: too few labels, all on one side, judges without information, coefficients that surprise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from calibration.fitting.samples import Sample
from calibration.items import Floats
from calibration.maps import LinearMap, Map

FEWEST = 15
FEWEST_OF_A_CLASS = 20
FEWEST_TASKS = 5
CERTAIN = 1.96


def cautions(sample: Sample, fitted: Map, predictions: Floats) -> Iterator[str]:
    """Sentences about the labels, the judges and the fitted map; `predictions` are the map's own, for the labelled items."""
    yield from _about_labels(sample)
    yield from _about_judges(sample)
    if isinstance(fitted, LinearMap):
        yield from _about_fit(sample, fitted, predictions)


def _about_labels(sample: Sample) -> Iterator[str]:
    n, above = int(sample.settled.sum()), int((sample.sides & sample.settled).sum())
    if len(sample) < FEWEST:
        yield f"{len(sample)} labels: uncalibrated below {FEWEST}"
    if min(above, n - above) == 0:
        side = "above" if above else "below"
        yield f"all {n} labels lie {side} a half: nothing shows what the other side looks like to the judges; label some of it"
    elif min(above, n - above) < FEWEST_OF_A_CLASS <= len(sample):
        yield f"only {min(above, n - above)} of {n} labels lie on the rarer side; {FEWEST_OF_A_CLASS} are needed to trust its rates"
    if sample.task_count == 1 and len(sample) > 1:
        yield "all labels come from one task: nothing could be cross-validated"
    elif sample.task_count < FEWEST_TASKS <= len(sample):
        yield f"labels come from {sample.task_count} tasks only: figures and intervals rest on so many independent draws"


def _about_judges(sample: Sample) -> Iterator[str]:
    for judge, column in zip(sample.judges, sample.values.T, strict=True):
        if len(sample) > 1 and np.ptp(column) == 0.0:
            yield f"{judge} gave {column[0]:g} to every labelled item: its weight is only what was believed before"
    columns = dict(zip(sample.judges, sample.values.T, strict=True))
    for first, second in combinations(sample.judges, 2):
        if len(sample) >= FEWEST and np.array_equal(columns[first], columns[second]):
            yield f"{first} and {second} gave the same values everywhere: they count as one judge"


def _about_fit(sample: Sample, fitted: LinearMap, predictions: Floats) -> Iterator[str]:
    whole = bool(np.isin(sample.truth, (0.0, 1.0)).all()) and 0 < sample.sides.sum() < len(sample)
    if whole and predictions[sample.sides].min() > predictions[~sample.sides].max():
        yield "the judges separate the labels without an error: how steep the map is comes from its prior as much as from them"
    errors = (
        np.sqrt(np.diag(np.array(fitted.covariance))) if fitted.covariance else np.full(len(fitted.weights) + 1, np.inf)
    )
    for (judge, weight), error in zip(fitted.weights.items(), errors[1:], strict=False):
        if weight < -CERTAIN * error:
            yield f"{judge} counts against: beside the others, what it rates higher is less often right"
