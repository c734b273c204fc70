"""A weighted mean of judges, its weights by their correlation with the truth and shrunk toward equal ones."""

from __future__ import annotations

import numpy as np

from calibration.items import Floats

HIGHEST = 0.95
LABELS_FOR_HALF = 20.0
ROUNDING = 1e-9


def shrunk_weights(values: Floats, truth: Floats, weights: Floats) -> Floats:
    """The judges' weights, not negative, with sum 1.

    w is proportional to r / (1 - r^2), r the judge's correlation with the truth clipped to [0, .95]: what regression gives
    each of several judges that err independently. With n labels the result is n / (n + 20) of that and the rest equal shares.
    """
    judges = values.shape[1]
    correlations = np.clip(_correlations(values, truth, weights), 0.0, HIGHEST)
    raw = correlations / (1.0 - correlations**2)
    n = float((weights > 0).sum())
    trust = n / (n + LABELS_FOR_HALF) if raw.sum() > 0 else 0.0
    own = raw / raw.sum() if raw.sum() > 0 else np.zeros(judges)
    return np.asarray(trust * own + (1.0 - trust) / judges)


def _correlations(values: Floats, truth: Floats, weights: Floats) -> Floats:
    """Each judge's weighted correlation with the truth; 0 where either is constant or they are unrelated but for rounding."""
    share = weights / max(float(weights.sum()), np.finfo(float).tiny)
    apart, away = values - share @ values, truth - share @ truth
    spread = np.sqrt((share @ apart**2) * (share @ away**2))
    found = (share * away) @ apart / np.where(spread > ROUNDING, spread, np.inf)
    return np.asarray(np.where(np.abs(found) > ROUNDING, found, 0.0))
