"""A map without labels."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.errors import CalibrationError
from calibration.fitting import fit_label_free, probabilities
from calibration.fitting.truth_inference import dawid_skene
from tests.calibration.fitting.samples import JUDGES, drawn
from tests.calibration.labelled import items_from, pairs_from


def test_two_judges_get_the_model_itself() -> None:
    values = (drawn(400).values[:, :2] > 0.5).astype(float)
    found = fit_label_free(items_from(values), JUDGES[:2])
    model = dawid_skene(values.astype(np.int64), smoothing=1.0)
    np.testing.assert_allclose(probabilities(found.map, values, JUDGES[:2]), model.posterior[:, 1], atol=1e-3)


def test_five_judges_are_held_to_two_votes() -> None:
    """So that it is less sure of itself than the model, whose Brier score on judges that err together is far worse."""
    panel = drawn(2000)
    found = fit_label_free(items_from(panel.values), JUDGES)
    p = probabilities(found.map, panel.values, JUDGES)
    sure = dawid_skene((panel.values > 0.5).astype(np.int64)).posterior[:, 1]
    brier = [float(((each - panel.truth) ** 2).mean()) for each in (p, sure)]
    assert brier[0] < brier[1] - 0.03
    assert found.map.rung == "dawid_skene"
    assert "Label 15 items or more" in found.warnings[0]


def test_each_judge_has_its_rates_and_labels_stand_fixed() -> None:
    panel = drawn(1000, design="indep")
    pairs = pairs_from(panel.values, panel.truth)
    found = fit_label_free([p.item for p in pairs], JUDGES, pairs=pairs)
    for judge, column in zip(JUDGES, panel.values.T, strict=True):
        clear = column != 0.5
        tpr = float((column > 0.5)[clear & (panel.truth == 1)].mean())
        tnr = float((column < 0.5)[clear & (panel.truth == 0)].mean())
        assert found.rates[judge] == pytest.approx((tpr, tnr), abs=0.01)
    assert found.map.n == 1000


def test_nothing_to_go_by_is_an_error() -> None:
    with pytest.raises(CalibrationError, match="no item that a judge answered"):
        fit_label_free([], JUDGES)
