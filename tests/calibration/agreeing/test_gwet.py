"""Gwet's AC1 and AC2; the random tables against irrCAC stand in test_irrcac."""

from __future__ import annotations

import numpy as np
import pytest
from truescore.agreement import gwet_ac1

from calibration.agreeing.gwet import gwet_ac
from calibration.agreeing.kappa import cohen_kappa
from calibration.agreeing.weights import agreement_weights
from tests.calibration.agreeing.tables import random_pairs

X = np.nan
FOUR_RATERS = [
    [1, 1, X, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [X, 5, 5, 5], [X, X, 1, 1], [X, X, 3, X],
]  # fmt: skip
"""Twelve units, four raters, some ratings missing: the example that Gwet (2014) and Krippendorff (2011) share."""


def test_gwets_own_example() -> None:
    """The printed AC1 of this table is 0.77544."""
    found = gwet_ac(FOUR_RATERS)
    assert found.value == pytest.approx(0.77544, abs=5e-6)
    assert found.n == 11


def test_it_equals_truescore_on_two_raters() -> None:
    for a, b, _ in random_pairs():
        assert gwet_ac(np.column_stack((a, b))).value == pytest.approx(gwet_ac1(a, b), abs=1e-9)


def test_it_holds_where_kappa_collapses() -> None:
    a = np.array([1] * 96 + [0, 0, 1, 1])
    b = np.array([1] * 96 + [1, 1, 0, 0])
    assert cohen_kappa(a, b).value < 0
    assert gwet_ac(np.column_stack((a, b))).value > 0.95


def test_levels_that_nobody_chose_count() -> None:
    two = gwet_ac([[1, 1], [2, 2], [1, 2]])
    five = gwet_ac([[1, 1], [2, 2], [1, 2]], levels=[1, 2, 3, 4, 5])
    assert five.value > two.value


def test_one_class_only_is_complete_agreement_if_others_were_possible() -> None:
    assert gwet_ac([[1, 1], [1, 1]], levels=[0, 1]).value == 1.0
    assert gwet_ac([[1, 1], [1, 1]]).why == "one level only occurs, and no others are given"


@pytest.mark.parametrize(
    ("kind", "first"),
    [
        ("identity", [1, 0, 0, 0]), ("linear", [1, 2 / 3, 1 / 3, 0]), ("quadratic", [1, 8 / 9, 5 / 9, 0]),
        ("ordinal", [1, 5 / 6, 3 / 6, 0]),
    ],
    ids=str,
)  # fmt: skip
def test_weights_fall_with_the_distance_of_levels(kind, first) -> None:
    weights = agreement_weights(kind, 4)
    assert weights[0] == pytest.approx(first)
    assert np.array_equal(weights, weights.T)
