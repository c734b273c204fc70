"""The state check as a gate and as a feature: as accurate, but only the feature can rescue what the check got wrong."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.baselines import auc
from calibration.errors import CalibrationError
from calibration.label import Label
from calibration.state_use import combined, gate_or_feature
from tests.calibration.panels import hybrid
from tests.calibration.refunds import REFUND, STATE, episode, graded, rubric

KIND = {"id": "kind", "ask": "Was the customer told?", "evidence": ["transcript"]}


@pytest.fixture(scope="module")
def simulated():
    made = hybrid(520, np.random.default_rng(7))
    return made.truth, combined(made.values, made.check, made.truth, tasks=np.arange(520))


def brier(p, truth) -> float:
    return float(((p - truth) ** 2).mean())


def test_a_feature_is_as_accurate_as_a_gate_and_ranks_better(simulated) -> None:
    truth, found = simulated
    right = {name: float(((p > 0.5) == (truth > 0.5)).mean()) for name, p in found.items()}
    area = {name: auc(p, truth, np.arange(520)).value or 0.0 for name, p in found.items()}
    assert right["feature"] == pytest.approx(right["gate_calibrated"], abs=0.02)
    assert area["feature"] > area["gate_calibrated"] + 0.005
    assert area["feature"] > area["mean"] > area["check"]


def test_calibrating_behind_the_gate_and_beside_it_both_lower_the_brier_score(simulated) -> None:
    truth, found = simulated
    losses = {name: brier(p, truth) for name, p in found.items()}
    assert losses["feature"] < losses["gate_calibrated"] < losses["gate_mean"] < losses["check"]


def test_behind_a_gate_a_wrong_check_can_not_be_rescued(simulated) -> None:
    _, found = simulated
    failed = found["check"] == 0
    assert not found["gate_mean"][failed].any()
    assert not found["gate_calibrated"][failed].any()
    assert found["feature"][failed].max() > 0.3


def records_and_labels(n: int):
    made = hybrid(n, np.random.default_rng(2))
    episodes = [episode(f"e{i}", did=[REFUND] if ok else []) for i, ok in enumerate(made.check)]
    judges = {
        f"j{j}": {f"e{i}": {"kind": "yes" if v > 0.5 else "no"} for i, v in enumerate(made.values[:, j])}
        for j in (0, 1)
    }
    labels = [Label(episode=f"e{i}", rater="ann", level="pass" if t else "fail") for i, t in enumerate(made.truth)]
    return graded(episodes, rubric(STATE, KIND), judges), labels


def test_all_uses_are_measured_on_the_labelled_records() -> None:
    records, labels = records_and_labels(120)
    found = {use.name: use for use in gate_or_feature(records, labels)}
    assert set(found) == {"check", "mean", "gate_mean", "gate_calibrated", "feature"}
    assert {use.n for use in found.values()} == {120}
    passed = np.array([label.level == "pass" for label in labels])
    check = np.array([record.values["right_state"] == 1 for record in records])
    assert found["check"].accuracy.value == pytest.approx((passed == check).mean())
    assert found["check"].brier.value == pytest.approx((passed != check).mean())
    assert (found["feature"].auc.value or 0) > (found["check"].auc.value or 1)
    assert all(use.brier.low <= use.brier.value <= use.brier.high for use in found.values())


def test_too_few_labels_are_refused() -> None:
    records, labels = records_and_labels(16)
    with pytest.raises(CalibrationError, match=r"14 episodes have a person's label, .* expected at least 15"):
        gate_or_feature(records, labels[:14])


def test_a_score_that_holds_the_check_already_is_refused() -> None:
    records = graded([episode("e")], rubric({**STATE, "gate": False, "weight": 1}, KIND), {"j": {"kind": "yes"}})
    with pytest.raises(CalibrationError, match="'right_state' is a state check with a weight"):
        gate_or_feature(records, [])
