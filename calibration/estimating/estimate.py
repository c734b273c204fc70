"""`estimate`: a pass rate or mean over many judged episodes, put right by the labels of a few."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import numpy as np

from calibration.errors import CalibrationError
from calibration.estimating.clusters import Spread
from calibration.estimating.crossfitting import cross_fitted
from calibration.estimating.intervals import Interval, clipped
from calibration.estimating.post_stratifying import post_stratified
from calibration.estimating.prediction_powered import Corrected, labels_alone, ppi_plus_plus, prediction_powered
from calibration.estimating.rogan_gladen import rogan_gladen
from calibration.estimating.samples import Sample
from calibration.figures import Figure
from calibration.items import Floats
from calibration.results import Estimate

Method = Literal["auto", "ppi++", "bayes", "wilson", "rogan_gladen"]
Collected = Literal["sample", "by_class"]
PPI_WILSON = "ppi_wilson"
ENOUGH_TO_STACK = 40
FEW_LABELS, FEW_OF_A_CLASS = 20, 5


class Found(NamedTuple):
    """What one way to estimate gives; `ratio` is the variance over that of the labels alone, where it is known."""

    value: float
    interval: Interval
    ratio: float | None = None


def estimate(
    sample: Sample, *, method: Method = "auto", collected: Collected = "sample", rng: np.random.Generator | None = None
) -> Estimate:
    """The mean of the truth over all episodes with its 95% interval, and the judge's own mean beside it as `naive`.

    `auto` is prediction-powered inference inside Wilson's interval (reported as `ppi_wilson`); for labels collected
    `by_class`, Rogan-Gladen, which nothing else may use. Others on request: `ppi++` as published, `bayes` (post-stratified by
    the judge's value), `wilson` (labels alone). With 40 labels or more that tell of passes and fails alike, single judges'
    values are weighed by cross-fitting, for which `rng` deals the folds. All go by task, and use inclusion probabilities.

    The interval is for the rate of the policy on tasks like these, not only for these episodes. Raises CalibrationError for
    labels by class that can't be used.
    """
    chosen = _chosen(method, collected)
    about = {
        "labelled": sample.labelled, "judged": len(sample), "tasks": int(sample.labelled_groups.sum()),
        "naive": float(sample.judged.mean()) if len(sample) else None,
    }  # fmt: skip
    if not sample.labelled:
        why = "there are no labels: only what the judges say is known, and not how far it is right"
        return Estimate(method=chosen, value=None, low=None, high=None, why=why, warnings=sample.notes, **about)
    spread = Spread(sample)
    found = WAYS[chosen](sample, _weighed(sample, spread, rng), spread)
    alone = labels_alone(sample, spread) if collected == "sample" else None
    low, high = found.interval if spread.tasks > 1 else (None, None)
    return Estimate(
        method=chosen, value=found.value, low=low, high=high, labels_only=_figure(alone, spread), **about,
        variance_ratio=found.ratio, why="" if spread.tasks > 1 else "all labels are of one task, which tells nothing of others",
        warnings=(*sample.notes, *_warnings(sample)),
    )  # fmt: skip


def _chosen(method: Method, collected: Collected) -> str:
    if collected == "by_class" and method not in ("auto", "rogan_gladen"):
        raise CalibrationError(
            f"labels collected by class are no random sample, which `{method}` needs; use `auto`, or label at random"
        )
    if collected == "sample" and method == "rogan_gladen":
        raise CalibrationError(
            "Rogan-Gladen is for labels collected by class (so many passes, so many fails); say collected='by_class', or use `auto`"
        )
    if collected == "by_class":
        return "rogan_gladen"
    return PPI_WILSON if method == "auto" else method


def _weighed(sample: Sample, spread: Spread, rng: np.random.Generator | None) -> Floats:
    """One value for each episode: the panel's, or what single judges make expect where labels suffice to weigh them."""
    if sample.judges is None or spread.telling < ENOUGH_TO_STACK:
        return sample.judged
    return cross_fitted(sample, rng or np.random.default_rng(0))


def corrected(sample: Sample, rng: np.random.Generator) -> Corrected:
    """What `auto` makes of a sample with labels, with the error of each task."""
    spread = Spread(sample)
    return prediction_powered(sample, _weighed(sample, spread, rng), spread)


def _auto(sample: Sample, judged: Floats, spread: Spread) -> Found:
    found = prediction_powered(sample, judged, spread)
    return Found(found.value, found.interval, found.ratio)


def _wilson(sample: Sample, _judged: Floats, spread: Spread) -> Found:
    found = labels_alone(sample, spread)
    return Found(found.value, found.interval)


def _ppi(sample: Sample, judged: Floats, _spread: Spread) -> Found:
    found = ppi_plus_plus(sample, judged)
    value = min(1.0, max(0.0, found.value))
    return Found(value, clipped(*found.interval))


def _bayes(sample: Sample, judged: Floats, spread: Spread) -> Found:
    found = post_stratified(sample, judged, spread)
    return Found(found.value, found.interval)


def _rogan_gladen(sample: Sample, _judged: Floats, _spread: Spread) -> Found:
    return Found(*rogan_gladen(sample))


WAYS: dict[str, Callable[[Sample, Floats, Spread], Found]] = {
    PPI_WILSON: _auto, "ppi++": _ppi, "bayes": _bayes, "wilson": _wilson, "rogan_gladen": _rogan_gladen,
}  # fmt: skip


def _figure(alone: Corrected | None, spread: Spread) -> Figure:
    if alone is None:
        return Figure(value=None, why="labels collected by class say nothing of the rate by themselves")
    low, high = alone.interval if spread.tasks > 1 else (None, None)
    return Figure(value=alone.value, low=low, high=high, n=spread.sample.labelled)


def _warnings(sample: Sample) -> Iterator[str]:
    n, y = sample.labelled, sample.known_truth[~sample.settled[sample.known]]
    if n < FEW_LABELS:
        yield f"only {n} label{'' if n == 1 else 's'}: the interval is wide, and 50 or more are needed for most decisions"
    rarer = min(int((y > 0.5).sum()), int((y < 0.5).sum()))
    if n >= FEW_LABELS and rarer < FEW_OF_A_CLASS:
        yield f"only {rarer} of {n} labels are of the rarer outcome: how much the judges know of it can't be seen yet"
    unknown = np.isnan(sample.inclusion[sample.known])
    if 0 < int(unknown.sum()) < n:
        yield f"{int(unknown.sum())} of {n} labels have no inclusion probability and are taken as a random sample of their own"
