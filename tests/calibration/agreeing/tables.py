"""Random ratings of several raters with missing values, for comparing our figures with those of other packages."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

LEVELS = np.arange(1.0, 6.0)


def random_ratings(n: int = 40, seed: int = 7) -> Iterator[np.ndarray]:
    """`n` arrays (units, raters) of levels 1 to k, k from 2 to 5, with up to a third missing; correlated and skewed alike."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        units, raters, k = rng.integers(6, 60), rng.integers(2, 6), rng.integers(2, 6)
        shares = rng.dirichlet(np.full(k, rng.choice([0.5, 3.0])))
        truth = rng.choice(k, size=units, p=shares)
        noise = rng.choice(k, size=(units, raters), p=shares)
        found = np.where(rng.random((units, raters)) < rng.uniform(0.2, 0.9), truth[:, None], noise) + 1.0
        found[rng.random((units, raters)) < rng.uniform(0, 0.33)] = np.nan
        found[:2, :2] = [[1, 1], [2, 1]]
        yield found


def random_pairs(n: int = 60, seed: int = 11) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    """`n` pairs of complete columns of levels 0 to k-1, and k."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        size, k = int(rng.integers(5, 200)), int(rng.integers(2, 7))
        a = rng.integers(0, k, size)
        b = np.where(rng.random(size) < rng.uniform(0, 1), a, rng.integers(0, k, size))
        a[0], b[0] = 0, 1
        yield a, b, k
