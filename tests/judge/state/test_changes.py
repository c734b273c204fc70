"""Recorded changes: the difference of two states, and a state with such a difference applied."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from judge.state import Options, State, StateUnavailable, apply_changes, diff

BASE: dict[str, Any] = {
    "orders": {
        "#W1": {"items": [{"name": "cup", "item_id": "11", "price": 1.5}, {"name": "jar", "item_id": "12", "price": 2}]}
    },
    "log": ["a"],
}


def test_a_difference_names_rows_by_their_id() -> None:
    after = copy.deepcopy(BASE)
    after["orders"]["#W1"]["items"][1]["price"] = 3
    after["orders"]["#W1"]["items"].append({"name": "mug", "item_id": "13", "price": 4})
    assert diff(BASE, after) == [
        ["set", "orders/#W1/items/12/price", 2, 3],
        ["add", "orders/#W1/items/13", None, {"name": "mug", "item_id": "13", "price": 4}],
    ]


def test_what_options_ignore_or_take_for_equal_is_no_difference() -> None:
    after = copy.deepcopy(BASE)
    after["orders"]["#W1"]["items"][0]["price"] = "1.50"
    after["log"] = []
    assert diff(BASE, after, Options.from_args({"numeric": ["orders.**.price"], "ignore": ["log"]})) == []


@pytest.mark.parametrize(
    ("change", "place", "expected"),
    [
        (["set", "orders/#W1/items/11/price", 1.5, 9], ("orders", "#W1", "items", 0, "price"), 9),
        (["set", "log/0", "a", "b"], ("log", 0), "b"),
        (["add", "user/device/on", None, True], ("user", "device", "on"), True),
        (["set", "log", ["a"], []], ("log",), []),
    ],
)
def test_a_change_is_applied_where_its_path_leads_and_the_rest_is_shared(
    change: Any, place: Any, expected: Any
) -> None:
    before = copy.deepcopy(BASE)
    after: Any = apply_changes(BASE, [change])
    found = after
    for step in place:
        found = found[step]
    assert found == expected
    assert before == BASE
    assert all(after[name] is BASE[name] for name in BASE if name != place[0])


def test_a_state_gives_a_state() -> None:
    state = State.of(BASE)
    assert apply_changes(state, [["del", "log", ["a"], None]]).value == {"orders": BASE["orders"]}
    assert apply_changes(state, []).value is BASE


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["del", "orders/#W2", {}, None], "there is no '#W2'"),
        (["set", "orders/#W1/items/99/price", 1, 2], "no row is '99'"),
        (["set", "orders/#W1/items/11/price", 7, 2], "the state has 1.5 there, the record 7"),
        (["set", "log/0/deeper", 1, 2], "looked for in a plain value"),
        (["put", "log", None, 1], "a recorded change is"),
        (["set", "log", 1], "a recorded change is"),
        (["set", 5, None, 1], "a path as text"),
        (["set", "x", None, float("nan")], "NaN"),
    ],
)
def test_a_change_that_does_not_fit_is_refused(change: Any, said: str) -> None:
    with pytest.raises(StateUnavailable, match=said):
        apply_changes(State.of(BASE), [change])
