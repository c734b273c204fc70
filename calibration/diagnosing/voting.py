"""What a panel's errors cost it: how often its vote is right, how often independent judges' would be, how many it is worth."""

from __future__ import annotations

import numpy as np

from calibration.diagnosing.moments import Moments
from calibration.diagnosing.sheets import HALF, Sheet
from calibration.items import Floats


def effective_judges(judges: int, correlation: float) -> float:
    """Kish's effective number m / (1 + (m - 1) r) for a mean error correlation r; a negative one counts as none."""
    return judges / (1 + (judges - 1) * max(0.0, correlation))


def mean_correlation(sheet: Sheet, weights: Floats) -> Floats:
    """The mean correlation of two judges' errors, for each row of weights; NaN if no two judges have one."""
    above = np.triu_indices(len(sheet.judges), 1)
    pairs = Moments.of(sheet.wrong, weights).correlation[:, above[0], above[1]]
    known = ~np.isnan(pairs)
    count = known.sum(axis=1)
    mean: Floats = np.divide(np.nansum(pairs, axis=1), count, out=np.full(len(count), np.nan), where=count > 0)
    return mean


def votes_right(sheet: Sheet) -> Floats:
    """For each item 1 if most judges are right, 0 if most are wrong, a half for a tie; NaN where the truth is not decided."""
    known = ~np.isnan(sheet.wrong)
    count = known.sum(axis=1)
    share = np.divide(np.nansum(sheet.wrong, axis=1), count, out=np.full(len(count), np.nan), where=count > 0)
    return np.where(np.isnan(share), np.nan, np.where(share == HALF, HALF, share < HALF))


def independent_accuracy(sheet: Sheet) -> float:
    """How often the vote would be right if the same judges erred independently of each other (Condorcet; ties count half).

    NaN if no judge has an accuracy.
    """
    known = ~np.isnan(sheet.wrong)
    rows = known.any(axis=1)
    if not rows.any():
        return float("nan")
    weights = sheet.weights[:, None] * known
    total = weights.sum(axis=0)
    right = 1 - np.divide(
        (weights * np.nan_to_num(sheet.wrong)).sum(axis=0), total, where=total > 0, out=np.ones_like(total)
    )
    panels, which = np.unique(known[rows], axis=0, return_inverse=True)
    by_panel = np.array([independent_vote(right[panel]) for panel in panels])
    return float(np.average(by_panel[which.ravel()], weights=sheet.weights[rows]))


def independent_vote(right: Floats) -> float:
    """The probability that most of independent judges are right, from each one's own: the sum's exact distribution."""
    counts = np.array([1.0])
    for p in right:
        counts = np.convolve(counts, (1 - p, p))
    middle = len(right) / 2
    numbers = np.arange(len(counts))
    return float(counts[numbers > middle].sum() + HALF * counts[numbers == middle].sum())
