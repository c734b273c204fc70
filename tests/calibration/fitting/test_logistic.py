"""Ridge logistic regression: scikit-learn's coefficients, priors, soft labels, no overflow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.linear_model import LogisticRegression

from calibration.fitting.logistic import Priors, fit_logistic, fit_paired, sigmoids


def problem(n: int = 120, columns: int = 4, seed: int = 3):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((n, columns))
    truth = (rng.random(n) < sigmoids(values @ np.linspace(1.5, -0.5, columns) + 0.4)).astype(float)
    return np.column_stack([np.ones(n), values]), truth, rng.uniform(0.2, 2.0, n)


@pytest.mark.parametrize("strength", [0.1, 1.0, 30.0])
def test_coefficients_are_those_of_scikit_learn(strength: float) -> None:
    columns, truth, weights = problem()
    theirs = LogisticRegression(C=strength, tol=1e-10, max_iter=5000).fit(columns[:, 1:], truth, sample_weight=weights)
    penalties = np.array([1e-12, *[1 / strength] * 4])
    ours = fit_logistic(columns, truth, weights[None], Priors.ridge(penalties)).coefficients[0, 0]
    np.testing.assert_allclose(ours, [theirs.intercept_[0], *theirs.coef_[0]], atol=1e-4)


def test_a_soft_label_counts_as_so_many_yes_and_no() -> None:
    columns, truth, weights = problem()
    soft = 0.3 * truth + 0.35
    twice = np.concatenate([columns, columns])
    hard = np.concatenate([np.ones(len(truth)), np.zeros(len(truth))])
    halves = np.concatenate([weights * soft, weights * (1 - soft)])
    prior = Priors.ridge(np.full(5, 0.5))
    one = fit_logistic(columns, soft, weights[None], prior).coefficients
    two = fit_logistic(twice, hard, halves[None], prior).coefficients
    np.testing.assert_allclose(one, two, atol=1e-7)


def test_a_strong_prior_keeps_its_mean_and_a_weak_one_the_data() -> None:
    columns, truth, weights = problem()
    mean = np.array([[0.5, -1.0, 2.0, 0.0, 3.0]])
    strong = fit_logistic(columns, truth, weights[None], Priors(mean, 1e8 * np.eye(5)[None])).coefficients[0, 0]
    weak = fit_logistic(columns, truth, weights[None], Priors(mean, 1e-9 * np.eye(5)[None])).coefficients[0, 0]
    free = fit_logistic(columns, truth, weights[None], Priors.ridge(np.full(5, 1e-9))).coefficients[0, 0]
    np.testing.assert_allclose(strong, mean[0], atol=1e-4)
    np.testing.assert_allclose(weak, free, atol=1e-4)


def test_many_weightings_and_priors_at_once_are_the_single_fits() -> None:
    columns, truth, _ = problem()
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 3, (7, len(truth))).astype(float)
    priors = Priors(rng.standard_normal((3, 5)), np.stack([np.eye(5) * p for p in (0.1, 1.0, 10.0)]))
    together = fit_logistic(columns, truth, weights, priors)
    for row in range(7):
        for at in range(3):
            one = Priors(priors.means[at : at + 1], priors.precisions[at : at + 1])
            alone = fit_logistic(columns, truth, weights[row : row + 1], one)
            np.testing.assert_allclose(together.coefficients[row, at], alone.coefficients[0, 0], atol=1e-6)
            assert together.evidence[row, at] == pytest.approx(alone.evidence[0, 0])


def test_paired_fits_take_the_mean_of_their_row() -> None:
    columns, truth, _ = problem()
    rng = np.random.default_rng(0)
    weights, means = rng.uniform(0, 2, (4, len(truth))), rng.standard_normal((4, 5))
    paired = fit_paired(columns, truth, weights, Priors(means, np.eye(5)[None]), start=np.zeros(5))
    for row in range(4):
        alone = fit_logistic(columns, truth, weights[row : row + 1], Priors(means[row : row + 1], np.eye(5)[None]))
        np.testing.assert_allclose(paired[row], alone.coefficients[0, 0], atol=1e-6)


def test_the_evidence_is_the_marginal_likelihood() -> None:
    """Against the integral by quadrature, for one coefficient."""
    truth, columns = np.array([1.0, 1.0, 0.0, 1.0]), np.ones((4, 1))
    fits = fit_logistic(columns, truth, np.ones((1, 4)), Priors(np.zeros((1, 1)), np.full((1, 1, 1), 0.5)))
    grid = np.linspace(-12, 12, 4001)
    density = np.exp(3 * grid - 4 * np.logaddexp(0, grid)) * np.sqrt(0.5 / (2 * np.pi)) * np.exp(-0.25 * grid**2)
    integral = np.log(np.trapezoid(density, grid))
    assert fits.evidence[0, 0] == pytest.approx(integral, abs=0.05)


@settings(max_examples=40, deadline=None)
@given(
    truth=arrays(float, 12, elements=st.sampled_from([0.0, 0.25, 1.0])),
    values=arrays(float, (12, 2), elements=st.sampled_from([-30.0, -1.0, 0.0, 0.5, 30.0])),
)
def test_any_data_give_finite_coefficients_at_a_stationary_point(truth: np.ndarray, values: np.ndarray) -> None:
    columns = np.column_stack([np.ones(12), values])
    fits = fit_logistic(columns, truth, np.ones((1, 12)), Priors.ridge(np.full(3, 0.1)))
    found = fits.coefficients[0, 0]
    gradient = columns.T @ (sigmoids(columns @ found) - truth) + 0.1 * found
    assert np.isfinite(found).all()
    np.testing.assert_allclose(gradient, 0.0, atol=1e-3)
