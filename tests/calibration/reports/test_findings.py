"""Findings: what is used of what was labelled, what two reports differ in, what to do next."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.calibration import LabelSet
from calibration.figures import Figure
from calibration.reports import Findings, gather
from calibration.results import Bias, Estimate, Plan
from tests.calibration.reports import samples
from tests.calibration.reports.samples import CRITERIA, agreement, figure, findings


def test_what_was_used_and_what_it_covers_stand_beside_every_criterion() -> None:
    """C04: 12 of 40 labelled episodes have no grade."""
    found = findings(("tone",), pairing=samples.pairing(("tone",), n=28, ungraded=12))
    for trust in (found.whole, *found.criteria):
        assert (trust.used, trust.labelled, trust.coverage) == (28, 40, 0.7)


def test_an_id_with_a_slash_is_counted_for_its_own_criterion() -> None:
    """Episodes are often named TASK/TRIAL, and labels of wholes have no criterion after the slash."""
    pairing = samples.pairing(("tone",), n=20, ungraded=0)
    pairing = replace(
        pairing,
        left_out=(
            samples.LeftOut("no grade: no verdict of a judge: timeout (infra)", ("t/1", "t/1/tone", "t/2/tone")),
        ),
    )
    found = findings(("tone",), pairing=pairing)
    assert (found.whole.labelled, found.criteria[0].labelled) == (21, 22)


def test_two_reports_on_different_labels_can_be_told_apart() -> None:
    """C05: the label set changed between two reports."""
    before, after = samples.pairing(n=40), samples.pairing(n=41)
    one, same, other = (findings(pairing=p).sources for p in (before, samples.pairing(n=40), after))
    assert one.labels_hash == same.labels_hash
    assert one.labels_hash != other.labels_hash
    assert one.calibration_labels.ids_hash == "9" * 16
    assert one.judges["gpt-large"] == ("gpt-large-2026-05",)
    assert one.criteria.keys() == set(CRITERIA)
    assert set(one.grader) == {"judge:gpt-large", "template"}


def test_labels_that_the_calibration_was_fitted_on_are_told_from_fresh_ones() -> None:
    assert findings(labels_hash="9" * 16).sources.same_labels
    assert not findings(labels_hash="8" * 16).sources.same_labels


def test_wholes_added_up_from_criteria_are_not_counted_as_labels() -> None:
    pairing = samples.pairing(("tone",), n=30, ungraded=0)
    pairs = tuple(
        replace(p, raters={"person:derived": p.truth}) if p.item.criterion is None else p for p in pairing.pairs
    )
    sources = findings(("tone",), pairing=replace(pairing, pairs=pairs)).sources
    assert (sources.used, sources.labelled, sources.derived, sources.raters) == (30, 30, 30, 1)


def test_criteria_stand_in_the_order_of_the_rubric_and_those_without_labels_are_counted() -> None:
    pairing = samples.pairing()
    pairing = replace(pairing, pairs=tuple(p for p in pairing.pairs if p.item.criterion != "tone"), left_out=())
    found = findings(pairing=pairing)
    assert [trust.criterion for trust in found.criteria] == ["amount_stated", "policy_followed"]
    assert found.asked == 3


def test_the_panel_decides_and_a_single_judge_does_not() -> None:
    single = agreement("tone", -0.2, a="judge:qwen-small", youden=Figure(value=-0.3, low=-0.5, high=-0.1))
    agreements = [single, *samples.parts()["agreements"]]
    assert next(t for t in findings(agreements=agreements).criteria if t.criterion == "tone").mark == "trusted"


def test_a_criterion_without_a_map_of_its_own_is_served_by_that_of_its_tag() -> None:
    maps = {"tag:accuracy": samples.calibration().maps["tone"], "overall": samples.calibration().maps["overall"]}
    made = samples.calibration(maps=maps, heldout=(samples.heldout("tag:accuracy"), samples.heldout("overall")))
    found = findings(calibration=made)
    assert {trust.map_key for trust in found.criteria} == {"tag:accuracy"}
    assert {trust.rule for trust in found.criteria} == {"borrowed"}


def test_a_leaning_that_the_calibration_holds_at_a_reference_is_no_caution() -> None:
    length = [Bias(name="length", judge="panel", slope=figure(0.1), flagged=True, reads="panel gives 0.10 more")]
    assert findings(biases=length).whole.rule == "leaning"
    held = samples.calibration(covariates={"log_reply_chars": 6.2})
    assert findings(biases=length, calibration=held).whole.mark == "trusted"


def test_without_labels_of_whole_episodes_the_criteria_speak_for_them() -> None:
    made = samples.calibration(heldout=tuple(samples.heldout(c) for c in CRITERIA))
    agreements = [agreement(c) for c in CRITERIA]
    found = findings(pairing=samples.pairing(overall=False), calibration=made, agreements=agreements)
    assert found.whole.rule == "criteria"
    assert found.whole.reason.startswith("3 of 3 labelled criteria may be used")
    assert {use.name: use.mark for use in found.uses}["A reward in training"] == "not enough labels"


def test_nothing_labelled_is_said_and_nothing_breaks() -> None:
    bare = samples.calibration(
        (), maps={}, heldout=(), candidates=(), escalation=None, labels=LabelSet(n=0, tasks=0, raters=0, ids_hash="")
    )
    found = gather(bare, samples.pairing(n=0, ungraded=0))
    assert found.whole.mark == "not enough labels"
    assert found.steps == ("Label 50 episodes, chosen at random.",)


class TestUses:
    """What grades may be used for."""

    @staticmethod
    def uses(found: Findings) -> dict[str, tuple[str, str, str]]:
        return {use.name: (use.mark, use.says, use.but) for use in found.uses}

    def test_a_certified_share_may_stand_and_the_rest_may_not(self) -> None:
        mark, says, but = self.uses(findings())["Single grades without another look"]
        assert mark == "trusted"
        assert says.startswith(
            "The 41% of episodes with a confidence of 0.82 or more: they agree with people in at least 85%"
        )
        assert but == "The other 59% of single grades, without a second look."

    def test_what_cannot_be_certified_says_why(self) -> None:
        made = samples.calibration(escalation=samples.escalation(None, "118 labels reach no lower bound of 85%"))
        mark, says, but = self.uses(findings(calibration=made))["Single grades without another look"]
        assert (mark, says, but) == ("not trusted", "118 labels reach no lower bound of 85%.", "")

    def test_a_raw_rate_outside_the_interval_is_not_to_be_quoted(self) -> None:
        mark, says, but = self.uses(findings())["The rate over all episodes"]
        assert (mark, says) == ("trusted", "Corrected with 120 labels: 62%, between 55% and 69%.")
        assert but == "The raw rate of 74%: it lies outside what the labels allow."

    @pytest.mark.parametrize(
        ("low", "high", "mark"),
        [(0.5, 0.7, "trusted"), (0.45, 0.79, "with care"), (0.3, 0.9, "not enough labels")],
        ids=["narrow", "wide", "too wide"],
    )
    def test_the_width_of_the_interval_decides_on_the_rate(self, low: float, high: float, mark: str) -> None:
        found = findings(estimates=[samples.estimate(low=low, high=high, naive=0.6)])
        assert self.uses(found)["The rate over all episodes"][0] == mark
        assert "The raw rate, 60%, lies inside." in self.uses(found)["The rate over all episodes"][1]

    def test_an_estimate_of_one_criterion_is_not_the_rate(self) -> None:
        found = findings(estimates=[samples.estimate(criterion="tone")])
        assert self.uses(found)["The rate over all episodes"][:2] == (
            "not enough labels", "No estimate was made of episodes as a whole."
        )  # fmt: skip

    def test_an_estimate_that_is_undefined_says_why(self) -> None:
        none = Estimate(
            method="ppi++", value=None, low=None, high=None, labelled=0, judged=9, tasks=0, why="there are no labels"
        )
        assert self.uses(findings(estimates=[none]))["The rate over all episodes"][:2] == (
            "not enough labels",
            "There are no labels.",
        )

    def test_a_reward_that_was_not_audited_is_taken_with_care(self) -> None:
        assert self.uses(findings(transports=[]))["A reward in training"][0] == "with care"
        assert self.uses(findings())["A reward in training"][0] == "trusted"


class TestSteps:
    """What to do next."""

    def test_a_judge_no_better_than_chance_is_to_be_dropped(self) -> None:
        panel = samples.panel()
        bad = panel.judges[1].model_copy(update={"youden": Figure(value=0.02, low=-0.1, high=0.14)})
        panel = panel.model_copy(update={"judges": (panel.judges[0], bad, panel.judges[2])})
        assert "Drop judge claude-mid: no better than chance, J 0.02 (−0.10 to 0.14)." in findings(panels=[panel]).steps

    def test_of_several_judges_that_add_nothing_only_one_is_named(self) -> None:
        """Two that say the same each add nothing beside the other."""
        panel = samples.panel()
        gains = zip(panel.judges, (0.002, -0.001, 0.001), strict=True)
        idle = [j.model_copy(update={"adds_nothing": True, "gain": figure(gain)}) for j, gain in gains]
        found = findings(panels=[panel.model_copy(update={"judges": tuple(idle)})])
        assert [s for s in found.steps if "adds nothing" in s] == [
            "Judge claude-mid adds nothing that can be measured: drop it, or replace it by one of another family."
        ]

    def test_the_same_step_for_several_criteria_is_said_once(self) -> None:
        agreements = [agreement(c, 0.4) for c in CRITERIA] + [agreement(None)]
        steps = findings(agreements=agreements).steps
        assert (
            "Read the worst disagreements on amount_stated, policy_followed and tone and make its question plainer."
            in steps
        )

    def test_a_plan_says_how_many_labels_are_still_to_come(self) -> None:
        plan = Plan(wish="a half width of .05", labels=180, labels_alone=246, have=120)
        assert "Label 60 more episodes for a half width of .05; the queue is below." in findings(plan=plan).steps
        assert not [s for s in findings(plan=plan.model_copy(update={"have": 200})).steps if "half width" in s]
