"""Isotonic, Venn-Abers and beta curves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.isotonic import IsotonicRegression

from calibration.fitting.curves import CURVES, beta, isotonic, venn_abers
from tests.calibration.fitting.samples import drawn

STEPS = st.integers(0, 20).map(lambda step: step / 20)


def test_isotonic_is_that_of_scikit_learn() -> None:
    panel, rng = drawn(300), np.random.default_rng(0)
    values, weights = panel.values.mean(axis=1), rng.uniform(0.5, 2, 300)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(values, panel.truth, sample_weight=weights)
    at = np.linspace(-0.2, 1.2, 57)
    np.testing.assert_allclose(isotonic(values, panel.truth, weights).at(at), theirs.predict(at), atol=1e-9)


def test_venn_abers_is_two_isotonic_fits_with_one_more_item() -> None:
    """By the definition: refit with the new item once false, once true."""
    panel = drawn(60)
    values = panel.values.mean(axis=1)
    curve = venn_abers(values, panel.truth, np.ones(60))
    for place in (0, len(curve.points) // 2, len(curve.points) - 1):
        at = curve.points[place]
        both = [
            IsotonicRegression().fit(np.append(values, at), np.append(panel.truth, label)).predict([at])[0]
            for label in (0.0, 1.0)
        ]
        np.testing.assert_allclose([curve.lows[place], curve.highs[place]], both, atol=1e-9)
        assert curve.heights[place] == pytest.approx(both[1] / (1 - both[0] + both[1]))


def test_one_of_venn_abers_two_probabilities_is_perfectly_calibrated() -> None:
    """That for the label which came (Vovk and Petej, 2014, theorem 1), whatever the score is like: here the mean cubed."""
    selected, came = [], []
    for seed in range(60):
        panel = drawn(300, design="indep", seed=seed)
        score = np.round(panel.values.mean(axis=1) ** 3 * 200) / 200
        curve = venn_abers(score[:60], panel.truth[:60], np.ones(60))
        known = np.isin(score[60:], curve.points)
        place, truth = np.searchsorted(curve.points, score[60:][known]), panel.truth[60:][known]
        selected.append(np.where(truth == 1, curve.highs[place], curve.lows[place]))
        came.append(truth)
    p, truth = np.concatenate(selected), np.concatenate(came)
    for low, high in ((0, 0.25), (0.25, 0.75), (0.75, 1.01)):
        inside = (p >= low) & (p < high)
        assert p[inside].mean() == pytest.approx(truth[inside].mean(), abs=0.04)


def test_venn_abers_grows_narrow_with_labels() -> None:
    few, many = drawn(40), drawn(2000)
    widths = [
        float(np.mean(curve.highs - curve.lows))
        for panel in (few, many)
        for curve in [venn_abers(panel.values.mean(axis=1), panel.truth, np.ones(len(panel.truth)))]
    ]
    assert widths[1] < widths[0] / 3


def test_beta_finds_the_curve_that_made_the_truth() -> None:
    rng = np.random.default_rng(5)
    values = rng.uniform(0.02, 0.98, 20000)
    logits = 0.4 + 1.6 * np.log(values) - 0.7 * np.log1p(-values)
    truth = (rng.random(20000) < 1 / (1 + np.exp(-logits))).astype(float)
    at = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    expected = 1 / (1 + np.exp(-(0.4 + 1.6 * np.log(at) - 0.7 * np.log1p(-at))))
    np.testing.assert_allclose(beta(values, truth, np.ones(20000)).at(at), expected, atol=0.02)


def test_beta_never_falls_even_where_the_truth_does() -> None:
    values = np.linspace(0.05, 0.95, 40)
    curve = beta(values, (values < 0.5).astype(float), np.ones(40))
    assert (np.diff(curve.heights) >= -1e-12).all()


@pytest.mark.parametrize("name", list(CURVES))
@settings(max_examples=30, deadline=None)
@given(
    values=arrays(float, 15, elements=STEPS),
    truth=arrays(float, 15, elements=st.sampled_from([0.0, 0.3, 1.0])),
    order=st.permutations(range(15)),
)
def test_every_curve_rises_inside_the_unit_interval_whatever_the_order(
    name: str, values: np.ndarray, truth: np.ndarray, order: list[int]
) -> None:
    curve = CURVES[name](values, truth, np.ones(15))
    at = np.linspace(0, 1, 41)
    p = curve.at(at)
    assert p.min() >= 0.0
    assert p.max() <= 1.0
    assert (np.diff(p) >= -1e-9).all()
    assert (np.diff(curve.points) > 0).all()
    assert (curve.lows <= curve.heights + 1e-9).all()
    assert (curve.heights <= curve.highs + 1e-9).all()
    np.testing.assert_allclose(CURVES[name](values[order], truth[order], np.ones(15)).at(at), p, atol=1e-7)


@pytest.mark.parametrize("name", list(CURVES))
def test_an_item_of_weight_two_is_two_items(name: str) -> None:
    panel = drawn(30)
    values, weights = panel.values.mean(axis=1), np.where(np.arange(30) < 10, 2.0, 1.0)
    twice = np.concatenate([values, values[:10]]), np.concatenate([panel.truth, panel.truth[:10]])
    at = np.linspace(0, 1, 21)
    np.testing.assert_allclose(
        CURVES[name](values, panel.truth, weights).at(at), CURVES[name](*twice, np.ones(40)).at(at), atol=1e-7
    )
