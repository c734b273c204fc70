"""What rollouts of one task have in common, and how many tasks tell it."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.estimating import Sample
from calibration.estimating.clusters import Spread


def of(truth: list[float], tasks: list[int] | None = None, judged: list[float] | None = None) -> Spread:
    return Spread(Sample.of([0.5] * len(truth) if judged is None else judged, truth, tasks=tasks))


def test_telling_tasks_are_as_many_as_the_rarer_outcome() -> None:
    assert of([1.0] * 97 + [0.0] * 3).telling == pytest.approx(3.1, abs=0.2)
    assert of([1.0, 0.0] * 50).telling == pytest.approx(100)
    assert of([1.0] * 50).telling == 0


def test_independent_labels_have_no_design_effect() -> None:
    assert of([1.0, 0.0, 1.0, 1.0]).effect == pytest.approx(1.0)
    assert not of([1.0, 0.0]).clustered


def test_tasks_that_pass_or_fail_as_a_whole_count_once() -> None:
    tasks = [t for t in range(40) for _ in range(8)]
    truth = [float(t % 2) for t in tasks]
    assert of(truth, tasks).worth == pytest.approx(40, rel=0.05)


def test_where_all_pass_the_judge_says_how_alike_rollouts_are() -> None:
    tasks = [t for t in range(10) for _ in range(8)]
    alike = [float(t % 2) for t in tasks]
    unlike = [float(i % 2) for i in range(80)]
    assert of([1.0] * 80, tasks, alike).worth == pytest.approx(80 / 4.5)
    assert of([1.0] * 80, tasks, unlike).worth == pytest.approx(80 / 1.7)


def test_graded_truth_has_less_variance_than_passes_and_fails() -> None:
    truth = np.random.default_rng(0).normal(0.6, 0.1, 200).clip(0, 1).tolist()
    assert 0.03 < of(truth).effect < 0.08
    assert of([0.6] * 200).effect == 1
