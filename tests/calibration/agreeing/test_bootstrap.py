"""Intervals by resampling tasks."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.agreeing.bootstrap import affordable, imagined_size, percentiles, resampled
from calibration.agreeing.comparing import Columns, compared
from calibration.agreeing.kappa import kappa_from

TWO = {"no": 0.0, "yes": 1.0}


def columns(table, tasks=None) -> Columns:
    """Two raters whose items make up a table of two levels."""
    a, b = np.repeat(np.indices((2, 2)).reshape(2, 4), np.ravel(table), axis=1).astype(float)
    return Columns(a, b, np.arange(a.size) if tasks is None else tasks, np.ones(a.size), TWO)


@pytest.mark.parametrize(("n", "half"), [(30, 0.29), (50, 0.22), (100, 0.16), (200, 0.11)])
def test_the_interval_of_a_kappa_of_point_six_is_as_wide_as_it_should_be(n, half) -> None:
    quarter = n // 10
    kappa = compared(columns([[4 * quarter, quarter], [quarter, 4 * quarter]]))["kappa"]
    assert kappa.value == pytest.approx(0.6)
    assert (kappa.high - kappa.low) / 2 == pytest.approx(half, abs=0.015)


def test_rollouts_of_one_task_are_not_new_tasks() -> None:
    once = columns([[16, 4], [4, 16]])
    eight = Columns(*(np.repeat(c, 8) for c in (once.a, once.b, once.tasks, once.weights)), TWO)
    width = {name: f.high - f.low for name, f in compared(once).items()}
    clustered = {name: f.high - f.low for name, f in compared(eight).items()}
    naive = compared(Columns(eight.a, eight.b, np.arange(320), eight.weights, TWO))
    for name in ("kappa", "ac1", "alpha", "pearson", "raw", "tpr", "youden"):
        assert clustered[name] == pytest.approx(width[name], rel=0.2), name
        assert naive[name].high - naive[name].low < 0.5 * clustered[name], name


def test_complete_agreement_in_thirty_items_is_no_proof_of_complete_agreement() -> None:
    found = compared(columns([[15, 0], [0, 15]]))
    for name in ("kappa", "alpha", "ac1", "pearson", "kendall"):
        assert found[name].value == pytest.approx(1.0)
        assert found[name].high == pytest.approx(1.0)
        assert 0.6 < found[name].low < 0.95, name


@pytest.mark.parametrize("table", [[[15, 0], [1, 14]], [[2, 1], [1, 46]]], ids=["nearly all agree", "rare"])
def test_the_interval_holds_kappa_where_few_disagree_or_one_class_is_rare(table) -> None:
    """The plain bootstrap holds the true kappa of such populations in 50 to 80% of samples of 30 (200 samples)."""
    shares = np.ravel(table) / np.sum(table)
    true = float(kappa_from(shares.reshape(2, 2), np.eye(2)))
    rng = np.random.default_rng(4)
    held = []
    for counts in rng.multinomial(30, shares, size=200):
        items = np.repeat(np.eye(4), counts, axis=0)
        drawn = kappa_from(resampled(items, np.eye(4), resamples=300, rng=rng).reshape(-1, 2, 2), np.eye(2))
        value = float(kappa_from(counts.reshape(2, 2).astype(float), np.eye(2)))
        if not np.isnan(value):
            low, high = percentiles(drawn, value)
            held.append(low <= true <= high)
    assert np.mean(held) >= 0.92


def test_tasks_with_equal_rows_may_be_drawn_together() -> None:
    """Both ways of drawing give the same distribution of sums."""
    rng = np.random.default_rng(0)
    alike, imagined = np.eye(3)[rng.integers(0, 3, 300)], np.eye(3)
    unlike = alike + rng.random((300, 3)) * 1e-9
    one, other = (resampled(rows, imagined, resamples=4000, rng=rng) for rows in (alike, unlike))
    assert one.mean(axis=0) == pytest.approx(other.mean(axis=0), rel=0.02)
    assert one.std(axis=0) == pytest.approx(other.std(axis=0), rel=0.06)
    assert one.sum(axis=1) == pytest.approx(np.full(4000, 300.0))


def test_the_same_seed_gives_the_same_interval() -> None:
    assert compared(columns([[9, 2], [3, 9]])) == compared(columns([[9, 2], [3, 9]]))


def test_no_interval_where_most_resamples_are_undefined() -> None:
    draws = np.array([np.nan] * 6 + [0.1] * 4)
    assert percentiles(draws, 0.1) is None
    assert percentiles(draws[3:], 0.5) == (0.1, 0.5)


def test_memory_bounds_the_resamples_of_long_scales() -> None:
    assert affordable(1000, 25) == 1000
    assert affordable(1000, 101**2) < 1000
    assert affordable(1000, 10**9) == 200


def test_the_imagined_task_lies_between_an_item_and_a_whole_task() -> None:
    assert imagined_size(np.eye(5)) == 1.0
    assert imagined_size(np.eye(5) * 9) == 3.0
