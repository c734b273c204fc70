"""Bootstrap samples of tasks."""

from __future__ import annotations

import numpy as np

from calibration.fitting.samples import Ints
from calibration.items import Floats


def resampled_counts(tasks: Ints, resamples: int, rng: np.random.Generator) -> Floats:
    """How often each item is in each bootstrap sample, (resamples, n), where whole tasks are drawn with replacement
    (the cluster bootstrap: Field and Welsh, 2007)."""
    places = np.unique(tasks, return_inverse=True)[1]
    count = int(places.max(initial=-1)) + 1
    drawn = rng.integers(count, size=(resamples, count)) + count * np.arange(resamples)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=resamples * count).reshape(resamples, count)
    return np.asarray(counts[:, places], dtype=float)
