"""Bayesian post-stratification: exact moments, bins with labels enough."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.estimating import Sample
from calibration.estimating.clusters import Spread
from calibration.estimating.post_stratifying import bins_of, post_stratified
from tests.calibration.estimating.samples import randomly


def test_the_posterior_is_that_of_draws() -> None:
    rng = np.random.default_rng(0)
    judged = np.repeat([0.0, 1.0], [300, 700])
    truth = np.full(1000, np.nan)
    truth[:20], truth[300:340] = [1.0] * 4 + [0.0] * 16, [1.0] * 37 + [0.0] * 3
    found = post_stratified(sample := Sample.of(judged, truth), judged, Spread(sample))
    shares = rng.dirichlet([300.5, 700.5], 100_000)
    draws = shares[:, 0] * rng.beta(4.5, 16.5, 100_000) + shares[:, 1] * rng.beta(37.5, 3.5, 100_000)
    assert found.bins == 2
    assert found.value == pytest.approx(draws.mean(), abs=1e-3)
    assert found.interval == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=3e-3)


@randomly
@given(st.lists(st.sampled_from([0.0, 0.2, 0.4, 0.5, 0.9, 1.0]), min_size=1, max_size=120))
def test_every_bin_has_eight_labels_or_there_is_one(labelled: list[float]) -> None:
    values = np.array(labelled)
    counts = np.bincount(bins_of(values, values))
    assert len(counts) <= 4
    assert len(counts) == 1 or counts.min() >= 8


def test_weights_count_within_bins() -> None:
    judged, truth = np.full(200, 0.5), np.full(200, np.nan)
    truth[:40] = [1.0] * 20 + [0.0] * 20
    chance = np.where(truth == 1, 0.4, 0.1)
    sample = Sample.of(judged, truth, inclusion=chance)
    assert post_stratified(sample, judged, Spread(sample)).value == pytest.approx(0.2, abs=0.02)
