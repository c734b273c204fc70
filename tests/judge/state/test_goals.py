"""Goals: a state, changes, one of several, or predicates; a goal that says nothing is refused."""

from __future__ import annotations

from typing import Any

import pytest

from judge.state import GoalError, Options, State, StateUnavailable, compare, read_goal

REFUND = {"charge_id": "CH-2", "amount": 48, "method": {"kind": "card"}}
BEFORE: dict[str, Any] = {
    "charges": {"CH-1": {"amount": 48}, "CH-2": {"amount": 48}},
    "refunds": [],
    "tickets": {"T-1": {"status": "open", "at": 1}},
}
AFTER: dict[str, Any] = {**BEFORE, "refunds": [REFUND], "tickets": {"T-1": {"status": "closed", "at": 2}}}


def kinds(goal: Any, final: Any, initial: Any = BEFORE, **args: Any) -> list[tuple[str, str]]:
    start = None if initial is None else State.of(initial)
    comparison = compare(start, final, read_goal(goal, initial=start), Options.from_args(args))
    assert comparison.match == (not comparison.faults)
    return [(change.path, change.kind) for change in comparison.changes]


def match(goal: Any, final: Any, initial: Any = BEFORE, **args: Any) -> bool:
    return not any(
        kind in ("required_missing", "made_wrong", "collateral") for _, kind in kinds(goal, final, initial, **args)
    )


@pytest.mark.parametrize(
    "goal",
    [
        {},
        [],
        {"any_of": []},
        {"any_of": [AFTER, {}]},
        {"require": [], "forbid": []},
        {"require": []},
        {"any_of": AFTER},
    ],
    ids=repr,
)
def test_an_empty_goal_is_refused(goal: Any) -> None:
    with pytest.raises(GoalError):
        read_goal(goal, initial=State.of(BEFORE))
    with pytest.raises(GoalError):
        compare(BEFORE, AFTER, goal)


def test_an_absent_goal_is_unavailable_and_no_match() -> None:
    with pytest.raises(StateUnavailable, match="there is no goal state"):
        read_goal(None)


def test_change_nothing_is_a_goal_that_only_the_untouched_state_fulfils() -> None:
    nothing = {"$base": "initial_state", "$patch": []}
    assert kinds(nothing, BEFORE) == []
    assert {kind for _, kind in kinds(nothing, AFTER)} == {"collateral"}
    assert compare(State.of(BEFORE), BEFORE, read_goal(nothing, initial=State.of(BEFORE))).required == 0


def test_any_of_takes_the_alternative_that_matches_or_comes_closest() -> None:
    escalated = {**BEFORE, "tickets": {"T-1": {"status": "escalated", "at": 1}}}
    goal = {"any_of": [AFTER, escalated]}
    assert match(goal, AFTER)
    assert match(goal, escalated)
    comparison = compare(BEFORE, {**escalated, "extra": [1]}, read_goal(goal))
    assert comparison.alternative == 1
    assert [change.path for change in comparison.faults] == ["extra"]


def test_any_of_may_mix_states_changes_and_predicates() -> None:
    goal = {"any_of": [{"$base": "initial_state", "$patch": []}, {"require": [{"table": "refunds"}]}]}
    assert match(goal, BEFORE)
    assert match(goal, AFTER)
    assert not match(goal, {**BEFORE, "tickets": {}})


EXACTLY_ONE = {"require": [{"table": "refunds", "where": {"charge_id": "CH-2", "amount": 48}, "count": 1}]}


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([REFUND], "required_made"),
        ([], "required_missing"),
        ([REFUND, REFUND], "collateral"),
        ([{**REFUND, "amount": 84}], "made_wrong"),
        ([{**REFUND, "amount": 84}, REFUND], "required_made"),
        ([{**REFUND, "amount": "48"}], "made_wrong"),
        ([{**REFUND, "amount": True}], "made_wrong"),
    ],
)
def test_exactly_one_row_like_this(rows: Any, kind: str) -> None:
    assert kinds(EXACTLY_ONE, {**AFTER, "refunds": rows}) == [("refunds", kind)]


def test_a_predicate_that_held_from_the_start_asks_for_no_change() -> None:
    goal = {"require": [{"table": "charges", "where": {"amount": 48}, "count": 2}]}
    assert kinds(goal, AFTER) == []
    assert kinds(goal, {**AFTER, "charges": {}}) == [("charges", "required_missing")]


@pytest.mark.parametrize(
    ("count", "rows", "right"),
    [
        ({"min": 2}, 1, False),
        ({"min": 2}, 2, True),
        ({"max": 1}, 2, False),
        ({"max": 1}, 0, True),
        (0, 0, True),
        (0, 1, False),
    ],
)
def test_counts_have_bounds(count: Any, rows: int, right: bool) -> None:
    assert match({"require": [{"table": "refunds", "count": count}]}, {**AFTER, "refunds": [REFUND] * rows}) is right


def test_added_counts_only_rows_that_are_new() -> None:
    goal = {"require": [{"table": "charges", "where": {"amount": 48}, "added": True, "count": 1}]}
    assert not match(goal, AFTER)
    assert match(goal, {**AFTER, "charges": {**AFTER["charges"], "CH-3": {"amount": 48}}})
    in_list = {"require": [{"table": "refunds", "added": True, "count": 1}]}
    assert match(in_list, {"refunds": [REFUND, {**REFUND, "amount": 1}]}, {"refunds": [REFUND]})
    with pytest.raises(StateUnavailable, match="`added` needs the initial state"):
        kinds(goal, AFTER, None)


def test_a_forbidden_row_is_shown() -> None:
    goal = {"forbid": [{"table": "credits", "where": {"amount": {"$gte": 1}}}]}
    assert kinds(goal, AFTER) == []
    assert kinds(goal, {**AFTER, "credits": [{"amount": 0}, {"amount": 20}]}) == [("credits/1", "collateral")]


def test_a_forbidden_row_that_was_there_from_the_start_should_have_gone() -> None:
    goal = {"forbid": [{"table": "tickets", "where": {"status": "open"}}]}
    assert kinds(goal, BEFORE) == [("tickets/T-1", "required_missing")]
    assert kinds(goal, AFTER) == []


@pytest.mark.parametrize(
    ("forbidden", "right"),
    [
        ({"changed": "charges"}, True),
        ({"changed": "tickets"}, False),
        ({"changed": "tickets.*.at"}, False),
        ({"changed": "tickets/*/owner"}, True),
        ({"changed": "refunds.*.amount"}, False),
        ({"changed": "*"}, False),
        ({"changed": "*", "except": ["refunds", "tickets.*.status"]}, False),
        ({"changed": "*", "except": ["refunds", "tickets"]}, True),
        ({"changed": "**", "except": ["refunds", "tickets.*.status", "tickets.*.at"]}, True),
    ],
)
def test_forbidden_changes_are_found_below_within_and_but_for_exceptions(forbidden: Any, right: bool) -> None:
    assert match({"forbid": [forbidden]}, AFTER) is right


def test_looseness_holds_in_predicates() -> None:
    assert match(EXACTLY_ONE, {**AFTER, "refunds": [{**REFUND, "amount": "48.00"}]}, numeric=["refunds.amount"])
    forbidden = {"forbid": [{"changed": "tickets"}]}
    only_clock = {**BEFORE, "tickets": {"T-1": {"status": "open", "at": 9}}}
    assert match(forbidden, only_clock, ignore=["*.at"])
    assert not match(forbidden, only_clock)


@pytest.mark.parametrize(
    ("where", "right"),
    [
        ({"amount": {"$in": [47, 48]}}, True),
        ({"amount": {"$ne": 48}}, False),
        ({"amount": {"$gte": 48, "$lte": 48}}, True),
        ({"amount": {"$gte": 49}}, False),
        ({"charge_id": {"$gte": "CH"}}, True),
        ({"amount": {"$gte": "1"}}, False),
        ({"note": {"$exists": False}}, True),
        ({"method.kind": "card"}, True),
        ({"method": {"kind": "card"}}, True),
        ({"method.kind": "cash"}, False),
        ({"note": None}, False),
        ({}, True),
    ],
)
def test_conditions_on_columns(where: Any, right: bool) -> None:
    assert match({"require": [{"table": "refunds", "where": where}]}, AFTER) is right


def test_rows_by_key_can_be_named_by_their_key() -> None:
    assert match({"require": [{"table": "tickets", "where": {"_key": "T-1", "status": "closed"}}]}, AFTER)


def test_a_table_within_a_part_of_the_state_is_named_with_dots_or_slashes() -> None:
    final = {"agent_db": {"bills": [{"id": 1}]}}
    assert match({"require": [{"table": "agent_db.bills"}]}, final, {"agent_db": {"bills": []}})
    assert match({"require": [{"table": "agent_db/bills", "count": 1}]}, final, {"agent_db": {"bills": []}})


def test_a_misspelt_table_is_unavailable_and_not_silently_empty() -> None:
    for goal in ({"forbid": [{"table": "refund"}]}, {"require": [{"table": "refund"}]}):
        with pytest.raises(StateUnavailable, match="did you mean 'refunds'"):
            kinds(goal, AFTER)


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ({"require": [{"where": {}}]}, "require 1: expected"),
        ({"require": [{"table": "t", "wher": {}}]}, "unknown 'wher'; it takes table, where, count, added"),
        ({"require": [{"table": "t", "count": "1"}]}, "count is a whole number"),
        ({"require": [{"table": "t", "count": True}]}, "count is a whole number"),
        ({"require": [{"table": "t", "count": -1}]}, "count is a whole number"),
        ({"require": [{"table": "t", "count": {}}]}, "count is a whole number"),
        ({"require": [{"table": "t", "count": {"min": 0}}]}, "says nothing"),
        ({"require": [{"table": "t", "count": {"min": 2, "max": 1}}]}, "min above its max"),
        ({"require": [{"table": "t", "where": {"a": {"$gt": 1}}}]}, "unknown '$gt'"),
        ({"require": [{"table": "t", "where": {"a": {"$in": 1}}}]}, "$in cannot be 1"),
        ({"forbid": [{"table": "t", "count": 1}]}, "a forbidden row has no count"),
        ({"forbid": [{"changed": ""}]}, "path must be text"),
        ({"forbid": [{"changed": "a", "except": 5}]}, "except is a list"),
    ],
)
def test_a_malformed_predicate_is_named(goal: Any, said: str) -> None:
    with pytest.raises(GoalError) as error:
        read_goal(goal)
    assert said in str(error.value)


def test_a_state_with_a_table_called_require_is_still_a_state() -> None:
    state = {"require": {"a": 1}, "forbid": {}}
    assert match(state, state, state)
