"""What holds of every state: found by trying many."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from judge.state import Options, State, apply_changes, compare, diff
from judge.state.patching import patched
from judge.state.values import same, token

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "a", "A", "1", "1.0", "id", "caf\u00e9", "cafe\u0301", "a/b", "~"]),
)
names = st.sampled_from(["id", "order_id", "a", "b", "a/b", "", "0", "1"])
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4), max_leaves=12
)
rows = st.lists(st.dictionaries(names, scalars, max_size=4), max_size=5)
states = st.dictionaries(names, rows | st.dictionaries(names, values, max_size=4) | values, max_size=4)
OPTIONS = [
    Options(),
    Options.from_args({"ignore": ["*.id"]}),
    Options.from_args({"unordered": ["a", "b"], "numeric": ["*.a"], "tolerance": {"*.b": 0.5}}),
    Options.from_args({"nullish": {"**": ["null", "empty", "missing"]}, "text": {"**": ["casefold", "nfc"]}}),
    Options.from_args({"json": ["**"], "boolean": ["*.a"], "datetime": ["*.b"]}),
]
options = st.sampled_from(OPTIONS)


@given(states, states, options)
@settings(deadline=None)
def test_a_final_state_equal_to_the_goal_matches_whatever_it_was_at_first(x: Any, y: Any, options: Options) -> None:
    assert compare(x, y, State.of(copy.deepcopy(y)), options).match
    assert compare(None, y, State.of(copy.deepcopy(y)), options).match


@given(states, states, states, options)
@settings(max_examples=300, deadline=None)
def test_it_matches_exactly_when_no_change_is_bad_and_inputs_stay(x: Any, y: Any, z: Any, options: Options) -> None:
    before = copy.deepcopy([x, y, z])
    comparison = compare(x, y, State.of(z), options)
    assert comparison.match == (not comparison.faults)
    assert [repr(side) for side in (x, y, z)] == [repr(side) for side in before]
    assert 0 <= comparison.share <= 1
    assert (comparison.share == 1) == comparison.match


@given(states, states, states)
@settings(max_examples=300, deadline=None)
def test_without_options_it_matches_exactly_when_final_and_goal_are_the_same(x: Any, y: Any, z: Any) -> None:
    assert compare(x, y, State.of(z)).match == same(y, z)
    assert compare(None, y, State.of(z)).match == same(y, z)


@given(states, states)
@settings(max_examples=300, deadline=None)
def test_a_difference_applied_gives_the_other_state(x: Any, y: Any) -> None:
    before = copy.deepcopy(x)
    assert same(apply_changes(x, diff(x, y)), y)
    assert repr(x) == repr(before)


@given(states, st.data())
@settings(deadline=None)
def test_one_more_change_to_a_matching_state_is_found(x: Any, data: st.DataObject) -> None:
    assume(x)
    table = data.draw(st.sampled_from(sorted(x)))
    spoiled = {**copy.deepcopy(x), table: data.draw(values)}
    assume(not same(spoiled[table], x[table]))
    comparison = compare(x, spoiled, State.of(x))
    assert not comparison.match
    assert all(change.path.startswith(table.replace("~", "~0").replace("/", "~1")) for change in comparison.faults)


keyed_rows = st.lists(
    st.fixed_dictionaries({"k": st.integers(0, 20), "v": scalars}), max_size=8, unique_by=lambda row: row["k"]
)


@given(keyed_rows, keyed_rows, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_keyed_rows_means_nothing(x: Any, y: Any, random: Any) -> None:
    options = Options.from_args({"keys": {"t": ["k"]}})
    shuffled = random.sample(y, len(y))
    assert compare({"t": x}, {"t": shuffled}, State.of({"t": y}), options).match
    one, other = (compare({"t": x}, {"t": final}, State.of({"t": []}), options) for final in (y, shuffled))
    assert sorted(map(repr, one.changes)) == sorted(map(repr, other.changes))


@given(keyed_rows, st.randoms(use_true_random=False), st.integers(100, 200))
@settings(deadline=None)
def test_made_up_ids_and_their_references_match_under_any_renaming(x: Any, random: Any, start: int) -> None:
    def state(ids: list[int]) -> Any:
        table = [{"id": number, "v": row["v"], "k": row["k"]} for number, row in zip(ids, x, strict=True)]
        links = [{"to": row["k"], "row_id": number} for number, row in zip(ids, x, strict=True)]
        return {"rows": random.sample(table, len(table)), "links": {str(link["to"]): link for link in links}}

    goal, final = state(list(range(len(x)))), state(random.sample(range(start, start + 20), len(x)))
    options = Options.from_args({"ignore": ["rows.id"]})
    empty: Any = {"rows": [], "links": {}}
    assert compare(empty, final, State.of(goal), options).match
    assert compare(None, final, State.of(goal), options).match
    if len(x) > 1:
        one, other = random.sample(sorted(final["links"]), 2)
        links = final["links"]
        links[one]["row_id"], links[other]["row_id"] = links[other]["row_id"], links[one]["row_id"]
        assert not compare(empty, final, State.of(goal), options).match


@given(states, states, st.data())
@settings(deadline=None)
def test_a_patch_shares_what_it_leaves_alone_and_keeps_the_base(x: Any, y: Any, data: st.DataObject) -> None:
    assume(x)
    table = data.draw(st.sampled_from(sorted(x)))
    before = copy.deepcopy(x)
    pointer = "/" + table.replace("~", "~0").replace("/", "~1")
    result = patched(
        x, [{"op": "replace", "path": pointer, "value": y}, {"op": "copy", "from": pointer, "path": "/new"}]
    )
    assert result == {**x, table: y, "new": y}
    assert all(result[name] is x[name] for name in x if name not in (table, "new"))
    assert repr(x) == repr(before)


@given(values, values)
@settings(deadline=None)
def test_tokens_are_equal_exactly_when_values_are_the_same(x: Any, y: Any) -> None:
    assert (token(x) == token(y)) == same(x, y)
    assert token(x) == token(copy.deepcopy(x))
