"""Applying a calibration: rewards that mean something, and none where nothing is known."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from calibration.applying import apply
from calibration.calibration import Calibration, Escalation, LabelSet, RewardRule, Scope
from calibration.errors import CalibrationError, OtherGraderError
from calibration.loading import load
from calibration.maps import CurveMap, LinearMap, sigmoid
from judge.record import GradeRecord, Judgement
from rubrics.references import CriterionRef, RubricRef
from rubrics.verdict import Failure, Verdict
from tests.calibration.panels import records_of, simulate

JUDGES = ("j1", "j2", "j3", "j4", "j5")
SPREAD = tuple(tuple(0.01 * (i == j) for j in range(6)) for i in range(6))
MEAN = LinearMap(rung="weighted_platt", intercept=-2.0, weights=dict.fromkeys(JUDGES, 0.8), covariance=SPREAD)


def record(**more: Any) -> GradeRecord:
    return records_of(simulate("corr", 1, np.random.default_rng(3)), **more)[0]


def calibration(maps: dict[str, Any] | None = None, **more: Any) -> Calibration:
    given: dict[str, Any] = {
        "method": "m" * 16, "scope": Scope(
            rubrics={"simulated": "5" * 16}, questions=(record().rubric.questions,), criteria={"solved": "c" * 16}
        ), "truth": "people",
        "panel": JUDGES, "maps": maps if maps is not None else {"overall": MEAN},
        "labels": LabelSet(n=100, tasks=100, raters=1, ids_hash="0"), **more,
    }  # fmt: skip
    return Calibration(**given).identified()


def test_the_reward_is_the_calibrated_probability_with_its_interval() -> None:
    made = calibration()
    graded = apply(made, record())
    values = [j.score for j in record().judgements]
    assert graded.reward == pytest.approx(sigmoid(-2.0 + 0.8 * sum(v for v in values if v is not None)))
    assert graded.reward_low is not None
    assert graded.reward_high is not None
    assert graded.reward_low < graded.reward < graded.reward_high
    assert graded.calibration == made.id


def test_a_closed_gate_gives_zero_whatever_the_judges_say() -> None:
    graded = apply(calibration(), record(closed_gates=("gate",), score=0.0))
    assert (graded.reward, graded.reward_low, graded.reward_high) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "more",
    [
        {"score": None, "missing": ("solved",)},
        {"judgements": (), "panel": (), "ungated": None, "score": None},
    ],
    ids=["missing", "nobody answered"],
)
def test_what_has_no_score_has_no_reward(more: dict[str, Any]) -> None:
    assert apply(calibration(), record(**more)).reward is None


def test_a_gate_that_nobody_could_look_behind_gives_no_reward() -> None:
    first = record()
    gate = CriterionRef(fingerprint="g" * 16, weight=0.0, levels={"no": 0.0, "yes": 1.0}, judged=False, gate=True)
    rubric = first.rubric.model_copy(update={"criteria": {**first.rubric.criteria, "gate": gate}})
    assert apply(calibration(), first.model_copy(update={"rubric": rubric, "missing": ("gate",)})).reward is None


def test_grades_of_another_grader_are_refused_and_what_changed_is_named() -> None:
    made = calibration(grader={"judge:j1": "a" * 16, "template": "t" * 16})
    other = record(method="n" * 16, grader={"judge:j1": "b" * 16, "template": "t" * 16})
    with pytest.raises(OtherGraderError, match="judge j1 changed"):
        apply(made, other)
    accepted = apply(made, other, accept=True)
    assert "other_grader" in accepted.flags
    assert accepted.reward is not None


def test_a_silent_new_version_of_a_model_is_another_grader() -> None:
    made = calibration(models={"j1": ("gpt-2025-08",)})
    with pytest.raises(OtherGraderError, match="j1 answered as j1, calibrated was gpt-2025-08"):
        apply(made, record())


def test_a_panel_that_was_not_calibrated_gives_no_reward_and_says_so() -> None:
    whole = record()
    fewer = whole.model_copy(update={"judgements": whole.judgements[:3], "panel": JUDGES[:3]})
    graded = apply(calibration(), fewer)
    assert graded.reward is None
    assert "outside_calibration" in graded.flags
    mapped = calibration(
        panels={"j1+j2+j3": {"overall": LinearMap(rung="ridge", intercept=0, weights=dict.fromkeys(JUDGES[:3], 1.0))}}
    )
    assert apply(mapped, fewer).reward is not None


def test_an_edited_question_is_outside_and_an_edited_weight_is_not() -> None:
    first = record()
    weight = first.rubric.criteria["solved"].model_copy(update={"weight": 3.0})
    heavier = first.rubric.model_copy(update={"fingerprint": "6" * 16, "criteria": {"solved": weight}})
    assert apply(calibration(), first.model_copy(update={"rubric": heavier})).reward is not None
    question = weight.model_copy(update={"fingerprint": "d" * 16})
    edited = first.rubric.model_copy(update={"fingerprint": "7" * 16, "criteria": {"solved": question}})
    graded = apply(calibration(), first.model_copy(update={"rubric": edited}))
    assert graded.reward is None
    assert "outside_calibration" in graded.flags


def test_criteria_without_a_map_use_their_tag_and_then_any() -> None:
    low = CurveMap(rung="isotonic", weights=dict.fromkeys(JUDGES, 1.0), values=(0.1, 0.1), lows=(0, 0), highs=(1, 1))
    high = low.model_copy(update={"values": (0.9, 0.9)})
    first = record()
    new = first.rubric.criteria["solved"].model_copy(update={"fingerprint": "d" * 16})
    unknown = first.model_copy(update={"rubric": first.rubric.model_copy(update={"criteria": {"solved": new}})})
    assert apply(calibration({"tag:quality": high, "any": low}), unknown).calibrated == {"solved": 0.9}
    assert apply(calibration({"any": low}), unknown).reward == pytest.approx(0.1)


def penalised() -> GradeRecord:
    """Two criteria: `good` earns 2, `rude` costs 1; one judge."""
    yes_no = {"no": 0.0, "yes": 1.0}
    rubric = RubricRef(
        id="two", version="1", fingerprint="2" * 16,
        criteria={"good": CriterionRef(fingerprint="g" * 16, weight=2, levels=yes_no),
                  "rude": CriterionRef(fingerprint="r" * 16, weight=-1, levels=yes_no)},
    )  # fmt: skip
    said = tuple(Verdict(criterion=c, rater="judge:j", level="yes", value=1.0) for c in ("good", "rude"))
    return GradeRecord(
        score=0.5, low=0.5, high=0.5, raw=0.5, ungated=0.5, values={"good": 1, "rude": 1}, passed=None, coverage=1, task_id="t",
        episode_id="e", rubric=rubric, method="m" * 16, panel=("j",), judgements=(Judgement(judge="j", verdicts=said, score=0.5),),
        verdicts=said,
    )  # fmt: skip


def test_without_labels_of_the_whole_the_reward_is_the_expected_score() -> None:
    good = CurveMap(rung="isotonic", weights={"j": 1}, values=(0.8, 0.8), lows=(0.7, 0.7), highs=(0.9, 0.9))
    rude = CurveMap(rung="isotonic", weights={"j": 1}, values=(0.4, 0.4), lows=(0.2, 0.2), highs=(0.5, 0.5))
    scope = Scope(criteria={"good": "g" * 16, "rude": "r" * 16})
    graded = apply(calibration({"good": good, "rude": rude}, scope=scope, panel=("j",)), penalised())
    assert graded.reward == pytest.approx((2 * 0.8 - 0.4) / 2)
    assert graded.reward_low == pytest.approx((2 * 0.7 - 0.5) / 2)
    assert graded.reward_high == pytest.approx((2 * 0.9 - 0.2) / 2)


def test_an_episode_that_made_itself_ungradable_gains_nothing_by_it() -> None:
    """It counts at the low bound."""
    failure = Failure(kind="context_length", message="too long", blame="episode", criterion="solved")
    forfeited = record(
        score=0.0,
        ungated=0.0,
        judgements=(),
        panel=(),
        verdicts=(),
        values={"solved": 0.0},
        flags=("forfeited",),
        failures=(failure,),
    )
    graded = apply(calibration(), forfeited)
    assert (graded.reward, graded.reward_low, graded.reward_high) == (0.0, 0.0, 0.0)


def test_a_rubric_with_fewer_questions_is_not_what_the_whole_was_calibrated_on() -> None:
    first = penalised()
    scope = Scope(questions=(first.rubric.questions,), criteria={"good": "g" * 16, "rude": "r" * 16})
    whole = CurveMap(rung="isotonic", weights={"j": 1}, values=(0.2, 0.9), lows=(0.1, 0.8), highs=(0.3, 1.0))
    made = calibration(
        {"overall": whole}, scope=scope, panel=("j",), escalation=Escalation(threshold=0.5, target=0.8, delta=0.1)
    )
    assert apply(made, first).escalate is False
    fewer = first.rubric.model_copy(update={"criteria": {"good": first.rubric.criteria["good"]}})
    graded = apply(made, first.model_copy(update={"rubric": fewer}))
    assert graded.reward is None
    assert "outside_calibration" in graded.flags


def test_what_is_accepted_from_another_grader_is_never_certified() -> None:
    flat = CurveMap(
        rung="isotonic", weights=dict.fromkeys(JUDGES, 1.0), values=(0.9, 0.9), lows=(0.1, 0.1), highs=(1, 1)
    )
    made = calibration({"overall": flat}, escalation=Escalation(threshold=0.6, target=0.85, delta=0.1))
    assert apply(made, record()).escalate is False
    assert apply(made, record(method="n" * 16), accept=True).escalate is None


def test_the_saturated_form_gives_nothing_for_what_is_likely_wrong() -> None:
    flat = CurveMap(
        rung="isotonic", weights=dict.fromkeys(JUDGES, 1.0), values=(0.2, 0.2), lows=(0.1, 0.1), highs=(0.9, 0.9)
    )
    made = calibration({"overall": flat}, reward=RewardRule(form="saturated"))
    graded = apply(made, record())
    assert (graded.reward, graded.reward_low, graded.reward_high) == (0.0, 0.0, 1.0)


def test_escalation_is_unknown_without_a_certificate() -> None:
    flat = CurveMap(
        rung="isotonic", weights=dict.fromkeys(JUDGES, 1.0), values=(0.7, 0.7), lows=(0.1, 0.1), highs=(0.9, 0.9)
    )
    cases = {0.6: False, 0.8: True, None: None}
    for threshold, expected in cases.items():
        made = calibration({"overall": flat}, escalation=Escalation(threshold=threshold, target=0.85, delta=0.1))
        assert apply(made, record()).escalate is expected


def test_a_nuisance_covariate_earns_nothing() -> None:
    slope = MEAN.model_copy(update={"slopes": {"confounder": 2.0}, "references": {"confounder": 0.0}, "covariance": ()})
    made = calibration({"overall": slope})
    first = record()
    longer = first.model_copy(update={"covariates": {"confounder": 9.0}})
    assert apply(made, first).reward == apply(made, longer).reward


def test_a_calibration_comes_back_from_its_file_and_one_changed_by_hand_is_refused(tmp_path: Any) -> None:
    made = calibration()
    path = tmp_path / "calibration.json"
    path.write_text(made.to_json())
    assert load(path) == made
    path.write_text(made.to_json().replace('"intercept": -2.0', '"intercept": 2.0'))
    with pytest.raises(CalibrationError, match="changed by hand"):
        load(path)
    path.write_text('{"schema": 1}')
    with pytest.raises(CalibrationError, match="is no calibration: method: Field required"):
        load(path)


def test_giving_rewards_loads_no_numpy() -> None:
    code = "import sys, calibration.applying, calibration.loading; print([m for m in ('numpy', 'scipy') if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )
