"""Shares with Wilson's interval by task; TPR, TNR and Youden's J with Newcombe's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from truescore.agreement import judge_agreement, wilson_interval

from calibration.agreeing.rates import proportion, rates, wilson


@pytest.mark.parametrize(("hits", "n"), [(0, 5), (5, 5), (81, 263), (1, 1000)])
def test_wilson_equals_truescore(hits, n) -> None:
    expected = wilson_interval(hits, n)
    assert wilson(hits / n, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_wilsons_printed_example() -> None:
    """81 of 263: .2553 to .3662 (Newcombe 1998, table I)."""
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)


def test_rates_and_their_intervals_equal_truescore() -> None:
    rng = np.random.default_rng(5)
    people = (rng.random(80) < 0.6).astype(int)
    judge = np.where(rng.random(80) < 0.8, people, 1 - people)
    expected, found = judge_agreement(judge, people, n_bootstrap=10), rates(judge, people)
    for ours, theirs in ((found.tpr, expected.sensitivity), (found.tnr, expected.specificity)):
        assert (ours.value, ours.low, ours.high) == pytest.approx((theirs.point, theirs.low, theirs.high), abs=1e-9)


def test_youdens_interval_is_newcombes() -> None:
    """56 of 70 against 48 of 80, difference .2: .0524 to .3339 (Newcombe 1998, table II, method 10)."""
    people = np.repeat([1, 0], [70, 80])
    judge = np.concatenate((np.repeat([1, 0], [56, 14]), np.repeat([1, 0], [48, 32])))
    j = rates(judge, people).youden
    assert (j.value, j.low, j.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_a_class_that_does_not_occur_leaves_its_rate_and_j_undefined() -> None:
    found = rates([1, 1, 0], [1, 1, 1])
    assert found.tpr.value == pytest.approx(2 / 3)
    assert found.tnr.value is None
    assert found.youden.value is None
    assert found.youden.why == "no item that the truth puts below a half"


def test_no_item_at_all_is_said() -> None:
    assert rates([], []).youden.why.count("no item") == 2
    assert proportion([]).why == "no item to count"


def test_items_at_a_half_are_left_out() -> None:
    found = rates([1, 0.5, 0, 0.9], [1, 1, 0, 0.5])
    assert (found.tpr.n, found.tnr.n) == (1, 1)


def test_items_of_one_task_that_are_all_alike_count_once() -> None:
    hits = np.repeat([1, 0, 1, 1, 0, 1, 1, 1, 0, 1], 8)
    clustered = proportion(hits, tasks=np.repeat(np.arange(10), 8))
    assert clustered.value == proportion(hits).value
    assert clustered.high - clustered.low == pytest.approx(np.ptp(wilson(0.7, 10)), rel=0.02)


def test_items_of_one_task_that_are_independent_count_nearly_each() -> None:
    rng = np.random.default_rng(0)
    hits, tasks = rng.random(1600) < 0.5, np.repeat(np.arange(200), 8)
    plain, clustered = proportion(hits), proportion(hits, tasks=tasks)
    assert clustered.high - clustered.low < 1.15 * (plain.high - plain.low)


def test_unequal_weights_widen_the_interval_as_kish_has_it() -> None:
    hits, weights = np.tile([1, 0], 50), np.repeat([1.0, 3.0], 50)
    found = proportion(hits, weights=weights)
    effective = weights.sum() ** 2 / (weights**2).sum()
    assert (found.low, found.high) == pytest.approx(wilson(0.5, effective))


@pytest.mark.parametrize(("rate", "spread"), [(0.5, 0.2), (0.9, 0.2), (0.9, 0.6), (0.97, 0.6)])
def test_the_interval_holds_the_rate_of_clustered_items(rate, spread) -> None:
    """25 tasks of 8 rollouts at an intra-class correlation: at least 93% of 400 intervals hold the true rate."""
    rng = np.random.default_rng(1)
    a, b = rate * (1 - spread) / spread, (1 - rate) * (1 - spread) / spread
    tasks = np.repeat(np.arange(25), 8)
    held = 0
    for _ in range(400):
        hits = rng.random(200) < np.repeat(rng.beta(a, b, 25), 8)
        found = proportion(hits, tasks=tasks)
        held += found.low <= rate <= found.high
    assert held / 400 >= 0.93


@given(st.lists(st.tuples(st.sampled_from([0, 1]), st.integers(0, 4)), min_size=1, max_size=30))
def test_an_interval_holds_its_share_and_stays_within_0_and_1(rows) -> None:
    hits, tasks = np.array(rows).T
    found = proportion(hits, tasks=tasks)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.high > found.low
