"""Scores of several methods on the same splits of one recorded panel, and two tests of their differences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.fitting.clustering import mean_by_task
from calibration.items import Floats
from tests.calibration.recorded_panels import RecordedPanel

Places = NDArray[np.int64]
FIGURES = ("brier", "accuracy", "within")


class Difference(NamedTuple):
    """The mean of one method less that of another, with half of its 95% interval over repeats and over groups."""

    mean: float
    over_repeats: float
    over_groups: float


class Board:
    """What is scored is an item (Brier, accuracy) or a pair of items of one group with different truth (within)."""

    def __init__(self, panel: RecordedPanel) -> None:
        self.panel = panel
        self.better, self.worse = _pairs(panel)
        groups = panel.groups
        self.groups: Mapping[str, Places] = {"brier": groups, "accuracy": groups, "within": groups[self.better]}
        self.repeats: dict[tuple[str, str], list[float]] = defaultdict(list)
        self.sums: dict[tuple[str, str], Floats] = {}
        self.times: dict[tuple[str, str], Floats] = {}

    def add(self, method: str, p: Floats, scored: Places) -> None:
        """The probabilities of one method for the scored items of one repeat."""
        whole = np.full(len(self.panel.truth), np.nan)
        whole[scored] = p
        for figure, values in zip(FIGURES, self._units(whole), strict=True):
            known = ~np.isnan(values)
            if known.any():
                self.repeats[method, figure].append(float(values[known].mean()))
                self.sums[method, figure] = self.sums.get((method, figure), 0.0) + np.where(known, values, 0.0)
                self.times[method, figure] = self.times.get((method, figure), 0.0) + known

    def _units(self, whole: Floats) -> tuple[Floats, Floats, Floats]:
        truth = self.panel.truth
        unknown = np.isnan(whole) | (truth == 0.5)
        right = np.where(whole == 0.5, 0.5, (whole > 0.5) == (truth > 0.5))
        order = np.sign(whole[self.better] - whole[self.worse]) / 2 + 0.5
        return (whole - truth) ** 2, np.where(unknown, np.nan, right), order

    def mean(self, method: str, figure: str) -> float:
        """The mean over repeats."""
        return float(np.mean(self.repeats[method, figure]))

    def difference(self, one: str, other: str, *, figure: str, share: float) -> Difference:
        """The paired difference with two intervals.

        Over repeats by the corrected resampled t (Nadeau and Bengio, 2003): repeats overlap, so their variance is multiplied by
        1 / repeats + `share`, the number of scored groups to that of labelled ones. Over groups by t on each one's mean over
        the repeats: it takes these labelled sets as all there could be, and is the stricter for it.
        """
        from scipy.special import stdtrit

        apart = np.array(self.repeats[one, figure]) - np.array(self.repeats[other, figure])
        error = float(apart.std(ddof=1)) * (1 / len(apart) + share) ** 0.5
        times = self.times[one, figure]
        known = times > 0
        units = (self.sums[one, figure] - self.sums[other, figure])[known] / times[known]
        grouped = mean_by_task(units, self.groups[figure][known], times[known])
        wide = float("inf") if grouped.error is None else float(stdtrit(grouped.tasks - 1, 0.975)) * grouped.error
        return Difference(float(apart.mean()), float(stdtrit(len(apart) - 1, 0.975)) * error, wide)


def _pairs(panel: RecordedPanel) -> tuple[Places, Places]:
    """Places of all pairs of items that share a group and differ in truth, the better first."""
    order = np.argsort(panel.groups, kind="stable")
    better, worse = [], []
    for inside in np.split(order, np.flatnonzero(np.diff(panel.groups[order])) + 1):
        high, low = np.nonzero(panel.truth[inside][:, None] > panel.truth[inside][None])
        better.append(inside[high])
        worse.append(inside[low])
    return np.concatenate(better), np.concatenate(worse)
