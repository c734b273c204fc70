"""Regression with errors by cluster, against refits done the long way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.regression import clustered, false_discoveries, from_moments


def data(seed: int, n: int = 60):
    rng = np.random.default_rng(seed)
    design = np.column_stack([np.ones(n), rng.standard_normal(n), rng.random(n)])
    return design, design @ [0.5, 0.3, -1] + rng.standard_normal(n) * (0.2 + design[:, 2]), rng.random(n) + 0.5


def test_with_clusters_of_one_the_covariance_is_hc3() -> None:
    design, y, _ = data(1)
    fit = clustered(design, y, np.arange(60), np.ones(60))
    inverse = np.linalg.inv(design.T @ design)
    off = y - design @ fit.coefficients
    leverage = np.einsum("ij,jk,ik->i", design, inverse, design)
    meat = design.T @ (design * (off**2 / (1 - leverage) ** 2)[:, None])
    assert fit.covariance == pytest.approx(inverse @ meat @ inverse)
    assert fit.coefficients == pytest.approx(np.linalg.lstsq(design, y, rcond=None)[0])


@given(seed=st.integers(0, 1000))
def test_the_covariance_is_that_of_leaving_out_each_cluster(seed) -> None:
    design, y, weights = data(seed)
    clusters = np.random.default_rng(seed).integers(12, size=60)
    fit = clustered(design, y, clusters, weights)

    def refit(kept):
        half = np.sqrt(weights[kept])[:, None]
        return np.linalg.lstsq(design[kept] * half, y[kept] * half[:, 0], rcond=None)[0]

    moved = np.array([refit(clusters != c) - fit.coefficients for c in np.unique(clusters)])
    assert fit.covariance == pytest.approx(moved.T @ moved, rel=1e-6)


def test_an_effect_that_rests_on_one_cluster_has_no_interval() -> None:
    design = np.column_stack([np.ones(40), np.arange(40) < 4])
    assert clustered(design, np.random.default_rng(1).random(40), np.arange(40) // 4, np.ones(40)) is None


def test_fewer_than_five_clusters_give_nothing() -> None:
    design, y, weights = data(2)
    assert clustered(design, y, np.arange(60) % 4, weights) is None
    assert from_moments(np.zeros((0, 2, 2)), np.zeros((0, 2)), n=0) is None


def test_a_contrast_has_its_interval_and_p_value_by_t() -> None:
    design, y, weights = data(3)
    figure, p = clustered(design, y, np.arange(60) // 6, weights).contrast(np.array([0.0, 1.0, 0.0]))
    assert figure.low < figure.value < figure.high
    assert (figure.low > 0) == (p < 0.05)


def test_false_discoveries_are_those_of_the_published_example() -> None:
    """Benjamini and Hochberg (1995), section 3.2: of fifteen, the four smallest."""
    given_ = [
        0.0001,
        0.0004,
        0.0019,
        0.0095,
        0.0201,
        0.0278,
        0.0298,
        0.0344,
        0.0459,
        0.3240,
        0.4262,
        0.5719,
        0.6528,
        0.7590,
        1,
    ]
    assert false_discoveries([*given_, None]) == [True] * 4 + [False] * 12
