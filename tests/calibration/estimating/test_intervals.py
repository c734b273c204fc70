"""Intervals for rates: Wilson's, and the central part of a beta distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from truescore.agreement import wilson_interval

from calibration.estimating.intervals import central, clipped, student, wilson
from tests.calibration.estimating.samples import randomly


@randomly
@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_that_of_another_library(seen: tuple[int, int]) -> None:
    passes, n = seen
    other = wilson_interval(passes, n)
    assert wilson(passes / n, n) == pytest.approx((other.low, other.high), abs=1e-12)


@randomly
@given(st.floats(0, 1), st.floats(0.5, 1e6))
def test_wilson_holds_the_rate_and_stays_inside(rate: float, n: float) -> None:
    low, high = wilson(rate, n)
    assert 0 <= low <= rate <= high <= 1


def test_more_labels_and_less_reach_make_it_narrower() -> None:
    def width(n: float, reach: float) -> float:
        low, high = wilson(0.7, n, quantile=reach)
        return high - low

    assert width(200, 1.96) < width(100, 1.96) < width(100, 2.26)


def test_students_quantiles_are_those_of_the_table() -> None:
    assert [round(student(k), 3) for k in (1, 9, 30)] == [12.706, 2.262, 2.042]


def test_the_central_part_of_a_beta_has_its_mean_and_variance() -> None:
    a, b = 8.0, 3.0
    mean, variance = a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1))
    draws = np.random.default_rng(0).beta(a, b, 200_000)
    assert central(mean, variance) == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=3e-3)


def test_without_variance_it_is_the_point() -> None:
    assert central(0.4, 0.0) == (0.4, 0.4)
    assert central(1.0, 0.1) == (1.0, 1.0)


def test_an_interval_is_cut_to_what_a_rate_can_be() -> None:
    assert clipped(-0.2, 0.4) == (0.0, 0.4)
    assert clipped(0.8, math.inf) == (0.8, 1.0)
