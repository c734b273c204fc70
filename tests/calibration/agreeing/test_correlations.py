"""Pearson, Spearman and Kendall: scipy's figures, from values and from tables of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from calibration.agreeing.correlations import (
    grouped,
    kendall,
    kendall_from,
    pearson,
    pearson_from,
    spearman,
    spearman_from,
)
from calibration.agreeing.tables import contingency
from tests.calibration.agreeing.tables import random_pairs

ORACLES = [(pearson, stats.pearsonr), (spearman, stats.spearmanr), (kendall, stats.kendalltau)]
NAMES = ["pearson", "spearman", "kendall"]


@pytest.mark.parametrize(("ours", "theirs"), ORACLES, ids=NAMES)
def test_they_equal_scipy_with_many_ties(ours, theirs) -> None:
    for a, b, _ in random_pairs():
        expected = theirs(a, b).statistic
        assert ours(a / 3, b / 7).value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("ours", "theirs"), ORACLES, ids=NAMES)
def test_they_equal_scipy_without_ties(ours, theirs) -> None:
    rng = np.random.default_rng(3)
    a = rng.random(500)
    b = a + rng.normal(0, 0.5, 500)
    assert ours(a, b).value == pytest.approx(theirs(np.round(a, 9), np.round(b, 9)).statistic, abs=1e-9)


@pytest.mark.parametrize("ours", [pearson, spearman, kendall], ids=NAMES)
def test_a_weight_of_two_is_an_item_twice(ours) -> None:
    for a, b, _ in random_pairs(10):
        weights = np.where(np.arange(a.size) % 3 == 0, 2.0, 1.0)
        twice = np.repeat(np.arange(a.size), weights.astype(int))
        assert ours(a, b, weights=weights).value == pytest.approx(ours(a[twice], b[twice]).value, abs=1e-9)


def test_tables_of_levels_give_the_same() -> None:
    for a, b, k in random_pairs():
        table, levels = contingency(a, b, k), np.arange(float(k))
        assert float(pearson_from(table, levels, levels)) == pytest.approx(pearson(a, b).value, abs=1e-9)
        assert float(spearman_from(table)) == pytest.approx(spearman(a, b).value, abs=1e-9)
        assert float(kendall_from(table)) == pytest.approx(kendall(a, b).value, abs=1e-9)


def test_a_constant_rater_is_undefined_and_says_so() -> None:
    for found in (pearson([1, 1, 1], [0, 1, 1]), spearman([0, 1], [1, 1]), kendall([2, 2], [2, 2])):
        assert found.value is None
        assert found.why == "a rater gives every item the same value"


def test_missing_values_are_left_out() -> None:
    assert pearson([0, 1, 2, np.nan], [0, 1, 2, 9]).n == 3
    assert kendall([np.nan], [1]).why == "no item that both rated"


def test_many_values_are_put_into_groups_of_about_equal_size() -> None:
    values = np.random.default_rng(0).random(1200)
    codes, means = grouped(values, 12)
    assert np.bincount(codes).tolist() == [100] * 12
    assert np.all(np.diff(means) > 0)
    assert means[codes].mean() == pytest.approx(values.mean())


def test_few_values_stay_as_they_are() -> None:
    codes, means = grouped(np.array([0.5, 0, 1, 0.5]), 12)
    assert (codes.tolist(), means.tolist()) == ([1, 0, 2, 1], [0, 0.5, 1])
