"""The difference of two policies, each corrected, paired by task."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.estimating import Sample, difference, estimate
from tests.calibration.estimating.samples import labelled
from tests.calibration.panels import Panel, simulate


def on_same_tasks(rates: tuple[float, float], n: int, seed: int, *, tasks: int = 400) -> tuple[Sample, Sample]:
    """One rollout of each policy on every task, whose qualities have a correlation of .8."""
    made = [
        simulate("corr", 2 * tasks, np.random.default_rng(seed), rate=rate, rollouts=2, intraclass=0.8)
        for rate in rates
    ]
    first, second = (Panel(*(column[turn::2] for column in panel)) for turn, panel in enumerate(made))
    return labelled(first, n), labelled(second, n)


def elsewhere(sample: Sample) -> Sample:
    """The same as if it were of other tasks."""
    return Sample.of(sample.judged, sample.truth, tasks=sample.tasks + 10**6)


def test_each_policy_is_corrected_by_its_own_labels() -> None:
    a, b = on_same_tasks((0.6, 0.8), 100, 0)
    found = difference(a, b, names=("new", "old"))
    assert found.value == pytest.approx(estimate(a).value - estimate(b).value)
    assert found.naive == pytest.approx(a.judged.mean() - b.judged.mean())
    assert (found.first, found.second, found.paired_tasks) == ("new", "old", 400)


def test_sharing_tasks_narrows_the_interval() -> None:
    a, b = on_same_tasks((0.6, 0.7), 150, 1)
    paired, apart = difference(a, b), difference(a, elsewhere(b))
    assert paired.value == apart.value
    assert paired.high - paired.low < 0.9 * (apart.high - apart.low)


def test_turning_the_two_round_turns_the_sign() -> None:
    a, b = on_same_tasks((0.6, 0.7), 60, 2)
    one, other = difference(a, b), difference(b, a)
    assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low))


def test_a_policy_does_not_differ_from_itself() -> None:
    a, _ = on_same_tasks((0.6, 0.6), 100, 3)
    found = difference(a, a)
    assert found.value == 0
    assert found.high - found.low < 0.4 * (estimate(a).high - estimate(a).low)


def test_of_all_passing_against_all_failing_the_interval_stays_inside() -> None:
    a, b = Sample.of([1.0] * 50, [1.0] * 20 + [np.nan] * 30), Sample.of([0.0] * 50, [0.0] * 20 + [np.nan] * 30)
    found = difference(a, elsewhere(b))
    assert (found.value, found.high) == (1.0, 1.0)
    assert 0.6 < found.low < 0.8


@pytest.mark.parametrize("same", [True, False], ids=["the same tasks", "other tasks"])
def test_intervals_of_differences_hold(same: bool) -> None:
    found = []
    for seed in range(200):
        a, b = on_same_tasks((0.9, 0.97), 40, seed) if same else _apart(seed)
        d = difference(a, b)
        found.append(d.low <= -0.07 <= d.high)
    assert np.mean(found) > 0.9


def _apart(seed: int) -> tuple[Sample, Sample]:
    rng = np.random.default_rng(seed)
    a, b = (labelled(simulate("corr", 400, rng, rate=rate), 40) for rate in (0.9, 0.97))
    return a, elsewhere(b)


def test_without_labels_of_both_there_is_no_difference() -> None:
    a, b = on_same_tasks((0.6, 0.7), 60, 4)
    found = difference(a, Sample.of(b.judged, np.full(400, np.nan)), names=("new", "old"))
    assert (found.value, found.low) == (None, None)
    assert found.why.startswith("old: labels of two tasks or more are needed")
    assert found.naive is not None
