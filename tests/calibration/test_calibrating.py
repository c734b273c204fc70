"""`fit`: maps where there are labels, shared ones where there are few, and refusals in plain words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from calibration.applying import apply
from calibration.calibrating import FitOptions, fit, fit_in_full
from calibration.calibration import Calibration, RewardRule
from calibration.errors import CalibrationError, OtherGraderError
from calibration.label import Label
from calibration.maps import LinearMap
from judge.record import GradeRecord, Judgement
from rubrics.references import CriterionRef, RubricRef
from rubrics.verdict import Verdict
from tests.calibration.panels import binary_judge, records_of, simulate

QUICK = FitOptions(resamples=20)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def labelled(n: int = 120, *, whole: bool = True, **more: Any) -> tuple[list[GradeRecord], list[Label]]:
    """Simulated records with one person's labels: of the whole, or of the criterion `solved`."""
    panel = simulate("corr", n, rng(5))
    level = {(True, 1.0): "pass", (True, 0.0): "fail", (False, 1.0): "5", (False, 0.0): "1"}
    labels = [
        Label(episode=f"e{i}", criterion=None if whole else "solved", rater="ann", level=level[whole, y])
        for i, y in enumerate(panel.truth)
    ]
    return records_of(panel, **more), labels


def brier(made: Calibration, seed: int) -> float:
    panel = simulate("corr", 2000, rng(seed))
    rewards = [apply(made, record).reward for record in records_of(panel)]
    return float(np.mean([(r - y) ** 2 for r, y in zip(rewards, panel.truth, strict=True) if r is not None]))


def test_a_fitted_calibration_predicts_fresh_episodes_better_than_the_plain_mean() -> None:
    made = fit(*labelled(), options=QUICK)
    panel = simulate("corr", 2000, rng(9))
    plain = float(np.mean((panel.values.mean(axis=1) - panel.truth) ** 2))
    assert brier(made, 9) < plain
    assert made.labels.n == 120
    assert made.maps["overall"].rung == "ridge"
    assert {c.rung for c in made.candidates} > {"mean", "ridge"}


def test_the_same_labels_give_the_same_calibration_in_any_order() -> None:
    records, labels = labelled(60)
    made = fit(records, labels, options=QUICK)
    again = fit(records, list(reversed(labels)), options=QUICK)
    assert made.labels.ids_hash == again.labels.ids_hash
    assert made.maps["overall"] == fit(records, labels, options=QUICK).maps["overall"]


def test_a_changed_label_changes_the_hash() -> None:
    """C05: a label set that changed between two reports leaves a trace."""
    records, labels = labelled(40)
    other = [labels[0].model_copy(update={"level": "pass" if labels[0].level == "fail" else "fail"}), *labels[1:]]
    assert fit(records, labels, options=QUICK).labels.ids_hash != fit(records, other, options=QUICK).labels.ids_hash


def test_labels_of_criteria_add_up_to_labels_of_the_whole() -> None:
    made = fit(*labelled(whole=False), options=QUICK)
    assert {"any", "tag:quality", "solved", "overall"} == set(made.maps)
    assert made.labels.n == 120
    assert made.labels.raters == 1


def test_every_panel_that_answered_has_maps_of_its_own() -> None:
    records, labels = labelled(100)
    fewer = [
        r if i % 3 else r.model_copy(update={"judgements": r.judgements[:2], "panel": ("j1", "j2")})
        for i, r in enumerate(records)
    ]
    made = fit(fewer, labels, options=QUICK)
    assert made.panel == ("j1", "j2", "j3", "j4", "j5")
    assert set(made.panels) == {"j1+j2"}
    pair = made.panels["j1+j2"]["overall"]
    assert pair.n == 100  # the two answered everywhere, in the larger panel too
    assert all(apply(made, record).reward is not None for record in fewer)


def test_grades_of_two_graders_are_refused_with_what_differs() -> None:
    records, labels = labelled(20, grader={"judge:j1": "a" * 16})
    mixed = [
        *records[:10],
        *(r.model_copy(update={"method": "n" * 16, "grader": {"judge:j1": "b" * 16}}) for r in records[10:]),
    ]
    with pytest.raises(
        OtherGraderError, match=r"2 graders are mixed: e0 \(10 such\) and e10 \(10\) differ: judge j1 changed"
    ):
        fit(mixed, labels)


@pytest.mark.parametrize(
    ("labels", "message"),
    [([], "there are no labels"), ([Label(episode="zz", rater="a", level="pass")], "no grade record of this episode")],
    ids=["none", "of others"],
)
def test_without_usable_labels_the_error_says_why(labels: list[Label], message: str) -> None:
    with pytest.raises(CalibrationError, match=message):
        fit(labelled(10)[0], labels)


def test_no_records_is_an_error() -> None:
    with pytest.raises(CalibrationError, match="no grade records"):
        fit([], [])


def test_fewer_than_fifteen_labels_leave_the_plain_mean_and_a_badge() -> None:
    records, labels = labelled(40)
    made = fit(records, labels[:10], options=QUICK)
    assert made.maps["overall"].rung == "mean"
    assert "uncalibrated" in made.badges
    graded = apply(made, records[20])
    assert graded.reward == pytest.approx(graded.score)
    assert "uncalibrated" in graded.flags


def test_labels_of_one_class_are_fitted_without_a_promise() -> None:
    records, _ = labelled(60)
    made = fit(records, [Label(episode=f"e{i}", rater="a", level="pass") for i in range(60)], options=QUICK)
    rewards = [apply(made, record).reward for record in records]
    assert all(r is not None and 0.5 < r <= 1 for r in rewards)
    assert any("one class" in w or "no failure" in w or "all" in w for w in made.warnings)


def test_judges_without_signal_are_badged_and_rewards_stay_near_the_base_rate() -> None:
    panel = binary_judge(150, 0.6, rng(2), tpr=0.6, tnr=0.4)
    labels = [Label(episode=f"e{i}", rater="a", level="pass" if y else "fail") for i, y in enumerate(panel.truth)]
    made = fit(records_of(panel), labels, options=QUICK)
    assert {"no_signal", "worse_than_chance"} <= set(made.badges)
    rewards = [apply(made, record).reward or 0 for record in records_of(panel)]
    assert max(rewards) - min(rewards) < 0.35


def test_episodes_behind_a_closed_gate_teach_nothing_and_are_counted() -> None:
    records, labels = labelled(60)
    closed = [
        r.model_copy(update={"closed_gates": ("gate",), "score": 0.0}) if i < 20 else r for i, r in enumerate(records)
    ]
    found = fit_in_full(closed, labels, options=QUICK)
    assert found.calibration.labels.n == 40
    assert found.calibration.labels.left_out == {"settled by a gate: the reward is 0 whatever judges say": 20}


def test_the_gate_can_be_a_feature_instead() -> None:
    panel = simulate("corr", 200, rng(4))
    gate = CriterionRef(fingerprint="g" * 16, weight=0.0, levels={"no": 0.0, "yes": 1.0}, judged=False, gate=True)
    records = []
    for i, record in enumerate(records_of(panel)):
        rubric = record.rubric.model_copy(update={"criteria": {**record.rubric.criteria, "gate": gate}})
        shut = {"closed_gates": ("gate",), "score": 0.0} if panel.truth[i] == 0 and i % 4 else {}
        records.append(record.model_copy(update={"rubric": rubric, **shut}))
    labels = [Label(episode=f"e{i}", rater="a", level="pass" if y else "fail") for i, y in enumerate(panel.truth)]
    made = fit(records, labels, options=FitOptions(reward=RewardRule(state="feature"), resamples=20))
    fitted = made.maps["overall"]
    assert isinstance(fitted, LinearMap)
    assert fitted.slopes["gates_open"] > 0.5
    shut = next(r for r in records if r.closed_gates)
    assert 0 < (apply(made, shut).reward or 0) < 1


def task_rubric(i: int, verdict: float, judge: float) -> tuple[GradeRecord, Label]:
    """An episode with a rubric of its own, and a person's label of its one question."""
    name = f"q{i}"
    rubric = RubricRef(
        id=f"task_{i}", version="1", fingerprint=f"{i:016d}",
        criteria={name: CriterionRef(fingerprint=f"{i:016x}", weight=1, levels={"no": 0.0, "yes": 1.0}, tags=("facts",))},
    )  # fmt: skip
    said = (Verdict(criterion=name, rater="judge:j", level="yes" if judge else "no", value=judge),)
    record = GradeRecord(
        score=judge, low=judge, high=judge, raw=judge, ungated=judge, values={name: judge}, passed=None, coverage=1, task_id=f"t{i}",
        episode_id=f"e{i}", rubric=rubric, method="m" * 16, panel=("j",), verdicts=said,
        judgements=(Judgement(judge="j", verdicts=said, score=judge),),
    )  # fmt: skip
    return record, Label(episode=f"e{i}", criterion=name, rater="a", level="yes" if verdict else "no")


def test_a_thousand_rubrics_share_one_calibration() -> None:
    generator = rng(6)
    truth = generator.random(400) < 0.5
    judge = np.where(generator.random(400) < 0.85, truth, ~truth)
    rows = [task_rubric(i, float(y), float(j)) for i, (y, j) in enumerate(zip(truth, judge, strict=True))]
    made = fit([r for r, _ in rows[:200]], [x for _, x in rows[:200]], options=QUICK)
    assert set(made.maps) == {"any", "tag:facts", "overall"}
    fresh = [apply(made, record) for record, _ in rows[200:]]
    assert all(record.calibrated for record in fresh)
    yes = [next(iter(r.calibrated.values())) for r in fresh if r.score == 1]
    assert np.mean(yes) == pytest.approx(0.85, abs=0.07)


def test_a_covariate_corrects_what_judges_lean_towards() -> None:
    records, labels = labelled(150)
    plain = fit(records, labels, options=QUICK)
    made = fit(records, labels, options=FitOptions(covariates=("confounder",), resamples=20))
    fitted = made.maps["overall"]
    assert isinstance(fitted, LinearMap)
    assert fitted.slopes["confounder"] < -0.3
    assert brier(made, 3) < brier(plain, 3) - 0.03


def test_a_nuisance_earns_nothing() -> None:
    records, labels = labelled(150)
    made = fit(records, labels, options=FitOptions(nuisances=("confounder",), resamples=20))
    longer = records[0].model_copy(update={"covariates": {"confounder": 5.0}})
    assert apply(made, longer).reward == apply(made, records[0]).reward


def test_the_document_is_plain_json_and_comes_back() -> None:
    made = fit(*labelled(60), options=QUICK)
    assert Calibration.from_json(made.to_json()) == made
    assert made.identified().id == made.id


def test_without_labels_agreement_alone_makes_a_badged_calibration() -> None:
    records, labels = labelled(300)
    made = fit(records, options=FitOptions(label_free=True, resamples=20))
    assert made.badges == ("label_free",)
    assert made.labels.n == 0
    assert made.escalation is None
    truth = {x.episode: x.level == "pass" for x in labels}
    right = [(apply(made, r).reward or 0) > 0.5 for r in records]
    assert np.mean([y == truth[r.episode_id] for y, r in zip(right, records, strict=True)]) > 0.65


def test_two_judges_alone_can_not_stand_in_for_labels() -> None:
    panel = simulate("corr", 40, rng(1))
    two = panel._replace(values=panel.values[:, :2])
    with pytest.raises(CalibrationError, match="three judges or more"):
        fit(records_of(two), options=FitOptions(label_free=True))


def test_a_strict_person_does_not_make_the_agent_worse() -> None:
    """Each person labels other episodes; one gives a star less. The fit takes that off before it learns from them."""
    panel = simulate("corr", 300, rng(8))
    stars = np.clip(np.round(4 * panel.values.mean(axis=1)), 1, 4)
    labels = [
        Label(
            episode=f"e{i}",
            criterion="solved",
            rater="mild" if i % 2 else "strict",
            level=str(int(s) + (1 if i % 2 else 0)),
        )
        for i, s in enumerate(stars)
    ]
    made = fit(records_of(panel), labels, options=QUICK)
    assert made.severities["person:mild"] - made.severities["person:strict"] == pytest.approx(0.25, abs=0.05)


def test_judges_that_say_the_opposite_are_not_heeded() -> None:
    """Else whoever pleases no judge would be paid most."""
    records, labels = labelled(120)
    turned = [x.model_copy(update={"level": "fail" if x.level == "pass" else "pass"}) for x in labels]
    made = fit(records, turned, options=QUICK)
    rewards = {apply(made, record).reward for record in records}
    assert len(rewards) == 1
    assert made.maps["overall"].rung == "flat"
    assert made.escalation is not None
    assert made.escalation.threshold is None
    assert "worse_than_chance" in made.badges


def test_labels_of_one_class_certify_nothing() -> None:
    records, _ = labelled(60)
    made = fit(records, [Label(episode=f"e{i}", rater="a", level="pass") for i in range(60)], options=QUICK)
    assert made.escalation is not None
    assert made.escalation.threshold is None
    assert "one class" in made.escalation.why


def test_a_tiny_inclusion_probability_does_not_decide_in_silence() -> None:
    records, labels = labelled(60)
    odd = [
        labels[0].model_copy(update={"inclusion": 1e-9}),
        *(x.model_copy(update={"inclusion": 0.3}) for x in labels[1:]),
    ]
    assert any("60 labels are worth 1" in warning for warning in fit(records, odd, options=QUICK).warnings)


def test_a_covariate_that_no_record_has_is_an_error() -> None:
    with pytest.raises(CalibrationError, match="no record has a covariate 'nosuch', expected one of confounder"):
        fit(*labelled(30), options=FitOptions(covariates=("nosuch",)))


def test_the_order_of_labels_does_not_matter() -> None:
    records, labels = labelled(60)
    assert fit(records, labels, options=QUICK).id == fit(records, labels[::-1], options=QUICK).id
