"""Reliability: bins that hold, an error with its floor, and a slope."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.reports.reliability import BARS, reliability, wilson

ROWS = st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=60)


def calibrated(n: int, *, stretch: float = 1.0) -> list[tuple[float, float]]:
    """Predictions that come true as often as they say; `stretch` makes them surer (above 1) than they may be."""
    rng = np.random.default_rng(7)
    logit = rng.normal(0, 1.5, n)
    truth = rng.random(n) < 1 / (1 + np.exp(-logit))
    return list(zip((1 / (1 + np.exp(-stretch * logit))).tolist(), truth.astype(float).tolist(), strict=True))


def test_perfect_predictions_err_by_no_more_than_chance_shows() -> None:
    found = reliability("overall", calibrated(800))
    assert found is not None
    assert found.error < found.floor_high
    assert found.slope.low is not None
    assert found.slope.high is not None
    assert found.slope.low < 1 < found.slope.high


def test_predictions_that_are_too_sure_are_found_out() -> None:
    found = reliability("overall", calibrated(800, stretch=3))
    assert found is not None
    assert found.error > found.floor_high
    assert found.slope.high is not None
    assert found.slope.high < 1


@pytest.mark.parametrize(("n", "floor"), [(50, 0.10), (100, 0.07), (200, 0.05), (500, 0.03)])
def test_the_floor_is_that_which_was_measured_for_five_bins(n: int, floor: float) -> None:
    """The expected calibration error that perfect predictions show with so few labels."""
    found = reliability("overall", calibrated(n))
    assert found is not None
    assert found.floor == pytest.approx(floor, abs=0.012)


@pytest.mark.parametrize(
    ("successes", "n", "expected"),
    [(8, 10, (0.490162, 0.943318)), (0, 20, (0.0, 0.161125)), (20, 20, (0.838875, 1.0))],
    ids=["some", "none", "all"],
)
def test_wilsons_interval(successes: int, n: int, expected: tuple[float, float]) -> None:
    """Against statsmodels' proportion_confint(method="wilson")."""
    assert wilson(successes, n) == pytest.approx(expected, abs=1e-6)


def test_equal_predictions_share_a_bin() -> None:
    found = reliability("overall", [(0.2, 0.0)] * 30 + [(0.9, 1.0)] * 30)
    assert found is not None
    assert [(b.predicted, b.observed.n) for b in found.bins] == [(pytest.approx(0.2), 30), (pytest.approx(0.9), 30)]
    assert found.slope.value is None
    assert found.slope.why == "the predictions part the classes without an error"


@pytest.mark.parametrize(
    ("rows", "why"),
    [([(0.5, 1.0), (0.5, 0.0)], "every prediction is the same"), ([(0.2, 1.0), (0.7, 1.0)], "one class only")],
    ids=["same", "one class"],
)
def test_a_slope_that_cannot_be_known_says_why(rows: list[tuple[float, float]], why: str) -> None:
    found = reliability("overall", rows)
    assert found is not None
    assert found.slope.value is None
    assert found.slope.why == why


def test_without_predictions_there_is_nothing() -> None:
    assert reliability("overall", []) is None
    assert reliability("overall", [(float("nan"), 1.0)]) is None


@given(ROWS)
def test_bins_hold_every_prediction_once_and_their_intervals_hold_their_rates(rows: list[tuple[float, float]]) -> None:
    found = reliability("overall", rows)
    assert found is not None
    assert sum(b.observed.n for b in found.bins) == sum(found.bars) == len(rows)
    assert len(found.bars) == BARS
    for b in found.bins:
        assert b.observed.low is not None
        assert b.observed.high is not None
        assert b.observed.value is not None
        assert b.observed.low <= b.observed.value <= b.observed.high


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows: list[tuple[float, float]], random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = reliability("overall", rows), reliability("overall", shuffled)
    assert one is not None
    assert other is not None
    assert [b.observed.n for b in one.bins] == [b.observed.n for b in other.bins]
    assert one.error == pytest.approx(other.error)
