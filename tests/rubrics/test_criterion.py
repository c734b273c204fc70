"""Criteria, their scales and their checks, as nouns."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from rubrics import Check, Criterion, Level
from rubrics.criterion import ALL_EVIDENCE, YES_NO, levels_of_scale


def of(**more: Any) -> Criterion:
    return Criterion.model_validate({"id": "a", "ask": "Does it hold?", **more})


def test_a_criterion_is_a_yes_no_question_of_weight_one_that_sees_everything() -> None:
    plain = of()
    assert (plain.levels, plain.weight, plain.gate, plain.judged, plain.evidence) == (
        YES_NO,
        1.0,
        False,
        True,
        ALL_EVIDENCE,
    )


def test_a_gate_weighs_nothing_unless_it_is_given_a_weight() -> None:
    assert of(gate=True).weight == 0.0
    assert of(gate=True, weight=2).weight == 2.0
    assert of(gate=False).weight == 1.0


@pytest.mark.parametrize(
    ("gate", "threshold", "is_gate"),
    [(False, 0.0, False), (True, 1.0, True), ("3", 0.5, True), (3, 0.5, True), (3.0, 0.5, True)],
)
def test_the_threshold_of_a_gate(gate: Any, threshold: float, is_gate: bool) -> None:
    found = of(scale="1-5", gate=gate)
    assert (found.threshold, found.is_gate) == (threshold, is_gate)


@pytest.mark.parametrize(
    ("scale", "names", "values", "between"),
    [
        ("1-5", ["1", "2", "3", "4", "5"], [0, 0.25, 0.5, 0.75, 1], False),
        ("0 to 2", ["0", "1", "2"], [0, 0.5, 1], False),
        ("0-1", ["0", "1"], [0, 1], True),
        ("-1..1", ["-1", "0", "1"], [0, 0.5, 1], False),
        ({"min": 1, "max": 3, "integer": False}, ["1", "2", "3"], [0, 0.5, 1], True),
        ({"min": 0, "max": 1}, ["0", "1"], [0, 1], False),
    ],
    ids=str,
)
def test_a_scale_of_numbers_is_levels(scale: Any, names: list[str], values: list[float], between: bool) -> None:
    found = of(scale=scale)
    assert [level.name for level in found.levels] == names
    assert [level.value for level in found.levels] == values
    assert found.between is between
    assert found.numbered


@pytest.mark.parametrize(
    "scale",
    [
        "5-1",
        "1-1",
        "1-102",
        "1-99999999999",
        "a-b",
        "1.5-2",
        None,
        5,
        {"min": 1},
        {"min": True, "max": 5},
        {"max": 5, "low": 1},
    ],
)
def test_what_is_no_scale_is_refused(scale: Any) -> None:
    with pytest.raises(ValueError, match="scale"):
        levels_of_scale(scale)


def test_worst_and_best_change_places_for_a_penalty() -> None:
    assert (of().worst, of().best) == (0.0, 1.0)
    assert (of(weight=-1).worst, of(weight=-1).best) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("value", "name"), [(0.0, "1"), (0.2, "1"), (0.25, "2"), (0.2499999999, "2"), (0.9, "4"), (1.0, "5")]
)
def test_the_level_that_a_value_has_reached(value: float, name: str) -> None:
    assert of(scale="1-5").level_at(value).name == name


def test_a_check_is_written_flat_and_read_back_as_it_was() -> None:
    flat = {"name": "called", "tool": "refund", "args": {"id": 1}}
    check = Check.model_validate(flat)
    assert check.args == {"tool": "refund", "args": {"id": 1}}
    assert check.model_dump() == flat


@pytest.mark.parametrize(
    "args",
    [{}, {"tool": "x"}, {"args": {"a": 1}}, {"name": "other"}, {"name": "n", "args": 2}],
    ids=["none", "one", "args", "name", "both"],
)
def test_every_check_survives_writing_and_reading(args: dict[str, Any]) -> None:
    check = Check.model_validate({"name": "c", "args": args})
    assert Check.model_validate(check.model_dump()) == check


def test_every_criterion_survives_writing_and_reading() -> None:
    given = of(
        scale="1-5", gate="3", weight=2, check={"name": "says", "numbers": [1.5]}, applies_if="a is defined", may_not_apply=True,
        if_unknown="missing", evidence=["policy", "transcript"], require_quote=True, shadows={"tables": ["t"]}, tags=["x"],
        examples=[{"reply": "r", "level": 4}],
    )  # fmt: skip
    again = Criterion.model_validate(given.model_dump(mode="json"))
    assert again == given
    assert Criterion.model_validate_json(given.model_dump_json(exclude_defaults=True)) == given


def test_evidence_is_a_set_in_one_order() -> None:
    assert of(evidence=["policy", "transcript", "policy"]).evidence == ("transcript", "policy")


def test_nouns_are_frozen_and_closed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        of().weight = 2.0  # type: ignore[misc]
    with pytest.raises(ValidationError, match="Extra inputs"):
        Level.model_validate({"name": "a", "value": 0, "weight": 1})


def test_a_copy_forgets_what_was_derived_from_the_old_values() -> None:
    first = of()
    print_before, names_before = first.fingerprint, first.by_name
    other = first.model_copy(update={"ask": "Another?", "levels": (Level(name="x", value=0), Level(name="y", value=1))})
    assert other.fingerprint != print_before
    assert set(other.by_name) == {"x", "y"} != set(names_before)
