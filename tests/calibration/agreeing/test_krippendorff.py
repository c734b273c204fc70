"""Krippendorff's alpha: the krippendorff package's figures, with missing ratings and any number of raters."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from truescore.agreement import krippendorff_alpha as truescore_alpha

from calibration.agreeing.krippendorff import krippendorff_alpha
from tests.calibration.agreeing.tables import random_ratings

MEASUREMENTS = ("nominal", "ordinal", "interval")


@pytest.mark.parametrize("measurement", MEASUREMENTS)
def test_it_equals_krippendorff(measurement) -> None:
    for ratings in random_ratings():
        expected = krippendorff.alpha(reliability_data=ratings.T, level_of_measurement=measurement)
        found = krippendorff_alpha(ratings, measurement=measurement)
        assert found.value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("measurement", MEASUREMENTS)
def test_it_equals_truescore(measurement) -> None:
    for ratings in random_ratings(20):
        paired = ratings[(~np.isnan(ratings)).sum(axis=1) >= 2]
        expected = truescore_alpha(paired.T, level=measurement)
        assert krippendorff_alpha(paired, measurement=measurement).value == pytest.approx(expected, abs=1e-9)


def test_levels_that_nobody_chose_change_nothing() -> None:
    for ratings in random_ratings(10):
        narrow = krippendorff_alpha(ratings, measurement="ordinal").value
        wide = krippendorff_alpha(ratings, measurement="ordinal", levels=np.arange(0, 9)).value
        assert wide == pytest.approx(narrow, abs=1e-12)


def test_units_with_one_rating_say_nothing() -> None:
    ratings = np.array([[1, 1], [2, 2], [1, 2], [5, np.nan]])
    assert krippendorff_alpha(ratings).n == 3
    assert krippendorff_alpha(ratings).value == krippendorff_alpha(ratings[:3]).value


def test_one_class_only_is_undefined_and_says_so() -> None:
    assert krippendorff_alpha([[1, 1], [1, 1], [1, np.nan]]).why == "one class only: all 2 items are '1'"


def test_without_pairs_it_is_undefined() -> None:
    assert krippendorff_alpha([[1, np.nan], [np.nan, 2]]).why == "no item has two raters"
