"""Truth inferred from raters alone, without labels or with few: the model of Dawid and Skene (1979) by EM.

Its posteriors are not probabilities to act on: it takes raters' errors as independent, and those of judge models are not, so
that it is sure of what a like-minded majority says. Use it for a first look at each judge, badged `label_free`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibration.errors import CalibrationError
from calibration.fitting.samples import Ints
from calibration.items import Floats

ITERATIONS = 1000
TOLERANCE = 1e-8
MISSING = -1


class Inference(NamedTuple):
    """`posterior` (items, classes), the `prior` share of each class, and for each rater the `confusion` (raters, classes,
    answers): the probability of an answer given the true class."""

    posterior: Floats
    prior: Floats
    confusion: Floats


def dawid_skene(answers: Ints, classes: int = 2, *, gold: Ints | None = None, smoothing: float = 0.01) -> Inference:
    """The model's fit to `answers` (items, raters), numbered 0 to `classes` - 1, with -1 where a rater gave none.

    `gold` (items,) are known classes, -1 where not known: they stay as they are. `smoothing` is added to every count of a
    rater's confusion. EM starts from each item's share of votes. Raises CalibrationError for answers out of range.
    """
    if answers.size and not (answers.min() >= MISSING and answers.max() < classes):
        raise CalibrationError(
            f"answers run from {answers.min()} to {answers.max()}, expected 0 to {classes - 1} or -1 for none"
        )
    given = (answers[:, :, None] == np.arange(classes)).astype(float)
    fixed = None if gold is None else (gold[:, None] == np.arange(classes)).astype(float)
    votes = given.sum(axis=1)
    posterior = _clamped((votes + smoothing) / (votes + smoothing).sum(axis=1, keepdims=True), fixed)
    for _ in range(ITERATIONS):
        prior, confusion = _maximised(given, posterior, smoothing)
        updated = _clamped(_expected(given, prior, confusion), fixed)
        moved = float(np.abs(updated - posterior).max(initial=0.0))
        posterior = updated
        if moved < TOLERANCE:
            break
    return Inference(posterior, *_maximised(given, posterior, smoothing))


def _clamped(posterior: Floats, fixed: Floats | None) -> Floats:
    return posterior if fixed is None else np.where(fixed.any(axis=1, keepdims=True), fixed, posterior)


def _maximised(given: Floats, posterior: Floats, smoothing: float) -> tuple[Floats, Floats]:
    counts = np.einsum("ic,ijk->jck", posterior, given) + smoothing
    return posterior.mean(axis=0), counts / counts.sum(axis=2, keepdims=True)


def _expected(given: Floats, prior: Floats, confusion: Floats) -> Floats:
    scores = np.log(np.maximum(prior, np.finfo(float).tiny)) + np.einsum("ijk,jck->ic", given, np.log(confusion))
    scores -= scores.max(axis=1, keepdims=True)
    likelihood = np.exp(scores)
    return np.asarray(likelihood / likelihood.sum(axis=1, keepdims=True))
