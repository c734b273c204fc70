"""Ridge logistic regression by Newton's method: many weightings of one set of items, under several priors, at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibration.items import Floats

ITERATIONS = 50
TOLERANCE = 1e-8
FARTHEST_LOGIT = 30.0
LONGEST_STEP = 4.0  # logits; longer Newton steps overshoot where probabilities are close to 0 or 1
CELLS = 1_500_000


class Priors(NamedTuple):
    """Gaussian priors of the coefficients: `means` (priors, columns) and `precisions` (priors, columns, columns)."""

    means: Floats
    precisions: Floats

    @classmethod
    def ridge(cls, penalties: Floats) -> Priors:
        """One prior around 0, with a precision for each coefficient."""
        return cls(np.zeros((1, len(penalties))), np.diag(penalties)[None])


class Fits(NamedTuple):
    """Modes: `coefficients` (weightings, priors, columns) and the `hessians` (…, columns, columns) of the negative log
    posterior there. `evidence` (weightings, priors) is the log marginal likelihood by Laplace's approximation, without terms
    that are the same for all priors (MacKay, 1992)."""

    coefficients: Floats
    hessians: Floats
    evidence: Floats


def sigmoids(logits: Floats) -> Floats:
    """`1 / (1 + exp(-logits))`, without overflow."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logits, -FARTHEST_LOGIT, FARTHEST_LOGIT))))


def fit_logistic(
    columns: Floats, truth: Floats, weights: Floats, priors: Priors, *, start: Floats | None = None
) -> Fits:
    """The posterior modes of `truth ~ sigmoid(columns @ coefficients)` for each row of `weights` (weightings, n) and each prior.

    Truths between 0 and 1 are soft labels: the loss is cross-entropy. A column of ones is the intercept. `start`
    (priors, columns) is where to begin, the priors' means by default.
    """
    begin = priors.means if start is None else start
    outer = (columns[:, :, None] * columns[:, None, :]).reshape(len(columns), -1)
    size = max(1, CELLS // max(1, len(columns) * len(begin)))
    parts = [
        _newton(columns, outer, truth, weights[at : at + size], priors, begin) for at in range(0, len(weights), size)
    ]
    return Fits(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _newton(columns: Floats, outer: Floats, truth: Floats, weights: Floats, priors: Priors, begin: Floats) -> Fits:
    size = columns.shape[1]
    means, precisions = priors
    at = np.broadcast_to(begin, (len(weights), *begin.shape)).copy()
    logits = at @ columns.T
    for _ in range(ITERATIONS):
        p = sigmoids(logits)
        gradient = (weights[:, None] * (p - truth)) @ columns + _times(precisions, at - means)
        hessians = _hessians(weights[:, None] * p * (1.0 - p), outer, size) + precisions
        step = np.linalg.solve(hessians, gradient[..., None])[..., 0]
        move = step @ columns.T
        share = LONGEST_STEP / np.maximum(np.abs(move).max(axis=-1, keepdims=True, initial=0.0), LONGEST_STEP)
        at -= share * step
        logits -= share * move
        if np.abs(step).max(initial=0.0) < TOLERANCE:
            break
    p = sigmoids(logits)
    hessians = _hessians(weights[:, None] * p * (1.0 - p), outer, size) + precisions
    return Fits(at, hessians, _evidence(logits, truth, weights, (at - means, hessians, precisions)))


def _times(matrices: Floats, vectors: Floats) -> Floats:
    return np.asarray(np.einsum("gpq,bgq->bgp", matrices, vectors))


def _hessians(curvatures: Floats, outer: Floats, size: int) -> Floats:
    return np.asarray((curvatures @ outer).reshape(*curvatures.shape[:2], size, size))


def _evidence(logits: Floats, truth: Floats, weights: Floats, fitted: tuple[Floats, Floats, Floats]) -> Floats:
    away, hessians, precisions = fitted
    likelihood = np.einsum("bn,bgn->bg", weights, truth * logits - np.logaddexp(0.0, logits))
    penalty = 0.5 * np.einsum("bgp,bgp->bg", away, _times(precisions, away))
    volume = 0.5 * (np.linalg.slogdet(precisions)[1] - np.linalg.slogdet(hessians)[1])
    return np.asarray(likelihood - penalty + volume)
