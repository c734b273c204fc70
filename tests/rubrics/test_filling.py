"""Names are filled in strictly, once, in bounded time and space; and nothing in a rubric reaches the interpreter."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from rubrics import FillError, Rubric, RubricError, applies, fill
from rubrics.filling import needs_filling
from rubrics.templates import (
    MAX_FILLED,
    check_expression,
    check_template,
    evaluate,
    guarded_names,
    literal,
    lone_expression,
    names_in,
    render,
)
from tests.rubrics.building import criterion, made, randomly


def filled(rubric: Rubric, **context: Any) -> Rubric:
    return fill(rubric, {**context, "context": context})


def asking(ask: str, **more: Any) -> Rubric:
    return made(criterion("a") | {"ask": ask} | more)


# Filling


def test_names_are_filled_in_questions_arguments_and_meanings() -> None:
    levels = [{"name": "no", "value": 0, "means": "Not {{ amount }}."}, {"name": "yes", "value": 1, "means": "Plain."}]
    rubric = made(
        criterion("a", levels=levels)
        | {"ask": "Is it {{ amount }}?", "check": {"name": "says", "words": ["{{ amount }} EUR"]}}
    )
    found = filled(rubric, amount="48.00").leaves[0]
    assert found.ask == "Is it 48.00?"
    assert found.check is not None
    assert found.check.args == {"words": ["48.00 EUR"]}
    assert [level.means for level in found.levels] == ["Not 48.00.", "Plain."]
    assert found.by_name["no"].means == "Not 48.00."
    assert rubric.leaves[0].ask == "Is it {{ amount }}?"


def test_names_in_nested_sections_are_filled() -> None:
    inner = {"id": "t", "criteria": [criterion("a") | {"ask": "Is it {{ x }}?"}]}
    assert filled(made(sections=[{"id": "s", "sections": [inner]}]), x=1).by_id["a"].ask == "Is it 1?"


@pytest.mark.parametrize("value", [48.0, 3, True, None, "48", ["a", "b"], {"k": [1]}], ids=repr)
def test_a_lone_expression_keeps_its_type(value: Any) -> None:
    rubric = asking("q", check={"name": "path", "at": "$.x", "equals": "{{ wanted }}"})
    check = filled(rubric, wanted=value).leaves[0].check
    assert check is not None
    assert check.args["equals"] == value
    assert type(check.args["equals"]) is type(value)


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("{{ a }}", "a"),
        (" {{- a.b -}} ", "a.b"),
        ("{{ -5 }}", "-5"),
        ("{{ a }} b", None),
        ("{{ a }}{{ b }}", None),
        ("a", None),
    ],
    ids=["name", "trimmed", "negative", "text after", "two", "none"],
)
def test_what_a_lone_expression_is(text: str, inner: str | None) -> None:
    assert lone_expression(text) == inner


def test_a_rubric_without_names_is_returned_as_it_is() -> None:
    rubric = asking("Is it so?")
    assert not needs_filling(rubric)
    assert filled(rubric) is rubric


def test_what_does_not_apply_is_not_filled_and_needs_no_names() -> None:
    rubric = made(criterion("a", applies_if="context.extra is defined") | {"ask": "Is it {{ extra }}?"}, criterion("b"))
    assert filled(rubric).leaves[0].ask == "Is it {{ extra }}?"
    assert filled(rubric, extra="x").leaves[0].ask == "Is it x?"


def test_values_are_data_and_are_never_filled_in_themselves() -> None:
    found = filled(asking("Is it {{ a }}?"), a="{{ secret }}{% raw %}", secret="s3cret")
    assert found.leaves[0].ask == "Is it {{ secret }}{% raw %}?"


def test_examples_are_data_too() -> None:
    rubric = asking("Is it {{ a }}?", examples=[{"reply": "Dear {{ name }},", "level": "no"}])
    assert filled(rubric, a=1).leaves[0].examples[0].reply == "Dear {{ name }},"


@randomly
@given(st.text(alphabet="{}%#'a \n", max_size=40))
def test_text_taken_literally_comes_out_as_it_went_in(text: str) -> None:
    written = literal(text)
    check_template(written)
    found = filled(asking("x " + written), a=1)
    assert found.leaves[0].ask == ("x " + text).strip()


@pytest.mark.parametrize("key", ["items", "keys", "values", "get", "count", "copy", "update", "title", "pop"])
def test_keys_that_python_has_methods_of_are_keys_all_the_same(key: str) -> None:
    assert render("{{ order." + key + " }}", {"order": {key: "mine"}}) == "mine"


# Names that are missing


def test_G21_a_name_that_was_never_filled_in_is_an_error_that_names_it_in_full() -> None:
    with pytest.raises(
        FillError, match=r"criterion 'a' needs task\.goal, which the episode's context does not hold \(it holds task\)"
    ):
        filled(asking("Task: {{ task.goal }}"), task={})


@pytest.mark.parametrize(
    ("ask", "context", "message"),
    [
        ("{{ a }} {{ b.c }} {{ d }}", {"d": 1}, "needs a, b.c, which"),
        ("{{ a | default('x') }} {{ b }}", {}, "needs b, which"),
        ("{{ rows[3] }}", {"rows": [1]}, "needs rows.3, which"),
        ("{{ a | upper }}", {}, "needs a, which"),
        ("{{ a | tojson }}", {}, "needs a, which"),
        ("{{ a | int }}", {}, "needs a, which"),
        ("{{ context.x }}", {}, "needs context.x, which"),
        ("{{ range }}", {}, "needs range, which"),
        ("{{ a ~ 'x' }}", {}, "needs a, which"),
        ("{{ a }}", {"a": None}, "a name in it is null"),
        ("{{ a | join(', ') }}", {"a": "text"}, "join needs a list"),
        ("{{ a | int }}", {"a": "many"}, "could not convert"),
        ("{{ a | first }}", {"a": []}, "needs No first item"),
    ],
    ids=[
        "several",
        "default",
        "place",
        "filter",
        "json",
        "int",
        "context",
        "global",
        "join",
        "null",
        "no list",
        "no number",
        "empty",
    ],
)
def test_what_can_not_be_filled_is_said(ask: str, context: dict[str, Any], message: str) -> None:
    with pytest.raises(FillError) as refused:
        filled(asking(ask), **context)
    assert message in str(refused.value)


def test_a_null_in_a_lone_argument_is_null_and_a_missing_one_is_an_error() -> None:
    rubric = asking("q", check={"name": "path", "at": "$.x", "equals": "{{ wanted }}"})
    with pytest.raises(FillError, match="needs wanted"):
        filled(rubric)


def test_the_message_does_not_list_a_thousand_names() -> None:
    with pytest.raises(FillError) as refused:
        filled(asking("{{ missing }}"), **{f"name_{i}": i for i in range(1_000)})
    assert len(str(refused.value)) < 600


# applies_if


@pytest.mark.parametrize(
    ("condition", "context", "wanted"),
    [
        ("context.a is defined", {"a": 0}, True),
        ("context.a is defined", {}, False),
        ("context.a.b is defined", {}, False),
        ("a == 'x'", {"a": "x"}, True),
        ("a in ['x', 'y'] and not b", {"a": "y", "b": False}, True),
        ("rows | length > 2", {"rows": [1, 2]}, False),
        ("a | default(false)", {}, False),
        ("a is none", {"a": None}, True),
    ],
)
def test_a_condition_says_whether_a_criterion_applies(condition: str, context: dict[str, Any], wanted: bool) -> None:
    found = made(criterion("a", applies_if=condition)).leaves[0]
    assert applies(found, {**context, "context": context}) is wanted


@pytest.mark.parametrize(
    "condition", ["context.urgnet", "not context.urgnet", "context.urgnet == 1", "context.urgnet and true"]
)
def test_a_slip_in_a_condition_is_an_error_and_takes_nothing_out_of_the_sums(condition: str) -> None:
    found = made(criterion("a", applies_if=condition)).leaves[0]
    with pytest.raises(
        FillError, match=r"needs context\.urgnet, which .* ask first whether `context\.urgnet is defined`"
    ):
        applies(found, {"urgent": True, "context": {"urgent": True}})


@pytest.mark.parametrize("condition", ["a < 'x'", "a | round(3) == 1"], ids=["types", "filter"])
def test_a_condition_that_can_not_be_worked_out_is_an_error(condition: str) -> None:
    with pytest.raises(FillError, match="criterion 'a': applies_if"):
        applies(made(criterion("a", applies_if=condition)).leaves[0], {"a": {"k": 1}})


@pytest.mark.parametrize("text", ["a }} x {{ b", "{{ a }}", "{% if a %}", "a,", "a b", "", "a }}"])
def test_what_is_not_one_expression_is_refused_at_load(text: str) -> None:
    with pytest.raises(ValueError):
        check_expression(text)


# Nothing reaches the interpreter


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ x['__class__'] }}",
        "{{ x.__init__ }}",
        "{{ _x }}",
        "{{ self }}",
        "{{ f() }}",
        "{{ x.upper() }}",
        "{{ range(10) }}",
        "{% for i in x %}{{ i }}{% endfor %}",
        "{% set x = 1 %}",
        "{% include 'x' %}",
        "{% import 'os' as os %}",
        "{{ x | attr('__class__') }}",
        "{{ x | map('upper') }}",
        "{{ x | format(1) }}",
        "{{ x | pprint }}",
        "{{ 'a' * 10 }}",
        "{{ 2 ** 99 }}",
        "{{ '%999999999d' % 1 }}",
        "{{ x[1:2] }}",
        "{{ {'a': 1} }}",
        "{{ x is sameas(1) }}",
        "{{ 1 is divisibleby(0) }}",
        "{{ '%999999999d' is odd }}",
        "{{ x | tojson(indent=999999999) }}",
        "{{ x | tojson(999999999) }}",
        "{{ x | int(base=36) }}",
        "{{ x | default(*y) }}",
        "{{ x | upper | lower | nothing }}",
        "{{ x",
        "{{ 'x }}",
        "{{ x }} {% raw",
    ],
)
def test_more_than_names_comparisons_and_filters_is_refused_at_load_or_undefined(text: str) -> None:
    try:
        rubric = asking(text)
    except RubricError:
        return
    with pytest.raises(FillError):
        filled(rubric, x="text", y=[1])


class Bait:
    """An object whose attributes would lead out of the sandbox."""

    secret = "s3cret"

    def leak(self) -> str:
        return self.secret


@pytest.mark.parametrize(
    "text", ["{{ bait.secret }}", "{{ bait.leak }}", "{{ bait['secret'] }}", "{{ text.upper }}", "{{ rows.append }}"]
)
def test_attributes_of_python_objects_do_not_exist(text: str) -> None:
    with pytest.raises(UndefinedError):
        render(text, {"bait": Bait(), "text": "t", "rows": []})


# Bounded time and space


@pytest.mark.parametrize(
    "text",
    [
        "{{ " + "a" + ".b" * 15_000 + " }}",
        "{{ " + "(" * 9_000 + "a" + ")" * 9_000 + " }}",
        "{{ " + "not " * 4_000 + "a }}",
        "{{ " + "1 + " * 4_000 + "1 }}",
        "{{ " + " ~ ".join(["a"] * 60) + " }}",
        "{{ " + "[" * 45 + "a" + "]" * 45 + " }}",
        "{{" * 10_000,
        "x" * 20_001,
    ],
    ids=["dots", "brackets", "not", "sum", "names", "lists", "braces", "length"],
)
def test_templates_that_could_grow_or_take_long_are_refused_at_load(text: str) -> None:
    with pytest.raises(RubricError):
        asking(text)


def test_what_is_filled_in_may_not_grow_beyond_its_bound() -> None:
    with pytest.raises(FillError, match=f"more than {MAX_FILLED} characters"):
        filled(asking("{{ a }}" * 3), a="x" * (MAX_FILLED // 2))
    with pytest.raises(FillError, match="more than"):
        filled(asking("{{ a | join(a[0]) }}"), a=["x" * 10_000] * 1_000)
    with pytest.raises(FillError, match="more than"):
        filled(asking("q", check={"name": "says", "words": "{{ a ~ a }}"}), a="x" * MAX_FILLED)


@pytest.mark.parametrize("digits", ["-999999999", "999999999", "'3'", "true"])
def test_rounding_takes_a_few_digits_and_no_more(digits: str) -> None:
    with pytest.raises(FillError):
        filled(asking("{{ 1 | round(" + digits + ") }}"), a=1)


@randomly
@given(st.text(max_size=60))
def test_any_text_in_braces_is_refused_or_filled_and_breaks_nothing(inner: str) -> None:
    text = "{{ " + inner + " }}"
    try:
        check_template(text)
    except ValueError:
        return
    try:
        render(text, {"a": 1, "context": {"a": 1}})
    except (ValueError, UndefinedError):
        return


# Which names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{{ a }} and {{ b.c }}", ["a", "b.c"]),
        ("{{ rows[0].id | upper }}", ["rows.0.id"]),
        ("{{ a if b else c }}", ["b", "a", "c"]),
        ("plain", []),
    ],
)
def test_the_names_that_a_template_reads(text: str, names: list[str]) -> None:
    assert sorted(names_in(text)) == sorted(names)


def test_the_names_that_a_template_may_find_absent() -> None:
    assert guarded_names("{{ a | default('x') }} {{ b }} {{ c.d if c.d is defined else 1 }}") == {"a", "c.d"}


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [("a | round(2)", 1.24), ("a | tojson", "1.236"), ("b | join('-')", "x-y"), ("b | last", "y"), ("' t ' | trim", "t"),
     ("c | int + 1", 8),
     ("-a | abs", 1.236), ("d | tojson", '{"é": [1, null]}'), ("b", ["x", "y"])],
)  # fmt: skip
def test_what_expressions_give(expression: str, wanted: Any) -> None:
    names = {"a": 1.236, "b": ["x", "y"], "c": "7", "d": {"é": [1, None]}}
    assert evaluate(expression, names) == wanted
