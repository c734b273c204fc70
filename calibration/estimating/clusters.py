"""How far labels can be trusted to vary: what rollouts of one task have in common, and how many tasks tell it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from calibration.estimating.samples import Sample
from calibration.items import Floats

ROUNDING = 1e-13
PSEUDO_TASKS = 0.5
LEAST_CORRELATION, MOST_CORRELATION = 0.1, 0.5
TRUTH_OVER_JUDGE = 2.0
"""A judge's own noise hides half or more of the correlation within tasks that the truth has."""


@dataclass(frozen=True, eq=False)
class Spread:
    """How the labels of a sample vary from task to task."""

    sample: Sample

    @cached_property
    def sums(self) -> Floats:
        """For each task its labelled episodes' weighted deviations from the mean."""
        s = self.sample
        apart = s.weights * (s.known_truth - s.rate)
        sums = np.bincount(s.groups[s.known], apart, minlength=len(s.labelled_groups))
        return np.asarray(np.where(np.abs(sums) < ROUNDING, 0.0, sums), dtype=float)

    @cached_property
    def tasks(self) -> int:
        """How many tasks have a label."""
        return int(self.sample.labelled_groups.sum())

    @cached_property
    def square(self) -> float:
        """The variance of the mean of the labels, but for the correction for few tasks."""
        return float((self.sums**2).sum())

    @cached_property
    def telling(self) -> float:
        """How many tasks really tell the variance: (sum of squares)² over the sum of fourth powers, from 0 where all labels
        are alike to the number of tasks. About the number of failures where failures are few."""
        fourth = float((self.sums**4).sum())
        return self.square**2 / fourth if fourth > 0 else 0.0

    @cached_property
    def clustered(self) -> bool:
        """True if a task has several labels."""
        return self.tasks < self.sample.labelled

    @cached_property
    def effect(self) -> float:
        """The design effect (Kish, 1965): the variance of the mean over that of as many independent passes and fails.

        Below 1 where the truth is graded. What few telling tasks show is shrunk toward what the judge's values make expect:
        twice their intraclass correlation, kept between .1 and .5. One telling task says nothing, as a single failure is no
        proof that its task's other rollouts don't fail with it; one and a half say as much as the judge.
        """
        s = self.sample
        squares = float((s.weights**2).sum())
        shared = float((np.bincount(s.groups[s.known], s.weights) ** 2).sum()) - squares
        likely = 1.0 + (self.likely_correlation * shared / squares if self.clustered else 0.0)
        independent = squares * s.rate * (1.0 - s.rate)
        if independent <= 0 or self.tasks < 2:
            return likely
        n = len(s.known)
        seen = self.square * (self.tasks / (self.tasks - 1)) / (independent * n / (n - 1))
        known = max(0.0, self.telling - 1.0)
        return (known * seen + PSEUDO_TASKS * likely) / (known + PSEUDO_TASKS)

    @cached_property
    def likely_correlation(self) -> float:
        """The intraclass correlation of the truth that the judge's values make expect."""
        from calibration.fitting.clustering import intraclass_correlation

        seen = TRUTH_OVER_JUDGE * intraclass_correlation(self.sample.judged, self.sample.groups)
        return min(MOST_CORRELATION, max(LEAST_CORRELATION, seen))

    @cached_property
    def worth(self) -> float:
        """How many independent labels of a pass rate these are worth."""
        return 1.0 / (float((self.sample.weights**2).sum()) * self.effect)
