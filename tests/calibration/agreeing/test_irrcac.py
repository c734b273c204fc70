"""Gwet's coefficients, alpha and weighted kappa against irrCAC, which lives in an environment of its own.

RUBRIC_JUDGE_IRRCAC is the path of a Python interpreter that has irrCAC installed.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from calibration.agreeing.gwet import gwet_ac
from calibration.agreeing.kappa import cohen_kappa
from calibration.agreeing.krippendorff import krippendorff_alpha
from tests.calibration.agreeing.tables import random_pairs, random_ratings

VARIABLE = "RUBRIC_JUDGE_IRRCAC"
SCRIPT = Path(__file__).parents[2] / "oracles" / "irrcac.py"
WEIGHTS = ("identity", "linear", "quadratic", "ordinal")


def several_raters() -> list[np.ndarray]:
    return list(random_ratings(16))


def two_raters() -> list[np.ndarray]:
    return [np.column_stack((a, b)) + 1.0 for a, b, _ in random_pairs(10)]


@pytest.fixture(scope="module")
def irrcac() -> dict[tuple[int, str], dict[str, float]]:
    """What irrCAC says, by the number of the table and the weights."""
    interpreter = os.environ.get(VARIABLE)
    if not interpreter:
        pytest.skip(f"{VARIABLE} does not name a Python interpreter that has irrCAC")
    tables = [*several_raters(), *two_raters()]
    asked = [(n, weights) for n in range(len(tables)) for weights in WEIGHTS]
    sent = [
        {
            "ratings": [[None if np.isnan(v) else v for v in row] for row in tables[n].tolist()],
            "levels": levels(tables[n]).tolist(),
            "weights": weights,
        }
        for n, weights in asked
    ]
    ran = subprocess.run(
        [interpreter, str(SCRIPT)], input=json.dumps(sent), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return dict(zip(asked, json.loads(ran.stdout), strict=True))


def levels(ratings: np.ndarray) -> np.ndarray:
    """All levels up to the highest that occurs, so that some are chosen by nobody."""
    return np.arange(1.0, max(2.0, np.nanmax(ratings)) + 1)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_ac1_and_ac2_equal_irrcac(irrcac, weights) -> None:
    for n, ratings in enumerate([*several_raters(), *two_raters()]):
        found = gwet_ac(ratings, weights=weights, levels=levels(ratings)).value
        assert found == pytest.approx(irrcac[n, weights]["gwet"], abs=1e-9)


@pytest.mark.parametrize(("weights", "measurement"), [("identity", "nominal"), ("quadratic", "interval")])
def test_alpha_equals_irrcac(irrcac, weights, measurement) -> None:
    for n, ratings in enumerate([*several_raters(), *two_raters()]):
        found = krippendorff_alpha(ratings, measurement=measurement).value
        assert found == pytest.approx(irrcac[n, weights]["krippendorff"], abs=1e-9)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_equals_irrcac(irrcac, weights) -> None:
    for n, ratings in enumerate(two_raters(), len(several_raters())):
        found = cohen_kappa(ratings[:, 0], ratings[:, 1], levels=levels(ratings), weights=weights).value
        assert found == pytest.approx(irrcac[n, weights]["kappa"], abs=1e-9)
