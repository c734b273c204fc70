"""Cohen's kappa: scikit-learn's figures, and what is said where it is undefined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from truescore.agreement import cohen_kappa as truescore_kappa
from truescore.agreement import quadratic_weighted_kappa

from calibration.agreeing.kappa import cohen_kappa, confusion, raw_agreement
from calibration.errors import CalibrationError
from tests.calibration.agreeing.tables import random_pairs

COLUMNS = st.integers(2, 30).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 3), min_size=n, max_size=n)] * 2))


@pytest.mark.parametrize(
    ("ours", "theirs"), [("identity", None), ("linear", "linear"), ("quadratic", "quadratic")], ids=str
)
def test_it_equals_scikit_learn(ours, theirs) -> None:
    for a, b, k in random_pairs():
        expected = cohen_kappa_score(a, b, labels=list(range(k)), weights=theirs)
        assert cohen_kappa(a, b, levels=np.arange(k), weights=ours).value == pytest.approx(expected, abs=1e-9)


def test_it_equals_truescore() -> None:
    for a, b, _ in random_pairs():
        assert cohen_kappa(a, b).value == pytest.approx(truescore_kappa(a, b), abs=1e-9)
        assert cohen_kappa(a, b, weights="quadratic").value == pytest.approx(quadratic_weighted_kappa(a, b), abs=1e-9)


def test_the_confusion_equals_scikit_learn() -> None:
    for a, b, k in random_pairs(10):
        assert np.array_equal(confusion(a, b, levels=np.arange(k)), confusion_matrix(a, b, labels=range(k)))


def test_cohens_own_example() -> None:
    """200 items in three categories: agreement .70, kappa .492 (Cohen 1968)."""
    table = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    a, b = np.repeat(np.indices((3, 3)).reshape(2, 9), table.ravel(), axis=1)
    assert raw_agreement(a, b).value == pytest.approx(0.70)
    assert cohen_kappa(a, b).value == pytest.approx(0.492, abs=5e-4)


def test_one_class_only_is_undefined_and_says_so() -> None:
    """C01: four of four agree, and kappa is not a number but a sentence."""
    found = cohen_kappa([1, 1, 1, 1], [1, 1, 1, 1])
    assert found.value is None
    assert found.why == "one class only: all 4 items are '1'"
    assert raw_agreement([1, 1, 1, 1], [1, 1, 1, 1]).value == 1.0


def test_a_judge_that_always_passes_has_a_kappa_of_zero() -> None:
    """C02: accuracy .9, kappa 0."""
    people, judge = [1] * 9 + [0], [1] * 10
    assert raw_agreement(judge, people).value == 0.9
    assert cohen_kappa(judge, people).value == 0.0


def test_missing_ratings_are_left_out() -> None:
    found = cohen_kappa([1, 0, np.nan, 1], [1, 0, 1, np.nan])
    assert (found.value, found.n) == (1.0, 2)


def test_nothing_in_common_is_undefined() -> None:
    assert cohen_kappa([np.nan], [1.0]).why == "no item that both rated"
    assert raw_agreement([], []).value is None


def test_a_value_that_is_no_level_is_refused() -> None:
    with pytest.raises(CalibrationError, match="value 7 is not among the levels"):
        cohen_kappa([1, 7], [1, 2], levels=[1, 2])


@given(COLUMNS)
def test_it_is_symmetric_and_at_most_raw_agreement(columns) -> None:
    a, b = columns
    one, other = cohen_kappa(a, b), cohen_kappa(b, a)
    assert (one.value is None) == (other.value is None)
    if one.value is not None and other.value is not None:
        assert one.value == pytest.approx(other.value, abs=1e-12)
        assert -1 <= one.value <= (raw_agreement(a, b).value or 0) + 1e-12
