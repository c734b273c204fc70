"""One comparison gives the verdict and the explanation; strict by default."""

from __future__ import annotations

import copy
import json
from decimal import Decimal
from typing import Any

import pytest

from judge.state import ABSENT, Change, Options, State, StateUnavailable, compare, explain


def kinds(initial: Any, final: Any, goal: Any, **args: Any) -> dict[str, str]:
    """The kind of each change, by path."""
    comparison = compare(initial, final, goal, Options.from_args(args))
    assert comparison.match == (not any(change.bad for change in comparison.changes))
    return {change.path: change.kind for change in comparison.changes}


def match(final: Any, goal: Any, **args: Any) -> bool:
    return compare(goal, final, goal, Options.from_args(args)).match


BEFORE = {
    "orders": {"O-1": {"status": "open", "total": 48, "note": None}, "O-2": {"status": "open", "total": 20}},
    "refunds": [],
}
GOAL = {
    "orders": {"O-1": {"status": "refunded", "total": 48, "note": None}, "O-2": {"status": "open", "total": 20}},
    "refunds": [{"id": 1, "order": "O-1", "amount": 48}],
}


def changed(state: dict[str, Any], *steps: Any, to: Any) -> dict[str, Any]:
    """A copy of a state with one place set."""
    state = copy.deepcopy(state)
    here: Any = state
    for step in steps[:-1]:
        here = here[step]
    here[steps[-1]] = to
    return state


def test_what_was_asked_for_and_done_is_required_and_made() -> None:
    assert kinds(BEFORE, GOAL, GOAL) == {"orders/O-1/status": "required_made", "refunds/1": "required_made"}


def test_what_was_asked_for_and_left_is_required_and_missing() -> None:
    assert kinds(BEFORE, BEFORE, GOAL) == {"orders/O-1/status": "required_missing", "refunds/1": "required_missing"}


def test_what_was_asked_for_and_became_something_else_is_made_wrong() -> None:
    final = changed(GOAL, "orders", "O-1", "status", to="closed")
    assert kinds(BEFORE, final, GOAL)["orders/O-1/status"] == "made_wrong"


def test_a_new_row_with_a_wrong_amount_is_made_wrong_in_that_field_only() -> None:
    final = changed(GOAL, "refunds", 0, "amount", to=84)
    assert kinds(BEFORE, final, GOAL) == {"orders/O-1/status": "required_made", "refunds/1/amount": "made_wrong"}


def test_what_nobody_asked_for_is_collateral() -> None:
    final = changed(GOAL, "orders", "O-2", "total", to=0)
    assert kinds(BEFORE, final, GOAL)["orders/O-2/total"] == "collateral"


def test_an_extra_row_is_one_collateral_change_that_shows_the_row() -> None:
    extra = {"id": 2, "order": "O-2", "amount": 20}
    comparison = compare(BEFORE, changed(GOAL, "refunds", to=[*GOAL["refunds"], extra]), GOAL)
    assert [change.now for change in comparison.faults] == [extra]
    assert not comparison.match


def test_a_row_that_the_goal_keeps_and_the_agent_deleted_is_collateral() -> None:
    final = copy.deepcopy(GOAL)
    del final["orders"]["O-2"]
    [fault] = compare(BEFORE, final, GOAL).faults
    assert (fault.path, fault.kind, fault.now) == ("orders/O-2", "collateral", ABSENT)


def test_a_row_that_the_goal_deletes_and_the_agent_kept_is_required_and_missing() -> None:
    goal = copy.deepcopy(BEFORE)
    del goal["orders"]["O-2"]
    assert kinds(BEFORE, BEFORE, goal) == {"orders/O-2": "required_missing"}
    assert kinds(BEFORE, goal, goal) == {"orders/O-2": "required_made"}


def test_a_new_row_under_another_key_is_made_wrong_instead_of_missing_and_collateral() -> None:
    before: dict[str, Any] = {"refunds": []}
    goal = {"refunds": [{"charge_id": "CH-2", "amount": 48, "method": "card"}]}
    final = {"refunds": [{"charge_id": "CH-1", "amount": 48, "method": "card"}]}
    [fault] = compare(before, final, goal, Options.from_args({"keys": {"refunds": ["charge_id"]}})).faults
    assert fault.kind == "made_wrong"
    assert fault.note == "made instead of refunds/CH-2: differs in charge_id"


def test_a_credit_in_another_table_is_collateral_beside_a_right_refund() -> None:
    final = changed(GOAL, "credits", to=[{"amount": 20}])
    assert kinds(BEFORE, final, GOAL)["credits"] == "collateral"


def test_without_an_initial_state_the_goal_decides_what_is_missing_wrong_or_collateral() -> None:
    goal = {"t": {"a": 1, "b": 2}}
    final = {"t": {"b": 3, "c": 4}}
    comparison = compare(None, final, goal)
    assert {c.path: c.kind for c in comparison.changes} == {
        "t/a": "required_missing",
        "t/b": "made_wrong",
        "t/c": "collateral",
    }
    assert all("was" not in change.to_dict() for change in comparison.changes)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0, False),
        ("48", 48),
        ("48.0", "48.00"),
        (None, ""),
        ("", []),
        ([], {}),
        ("paid ", "paid"),
        ("Paid", "paid"),
        ("Cafe\u0301", "Caf\u00e9"),
        ([1, 2], [2, 1]),
        ("2025-05-01", "2025-05-01T00:00:00Z"),
        (2**53 + 1, float(2**53)),
        ('{"a":1}', '{"a": 1}'),
        ([True], [1]),
        ({"deep": [{"x": False}]}, {"deep": [{"x": 0}]}),
    ],
    ids=repr,
)
def test_values_that_only_look_alike_differ_unless_declared(one: Any, other: Any) -> None:
    assert not match({"t": {"f": one}}, {"t": {"f": other}})
    assert not match({"t": {"f": other}}, {"t": {"f": one}})
    assert not match({"t": [{"id": 1, "f": one}]}, {"t": [{"id": 1, "f": other}]})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (0.1, Decimal("0.1")),
        (10**30, Decimal(10**30)),
        (48, Decimal("48.00")),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}),
        (-0.0, 0),
    ],
    ids=repr,
)
def test_json_numbers_are_compared_by_value_and_key_order_means_nothing(one: Any, other: Any) -> None:
    assert match({"t": {"f": one}}, {"t": {"f": other}})


def test_null_is_not_missing_and_not_empty() -> None:
    final, goal = [{"note": None}, {}, {"note": ""}], {"note": None}
    assert [match({"t": {"r": row}}, {"t": {"r": goal}}) for row in final] == [True, False, False]


def test_absence_is_left_out_when_a_change_is_written_and_null_is_kept() -> None:
    changes = compare({"t": {"a": None}}, {"t": {}}, {"t": {"a": None}}).changes
    assert [change.to_dict() for change in changes] == [
        {
            "path": "t/a",
            "kind": "collateral",
            "was": None,
            "wanted": None,
            "note": "null, empty and missing are told apart (declare `nullish`)",
        }
    ]
    assert Change.from_dict(changes[0].to_dict()) == changes[0]


@pytest.mark.parametrize(
    ("now", "wanted", "note"),
    [
        ("paid ", "paid", "differs only by whitespace"),
        ("Cafe\u0301", "Caf\u00e9", "differs only by Unicode form"),
        ("PAID", "paid", "differs only by case"),
        ("48.0", "48.00", "equal as numbers (declare `numeric` or `tolerance`)"),
        (48, "48", "equal as numbers (declare `numeric` or `tolerance`)"),
        (True, 1, "equal as booleans (declare `boolean`)"),
        (None, "", "null, empty and missing are told apart (declare `nullish`)"),
        ("2025-05-01", "2025-05-01T00:00:00Z", "equal as times (declare `datetime`)"),
        ('{"b":1}', '{"b": 1.0}', "equal as JSON (declare `json`)"),
        ("paid", "open", ""),
    ],
)
def test_a_near_miss_is_named(now: Any, wanted: Any, note: str) -> None:
    [fault] = compare({"t": {"f": wanted}}, {"t": {"f": now}}, {"t": {"f": wanted}}).faults
    assert fault.note == note


def test_the_order_of_rows_counts_by_default_and_the_change_says_so() -> None:
    goal = {"t": [{"id": 1}, {"id": 2}]}
    comparison = compare(goal, {"t": [{"id": 2}, {"id": 1}]}, goal)
    [fault] = comparison.faults
    assert "another order" in fault.note
    assert not comparison.match


def test_rows_of_plain_values_in_another_order_differ_with_a_diff() -> None:
    comparison = compare(None, {"rows": [2, 1]}, {"rows": [1, 2]})
    assert not comparison.match
    assert [change.path for change in comparison.faults] == ["rows/0", "rows/1"]


def test_an_element_missing_from_the_front_of_a_list_is_one_change() -> None:
    before = {"t": {"tags": ["a", "b", "c", "d"]}}
    assert list(kinds(before, before, {"t": {"tags": ["b", "c", "d"]}}).values()) == ["required_missing"]


def test_only_the_named_tables_are_compared() -> None:
    final = changed(GOAL, "log", to=["noise"])
    assert kinds(BEFORE, final, GOAL, tables=["orders"]) == {"orders/O-1/status": "required_made"}


def test_a_named_table_that_is_nowhere_is_no_match_but_an_error() -> None:
    with pytest.raises(StateUnavailable, match="'refund' is in none of the states; they have orders, refunds"):
        compare(BEFORE, GOAL, GOAL, Options.from_args({"tables": ["refund"]}))


def test_a_table_that_the_final_state_lacks_is_a_fault() -> None:
    assert kinds(GOAL, {"orders": GOAL["orders"]}, GOAL) == {"refunds": "collateral"}


def test_partial_credit_is_the_share_of_required_changes_and_nothing_on_collateral() -> None:
    half = changed(BEFORE, "orders", "O-1", "status", to="refunded")
    assert compare(BEFORE, half, GOAL).value(partial=True) == 0.5
    assert compare(BEFORE, half, GOAL).value() == 0.0
    spoiled = changed(half, "orders", "O-2", "total", to=0)
    assert compare(BEFORE, spoiled, GOAL).value(partial=True) == 0.0
    assert compare(BEFORE, BEFORE, BEFORE).value(partial=True) == 1.0


def test_inputs_are_not_changed() -> None:
    states = [copy.deepcopy(state) for state in (BEFORE, GOAL, GOAL)]
    compare(*states, Options.from_args({"ignore": ["*.note"], "unordered": ["refunds"]}))
    assert states == [BEFORE, GOAL, GOAL]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN")], ids=str)
def test_a_number_that_is_none_makes_the_state_unavailable(value: Any) -> None:
    with pytest.raises(StateUnavailable, match="table 't', holds NaN or an infinity"):
        compare(None, {"t": [{"a": value}]}, {"t": []})


def test_endless_nesting_is_an_error_and_no_crash() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(StateUnavailable, match="nested deeper than 100 levels"):
        State.of({"t": deep})
    while deep:  # taken apart by hand: freeing it all at once would be the interpreter's own deep recursion
        deep = deep[0]


@pytest.mark.parametrize("value", [{1: "a"}, {"t": {1, 2}}, {"t": (1,)}, {"t": b"x"}, "text", 3], ids=repr)
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(StateUnavailable):
        State.of(value)


def test_names_with_slashes_are_escaped_in_paths() -> None:
    assert list(kinds({"a/b": {"~c": 1}}, {"a/b": {"~c": 2}}, {"a/b": {"~c": 1}})) == ["a~1b/~0c"]


def test_changes_read_well_in_a_terminal_and_cannot_repaint_it() -> None:
    final = changed(changed(GOAL, "orders", "O-1", "note", to="\x1b[31mred"), "refunds", to=[])
    text = explain(compare(BEFORE, final, GOAL).changes)
    assert text.split("\n")[0].startswith("required and missing  refunds")
    assert "\x1b" not in text
    assert json.dumps(compare(BEFORE, final, GOAL).to_list(), allow_nan=False)
