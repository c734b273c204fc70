"""A map applied to many items is the map applied to each."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.fitting import probabilities
from calibration.maps import CurveMap, LinearMap, Map

JUDGES = ("a", "b")


@pytest.mark.parametrize(
    "fitted",
    [
        LinearMap(rung="ridge", intercept=-1.0, weights={"b": 2.0, "a": 1.0}, slopes={"x": 0.5}),
        LinearMap(rung="ridge", intercept=-1.0, weights={"a": 2.0, "b": 1.0}, slopes={"x": 0.5}, references={"x": 2.0}),
        CurveMap(rung="mean", weights={"a": 0.5, "b": 0.5}),
        CurveMap(rung="isotonic", weights={"a": 1.0, "b": 3.0}, points=(0.2, 0.6), values=(0.1, 0.9), lows=(0, 0.5), highs=(0.5, 1)),
    ],
    ids=["covariate", "nuisance", "mean", "curve"],
)  # fmt: skip
def test_rows_are_what_the_map_gives_one_by_one(fitted: Map) -> None:
    rng = np.random.default_rng(0)
    values, covariates = rng.uniform(size=(20, 2)), rng.standard_normal((20, 1))
    p = probabilities(fitted, values, JUDGES, covariates=covariates, names=("x",))
    for row, known, expected in zip(values.tolist(), covariates[:, 0].tolist(), p, strict=True):
        one = fitted.at(dict(zip(JUDGES, row, strict=True)), {"x": known})
        assert one is not None
        assert one.value == pytest.approx(expected)


def test_a_missing_covariate_gives_nan() -> None:
    fitted = LinearMap(rung="ridge", intercept=0.0, weights={"a": 1.0, "b": 1.0}, slopes={"x": 1.0})
    assert np.isnan(probabilities(fitted, np.ones((2, 2)), JUDGES)).all()
