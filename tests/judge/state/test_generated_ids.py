"""Ids that the system makes up: new rows are aligned by their other fields, and references must still agree."""

from __future__ import annotations

from typing import Any

import pytest

from judge.state import Options, compare

IGNORED = {"ignore": ["refunds[*].id", "refunds[*].created"]}


def match(initial: Any, final: Any, goal: Any, **args: Any) -> bool:
    return compare(initial, final, goal, Options.from_args(args or IGNORED)).match


def refund(number: Any, order: str = "O-1", amount: int = 48, created: str = "2025-05-02") -> dict[str, Any]:
    return {"id": number, "created": created, "order": order, "amt": amount}


@pytest.mark.parametrize("initial", [None, {"refunds": []}], ids=["initial unknown", "initial known"])
def test_a_new_row_with_another_id_and_clock_is_the_same_row(initial: Any) -> None:
    assert match(initial, {"refunds": [refund(907)]}, {"refunds": [refund(1, created="2025-01-01")]})
    assert not match(initial, {"refunds": [refund(907)]}, {"refunds": [refund(1, amount=84)]})
    assert not match(initial, {"refunds": [refund(907), refund(908)]}, {"refunds": [refund(1)]})


def test_new_rows_are_aligned_by_their_other_fields_whatever_their_order() -> None:
    final = {"refunds": [refund(907, "O-1"), refund(908, "O-2", 20), refund(909, "O-3", 5)]}
    goal = {"refunds": [refund(1, "O-3", 5), refund(2, "O-1"), refund(3, "O-2", 20)]}
    assert match({"refunds": []}, final, goal)


def test_a_wrong_new_row_is_explained_against_the_one_it_is_most_like() -> None:
    final = {"refunds": [refund(907, "O-1"), refund(908, "O-2", 99)]}
    goal = {"refunds": [refund(1, "O-2", 20), refund(2, "O-1")]}
    faults = compare({"refunds": []}, final, goal, Options.from_args(IGNORED)).faults
    assert [(change.path, change.now, change.wanted) for change in faults] == [("refunds/908/amt", 99, 20)]


def test_rows_that_were_there_keep_their_id_and_are_not_confused_with_new_ones() -> None:
    old = refund(5, "O-9", 7)
    assert match({"refunds": [old]}, {"refunds": [old, refund(907)]}, {"refunds": [old, refund(6)]})
    changed = {"refunds": [refund(5, "O-9", 8), refund(907, "O-9", 7)]}
    assert not match({"refunds": [old]}, changed, {"refunds": [old, refund(6)]})


@pytest.mark.parametrize("field", ["refund_id", "refundId", "refund", "last_refund_id"])
@pytest.mark.parametrize(("points_at", "right"), [(907, True), (908, False), (1, False), (2, False), (None, False)])
def test_references_to_a_made_up_id_must_agree(field: str, points_at: Any, right: bool) -> None:
    initial = {"refunds": [], "orders": {"O-1": {field: None}}}
    final = {"refunds": [refund(907, "O-1"), refund(908, "O-2")], "orders": {"O-1": {field: points_at}}}
    goal = {"refunds": [refund(1, "O-1"), refund(2, "O-2")], "orders": {"O-1": {field: 1}}}
    assert match(initial, final, goal) is right
    assert match(None, final, goal) is right


def test_references_agree_in_lists_of_ids_and_in_new_rows_of_other_tables() -> None:
    initial: Any = {"refunds": [], "lines": [], "users": {"u": {"refunds": []}}}

    def state(one: int, two: int, first_line: int) -> Any:
        lines = [
            {"id": first_line, "refund_id": one, "sku": "a"},
            {"id": first_line + 1, "refund_id": two, "sku": "a"},
        ]
        return {
            "refunds": [refund(one, "O-1"), refund(two, "O-2")],
            "lines": lines,
            "users": {"u": {"refunds": [one, two]}},
        }

    args = {"ignore": ["refunds.id", "lines.id"]}
    assert match(initial, state(907, 908, 50), state(1, 2, 1), **args)
    crossed = state(907, 908, 50)
    crossed["lines"][1]["refund_id"] = 907
    assert not match(initial, crossed, state(1, 2, 1), **args)
    swapped = state(907, 908, 50)
    swapped["users"]["u"]["refunds"].reverse()
    assert not match(initial, swapped, state(1, 2, 1), **args)


def test_a_number_that_is_no_reference_is_not_taken_for_one() -> None:
    initial: Any = {"refunds": [], "orders": {"O-1": {"amount": 0}}}
    final = {"refunds": [refund(907)], "orders": {"O-1": {"amount": 907}}}
    goal = {"refunds": [refund(1)], "orders": {"O-1": {"amount": 1}}}
    assert not match(initial, final, goal)


@pytest.mark.parametrize(
    "args", [{"ignore": ["refunds.*.id"]}, {"generated": ["refunds.*.id"]}], ids=["ignored", "generated"]
)
def test_rows_kept_under_a_made_up_key_are_aligned_by_content(args: Any) -> None:
    initial: Any = {"refunds": {}, "orders": {"O-1": {"refund_id": None}}}
    final = {"refunds": {"R-907": {"id": "R-907", "amt": 48}}, "orders": {"O-1": {"refund_id": "R-907"}}}
    goal = {"refunds": {"R-1": {"id": "R-1", "amt": 48}}, "orders": {"O-1": {"refund_id": "R-1"}}}
    assert match(initial, final, goal, **args)
    final["orders"]["O-1"]["refund_id"] = "R-1"
    assert not match(initial, final, goal, **args)


def test_declared_keys_win_over_content_and_references_still_follow() -> None:
    args = {"keys": {"refunds": ["order"]}, "ignore": ["refunds.id"]}
    initial: Any = {"refunds": [], "orders": {"O-1": {"refund_id": None}}}
    goal = {"refunds": [{"id": 1, "order": "O-1"}], "orders": {"O-1": {"refund_id": 1}}}
    final = {"refunds": [{"id": 907, "order": "O-1"}], "orders": {"O-1": {"refund_id": 907}}}
    assert match(initial, final, goal, **args)
    final["orders"]["O-1"]["refund_id"] = 908
    assert not match(initial, final, goal, **args)


def comments(depth: int, leaf: str) -> Any:
    """Comments within replies within replies, two at each level, with ids of their own."""
    inside: Any = [{"id": "c0", "text": leaf, "replies": []}]
    for level in range(depth):
        inside = [
            {"id": f"c{leaf}{level}", "text": "t", "replies": inside},
            {"id": f"d{leaf}{level}", "text": "z", "replies": []},
        ]
    return {"comments": inside}


def test_rows_aligned_by_content_at_every_level_of_nesting_do_not_double_the_work_at_each() -> None:
    # Doubling at each of 30 levels would take days; the outcome is what is tested, and that there is one.
    options = Options.from_args({"ignore": ["*.id"]})
    assert compare({"comments": []}, comments(30, "a"), comments(30, "a"), options).match
    assert not compare({"comments": []}, comments(30, "a"), comments(30, "b"), options).match


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"keys": {"t": ["id"]}},
        {"unordered": ["t"]},
        {"ignore": ["*.at", "t.id"]},
        {"ignore": ["*.at", "t.id"], "keys": {"t": ["id"]}},
    ],
    ids=repr,
)
@pytest.mark.parametrize("spoiled", [False, True], ids=["only the clock", "one more"])
def test_a_clock_column_that_differs_in_every_row_hides_nothing_else(args: dict[str, Any], spoiled: bool) -> None:
    rows = [{"id": n, "v": n % 7, "at": 1} for n in range(300)]
    final = [{**row, "at": 2} for row in rows]
    if spoiled:
        final[200]["v"] = 99
    comparison = compare({"t": rows}, {"t": final}, {"t": rows}, Options.from_args({"ignore": ["*.at"], **args}))
    assert comparison.match is not spoiled
    assert sum(change.kind == "ignored" for change in comparison.changes) >= 300
    assert len(comparison.faults) == spoiled
    keyed = [{"t": {str(row["id"]): row for row in side}} for side in (rows, final, rows)]
    assert compare(*keyed, Options.from_args({"ignore": ["*.at"]})).match is not spoiled
