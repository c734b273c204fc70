"""The arithmetic of drift: standardised paired changes of repeated measurements, and their cumulative sums. Vectorised."""

from __future__ import annotations

import numpy as np

from calibration.items import Floats

FEWEST = 10
"""Passes that come before the first one that is judged."""
K, H = 0.75, 8.0
NEVER_SEEN = 3
"""Of a kind of change that was never seen in n trials there may be 3 / n (Hanley and Lippman-Hand, 1983)."""
CERTAIN = 100.0
TINY = 1e-9


def standardised(values: Floats, *, baseline: int = 30) -> Floats:
    """How far each pass lies from those before it, in standard normal units: shape (..., passes) from (..., passes, anchors).

    NaN marks what is missing. Changes are paired: each anchor with its own mean over the baseline, which is all passes before,
    at most the first `baseline` (self-starting: Hawkins, 1987, whose transform of t makes short baselines no more alarming than
    long ones). To the spread three more changes of the largest size seen are added, so that a judge that hardly ever changes
    its mind may do so once. Where nothing ever varied over a full baseline, any change gives 100. The first ten passes, and passes
    without anchors, are 0.
    """
    passes = values.shape[-2]
    found = np.zeros(values.shape[:-1])
    for place in range(min(FEWEST, baseline), passes):
        before = values[..., : min(place, baseline), :]
        found[..., place] = _against(before, values[..., place, :], full=place >= baseline)
    return found


def _against(before: Floats, now: Floats, *, full: bool) -> Floats:
    from scipy.special import ndtri, stdtr

    there = ~np.isnan(before)
    counts = there.sum(axis=-2)
    means = np.where(there, before, 0.0).sum(axis=-2) / np.maximum(counts, 1)
    shared = (counts > 0) & ~np.isnan(now)
    moved = np.where(shared, now - means, 0.0)
    n = shared.sum(axis=-1)
    change = moved.sum(axis=-1) / np.maximum(n, 1)
    spread, freedom = retest_spread(before, means, seen=None if full else np.abs(moved).max(axis=-1))
    each = np.where(shared, 1.0 + 1.0 / np.maximum(counts, 1), 0.0).sum(axis=-1)
    error = spread * np.sqrt(each) / np.maximum(n, 1)
    fixed = error < TINY
    t = change / np.where(fixed, 1.0, error)
    z = -np.sign(t) * ndtri(np.maximum(stdtr(freedom, -np.abs(t)), 1e-300))
    any_change = (np.abs(moved) > TINY).any(axis=-1)
    sure = np.where(any_change, np.where(change < 0, -CERTAIN, CERTAIN), 0.0)
    return np.asarray(np.where(fixed, sure, np.where(n > 0, z, 0.0)))


def retest_spread(before: Floats, means: Floats, *, seen: Floats | None = None) -> tuple[Floats, Floats]:
    """The standard deviation with which a judge's value of an anchor varies from pass to pass, and its degrees of freedom.

    That of single anchors, unless whole passes vary clearly more (by a chi-squared test at 5%), as where a provider has good
    and bad days: then that of whole passes, which has fewer degrees of freedom. `seen` is the size of a change outside the
    baseline that counts among the largest.
    """
    from scipy.special import chdtri

    there = ~np.isnan(before)
    off = np.where(there, before - means[..., None, :], 0.0)
    largest = np.maximum(np.abs(off).max(axis=(-2, -1)), 0.0 if seen is None else seen)
    freedom = np.maximum(np.maximum(there.sum(axis=-2) - 1, 0).sum(axis=-1), 1)
    single = ((off**2).sum(axis=(-2, -1)) + NEVER_SEEN * largest**2) / freedom
    between = max(before.shape[-2] - 1, 1)
    whole = (off.sum(axis=-1) ** 2 / np.maximum(there.sum(axis=-1), 1)).sum(axis=-1) / between
    together = whole > single * chdtri(between, 0.05) / between
    return np.sqrt(np.where(together, whole, single)), np.where(together, between, freedom)


def beginning(z: Floats, at: int) -> int:
    """The place at which a shift seen at `at` most likely began, its size unknown: where |sum of z| / sqrt(passes) is largest."""
    sums = np.cumsum(z[at::-1])
    return at - int(np.argmax(np.abs(sums) / np.sqrt(np.arange(1, at + 2))))


def cumulative(z: Floats, *, k: float = K) -> tuple[Floats, Floats]:
    """The upward and the downward sum after each pass (Page, 1954): each pass adds z - k (or -z - k), and neither falls below 0."""
    up, down = np.zeros(z.shape), np.zeros(z.shape)
    high = low = np.zeros(z.shape[:-1])
    for place in range(z.shape[-1]):
        high = np.maximum(0.0, high + z[..., place] - k)
        low = np.maximum(0.0, low - z[..., place] - k)
        up[..., place], down[..., place] = high, low
    return up, down
