"""How a judge's excess rises with a covariate, such as the length of the reply."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from calibration.biases.excesses import PEOPLE, Excess
from calibration.figures import Figure
from calibration.items import Floats
from calibration.regression import FEWEST_CLUSTERS, clustered
from calibration.results import Bias
from calibration.values import LENGTH

FEWEST = 20
LENGTH_BIAS = "length"
SAME_AS_LENGTH = ("reply_chars", "reply_words")
WORDS = {
    LENGTH: ("length", "longer replies"),
    "steps": ("the number of steps", "episodes of more steps"),
    "calls": ("the number of tool calls", "episodes of more tool calls"),
    "errors": ("the number of failed calls", "episodes with more failed calls"),
    "gates_open": ("open gates", "episodes with open gates"),
}


def slopes(excess: Excess) -> Iterator[Bias]:
    """The slope of the judge's excess on each covariate that varies, per standard deviation, one covariate at a time.

    Intervals are by task (CR3, or HC3 where each item is a task of its own). Several criteria are compared within each.
    A covariate that goes with quality has a slope too where a judge uses less of the scale than people do.
    """
    names = list(dict.fromkeys(name for item in excess.items for name in item.covariates if name not in SAME_AS_LENGTH))
    for name in names:
        numbers = np.array([item.covariates.get(name, np.nan) for item in excess.items])
        known = excess.among(~np.isnan(numbers))
        if len(known.values) and np.ptp(numbers[~np.isnan(numbers)]) > 0:
            yield _slope(known, name, numbers[~np.isnan(numbers)])


def _slope(excess: Excess, covariate: str, numbers: Floats) -> Bias:
    name = LENGTH_BIAS if covariate == LENGTH else covariate
    spread = float(
        np.sqrt(np.average((numbers - np.average(numbers, weights=excess.weights)) ** 2, weights=excess.weights))
    )
    x, y = excess.within_criteria(numbers / spread), excess.within_criteria(excess.values)
    if len(y) < FEWEST:
        return Bias(
            name=name, judge=excess.judge, slope=_unknown(excess, f"{len(y)} items, expected at least {FEWEST}")
        )
    fit = clustered(np.column_stack([np.ones(len(x)), x]), y, excess.tasks, excess.weights)
    if fit is None:
        why = f"it varies in fewer than {FEWEST_CLUSTERS} tasks, or in one alone"
        return Bias(name=name, judge=excess.judge, slope=_unknown(excess, why))
    figure, p = fit.contrast(np.array([0.0, 1.0]))
    return Bias(name=name, judge=excess.judge, slope=figure, p_value=p, reads=reads(excess, covariate, figure))


def reads(excess: Excess, covariate: str, slope: Figure) -> str:
    """The slope in a sentence for someone who is no statistician."""
    of, those = WORDS.get(covariate, (covariate, f"episodes with more {covariate}"))
    value = slope.value or 0.0
    amount = f"{abs(value):.2f} {'more' if value >= 0 else 'less'} per standard deviation of {of} than {excess.against}"
    if slope.low is None or slope.high is None or slope.low <= 0 <= slope.high:
        return f"{excess.judge} gives {amount}, which may be chance ({slope.low or 0:+.2f} to {slope.high or 0:+.2f})"
    favoured = "over-rewarded" if value > 0 else "under-rewarded"
    if excess.against == PEOPLE:
        return f"{excess.judge} gives {amount}: {those} are {favoured}"
    return f"{excess.judge} gives {amount}: which of them is right, only labels can tell"


def _unknown(excess: Excess, why: str) -> Figure:
    return Figure(value=None, n=len(excess.values), why=why)
