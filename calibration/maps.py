"""Fitted maps from what judges said to the probability that it is so. Plain numbers: applying one needs no numpy."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from calibration.figures import Finite
from rubrics.criterion import Noun
from rubrics.grade import Score

Z95 = 1.959963984540054
STEEPEST = 30.0


class Calibrated(NamedTuple):
    """A probability with its 95% interval from the uncertainty of the fit."""

    value: float
    low: float
    high: float


class LinearMap(Noun):
    """`p = sigmoid(intercept + sum(weights[j] * value of judge j) + sum(slopes[x] * covariate x))`.

    A covariate in `references` is a nuisance: its reference value is used in place of the episode's, so that nothing is
    earned by it (as in the length-controlled AlpacaEval, Dubois et al. 2024). `covariance` is that of the fit's parameters in
    the order intercept, weights, slopes, from a bootstrap by task.
    """

    kind: Literal["linear"] = "linear"
    rung: str
    intercept: Finite
    weights: dict[str, Finite]
    slopes: dict[str, Finite] = {}
    references: dict[str, Finite] = {}
    covariance: tuple[tuple[Finite, ...], ...] = ()
    n: int = 0
    tasks: int = 0

    @property
    def falls(self) -> bool:
        """True if it gives less where all judges say more."""
        return math.fsum(self.weights.values()) < 0

    def at(self, judges: Mapping[str, float], covariates: Mapping[str, float]) -> Calibrated | None:
        """The probability, or None if a judge or a covariate that it needs has no value."""
        row = [1.0]
        for name in self.weights:
            if (value := judges.get(name)) is None:
                return None
            row.append(value)
        for name in self.slopes:
            known = self.references.get(name, covariates.get(name))
            if known is None:
                return None
            row.append(float(known))
        by = (self.intercept, *self.weights.values(), *self.slopes.values())
        logit = math.fsum(b * x for b, x in zip(by, row, strict=True))
        variance = math.fsum(
            a * b * c for a, line in zip(row, self.covariance, strict=False) for b, c in zip(line, row, strict=True)
        )
        reach = Z95 * math.sqrt(max(0.0, variance))
        return Calibrated(sigmoid(logit), sigmoid(logit - reach), sigmoid(logit + reach))


class CurveMap(Noun):
    """The weighted mean of the judges' values, looked up on a curve: `at` rising in [0, 1], between its points a line.

    The rungs: `mean` (the value itself, uncalibrated), `isotonic`, `venn_abers`, `beta`.
    """

    kind: Literal["curve"] = "curve"
    rung: str
    weights: dict[str, Finite]
    points: tuple[Score, ...] = (0.0, 1.0)
    values: tuple[Score, ...] = (0.0, 1.0)
    lows: tuple[Score, ...] = (0.0, 1.0)
    highs: tuple[Score, ...] = (0.0, 1.0)
    n: int = 0
    tasks: int = 0

    @property
    def falls(self) -> bool:
        """True if it gives less where all judges say more."""
        return self.values[-1] < self.values[0]

    def at(self, judges: Mapping[str, float], _covariates: Mapping[str, float]) -> Calibrated | None:
        """The probability, or None if a judge has no value."""
        if any(name not in judges for name in self.weights):
            return None
        whole = sum(self.weights.values())
        pooled = math.fsum(weight * judges[name] for name, weight in self.weights.items()) / whole
        return Calibrated(
            *(_on_curve(self.points, heights, pooled) for heights in (self.values, self.lows, self.highs))
        )


Map = Annotated[LinearMap | CurveMap, Field(discriminator="kind")]


def sigmoid(logit: float) -> float:
    """`1 / (1 + exp(-logit))`, without overflow."""
    bounded = min(STEEPEST, max(-STEEPEST, logit))
    return 1.0 / (1.0 + math.exp(-bounded))


def _on_curve(points: tuple[float, ...], heights: tuple[float, ...], at: float) -> float:
    place = bisect_right(points, at)
    if place == 0:
        return heights[0]
    if place == len(points):
        return heights[-1]
    left, right = points[place - 1], points[place]
    share = (at - left) / (right - left) if right > left else 0.0
    return min(1.0, max(0.0, heights[place - 1] + share * (heights[place] - heights[place - 1])))
