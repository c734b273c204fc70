"""Several judges' values in one, learned without any label vouching for itself."""

from __future__ import annotations

import numpy as np

from calibration.estimating import Sample, estimate
from calibration.estimating.crossfitting import cross_fitted
from tests.calibration.estimating.samples import labelled
from tests.calibration.panels import simulate


def test_an_episode_is_judged_by_fits_that_had_not_seen_its_task() -> None:
    panel = simulate("corr", 200, np.random.default_rng(0), rollouts=4, intraclass=0.3)
    sample = labelled(panel, 80, judges=panel.values)
    flipped = panel.truth.copy()
    flipped[:4] = 1 - flipped[:4]
    other = labelled(panel._replace(truth=flipped), 80, judges=panel.values)
    a, b = (cross_fitted(s, np.random.default_rng(1)) for s in (sample, other))
    assert np.array_equal(a[:4], b[:4])
    assert not np.allclose(a[4:], b[4:])


def test_weights_of_judges_are_learned_where_labels_suffice() -> None:
    """Two good judges and three of one lenient family: the plain mean is worth far less."""
    panel = simulate("bloc", 1000, np.random.default_rng(3))
    plain, weighed = labelled(panel, 150), labelled(panel, 150, judges=panel.values)
    assert estimate(weighed).variance_ratio < estimate(plain).variance_ratio - 0.1


def test_with_few_labels_the_panels_value_stands() -> None:
    panel = simulate("bloc", 300, np.random.default_rng(4))
    assert estimate(labelled(panel, 30)) == estimate(labelled(panel, 30, judges=panel.values))


def test_noise_is_not_taken_for_knowledge() -> None:
    """In-sample, 20 columns of noise explain a third of the variance of 60 labels."""
    rng = np.random.default_rng(5)
    noise, truth = rng.random((600, 20)), (rng.random(600) < 0.5).astype(float)
    truth[60:] = np.nan
    assert estimate(Sample.of(noise.mean(axis=1), truth, judges=noise)).variance_ratio > 0.95
