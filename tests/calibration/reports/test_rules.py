"""The verdict in words: each rule and caution gives its mark and says why, in an order in which the graver comes first."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.calibration import HeldOut
from calibration.figures import Figure
from calibration.reports.cautions import CAUTIONS
from calibration.reports.evidence import MARKS, Evidence
from calibration.reports.rules import RULES, labels_to_go
from calibration.reports.trust import trust_in, trust_in_all
from calibration.results import Bias, Transport
from tests.calibration.reports.samples import agreement, escalation, figure, heldout

NONE = Figure(value=None, why="one class only")
CHANCE = Figure(value=0.02, low=-0.1, high=0.14)
CONTRARY = Figure(value=-0.3, low=-0.45, high=-0.1)


def evidence(criterion: str | None = "tone", **more: Any) -> Evidence:
    """Evidence against which nothing speaks, but for `more`."""
    key = criterion or "overall"
    given_: dict[str, Any] = {
        "criterion": criterion, "used": 120, "labelled": 124, "passes": 74, "fails": 46, "agreement": agreement(criterion),
        "heldout": heldout(key), "key": key,
    }  # fmt: skip
    return Evidence(**(given_ | more))


def without_signal(youden: Figure = CHANCE) -> HeldOut:
    return heldout("tone", signal=False, brier=0.236, youden=youden)


def policy(holds: bool | None, name: str = "v2") -> Transport:
    return Transport(policy=name, policy_step=400, n=40, tasks=40, residual=figure(-0.15), p_value=0.01, holds=holds)


PEOPLE_DISAGREE = agreement("tone", 0.3, people={"alpha": figure(0.06), "ac2": figure(0.21)})
SLIGHT = agreement("tone", 0.12)
CASES = {
    "unlabelled": (evidence(used=0, labelled=0), "not enough labels", "Nothing is labelled."),
    "labelled but ungraded": (
        evidence(used=0, labelled=12),
        "not enough labels",
        "12 episodes are labelled, but none of them has a grade.",
    ),
    "worse than chance": (
        evidence(heldout=without_signal(CONTRARY)),
        "not trusted",
        "Worse than chance: it tends to say the opposite of people",
    ),
    "people disagree": (
        evidence(agreement=PEOPLE_DISAGREE),
        "not trusted",
        "People agree with each other at alpha 0.06 only, so there is nothing to calibrate to.",
    ),
    "one class": (
        evidence(passes=120, fails=0),
        "not enough labels",
        "Every label is a pass, so nobody can say whether the judge would notice failures.",
    ),
    "the other class": (evidence(passes=0, fails=120), "not enough labels", "Every label is a failure"),
    "few labels": (
        evidence(used=9, labelled=9, passes=6, fails=3),
        "not enough labels",
        "9 labelled episodes only, with 3 failures.",
    ),
    "few of a class": (
        evidence(passes=117, fails=3),
        "not enough labels",
        "Only 3 of 120 labels are failures, too few to see if the judge notices them.",
    ),
    "label free": (
        evidence(badges=("label_free",)),
        "not enough labels",
        "The probabilities rest on how the judges agree with each other",
    ),
    "no signal": (
        evidence(heldout=without_signal()),
        "no signal",
        "No better than chance: always giving the usual answer would do as well (J 0.02 (−0.10 to 0.14)).",
    ),
    "no signal, nothing held out": (
        evidence(heldout=None, agreement=agreement("tone", youden=CHANCE)),
        "no signal",
        "No better than chance",
    ),
    "next to no signal": (
        evidence(heldout=heldout("tone", brier=0.229, youden=Figure(value=0.04, low=0.004, high=0.11))),
        "no signal",
        "Hardly better than chance: always giving the usual answer would do almost as well (J 0.04 (0.00 to 0.11)).",
    ),
    "moved": (
        evidence(transports=(policy(False),)),
        "not trusted",
        "The calibration does not hold for v2 at step 400: it overrates by 15% on average.",
    ),
    "weak": (
        evidence(agreement=SLIGHT, heldout=heldout("tone", brier=0.23)),
        "not trusted",
        "Its agreement with people is slight: 0.12 beyond chance",
    ),
    "thin": (
        evidence(used=40, labelled=40, passes=25, fails=15),
        "with care",
        "but only 40 labels, so the figures are rough.",
    ),
    "thin in failures": (
        evidence(passes=112, fails=8),
        "with care",
        "but only 8 of 120 labels are failures, so how often bad work slips through is hardly known.",
    ),
    "thin in passes": (
        evidence(passes=8, fails=112),
        "with care",
        "so how often good work is refused is hardly known.",
    ),
    "cut blind": (
        evidence(heldout=heldout("tone", youden=CHANCE)),
        "with care",
        "only the calibrated probability tells anything",
    ),
    "passes bad work": (
        evidence(agreement=agreement("tone", tnr=figure(0.44))),
        "with care",
        "but by itself it passes 56% of the bad work.",
    ),
    "fails good work": (
        evidence(agreement=agreement("tone", tpr=figure(0.6))),
        "with care",
        "but by itself it fails 40% of the good work.",
    ),
    "below people": (
        evidence(agreement=agreement("tone", 0.5)),
        "with care",
        "but its agreement beyond chance is 0.50, where 1 is perfect and people reach 0.74 with each other.",
    ),
    "no ceiling": (
        evidence(agreement=agreement("tone", 0.5, ceiling=None)),
        "with care",
        "how far people agree with each other isn't known.",
    ),
    "ungraded": (
        evidence(labelled=160),
        "with care",
        "but 40 of 160 labelled episodes have no grade, and the figures are silent on those.",
    ),
    "holds in part": (
        evidence(transports=(policy(True, "v1"), policy(False))),
        "with care",
        "but the calibration does not hold for v2 at step 400",
    ),
    "borrowed": (
        evidence(key="tag:style"),
        "with care",
        "its probabilities come from a map fitted on all criteria tagged style.",
    ),
    "borrowed of all": (evidence(key="any"), "with care", "fitted on all criteria together."),
    "uncertified": (
        evidence(None, escalation=escalation(None)),
        "with care",
        "no single grade can be certified to agree with people in 85% of cases.",
    ),
    "leaning": (
        evidence(
            None, leanings=(Bias(name="length", judge="panel", slope=figure(0.1), reads="panel gives 0.10 more"),)
        ),
        "with care",
        "the judges lean on what people don't: panel gives 0.10 more.",
    ),
    "uncalibrated": (evidence(badges=("uncalibrated",)), "with care", "nothing was fitted."),
    "nothing": (
        evidence(),
        "trusted",
        "It agrees with people on 87% of episodes, and people with each other on 88%; its agreement beyond chance is 0.72 of 1, "
        "that of people with each other 0.74.",
    ),
    "the state check": (
        evidence(people="the state check"),
        "trusted",
        "It agrees with the state check on 87% of episodes",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_rule_gives_its_mark_and_says_why(name: str) -> None:
    known, mark, words = CASES[name]
    found = trust_in(known)
    assert found.mark == mark
    assert words in found.reason


def test_every_rule_and_caution_is_met_by_a_case() -> None:
    met = {trust_in(known).rule for known, _, _ in CASES.values()}
    assert met == {rule.name for rule in (*RULES, *CAUTIONS)} | {"trusted"}


NO_STEP = {"nothing", "the state check", "borrowed", "borrowed of all", "uncertified", "uncalibrated"}


@pytest.mark.parametrize("name", [name for name in CASES if name not in NO_STEP])
def test_what_is_wrong_comes_with_a_step(name: str) -> None:
    assert trust_in(CASES[name][0]).steps


@pytest.mark.parametrize(
    ("steps", "known"),
    [
        ("Rewrite criterion tone: people agree with each other at alpha 0.06 only.", CASES["people disagree"][0]),
        ("Label 50 more episodes on tone, at random.", CASES["few labels"][0]),
        ("Try another judge or a plainer question for tone; until then leave it to people.", CASES["no signal"][0]),
    ],
    ids=["rewrite", "label", "another judge"],
)
def test_the_step_names_the_criterion_and_what_to_do(steps: str, known: Evidence) -> None:
    assert trust_in(known).steps == (steps,)


def test_a_graver_rule_comes_before_a_lesser_one() -> None:
    """Of a criterion on which people disagree, few labels are not the trouble; of one without labels, nothing else is known."""
    both = evidence(agreement=PEOPLE_DISAGREE, used=9, labelled=9, passes=5, fails=4)
    assert trust_in(both).rule == "people_disagree"
    assert trust_in(evidence(agreement=PEOPLE_DISAGREE, used=0, labelled=0)).rule == "unlabelled"


def test_skewed_labels_alone_do_not_make_people_disagree() -> None:
    """Alpha collapses where nearly all is good while AC2 stays high: both must be low."""
    skewed = agreement("tone", 0.7, people={"alpha": figure(0.1), "ac2": figure(0.9)})
    assert trust_in(evidence(agreement=skewed)).rule != "people_disagree"


def test_people_who_labelled_few_items_twice_are_no_ceiling() -> None:
    few = agreement("tone", 0.5)
    assert few.ceiling is not None
    few = few.model_copy(update={"ceiling": few.ceiling.model_copy(update={"n": 4})})
    assert "isn't known" in trust_in(evidence(agreement=few)).reason


def test_all_cautions_are_said_and_the_first_is_the_reason() -> None:
    found = trust_in(evidence(used=40, labelled=60, passes=25, fails=15, agreement=agreement("tone", 0.5)))
    assert found.rule == "thin"
    assert [caution[:20] for caution in found.cautions] == ["Its agreement beyond", "20 of 60 labelled ep"]


def test_on_a_graded_scale_agreement_is_that_on_pass_or_fail_and_kappa_is_weighted() -> None:
    """People and judges who differ by one level of five do not disagree; the ceiling of equal levels is no match for that."""
    graded = agreement("tone", 0.1, levels=("1", "2", "3"), weighted_kappa=figure(0.7), raw=figure(0.2))
    found = trust_in(evidence(agreement=graded))
    assert found.reason == (
        "It agrees with people pass or fail in 84% of episodes; its agreement beyond chance is 0.70 of 1, that of people with each "
        "other 0.74."
    )
    assert found.ceiling is None
    assert found.mark == "trusted"


def test_one_policy_that_holds_keeps_the_rest_from_ruling_it_out() -> None:
    assert trust_in(evidence(transports=(policy(False), policy(None, "v3")))).mark == "not trusted"
    assert trust_in(evidence(transports=(policy(False), policy(True, "v1")))).mark == "with care"


@pytest.mark.parametrize(
    ("marks", "whole"),
    [
        (("trusted", "trusted"), "trusted"),
        (("trusted", "not trusted"), "with care"),
        (("with care", "not enough labels"), "with care"),
        (("not enough labels", "no signal"), "no signal"),
        (("not enough labels",), "not enough labels"),
        ((), "not enough labels"),
    ],
    ids=["all", "some", "care", "none", "few", "nothing"],
)
def test_the_whole_is_what_its_criteria_come_to(marks: tuple[str, ...], whole: str) -> None:
    known = {mark: next(k for k, m, _ in CASES.values() if m == mark) for mark in MARKS}
    assert trust_in_all([trust_in(known[mark]) for mark in marks], 10, 10).mark == whole  # type: ignore[index]


@given(st.integers(0, 500), st.floats(0, 1))
def test_labels_to_go_is_a_bounded_multiple_of_ten(used: int, share: float) -> None:
    more = labels_to_go(used, int(used * share / 2))
    assert more is None or (more % 10 == 0 and 10 <= more <= 400)


def test_where_the_rarer_class_is_too_rare_to_wait_for_it_is_to_be_looked_for() -> None:
    assert trust_in(evidence(used=477, labelled=477, passes=475, fails=2)).steps == (
        "Label episodes that may be failures on tone, and record how they were chosen.",
    )


@given(
    used=st.integers(0, 200), fails=st.integers(0, 200), kappa=st.none() | st.floats(-1, 1), signal=st.booleans(),
    low=st.none() | st.floats(-1, 0.9), brier=st.floats(0, 0.4),
)  # fmt: skip
def test_any_evidence_gets_a_mark_and_a_sentence(
    used: int, fails: int, kappa: float | None, signal: bool, low: float | None, brier: float
) -> None:
    fails = min(fails, used)
    youden = NONE if low is None else Figure(value=low + 0.05, low=low, high=low + 0.1)
    found = trust_in(
        evidence(
            used=used, labelled=used, passes=used - fails, fails=fails, agreement=agreement("tone", kappa, youden=youden),
            heldout=heldout("tone", signal=signal, brier=brier, youden=youden),
        )
    )  # fmt: skip
    assert found.mark in MARKS
    assert not found.reason[0].islower()
    assert found.reason.endswith(".")
    assert not {"None", "nan"} & set(found.reason.replace("(", " ").split())
    assert found.mark != "trusted" or (signal and min(used - fails, fails) >= 20)
