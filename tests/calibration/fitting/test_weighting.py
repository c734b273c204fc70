"""The shrunk weighted mean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from calibration.fitting.weighting import shrunk_weights
from tests.calibration.fitting.samples import drawn


def test_weights_follow_the_formula() -> None:
    panel = drawn(80)
    r = np.array([np.corrcoef(column, panel.truth)[0, 1] for column in panel.values.T])
    own = r / (1 - r**2)
    expected = 0.8 * own / own.sum() + 0.2 / 5
    np.testing.assert_allclose(shrunk_weights(panel.values, panel.truth, np.ones(80)), expected)


def test_few_labels_leave_weights_almost_equal_and_many_do_not() -> None:
    few, many = (drawn(n, design="bloc") for n in (2, 5000))
    assert np.ptp(shrunk_weights(few.values, few.truth, np.ones(2))) <= 0.1
    assert np.ptp(shrunk_weights(many.values, many.truth, np.ones(5000))) > 0.2


@pytest.mark.parametrize("truth", [np.ones(6), np.zeros(6)], ids=["all true", "all false"])
def test_labels_of_one_class_leave_equal_shares(truth: np.ndarray) -> None:
    values = np.arange(12.0).reshape(6, 2) / 12
    np.testing.assert_allclose(shrunk_weights(values, truth, np.ones(6)), 0.5)


@settings(max_examples=50, deadline=None)
@given(
    values=arrays(float, (9, 3), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0])),
    truth=arrays(float, 9, elements=st.sampled_from([0.0, 0.5, 1.0])),
    order=st.permutations(range(9)),
)
def test_weights_are_shares_whatever_the_order(values: np.ndarray, truth: np.ndarray, order: list[int]) -> None:
    weights = shrunk_weights(values, truth, np.ones(9))
    assert weights.sum() == pytest.approx(1.0)
    assert (weights > 0).all()
    np.testing.assert_allclose(shrunk_weights(values[order], truth[order], np.ones(9)), weights, atol=1e-9)
