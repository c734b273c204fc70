"""The rungs of the ladder beside stacking: the plain mean, and curves on a weighted mean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from calibration.fitting.curves import CURVES, Curve
from calibration.fitting.samples import Sample
from calibration.fitting.weighting import shrunk_weights
from calibration.items import Floats
from calibration.maps import CurveMap, Map

LOW, HIGH = 0.025, 0.975


class Rung(Protocol):
    """One way to make a map of a sample."""

    @property
    def name(self) -> str:
        """As it stands in the map."""
        ...

    def predictions(self, counts: Floats) -> Floats:
        """The probability of every item by fits that count each item as often as rows of `counts` (fits, n) say."""
        ...

    def map(self, resamples: Floats, rng: np.random.Generator) -> Map:
        """The map, with an interval from refits on the `resamples` (fits, n)."""
        ...


@dataclass(frozen=True)
class PlainMean:
    """The mean of the judges' values as it is: nothing is fitted."""

    sample: Sample
    name: str = "mean"

    def predictions(self, counts: Floats) -> Floats:
        """The mean, for every fit the same."""
        return np.broadcast_to(self.sample.mean, counts.shape)

    def map(self, resamples: Floats, rng: np.random.Generator) -> CurveMap:
        """The map; nothing is fitted, so its interval says nothing."""
        del resamples, rng
        equal = dict.fromkeys(self.sample.judges, 1.0 / len(self.sample.judges))
        return CurveMap(rung=self.name, weights=equal, n=len(self.sample), tasks=self.sample.task_count)


@dataclass(frozen=True)
class CurveOnMean:
    """A curve on the weighted mean of the judges; `name` says which."""

    sample: Sample
    name: str

    def predictions(self, counts: Floats) -> Floats:
        """The probability of every item, by weights and curve of each fit."""
        return np.array([self._predicted(count * self.sample.weights) for count in counts])

    def _predicted(self, weights: Floats) -> Floats:
        pooled = self.sample.values @ shrunk_weights(self.sample.values, self.sample.truth, weights)
        return self._curve(pooled, weights).at(pooled)

    def _curve(self, pooled: Floats, weights: Floats) -> Curve:
        return CURVES[self.name](pooled, self.sample.truth, weights)

    @cached_property
    def shares(self) -> Floats:
        """The judges' weights."""
        return shrunk_weights(self.sample.values, self.sample.truth, self.sample.weights)

    def map(self, resamples: Floats, rng: np.random.Generator) -> CurveMap:
        """The map; its band is that of the curve over the resamples, and of Venn-Abers' two probabilities."""
        del rng
        pooled = self.sample.values @ self.shares
        curve = self._curve(pooled, self.sample.weights)
        band = [curve.lows, curve.highs]
        if len(resamples) > 1:
            drawn = [self._curve(pooled, row * self.sample.weights).at(curve.points) for row in resamples]
            low, high = np.quantile(np.array(drawn), [LOW, HIGH], axis=0)
            band = [np.minimum(curve.lows, low), np.maximum(curve.highs, high)]
        return CurveMap(
            rung=self.name, weights=dict(zip(self.sample.judges, self.shares.tolist(), strict=True)),
            points=_scores(curve.points), values=_scores(curve.heights), lows=_scores(band[0]), highs=_scores(band[1]),
            n=len(self.sample), tasks=self.sample.task_count,
        )  # fmt: skip


def _scores(heights: Floats) -> tuple[float, ...]:
    return tuple(np.clip(heights, 0.0, 1.0).tolist())
