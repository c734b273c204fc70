"""Has a judge drifted? CUSUM of its paired change on frozen anchors, graded again and again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from calibration.figures import Figure
from calibration.items import Floats
from calibration.results import Drift

FULL_BASELINE, LEAST_BASELINE, LEAST_ANCHORS = 30, 5, 5
THRESHOLD = 8.0
CHARTS = ((0.75, 8.0), (1.1, 5.5))
"""Allowance and threshold of two charts in units of the standard error: one for slow drift, one quicker for a jump."""
FEWER = 2.0
SMALLEST_STEP = 0.25
Z95, THREE_SIGMA = 1.959963984540054, 0.00135


def drift(passes: Sequence[Mapping[str, float | None]], *, judge: str = "panel", baseline: int | None = None) -> Drift:
    """Whether values of frozen anchors, given in pass after pass of the same judge, have moved from the first `baseline` passes.

    The default baseline is 30 passes; with no more than that, two thirds of them. Each later pass is compared with it anchor by
    anchor, on those that have a value (in [0, 1]) in both. The mean change over its standard error goes into two-sided
    cumulative sums (Page, 1954), with allowance .75 and threshold 8, and 1.1 and 5.5, the latter scaled to 8. With fewer than 30
    baseline passes the allowance is raised, because the baseline's own error stays in every comparison. With fewer than five,
    or fewer than five anchors, nothing is said, and `why` names what is missing.
    """
    names = sorted({anchor for one in passes for anchor in one})
    values = np.array([[_number(one.get(name)) for name in names] for one in passes]).reshape(len(passes), len(names))
    first = baseline if baseline is not None else _baseline(len(passes))
    known = ~np.isnan(values)
    about = {
        "judge": judge, "passes": len(passes), "anchors": int(known.any(axis=0).sum()), "threshold": THRESHOLD,
        "ungraded": int((~known).sum()), "baseline_passes": min(first, len(passes)),
    }  # fmt: skip
    if missing := _missing(len(passes), first, int((known[:first].sum(axis=0) >= LEAST_BASELINE).sum())):
        return Drift(**about, change=Figure(value=None, why=missing), why=missing, reads=f"{judge}: {missing}")
    return _watched(_changes(values, first), about)


class Changes(NamedTuple):
    """For each pass after the baseline its mean change and the standard error of that; NaN where no anchor has a value."""

    change: Floats
    error: Floats
    baseline: int


def _baseline(passes: int) -> int:
    return FULL_BASELINE if passes > FULL_BASELINE else max(LEAST_BASELINE, 2 * passes // 3)


def _missing(passes: int, first: int, anchors: int) -> str:
    if first < LEAST_BASELINE:
        return (
            f"a baseline of {first} passes says too little: it takes {LEAST_BASELINE}, and {FULL_BASELINE} to be sure"
        )
    if passes <= first:
        more = first + 1 - passes
        return (
            f"{passes} passes are too few to compare: grade the anchors {more} more time{'s' if more > 1 else ''} "
            f"({FULL_BASELINE} make a full baseline)"
        )
    if anchors < LEAST_ANCHORS:
        return (
            f"{anchors} anchors have values in {LEAST_BASELINE} baseline passes: it takes {LEAST_ANCHORS} such anchors"
        )
    return ""


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _changes(values: Floats, first: int) -> Changes:
    """Paired on the anchors with five values in the baseline or more."""
    used = (~np.isnan(values[:first])).sum(axis=0) >= LEAST_BASELINE
    before, after = values[:first, used], values[first:, used]
    counts = (~np.isnan(before)).sum(axis=0)
    means = np.nanmean(before, axis=0)
    spread = np.nanvar(before, axis=0, ddof=1)
    there = ~np.isnan(after)
    n = there.sum(axis=1)
    moved = np.where(there, after - means, 0.0).sum(axis=1)
    floor = SMALLEST_STEP**2 / counts.sum()
    within = there @ (np.maximum(spread, floor) * (1 + 1 / counts))
    with np.errstate(invalid="ignore"):
        change, error = moved / n, np.sqrt(within) / n
    return Changes(np.asarray(change), np.asarray(error * _common(before - means, spread)), first)


def _common(residuals: Floats, spread: Floats) -> float:
    """By how much passes move together more than their anchors' own noise explains: a factor for the standard error, 1 if that
    could be chance (chi-square test at 5%). Three-sigma limits are then those of t, since passes alone tell the spread."""
    from scipy.special import chdtrc, stdtrit

    there = ~np.isnan(residuals)
    n = there.sum(axis=1)
    kept = n > 0
    together = np.where(there, residuals, 0.0).sum(axis=1)[kept]
    expected = (there @ spread)[kept]
    if kept.sum() < 2 or not (expected > 0).all():
        return 1.0
    freedom = int(kept.sum()) - 1
    ratio = float((together**2 / expected).sum()) / freedom
    if chdtrc(freedom, ratio * freedom) > 0.05:
        return 1.0
    full = stdtrit(FULL_BASELINE - 1, THREE_SIGMA)
    return math.sqrt(max(1.0, ratio)) * max(1.0, float(stdtrit(freedom, THREE_SIGMA) / full))


def _watched(changes: Changes, about: Mapping[str, object]) -> Drift:
    extra = FEWER * max(0.0, 1 / math.sqrt(changes.baseline) - 1 / math.sqrt(FULL_BASELINE))
    sums = np.array(
        [_sums(changes, sign, allowance + extra) * THRESHOLD / at for allowance, at in CHARTS for sign in (1, -1)]
    )
    statistic = sums.max(axis=0)
    above = np.flatnonzero(statistic > THRESHOLD)
    hit = int(above[0]) if len(above) else None
    start = 0 if hit is None else _start(sums[:, hit].argmax(), hit, sums)
    figure = _mean_change(changes, start)
    found = Drift.model_validate(
        {
            **about, "statistic": tuple(float(x) for x in statistic), "change": figure, "why": _lacks(changes.baseline),
            "drifted_at": None if hit is None else changes.baseline + hit + 1,
            "began_at": None if hit is None else changes.baseline + start + 1,
        }
    )  # fmt: skip
    return found.model_copy(update={"reads": reading(found)})


def _sums(changes: Changes, sign: int, allowance: float) -> Floats:
    """The cumulative sum after each pass. A pass without values leaves it as it was."""
    total, found = 0.0, []
    for change, error in zip(changes.change.tolist(), changes.error.tolist(), strict=True):
        if not math.isnan(change):
            total = max(0.0, total + sign * change / error - allowance)
        found.append(total)
    return np.array(found)


def _start(chart: np.intp, hit: int, sums: Floats) -> int:
    """The first pass of the run that crossed: the one after the sum was last 0."""
    zeros = np.flatnonzero(sums[chart, : hit + 1] == 0)
    return int(zeros[-1]) + 1 if len(zeros) else 0


def _mean_change(changes: Changes, start: int) -> Figure:
    change, error = changes.change[start:], changes.error[start:]
    there = ~np.isnan(change)
    if not there.any():
        return Figure(value=None, why="no anchor has a value after the baseline")
    n = int(there.sum())
    share = (1 / n + 1 / changes.baseline) / (1 + 1 / changes.baseline)
    mean, reach = float(change[there].mean()), Z95 * float(np.sqrt((error[there] ** 2).mean() * share))
    return Figure(value=mean, low=mean - reach, high=mean + reach, n=n)


def _lacks(baseline: int) -> str:
    if baseline >= FULL_BASELINE:
        return ""
    return f"a baseline of {baseline} passes is {FULL_BASELINE - baseline} short of {FULL_BASELINE}: small changes are seen later"


def reading(found: Drift) -> str:
    """What a drift means in a sentence, with what changed beside it where that is known."""
    change, anchors = found.change, f"over {found.anchors} anchors"
    if change.value is None or change.low is None or change.high is None:
        return f"{found.judge}: {found.why or change.why}"
    within = f"{change.low:+.3f} to {change.high:+.3f}"
    lacks = f"; {found.why}" if found.why else ""
    if found.drifted_at is None:
        changed = f"; changed all the same: {'; '.join(found.changed)}" if found.changed else ""
        later = found.passes - found.baseline_passes
        return f"no drift of {found.judge} seen in {later} pass{'es' if later > 1 else ''} {anchors} ({within}){changed}{lacks}"
    why = (
        "; ".join(found.changed) or "nothing that records tell; the provider may have changed the model behind its name"
    )
    return (
        f"{found.judge} drifted: since pass {found.began_at} its values are {abs(change.value):.3f} "
        f"{'higher' if change.value > 0 else 'lower'} ({within}, {anchors}), seen at pass {found.drifted_at}; changed: {why}{lacks}"
    )
