"""A map applied to many items at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.fitting.logistic import sigmoids
from calibration.items import Floats
from calibration.maps import LinearMap, Map


def probabilities(
    fitted: Map, values: Floats, judges: Sequence[str], *, covariates: Floats | None = None, names: Sequence[str] = ()
) -> Floats:
    """What `fitted.at` gives for rows of `values` (n, judges) and `covariates` (n, names): the probability, NaN where a judge
    or a covariate that it needs is missing."""
    weights = np.array([fitted.weights.get(judge, 0.0) for judge in judges])
    if not isinstance(fitted, LinearMap):
        return np.asarray(np.interp(values @ weights / weights.sum(), fitted.points, fitted.values))
    logits = fitted.intercept + values @ weights
    known = {} if covariates is None else dict(zip(names, covariates.T, strict=True))
    for name, slope in fitted.slopes.items():
        logits = logits + slope * np.asarray(fitted.references.get(name, known.get(name, np.nan)))
    return sigmoids(logits)
