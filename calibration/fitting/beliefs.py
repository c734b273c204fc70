"""What is believed about a panel before any label: a small grid of priors, from "its mean is a probability" to "no signal"."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from calibration.fitting.logistic import Priors
from calibration.items import Floats


class Belief(NamedTuple):
    """A prior on the panel as a whole, in logits: the slope on its mean, the spread of that, the spread of the intercept where
    the mean is a half, and the share of trust that it starts with, alone or around a parent's coefficients."""

    slope: float
    slope_spread: float
    intercept_spread: float
    share: float
    share_with_parent: float


AS_IT_IS = Belief(4.5, 1.0, 0.25, 0.4, 0.6)
LEANING = Belief(4.5, 3.0, 1.0, 0.2, 0.3)
OPEN = Belief(4.5, 6.0, 3.0, 0.2, 0.05)
NO_SIGNAL = Belief(0.0, 0.5, 3.0, 0.2, 0.05)
BELIEFS = (AS_IT_IS, LEANING, OPEN, NO_SIGNAL)

WEIGHT_SPREADS = (0.1, 0.5, 1.0, 2.5)
"""Spread of a judge's weight about the equal share of the slope, in such shares."""
COVARIATE_SPREADS = (0.1, 0.5, 2.0)
"""Spread of a covariate's slope about 0, in logits per standard deviation."""


class Grid(NamedTuple):
    """Priors with the logarithm of the trust that each starts with."""

    priors: Priors
    log_shares: Floats


def grid_of(judges: int, covariates: int, *, centre: Floats | None = None) -> Grid:
    """All combinations of a belief and two spreads, for columns: intercept, judges, covariates.

    `centre` takes the place of every mean but that of no signal: the coefficients of a parent to shrink toward.
    """
    weight_spreads = WEIGHT_SPREADS if judges > 1 else WEIGHT_SPREADS[:1]
    covariate_spreads = COVARIATE_SPREADS if covariates else COVARIATE_SPREADS[:1]
    cells = list(product(BELIEFS, weight_spreads, covariate_spreads))
    means = [_mean(belief, judges, covariates, centre) for belief, _, _ in cells]
    precisions = [_precision(belief, judges, covariates, (a, b)) for belief, a, b in cells]
    shares = np.array([b.share if centre is None else b.share_with_parent for b, _, _ in cells])
    return Grid(Priors(np.array(means), np.array(precisions)), np.log(shares / shares.sum()))


def _mean(belief: Belief, judges: int, covariates: int, centre: Floats | None) -> Floats:
    if centre is not None and belief is not NO_SIGNAL:
        return centre
    return np.concatenate([[0.0], np.full(judges, belief.slope / judges), np.zeros(covariates)])


def _precision(belief: Belief, judges: int, covariates: int, spreads: tuple[float, float]) -> Floats:
    """The sum of the weights varies by the belief's slope spread; their differences by so many equal shares."""
    weight_spread, covariate_spread = spreads
    share = AS_IT_IS.slope / judges
    apart = np.eye(judges) - 1.0 / judges
    precision = np.zeros((1 + judges + covariates,) * 2)
    precision[0, 0] = belief.intercept_spread**-2
    precision[1 : judges + 1, 1 : judges + 1] = belief.slope_spread**-2 + apart / (weight_spread * share) ** 2
    precision[judges + 1 :, judges + 1 :] = np.eye(covariates) / covariate_spread**2
    return precision
