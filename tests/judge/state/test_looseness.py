"""Looseness is declared by place, and holds there only."""

from __future__ import annotations

from typing import Any

import pytest

from judge.state import Options, OptionsError, compare


def match(final: Any, goal: Any, initial: Any = None, **args: Any) -> bool:
    return compare(goal if initial is None else initial, final, goal, Options.from_args(args)).match


@pytest.mark.parametrize("form", [48, 48.0, "48.00", "48.0", "4.8e1", " 48 ", "+48"], ids=repr)
def test_declared_numbers_are_equal_by_value_in_every_spelling(form: Any) -> None:
    goal = {"refund": "48.00", "rows": [{"refund": "48.00"}]}
    assert match({"refund": form, "rows": [{"refund": form}]}, goal, numeric=["refund", "rows.refund"])


@pytest.mark.parametrize("form", ["48,00", "1,048", "48 EUR", "٤٨", "0x30", "", None, True, "nan", "4_8"], ids=repr)
def test_declared_numbers_take_plain_decimals_only(form: Any) -> None:
    assert not match({"refund": form}, {"refund": "48.00"}, numeric=["refund"])


def test_text_that_looks_like_a_number_is_folded_only_where_declared() -> None:
    final, goal = {"postcode": "01234", "ref": "1e5"}, {"postcode": "1234", "ref": "100000"}
    assert not match(final, goal, numeric=["amount"])
    assert not match({"a": {"postcode": "01234", "x": 1}}, {"a": {"postcode": "1234", "x": 1}}, numeric=["a.x"])


def test_big_numbers_are_exact() -> None:
    assert not match({"n": "9007199254740993"}, {"n": "9007199254740992"}, numeric=["n"])
    assert match({"n": "9007199254740993.0"}, {"n": 9007199254740993}, numeric=["n"])


@pytest.mark.parametrize(
    ("now", "right"), [(48.01, True), (47.99, True), ("48.01", True), (48.011, False), (49, False), (None, False)]
)
def test_a_tolerance_holds_on_its_path_inclusively_and_exactly(now: Any, right: bool) -> None:
    assert (
        match({"o": [{"id": 1, "total": now}]}, {"o": [{"id": 1, "total": 48}]}, tolerance={"o.*.total": 0.01}) is right
    )


def test_a_tolerance_on_one_column_leaves_others_strict() -> None:
    assert not match({"o": {"a": 1.001, "b": 1.001}}, {"o": {"a": 1, "b": 1}}, tolerance={"o.a": 0.01})


def test_order_is_free_only_where_declared() -> None:
    cards = [{"card": "A", "amt": 30}, {"card": "B", "amt": 18}]
    final, goal = {"payments": cards}, {"payments": cards[::-1]}
    assert match(final, goal, unordered=["payments"])
    assert not match(final, goal)
    assert not match(
        {"payments": cards, "log": [1, 2]}, {"payments": cards[::-1], "log": [2, 1]}, unordered=["payments"]
    )


def test_an_unordered_list_still_counts_its_elements() -> None:
    assert not match({"t": [1, 1, 2]}, {"t": [1, 2, 2]}, unordered=["t"])
    assert not match({"t": [1, 2]}, {"t": [1, 2, 2]}, unordered=["t"])
    assert not match({"t": [1]}, {"t": [True]}, unordered=["t"])


def test_an_unordered_list_within_rows_of_an_unordered_list() -> None:
    final = {"t": [{"tags": ["b", "a"]}, {"tags": ["c"]}]}
    goal = {"t": [{"tags": ["c"]}, {"tags": ["a", "b"]}]}
    assert match(final, goal, unordered=["t", "t[*].tags"])
    assert not match(final, goal, unordered=["t"])


def test_tolerance_within_an_unordered_list_finds_the_pairing_that_works() -> None:
    final, goal = {"t": [48.004, 48.0]}, {"t": [48.0, 47.996]}
    assert match(final, goal, unordered=["t"], tolerance={"t[*]": 0.005})
    assert not match(final, {"t": [48.0, 47.99]}, unordered=["t"], tolerance={"t[*]": 0.005})


@pytest.mark.parametrize(
    ("forms", "now", "wanted", "right"),
    [
        (["strip"], "paid ", "paid", True),
        (["strip"], "Paid", "paid", False),
        (["nfc"], "Cafe\u0301", "Caf\u00e9", True),
        (["casefold"], "STRASSE", "stra\u00dfe", True),
        (["casefold"], "\u0130", "i\u0307", True),
        (["casefold"], "\u0130", "i", False),
        (["collapse"], "a \n b", "a b", True),
        (["collapse"], "a b ", "a b", False),
        (["strip", "collapse", "casefold", "nfc"], " CAFE\u0301  x", "caf\u00e9 x", True),
        (["strip"], 5, "5", False),
    ],
)
def test_text_forms_are_folded_as_named(forms: list[str], now: Any, wanted: Any, right: bool) -> None:
    assert match({"t": {"f": now}}, {"t": {"f": wanted}}, text={"t.f": forms}) is right


@pytest.mark.parametrize(
    ("forms", "now", "right"),
    [
        (["null", "empty"], {"note": ""}, True),
        (["null", "empty"], {}, False),
        (["null", "missing"], {}, True),
        (["null", "missing"], {"note": ""}, False),
        (["null", "empty", "missing"], {"note": []}, True),
        (["null", "missing"], {"note": 0}, False),
        (["null", "missing"], {"note": False}, False),
    ],
)
def test_null_empty_and_missing_are_equal_as_declared(forms: list[str], now: Any, right: bool) -> None:
    assert match({"t": {"r": now}}, {"t": {"r": {"note": None}}}, nullish={"t.r.note": forms}) is right
    assert match({"t": [now]}, {"t": [{"note": None}]}, nullish={"t.note": forms}) is right


def test_nullish_holds_in_both_directions_and_for_new_rows() -> None:
    args = {"nullish": {"t.note": ["null", "missing"]}, "unordered": ["t"]}
    assert match({"t": [{"a": 1}]}, {"t": [{"a": 1, "note": None}]}, initial={"t": []}, **args)
    assert match({"t": [{"a": 1, "note": None}]}, {"t": [{"a": 1}]}, initial={"t": []}, **args)


def test_json_kept_in_a_text_column_is_compared_as_json_where_declared() -> None:
    final, goal = {"t": {"meta": '{"b":1, "a":2}'}}, {"t": {"meta": '{"a":2,"b":1}'}}
    assert match(final, goal, json=["t.meta"])
    assert not match(final, goal)
    assert match({"t": {"meta": {"a": 2, "b": 1}}}, goal, json=["t.meta"])
    assert not match({"t": {"meta": '{"a":2,"b":true}'}}, goal, json=["t.meta"])
    assert not match({"t": {"meta": '{"a":2,"b":1'}}, goal, json=["t.meta"])


def test_rules_reach_into_json_kept_as_text() -> None:
    final, goal = {"t": {"meta": '{"at": 5, "n": "1.0"}'}}, {"t": {"meta": '{"at": 9, "n": 1}'}}
    assert match(final, goal, json=["t.meta"], ignore=["t.meta.at"], numeric=["t.meta.n"])
    assert not match(final, goal, json=["t.meta"], ignore=["t.meta.at"])


@pytest.mark.parametrize("now", [1, "1", "t", "true", "TRUE", "yes", True], ids=repr)
def test_spellings_of_truth_are_equal_only_in_a_declared_column(now: Any) -> None:
    assert match({"t": {"f": now}}, {"t": {"f": True}}, boolean=["t.f"])
    assert match({"t": {"f": now}}, {"t": {"f": True}}) is (now is True)
    assert not match({"t": {"f": now}}, {"t": {"f": False}}, boolean=["t.f"])
    assert not match({"t": {"f": 2}}, {"t": {"f": True}}, boolean=["t.f"])


@pytest.mark.parametrize(
    ("now", "right"),
    [
        ("2025-05-01", True),
        ("2025-05-01T00:00:00Z", True),
        ("2025-05-01 02:00:00+02:00", True),
        ("2025-05-01T00:00:00.000", True),
        ("2025-05-02", False),
        ("2025-13-01", False),
        ("yesterday", False),
        (None, False),
    ],
)
def test_times_are_compared_by_meaning_only_in_a_declared_column(now: Any, right: bool) -> None:
    assert match({"t": {"at": now}}, {"t": {"at": "2025-05-01T00:00:00Z"}}, datetime=["t.at"]) is right


@pytest.mark.parametrize(
    "pattern", ["*.updated_at", "orders.*.updated_at", "orders[*].updated_at", "orders/*/updated_at", "orders.updated_at",
                "orders.*.updated_*", "**.updated_at", "$.orders[*].updated_at", "orders[*]['updated_at']"]
)  # fmt: skip
@pytest.mark.parametrize("keyed", [True, False], ids=["by key", "list"])
def test_every_way_to_write_a_path_means_the_same(pattern: str, keyed: bool) -> None:
    def state(moment: int, note: str) -> Any:
        row = {"id": "O-1", "updated_at": moment, "note": note}
        return {"orders": {"O-1": row} if keyed else [row]}

    assert match(state(1, "x"), state(2, "x"), ignore=[pattern])
    assert not match(state(1, "x"), state(2, "y"), ignore=[pattern])


def test_a_star_is_one_step_and_not_more() -> None:
    final, goal = {"t": {"a": {"b": {"price": 1}}}}, {"t": {"a": {"b": {"price": 2}}}}
    assert not match(final, goal, ignore=["t/a/price"])
    assert not match(final, goal, ignore=["t/*/*/*/price"])
    assert match(final, goal, ignore=["t/*/*/price"])
    assert match(final, goal, ignore=["t/**/price"])


def test_a_path_with_slashes_reaches_names_with_dots() -> None:
    final, goal = {"users": {"a.b@c.de": {"seen": 1}}}, {"users": {"a.b@c.de": {"seen": 2}}}
    assert match(final, goal, ignore=["users/a.b@c.de/seen"])
    assert match(final, goal, ignore=["users['a.b@c.de'].seen"])


def test_what_is_ignored_is_listed_as_ignored() -> None:
    before = {"t": {"a": 1, "at": 1}}
    comparison = compare(before, {"t": {"a": 1, "at": 2}}, before, Options.from_args({"ignore": ["t.at"]}))
    assert [(change.path, change.kind) for change in comparison.changes] == [("t/at", "ignored")]


def test_what_is_allowed_is_listed_and_no_fault_but_obligations_stay() -> None:
    before = {"t": {"a": 1}, "log": []}
    goal = {"t": {"a": 2}, "log": []}
    args = {"allow": ["log", "t.*"]}
    comparison = compare(before, {"t": {"a": 2, "b": 9}, "log": ["x"]}, goal, Options.from_args(args))
    assert {c.path: c.kind for c in comparison.changes} == {
        "t/a": "required_made",
        "t/b": "allowed",
        "log/0": "allowed",
    }
    assert comparison.match
    assert not compare(before, before, goal, Options.from_args(args)).match


def test_keys_align_rows_whatever_their_order() -> None:
    rows = [{"o": 1, "line": n, "qty": n} for n in range(5)]
    args = {"keys": {"lines": ["o", "line"]}}
    assert match({"lines": rows[::-1]}, {"lines": rows}, **args)
    assert not match({"lines": rows}, {"lines": rows[::-1]})
    wrong = [*rows[:-1], {"o": 1, "line": 4, "qty": 0}]
    comparison = compare({"lines": rows}, {"lines": wrong[::-1]}, {"lines": rows}, Options.from_args(args))
    assert [change.path for change in comparison.changes] == ["lines/1,4/qty"]


def test_keys_hold_for_tables_within_rows() -> None:
    final = {"orders": {"O-1": {"items": [{"sku": "b", "n": 1}, {"sku": "a", "n": 2}]}}}
    goal = {"orders": {"O-1": {"items": [{"sku": "a", "n": 2}, {"sku": "b", "n": 1}]}}}
    assert match(final, goal, keys={"orders.*.items": ["sku"]})
    assert match(final, goal, keys={"orders/*/items": "sku"})
    assert not match(final, goal)


def test_rows_with_a_key_that_is_not_unique_are_still_all_compared() -> None:
    args = {"keys": {"t": ["k"]}}
    assert match(
        {"t": [{"k": 1, "v": "b"}, {"k": 1, "v": "a"}]}, {"t": [{"k": 1, "v": "a"}, {"k": 1, "v": "b"}]}, **args
    )
    assert not match({"t": [{"k": 1, "v": "a"}] * 2}, {"t": [{"k": 1, "v": "a"}]}, **args)
    assert not match({"t": [{"k": 1, "v": "a"}] * 2}, {"t": [{"k": 1, "v": "a"}, {"k": 1, "v": "b"}]}, **args)


def test_a_key_column_that_no_row_has_is_an_error() -> None:
    with pytest.raises(ValueError, match="table 't' has no column 'charge'; it has k, v"):
        match({"t": [{"k": 1, "v": 2}]}, {"t": [{"k": 1, "v": 3}]}, keys={"t": ["charge"]})


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"ignored": ["a"]}, "no argument 'ignored'; did you mean 'ignore'?"),
        ({"ignore": 5}, "ignore: expected a list of paths"),
        ({"ignore": ["*"]}, "would leave nothing to compare"),
        ({"ignore": ["a..b"]}, "empty step"),
        ({"ignore": ["a[b"]}, "bracket is not closed"),
        ({"ignore": [""]}, "path must be text"),
        ({"tolerance": 0.1}, "tolerance: expected a mapping"),
        ({"tolerance": {"a": -1}}, "number of at least 0"),
        ({"tolerance": {"a": float("nan")}}, "number of at least 0"),
        ({"tolerance": {"a": True}}, "number of at least 0"),
        ({"text": {"a": ["lower"]}}, "takes some of strip, collapse, casefold, nfc"),
        ({"text": ["a"]}, "text: expected a mapping"),
        ({"nullish": {"a": ["null"]}}, "needs two or three"),
        ({"keys": {"t": []}}, "needs a list of column names"),
        ({"tables": []}, "expected a list of table names"),
        ({"partial": "yes"}, "expected true or false"),
    ],
)
def test_a_bad_argument_is_refused_with_a_sentence_that_names_it(args: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionsError) as error:
        Options.from_args(args)
    assert said in str(error.value)
    assert "check 'state'" in str(error.value)


def test_yaml_null_in_a_list_of_forms_is_the_word() -> None:
    assert Options.from_args({"nullish": {"a": [None, "missing"]}}).nullish == {"a": ("null", "missing")}
