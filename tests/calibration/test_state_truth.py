"""Labels for free: what the state comparison of a graded episode says about judged criteria and about the whole."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.errors import CalibrationError
from calibration.oracles.circularity import refuse_circularity, state_shown
from calibration.oracles.facts import did_nothing, goal_is_empty, required_changes, state_value
from calibration.oracles.shadows import shadow_of
from calibration.pairing import pair
from calibration.state_truth import CIRCULAR, EMPTY_GOAL, NO_STATE, NOT_COMPARED, NOT_STATED, state_labels, state_truth
from judge.record import GradeRecord
from tests.calibration.refunds import CREDIT, REFUND, REFUNDED, STATE, WRONG_REFUND, episode, graded, rubric

YES = {"j": {"refunded": "yes", "sneaky": "no", "tone": "yes"}}


def levels(records: list[GradeRecord], criterion: str | None = "refunded") -> dict[str, str | None]:
    return {label.episode: label.level for label in state_labels(records) if label.criterion == criterion}


def reasons(records: list[GradeRecord]) -> dict[str, tuple[str, ...]]:
    return {left.reason: left.ids for left in state_truth(records).left_out}


def test_what_the_shadowed_part_went_through_labels_the_criterion() -> None:
    records = graded(
        [
            episode("made", did=[REFUND]), episode("missing"), episode("wrong", did=[WRONG_REFUND]),
            episode("collateral elsewhere", did=[REFUND, CREDIT]),
        ],
        rubric(STATE, REFUNDED), YES,
    )  # fmt: skip
    assert levels(records) == {"made": "yes", "missing": "no", "wrong": "no", "collateral elsewhere": "yes"}
    assert levels(records, None) == {"made": "pass", "missing": "fail", "wrong": "fail", "collateral elsewhere": "fail"}
    assert {label.rater for label in state_labels(records)} == {"check:state"}


def test_a_label_says_which_changes_decided_it() -> None:
    records = graded([episode("wrong", did=[WRONG_REFUND])], rubric(STATE, REFUNDED), YES)
    notes = [label.note for label in state_labels(records)]
    assert all("made wrong: refunds/r1" in note for note in notes)
    assert all("48" in note and "84" in note for note in notes)


def test_a_penalty_is_labelled_the_other_way_round() -> None:
    sneaky = {
        "id": "sneaky",
        "ask": "Did it give credit?",
        "weight": -1,
        "shadows": {"tables": "credits", "kinds": "collateral"},
    }
    records = graded(
        [episode("honest", did=[REFUND]), episode("sneaky", did=[REFUND, CREDIT])], rubric(STATE, REFUNDED, sneaky), YES
    )
    assert levels(records, "sneaky") == {"honest": "no", "sneaky": "yes"}


def test_what_was_not_asked_for_is_no_proof_that_it_was_done() -> None:
    """A goal without a refund has none missing, and yet no refund was made."""
    records = graded([episode("no refund", did=[CREDIT], goal=[CREDIT])], rubric(STATE, REFUNDED), YES)
    assert levels(records) == {}
    assert reasons(records) == {EMPTY_GOAL: ("no refund/refunded",)}
    assert levels(records, None) == {"no refund": "pass"}


def test_an_empty_goal_is_no_free_truth_of_the_whole_whatever_the_agent_did() -> None:
    records = graded([episode("idle", goal=[]), episode("busy", did=[CREDIT], goal=[])], rubric(STATE, REFUNDED), YES)
    truth = state_truth(records)
    assert not truth.labels
    assert truth.empty_goals == ("idle", "busy")
    assert [goal_is_empty(record) for record in records] == [True, True]


@pytest.mark.parametrize(
    ("gate", "labelled"),
    [
        ({"name": "says", "words": ["refund"], "in": "any_reply"}, "pass"),
        ({"name": "says", "words": ["can't"], "in": "any_reply"}, "fail"),
        ({"name": "says", "words": ["sorry"], "in": "any_reply", "not": True}, None),
        ({"name": "not_called", "tool": "refund"}, None),
        ({"name": "path", "at": "$.orders.o1.status", "equals": "paid"}, None),
        ({"name": "outcome", "of": "reward"}, None),
    ],
    ids=["says", "says not found", "must not say", "must not call", "look at the state", "recorded reward"],
)
def test_an_empty_goal_counts_where_another_gate_requires_something(gate: dict[str, Any], labelled: str | None) -> None:
    also = {"id": "also", "check": gate, "gate": True}
    records = graded([episode("idle", goal=[], reward=1.0)], rubric(STATE, also, REFUNDED), YES)
    assert levels(records, None) == ({} if labelled is None else {"idle": labelled})


def test_a_positive_check_without_a_gate_does_not_make_an_empty_goal_count() -> None:
    also = {"id": "also", "check": {"name": "says", "words": ["refund"], "in": "any_reply"}}
    records = graded([episode("idle", goal=[])], rubric(STATE, also), {})
    assert levels(records, None) == {}


def test_a_state_that_was_not_compared_labels_nothing() -> None:
    records = graded([episode("unknown", did=[REFUND], goal=None)], rubric(STATE, REFUNDED), YES)
    assert not list(state_labels(records))
    assert reasons(records) == {NO_STATE: ("unknown/refunded", "unknown")}
    assert [state_value(record) for record in records] == [None]


def test_a_rubric_without_a_state_check_labels_nothing() -> None:
    records = graded([episode("e", did=[REFUND])], rubric(REFUNDED), YES)
    assert reasons(records) == {NOT_STATED: ("e/refunded", "e")}


def test_a_shadowed_table_that_no_check_compares_labels_nothing() -> None:
    """Else every episode would be right, since no change is ever found there."""
    orders = {"id": "right_orders", "check": {"name": "state", "tables": ["orders"]}, "gate": True}
    records = graded([episode("missing")], rubric(orders, REFUNDED), YES)
    assert reasons(records)[NOT_COMPARED] == ("missing/refunded",)


def test_two_state_checks_are_taken_together() -> None:
    parts = [
        {"id": f"right_{t}", "check": {"name": "state", "tables": [t]}, "gate": True} for t in ("credits", "refunds")
    ]
    records = graded(
        [episode("half", did=[REFUND, CREDIT]), episode("right", did=[REFUND])], rubric(*parts, REFUNDED), YES
    )
    assert {change["path"] for change in records[0].changes} == {"credits/c1/amount", "refunds/r1"}
    assert levels(records) == {"half": "yes", "right": "yes"}
    assert levels(records, None) == {"half": "fail", "right": "pass"}


def test_of_several_right_ends_the_changes_of_the_nearest_decide() -> None:
    goal = {"any_of": [{"$base": "initial_state", "$patch": [p]} for p in (REFUND, CREDIT)]}
    records = graded(
        [episode("credit", did=[CREDIT], goal=goal), episode("idle", goal=goal)], rubric(STATE, REFUNDED), YES
    )
    assert levels(records, None) == {"credit": "pass", "idle": "fail"}
    assert levels(records) == {"idle": "no"}


def test_goals_of_predicates_label_too() -> None:
    goal = {"require": [{"table": "refunds", "where": {"order": "o1", "amount": 48}, "count": 1}]}
    records = graded(
        [episode("made", did=[REFUND], goal=goal), episode("missing", goal=goal)], rubric(STATE, REFUNDED), YES
    )
    assert levels(records) == {"made": "yes", "missing": "no"}


def test_a_state_check_with_a_weight_is_no_truth_of_the_score_it_is_part_of() -> None:
    weighted = {**STATE, "gate": False, "weight": 2}
    records = graded([episode("made", did=[REFUND])], rubric(weighted, REFUNDED), YES)
    assert levels(records) == {"made": "yes"}
    assert reasons(records) == {CIRCULAR: ("made",)}
    with pytest.raises(
        CalibrationError, match="'right_state' is a state check, which is the truth here, and has a weight"
    ):
        refuse_circularity(records)


@pytest.mark.parametrize(
    ("uses", "words"),
    [
        ({"covariates": ["gates_open"]}, "covariate 'gates_open' is made of the state check 'right_state'"),
        ({"covariates": ["right_state"]}, "covariate 'right_state' is made of the state check"),
        ({"gated": True}, "the reward is 0 behind the state check 'right_state'"),
    ],
    ids=["gates", "itself", "gated"],
)
def test_the_state_is_never_truth_and_feature_or_gate_at_once(uses: dict[str, Any], words: str) -> None:
    records = graded([episode("made", did=[REFUND])], rubric(STATE, REFUNDED), YES)
    refuse_circularity(records, covariates=["reply_chars"])
    with pytest.raises(CalibrationError, match=words):
        refuse_circularity(records, **uses)


def test_who_saw_the_state_is_known_by_the_evidence_of_each_criterion() -> None:
    open_ = {"id": "tone", "ask": "Is it kind?"}
    records = graded([episode("made", did=[REFUND])], rubric(STATE, REFUNDED, open_), YES)
    assert state_shown(records[0], "refunded") is False
    assert state_shown(records[0], "tone") is True
    assert state_shown(records[0]) is True
    assert state_shown(graded([episode("made")], rubric(STATE, REFUNDED), YES)[0]) is False


def test_labels_meet_the_judges_by_episode_and_criterion() -> None:
    records = graded([episode("made", did=[REFUND]), episode("missing")], rubric(STATE, REFUNDED), YES)
    pairs = pair(records, state_labels(records)).pairs
    found = {(p.item.episode, p.item.criterion): (p.item.judges["j"], p.truth) for p in pairs}
    assert found["missing", "refunded"] == (1.0, 0.0)
    assert found["made", "refunded"] == (1.0, 1.0)


@pytest.mark.parametrize(
    ("shadows", "words"),
    [
        ({"table": ["refunds"]}, "'refunded': shadows has no key 'table', expected tables, paths, kinds"),
        ({"kinds": ["lost"]}, "'refunded': shadows has the kind 'lost', expected some of missing, wrong, collateral"),
    ],
    ids=["key", "kind"],
)
def test_shadows_that_say_nothing_are_refused(shadows: dict[str, Any], words: str) -> None:
    with pytest.raises(CalibrationError, match=words):
        shadow_of("refunded", shadows)


@pytest.mark.parametrize(
    ("path", "change", "touched"),
    [
        ("refunds.*.amount", "refunds/r1/amount", True),
        ("refunds.*.amount", "refunds/r1/order", False),
        ("refunds.amount", "refunds/r1/amount", True),
        ("refunds[*].amount", "refunds/r1/amount", True),
        ("refunds/r1", "refunds/r1/amount", True),
        ("refunds/r1", "refunds/r2/amount", False),
        ("refunds.*.amount", "refunds/r1", True),
        ("refunds.*.amount", "", True),
        ("*.amount", "credits/c1/amount", True),
        ("*.amount", "credits/c1/status", False),
        ("refunds.*.am*", "refunds/r1/amount", True),
        ("refunds/a~1b", "refunds/a~1b/amount", True),
    ],
)
def test_paths_name_places_as_the_state_check_does(path: str, change: str, touched: bool) -> None:
    shadow = shadow_of("c", {"paths": [path], "kinds": ["wrong"]})
    assert bool(shadow.faults([{"path": change, "kind": "made_wrong", "was": 1, "now": 2}])) == touched


def test_a_row_that_is_missing_whole_touches_every_column_of_it() -> None:
    shadow = shadow_of("c", {"paths": ["*.amount"]})
    assert shadow.faults([{"path": "refunds/r1", "kind": "required_missing", "wanted": {"amount": 48}}])


changes = st.sampled_from([REFUND, WRONG_REFUND, CREDIT])


@given(did=st.lists(changes, max_size=3, unique_by=str), goal=st.lists(changes, max_size=2, unique_by=str))
def test_the_label_of_the_whole_is_the_check_and_agrees_with_the_parts(did: list[Any], goal: list[Any]) -> None:
    from judge.engine import Engine

    record = Engine().check(episode("e", did=did, goal=goal), rubric(STATE, REFUNDED))
    whole, part = levels([record], None).get("e"), levels([record]).get("e")
    assert (whole is None) == goal_is_empty(record)
    assert whole in (None, "pass" if record.values["right_state"] == 1.0 else "fail")
    assert not (whole == "pass" and part == "no")
    assert did_nothing(record) == (not did)
    assert bool(required_changes(record)) == bool(goal)


def test_records_that_do_not_say_what_their_checks_were_are_read_by_who_gave_the_verdict() -> None:
    """Records of an older version have neither `check` nor `evidence`."""
    record = graded([episode("missing")], rubric(STATE, REFUNDED), YES)[0]
    older = {c: r.model_copy(update={"check": None, "evidence": None}) for c, r in record.rubric.criteria.items()}
    record = record.model_copy(update={"rubric": record.rubric.model_copy(update={"criteria": older})})
    assert levels([record]) == {"missing": "no"}
    assert levels([record], None) == {"missing": "fail"}
    assert state_shown(record) is None
