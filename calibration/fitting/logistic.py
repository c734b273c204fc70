"""Ridge logistic regression by Newton's method: many weightings of one set of items, under several priors, at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibration.items import Floats

ITERATIONS = 50
TOLERANCE = 1e-7
LONGEST_STEP = 4.0  # logits; longer Newton steps overshoot where probabilities are close to 0 or 1
CELLS = 200_000  # of one pass; larger arrays leave the processor's cache


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
    """`1 / (1 + exp(-logits))`, by the hyperbolic tangent, which does not overflow."""
    return np.asarray(0.5 * np.tanh(0.5 * logits) + 0.5)


def fit_logistic(
    columns: Floats, truth: Floats, weights: Floats, priors: Priors, *, start: Floats | None = None
) -> Fits:
    """The posterior modes of `truth ~ sigmoid(columns @ coefficients)` for each row of `weights` (weightings, n) and each prior.

    Truths between 0 and 1 are soft labels: the loss is cross-entropy. A column of ones is the intercept. `start`
    (priors, columns) is where to begin, the priors' means by default.
    """
    begin = priors.means if start is None else start
    problem = _Problem(columns, truth, priors)
    size = max(1, CELLS // max(1, len(columns) * len(begin)))
    parts = [problem.solved(weights[at : at + size], begin) for at in range(0, len(weights), size)]
    return Fits(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def fit_paired(columns: Floats, truth: Floats, weights: Floats, priors: Priors, *, start: Floats) -> Floats:
    """The modes (fits, columns), each row of `weights` (fits, n) with its own mean of `priors` (fits, columns), all with the
    one precision (1, columns, columns); from `start` (columns,)."""
    size = max(1, CELLS // max(1, len(columns)))
    found = []
    for at in range(0, len(weights), size):
        part = Priors(priors.means[at : at + size, None], priors.precisions)
        moved, _ = _Problem(columns, truth, part).moved(weights[at : at + size], start[None], steps=ITERATIONS)
        found.append(moved[:, 0])
    return np.concatenate(found)


class _Problem:
    """One set of items under several priors."""

    def __init__(self, columns: Floats, truth: Floats, priors: Priors) -> None:
        self.columns, self.truth, self.priors = columns, truth, priors
        self.outer = (columns[:, :, None] * columns[:, None, :]).reshape(len(columns), -1)

    def moved(self, weights: Floats, begin: Floats, *, steps: int) -> tuple[Floats, Floats]:
        """Coefficients and logits after so many damped Newton steps, or fewer where they have converged."""
        at = np.broadcast_to(begin, (len(weights), *begin.shape)).copy()
        logits = at @ self.columns.T
        for _ in range(steps):
            p = sigmoids(logits)
            gradient = (weights[:, None] * (p - self.truth)) @ self.columns + self._pull(at)
            step = np.linalg.solve(self._hessians(weights, p), gradient[..., None])[..., 0]
            move = step @ self.columns.T
            share = LONGEST_STEP / np.maximum(np.abs(move).max(axis=-1, keepdims=True, initial=0.0), LONGEST_STEP)
            at -= share * step
            logits -= share * move
            if np.abs(step).max(initial=0.0) < TOLERANCE:
                break
        return at, logits

    def solved(self, weights: Floats, begin: Floats) -> Fits:
        """The modes with their curvature and evidence."""
        at, logits = self.moved(weights, begin, steps=ITERATIONS)
        hessians = self._hessians(weights, sigmoids(logits))
        likelihood = np.einsum("bn,bgn->bg", weights, self.truth * logits - np.logaddexp(0.0, logits))
        penalty = 0.5 * np.einsum("bgp,bgp->bg", at - self.priors.means, self._pull(at))
        volume = 0.5 * (np.linalg.slogdet(self.priors.precisions)[1] - np.linalg.slogdet(hessians)[1])
        return Fits(at, hessians, likelihood - penalty + volume)

    def _pull(self, at: Floats) -> Floats:
        return np.asarray(np.einsum("gpq,bgq->bgp", self.priors.precisions, at - self.priors.means))

    def _hessians(self, weights: Floats, p: Floats) -> Floats:
        size = self.columns.shape[1]
        curvatures = (weights[:, None] * (p * (1.0 - p))) @ self.outer
        return np.asarray(curvatures.reshape(*p.shape[:2], size, size) + self.priors.precisions)
