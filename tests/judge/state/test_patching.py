"""JSON Patch as RFC 6902 has it, on a base that stays as it is."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from judge.state import StateUnavailable
from judge.state.patching import patched

BASE: dict[str, Any] = {"a": {"b": [1, 2, 3]}, "x/y": {"~": 1}, "n": None}


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        ([{"op": "add", "path": "/a/c", "value": 1}], {**BASE, "a": {"b": [1, 2, 3], "c": 1}}),
        ([{"op": "add", "path": "/a/b/1", "value": 9}], {**BASE, "a": {"b": [1, 9, 2, 3]}}),
        ([{"op": "add", "path": "/a/b/3", "value": 9}], {**BASE, "a": {"b": [1, 2, 3, 9]}}),
        ([{"op": "add", "path": "/a/b/-", "value": 9}], {**BASE, "a": {"b": [1, 2, 3, 9]}}),
        ([{"op": "replace", "path": "/n", "value": 0}], {**BASE, "n": 0}),
        ([{"op": "remove", "path": "/n"}], {"a": {"b": [1, 2, 3]}, "x/y": {"~": 1}}),
        ([{"op": "remove", "path": "/a/b/0"}], {**BASE, "a": {"b": [2, 3]}}),
        ([{"op": "replace", "path": "/x~1y/~0", "value": 2}], {**BASE, "x/y": {"~": 2}}),
        ([{"op": "move", "from": "/a/b", "path": "/m"}], {**BASE, "a": {}, "m": [1, 2, 3]}),
        ([{"op": "move", "from": "/n", "path": "/n"}], BASE),
        ([{"op": "test", "path": "/a/b", "value": [1.0, 2, 3]}], BASE),
        ([{"op": "replace", "path": "", "value": {"z": 1}}], {"z": 1}),
        ([{"op": "add", "path": "/", "value": 1}], {**BASE, "": 1}),
        ([{"op": "copy", "from": "/a", "path": "/c"}, {"op": "add", "path": "/c/b/-", "value": 4}],
         {**BASE, "c": {"b": [1, 2, 3, 4]}}),
        ([{"op": "add", "path": "/a/b/-", "value": 4}, {"op": "copy", "from": "/a/b", "path": "/c"},
          {"op": "add", "path": "/a/b/-", "value": 5}], {**BASE, "a": {"b": [1, 2, 3, 4, 5]}, "c": [1, 2, 3, 4]}),
    ],
)  # fmt: skip
def test_operations(operations: Any, expected: Any) -> None:
    before, given = copy.deepcopy(BASE), copy.deepcopy(operations)
    assert patched(BASE, operations) == expected
    assert before == BASE
    assert given == operations


def test_a_value_that_a_patch_brings_is_not_changed_by_later_operations() -> None:
    row: dict[str, Any] = {"tags": []}
    operations = [
        {"op": "add", "path": "/r", "value": row},
        {"op": "add", "path": "/r/tags/-", "value": 1},
        {"op": "add", "path": "/s", "value": row},
    ]
    assert patched({}, operations) == {"r": {"tags": [1]}, "s": {"tags": []}}
    assert row == {"tags": []}


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        ({"op": "replace", "path": "/orders/9", "value": 1}, "there is no /orders; there are a, x/y, n"),
        ({"op": "remove", "path": "/a/c"}, "there is no /a/c; there are b"),
        ({"op": "add", "path": "/c/d", "value": 1}, "there is no /c"),
        ({"op": "add", "path": "/a/b/4", "value": 1}, "'4' is no place in a list of 3"),
        ({"op": "replace", "path": "/a/b/-", "value": 1}, "that list has 3 elements"),
        ({"op": "replace", "path": "/a/b/01", "value": 1}, "that list has 3 elements"),
        ({"op": "remove", "path": ""}, "the whole state cannot be removed"),
        ({"op": "add", "path": "/n/x", "value": 1}, "holds nothing"),
        ({"op": "add", "path": "a", "value": 1}, "begins with '/'"),
        ({"op": "add", "path": "/a"}, "'value' is missing"),
        ({"op": "move", "path": "/a"}, "'from' is missing"),
        ({"op": "move", "from": "/a", "path": "/a/b/0"}, "into itself"),
        ({"op": "copy", "from": "/q", "path": "/a"}, "there is no /q"),
        ({"op": "merge", "path": "/a", "value": 1}, "op is one of"),
        ({"op": "test", "path": "/n", "value": 0}, "found None there, not 0"),
        ({"op": "test", "path": "/a/b/0", "value": True}, "found 1 there, not True"),
        ("add", "op is one of"),
    ],
)
def test_an_operation_that_does_not_fit_is_named_by_its_place(operation: Any, said: str) -> None:
    with pytest.raises(StateUnavailable) as error:
        patched(BASE, [{"op": "test", "path": "/n", "value": None}, operation])
    assert said in str(error.value)
    assert "operation 2" in str(error.value)


def test_a_patch_that_is_no_list_is_refused() -> None:
    with pytest.raises(StateUnavailable, match="expected a list"):
        patched(BASE, {"op": "add"})
