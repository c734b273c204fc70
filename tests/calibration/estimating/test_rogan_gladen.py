"""Rogan and Gladen's estimator, for labels collected by class."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from truescore.correct import rogan_gladen_estimate

from calibration.errors import CalibrationError
from calibration.estimating import Sample, estimate
from calibration.estimating.rogan_gladen import rates_of, rogan_gladen
from tests.calibration.estimating.samples import randomly, samples


@randomly
@given(samples(clustered=False, weighted=False))
def test_point_and_error_are_those_of_another_library(sample: Sample) -> None:
    judged = (sample.judged >= 0.5).astype(float)
    assume(0 < sample.rate < 1)
    found = rates_of(sample)
    assume(found.youden > 0)
    other = rogan_gladen_estimate(judged, sample.known_truth, sample.known)
    assert min(1.0, max(0.0, found.value)) == pytest.approx(other.point, abs=1e-12)
    low, high = found.value - 1.959963984540054 * found.error, found.value + 1.959963984540054 * found.error
    assert (min(1, max(0, low)), min(1, max(0, high))) == pytest.approx((other.low, other.high), abs=1e-9)


def by_class(rate: float, rng: np.random.Generator) -> Sample:
    """Fifty passes and fifty fails on purpose, among 1,000 of that pass rate."""
    truth = (np.arange(1000) < 1000 * rate).astype(float)
    judged = np.where(truth == 1, rng.random(1000) < 0.93, rng.random(1000) > 0.75).astype(float)
    asked = np.concatenate([rng.choice(np.flatnonzero(truth == c), 50, replace=False) for c in (0, 1)])
    hidden = np.full(1000, np.nan)
    hidden[asked] = truth[asked]
    return Sample.of(judged, hidden)


def test_labels_by_class_give_the_rate_of_all_and_not_of_the_labels() -> None:
    rng = np.random.default_rng(0)
    found = [estimate(by_class(0.8, rng), collected="by_class") for _ in range(200)]
    assert np.mean([e.value for e in found]) == pytest.approx(0.8, abs=0.01)
    assert np.mean([e.low <= 0.8 <= e.high for e in found]) > 0.93
    assert found[0].method == "rogan_gladen"
    assert found[0].labels_only.value is None


def test_labels_by_class_are_refused_by_what_needs_a_random_sample() -> None:
    sample = by_class(0.8, np.random.default_rng(1))
    with pytest.raises(CalibrationError, match="no random sample, which `bayes` needs"):
        estimate(sample, method="bayes", collected="by_class")
    with pytest.raises(CalibrationError, match="say collected='by_class'"):
        estimate(sample, method="rogan_gladen")


def test_a_judge_no_better_than_chance_is_refused() -> None:
    sample = Sample.of([0, 1, 0, 1] * 5, [1, 0, 0, 1] * 5)
    with pytest.raises(CalibrationError, match="no better than chance"):
        rogan_gladen(sample)


def test_labels_of_one_class_are_refused() -> None:
    with pytest.raises(CalibrationError, match="3 labels pass and 0 fail"):
        rogan_gladen(Sample.of([1, 1, 1], [1, 1, 1]))
