"""What changed between two versions, in plain words, and which verdicts survive it."""

from __future__ import annotations

from typing import Any

import pytest

from rubrics import load
from rubrics.diffing import diff, same_criteria, valid_verdicts
from tests.rubrics.building import criterion, made


def changes(**more: Any) -> list[str]:
    return [str(d) for d in diff(made(criterion("a"), criterion("b")), made(criterion("a") | more, criterion("b")))]


def test_the_same_rubric_has_no_differences() -> None:
    rubric = load("refund_reply")
    assert diff(rubric, rubric) == []
    assert valid_verdicts(rubric, rubric) == {c.id: c.id for c in rubric.leaves}


@pytest.mark.parametrize(
    ("more", "kind", "words", "valid"),
    [
        ({"ask": "Another?"}, "reasked", "asks: Does a hold? -> Another?", False),
        ({"scale": "1-3"}, "rescaled", "levels: no = 0, yes = 1 -> 1 = 0, 2 = 0.5, 3 = 1", False),
        (
            {"check": {"name": "says", "words": ["x"]}},
            "rechecked",
            "check: none -> {'name': 'says', 'words': ['x']}",
            False,
        ),
        ({"applies_if": "x is defined"}, "rechecked", "applies_if: none -> x is defined", False),
        (
            {"evidence": ["policy"]},
            "reshown",
            "evidence: ['transcript', 'policy', 'state', 'artifacts', 'context'] -> ['policy']",
            False,
        ),
        ({"require_quote": True}, "reshown", "require_quote: False -> True", False),
        ({"weight": 3}, "reweighted", "weight 1 -> 3 (50% -> 75% of the score)", True),
        ({"gate": True, "weight": 1}, "regated", "gate: False -> True", True),
        ({"if_unknown": "exclude"}, "recounted", "if_unknown: against -> exclude", True),
        ({"tags": ["x"]}, "retagged", "tags: none -> ['x']", True),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_change_is_named_and_so_is_what_becomes_of_verdicts(
    more: dict[str, Any], kind: str, words: str, valid: bool
) -> None:
    old, new = made(criterion("a"), criterion("b")), made(criterion("a") | more, criterion("b"))
    (found,) = [d for d in diff(old, new) if d.criterion == "a"]
    assert (found.kind, found.message, found.valid) == (kind, words, valid)
    assert ("a" in valid_verdicts(old, new)) is valid
    assert "b" in valid_verdicts(old, new)


def test_another_share_that_follows_from_a_neighbour_is_no_change_of_its_own() -> None:
    assert changes(weight=3) == ["a: weight 1 -> 3 (50% -> 75% of the score) (stored verdicts stay valid)"]


def test_added_and_removed_criteria_are_listed() -> None:
    found = [str(d) for d in diff(made(criterion("a"), criterion("b")), made(criterion("a"), criterion("c", weight=2)))]
    assert found == [
        "c: added: Does c hold? (judged, weight 2)",
        "b: removed: Does b hold? (judged, weight 1) (stored verdicts are void)",
    ]


def test_a_criterion_with_another_id_and_the_same_question_keeps_its_verdicts() -> None:
    old, new = made(criterion("a"), criterion("b")), made(criterion("a"), criterion("z") | {"ask": "Does b hold?"})
    assert [str(d) for d in diff(old, new)] == ["z: renamed from b (stored verdicts stay valid)"]
    assert same_criteria(old, new) == {"a": "a", "z": "b"}
    assert valid_verdicts(old, new) == {"a": "a", "z": "b"}


def test_verdicts_follow_their_questions_when_ids_are_swapped() -> None:
    old = made(criterion("a"), criterion("b"))
    new = made(criterion("a") | {"ask": "Does b hold?"}, criterion("b") | {"ask": "Does a hold?"})
    assert {(d.criterion, d.kind, d.valid) for d in diff(old, new)} == {("a", "renamed", True), ("b", "renamed", True)}
    assert valid_verdicts(old, new) == {"a": "b", "b": "a"}


def test_an_id_whose_question_went_elsewhere_has_no_verdicts_left() -> None:
    old = made(criterion("a"), criterion("b"))
    new = made(criterion("a") | {"ask": "Does b hold?"}, criterion("b") | {"ask": "A new one?"})
    assert [(d.criterion, d.kind) for d in diff(old, new)] == [("a", "renamed"), ("b", "added"), ("a", "removed")]
    assert valid_verdicts(old, new) == {"a": "b"}


def test_changes_of_the_whole_come_first() -> None:
    old = made(criterion("a"), pass_mark=0.7)
    new = made(criterion("a", weight=2), version="2", pass_mark=0.8, accept_width=0.05)
    assert [str(d) for d in diff(old, new)][:3] == [
        "rubric: version: 1 -> 2",
        "rubric: pass_mark: 0.7 -> 0.8",
        "rubric: accept_width: 0.0 -> 0.05",
    ]


def test_sections_that_are_reweighted_or_entered_are_told() -> None:
    def with_sections(weight: float, *inside: str) -> Any:
        outside = [criterion(name) for name in ("a", "b") if name not in inside]
        section = {"id": "s", "weight": weight, "criteria": [criterion("c"), *(criterion(name) for name in inside)]}
        return load({"id": "x", "criteria": outside, "sections": [section]})

    assert [str(d) for d in diff(with_sections(1), with_sections(2, "b"))] == [
        "rubric: weight of section s: 1.0 -> 2.0",
        "b: moved from the top to s (stored verdicts stay valid)",
    ]


def test_a_rubric_of_gates_alone_can_be_compared() -> None:
    old, new = made(criterion("a", gate=True)), made(criterion("a", gate=True, weight=1))
    assert [str(d) for d in diff(old, new)] == [
        "a: weight 0 -> 1 (nothing -> 100% of the score) (stored verdicts stay valid)"
    ]
