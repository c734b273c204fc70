"""Brier score and its parts, log loss, calibration error with its floor, the calibration line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as their_log_loss

from calibration.scoring_rules import (
    brier,
    brier_parts,
    calibration_line,
    ece_floor,
    equal_mass_bins,
    expected_calibration_error,
    log_loss,
    reliability_bins,
)

UNIT = st.integers(0, 40).map(lambda step: step / 40)


def calibrated(n: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    p = rng.beta(1.2, 0.8, n)
    return p, (rng.random(n) < p).astype(float)


def test_scores_are_those_of_scikit_learn() -> None:
    p, truth = calibrated(200)
    weights = np.random.default_rng(1).uniform(0.1, 2, 200)
    assert brier(p, truth, weights) == pytest.approx(brier_score_loss(truth, p, sample_weight=weights))
    assert log_loss(p, truth, weights) == pytest.approx(their_log_loss(truth, p, sample_weight=weights), rel=1e-6)


def test_a_sure_error_has_a_finite_log_loss() -> None:
    assert log_loss(np.array([0.0]), np.array([1.0])) == pytest.approx(np.log(1e6))


def test_the_parts_by_hand() -> None:
    """Two bins of two: rates 1/2 and 1 at probabilities .2 and .8, overall 3/4."""
    parts = brier_parts(np.array([0.2, 0.2, 0.8, 0.8]), np.array([0.0, 1.0, 1.0, 1.0]), bins=2)
    assert parts.reliability == pytest.approx((0.3**2 + 0.2**2) / 2)
    assert parts.resolution == pytest.approx(0.25**2)
    assert parts.uncertainty == pytest.approx(0.1875)
    assert parts.within == pytest.approx(0.0)


@settings(max_examples=60, deadline=None)
@given(p=arrays(float, 23, elements=UNIT), truth=arrays(float, 23, elements=st.sampled_from([0.0, 0.25, 1.0])))
def test_the_parts_add_up_and_bins_hold_every_item(p: np.ndarray, truth: np.ndarray) -> None:
    parts = brier_parts(p, truth)
    total = parts.reliability - parts.resolution + parts.uncertainty + parts.within
    assert total == pytest.approx(parts.score)
    assert min(parts.reliability, parts.resolution, parts.uncertainty) >= 0
    bars = reliability_bins(p, truth)
    assert sum(bar.n for bar in bars) == 23
    assert [bar.predicted for bar in bars] == sorted(bar.predicted for bar in bars)
    assert expected_calibration_error(p, truth) <= 1.0


def test_bins_have_equal_mass_and_never_part_equal_probabilities() -> None:
    assert np.bincount(equal_mass_bins(np.random.default_rng(0).random(100))).tolist() == [20] * 5
    assert len(set(equal_mass_bins(np.full(50, 0.3)))) == 1
    tied = np.array([0.1] * 6 + [0.2] * 2 + [0.9] * 2)
    places = equal_mass_bins(tied)
    assert all(len(set(places[tied == value])) == 1 for value in (0.1, 0.2, 0.9))


@pytest.mark.parametrize(("n", "floor"), [(50, 0.10), (100, 0.07), (200, 0.05), (500, 0.03)])
def test_perfect_probabilities_show_the_error_of_the_floor(n: int, floor: float) -> None:
    """The project's figures for 5 bins of equal mass."""
    errors, floors = [], []
    for seed in range(60):
        p, truth = calibrated(n, seed)
        errors.append(expected_calibration_error(p, truth))
        floors.append(ece_floor(p) if seed < 5 else np.nan)
    assert np.nanmean(floors) == pytest.approx(np.mean(errors), abs=0.01)
    assert np.mean(errors) == pytest.approx(floor, abs=0.02)


def test_the_line_is_slope_1_through_0_for_perfect_probabilities_and_flatter_for_sure_ones() -> None:
    p, truth = calibrated(40000)
    line = calibration_line(p, truth)
    assert line is not None
    assert line.slope == pytest.approx(1.0, abs=0.05)
    assert line.intercept == pytest.approx(0.0, abs=0.05)
    sure = calibration_line(p**3 / (p**3 + (1 - p) ** 3), truth)
    assert sure is not None
    assert sure.slope == pytest.approx(1 / 3, abs=0.03)


def test_the_line_is_the_regression_of_scikit_learn() -> None:
    p, truth = calibrated(150)
    logits = np.log(p / (1 - p))
    theirs = LogisticRegression(C=1e9, tol=1e-10, max_iter=1000).fit(logits[:, None], truth)
    ours = calibration_line(p, truth)
    assert ours is not None
    assert ours == pytest.approx((theirs.coef_[0, 0], theirs.intercept_[0]), abs=1e-3)


@pytest.mark.parametrize(
    ("p", "truth"),
    [(np.full(9, 0.4), np.arange(9) % 2.0), (np.linspace(0.1, 0.9, 9), np.ones(9))],
    ids=["constant p", "one class"],
)
def test_no_line_can_be_drawn_through_one_point(p: np.ndarray, truth: np.ndarray) -> None:
    assert calibration_line(p, truth) is None
