"""How a judge's excess rises with a covariate, such as the length of the reply."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from calibration.biases.excesses import OTHERS, Excess
from calibration.figures import Figure
from calibration.items import Floats
from calibration.regression import FEWEST_CLUSTERS, clustered
from calibration.results import Bias
from calibration.values import GATES_OPEN, LENGTH

FEWEST = 20
LENGTH_BIAS = "length"
LEFT_OUT = ("reply_chars", "reply_words", GATES_OPEN)
"""Lengths again, and what the truth itself may rest on."""
LEVEL = 0.05
WORDS = {
    LENGTH: ("length", "longer replies"),
    "steps": ("the number of steps", "episodes of more steps"),
    "calls": ("the number of tool calls", "episodes of more tool calls"),
    "errors": ("the number of failed calls", "episodes with more failed calls"),
}


def slopes(excess: Excess) -> Iterator[Bias]:
    """The slope of the judge's excess on each covariate that varies, per standard deviation, one covariate at a time.

    Intervals are by task (CR3, or HC3 where each item is a task of its own). Several criteria are compared within each. The
    p-value is the larger of two: of the slope as it is, and of that with the judge's values stretched to the spread of the
    truth, since a judge that uses less of the scale would seem to lean on whatever goes with quality. It is 1 where the two
    point different ways. `details` has the latter slope as `matched`.
    """
    for name in excess.covariates:
        known = excess.among(~np.isnan(excess.covariates[name]))
        if name not in LEFT_OUT and len(known.values) and np.ptp(known.covariates[name]) > 0:
            yield _slope(known, name)


def _slope(excess: Excess, covariate: str) -> Bias:
    numbers = excess.covariates[covariate]
    name = LENGTH_BIAS if covariate == LENGTH else covariate
    x, y = excess.within_criteria(numbers / excess.spread(numbers)), excess.within_criteria(excess.values)
    if len(y) < FEWEST:
        return Bias(
            name=name, judge=excess.judge, slope=_unknown(excess, f"{len(y)} items, expected at least {FEWEST}")
        )
    found = [_along(excess, x, each) for each in (y, *_stretched(excess, y))]
    if found[0] is None:
        why = f"it varies in fewer than {FEWEST_CLUSTERS} tasks, or in one alone"
        return Bias(name=name, judge=excess.judge, slope=_unknown(excess, why))
    figure, p = found[0]
    matched = found[-1] if len(found) > 1 else None
    if matched is not None:
        p = max(p, matched[1]) if (matched[0].value or 0.0) * (figure.value or 0.0) >= 0 else 1.0
    return Bias(
        name=name,
        judge=excess.judge,
        slope=figure,
        p_value=p,
        details=_details(matched),
        reads=reads(excess, covariate, figure, p),
    )


def _details(matched: tuple[Figure, float] | None) -> dict[str, float]:
    figure = Figure(value=None, why="") if matched is None else matched[0]
    known = {"matched": figure.value, "matched_low": figure.low, "matched_high": figure.high}
    return {name: value for name, value in known.items() if value is not None}


def _along(excess: Excess, x: Floats, y: Floats) -> tuple[Figure, float] | None:
    fit = clustered(np.column_stack([np.ones(len(x)), x]), y, excess.tasks, excess.weights)
    return None if fit is None else fit.contrast(np.array([0.0, 1.0]))


def _stretched(excess: Excess, y: Floats) -> Iterator[Floats]:
    """The excess of values stretched to the spread of the truth; nothing without labels, or where either does not vary."""
    if excess.truth is None:
        return
    truth = excess.within_criteria(excess.truth)
    given, wanted = excess.spread(y + truth), excess.spread(truth)
    if given > 0 and wanted > 0:
        yield np.asarray((y + truth) * wanted / given - truth)


def reads(excess: Excess, covariate: str, slope: Figure, p: float) -> str:
    """The slope in a sentence for someone who is no statistician."""
    of, those = WORDS.get(covariate, (covariate, f"episodes with more {covariate}"))
    value = slope.value or 0.0
    amount = f"{abs(value):.2f} {'more' if value >= 0 else 'less'} per standard deviation of {of} than {excess.against}"
    if slope.low is None or slope.high is None or slope.low <= 0 <= slope.high:
        return f"{excess.judge} gives {amount}, which may be chance ({slope.low or 0:+.2f} to {slope.high or 0:+.2f})"
    if p >= LEVEL:
        return f"{excess.judge} gives {amount}, which may come of its using another part of the scale"
    favoured = "over-rewarded" if value > 0 else "under-rewarded"
    if excess.against == OTHERS:
        return f"{excess.judge} gives {amount}: which of them is right, only labels can tell"
    return f"{excess.judge} gives {amount}: {those} are {favoured}"


def _unknown(excess: Excess, why: str) -> Figure:
    return Figure(value=None, n=len(excess.values), why=why)
