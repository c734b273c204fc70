"""What changes a fingerprint and what does not: stored verdicts and calibrations hang on it."""

from __future__ import annotations

from typing import Any

import pytest

from rubrics import Rubric, load
from rubrics.fingerprints import canonical, fingerprint_of
from tests.rubrics.building import criterion, made


def pair(**more: Any) -> tuple[Rubric, Rubric]:
    return made(criterion("a"), criterion("b")), made(criterion("a") | more, criterion("b"))


@pytest.mark.parametrize(
    "more",
    [
        {"weight": 2}, {"weight": -1}, {"gate": True}, {"if_unknown": "exclude"}, {"tags": ["x"]}, {"shadows": {"tables": ["t"]}},
    ],
    ids=lambda more: next(iter(more)),
)  # fmt: skip
def test_how_an_answer_counts_changes_the_rubric_and_not_the_criterion(more: dict[str, Any]) -> None:
    old, new = pair(**more)
    assert old.by_id["a"].fingerprint == new.by_id["a"].fingerprint
    assert old.fingerprint != new.fingerprint


@pytest.mark.parametrize(
    "more",
    [
        {"ask": "Another?"}, {"scale": "1-5"}, {"levels": [{"name": "no", "value": 0.1}, {"name": "yes", "value": 1}]},
        {"levels": [{"name": "no", "value": 0, "means": "m"}, {"name": "yes", "value": 1}]}, {"require_quote": True},
        {"evidence": ["policy"]}, {"applies_if": "x is defined"}, {"may_not_apply": True}, {"check": {"name": "says", "words": ["x"]}},
        {"examples": [{"reply": "r", "level": "no"}]},
    ],
    ids=lambda more: next(iter(more)),
)  # fmt: skip
def test_what_can_change_an_answer_changes_both(more: dict[str, Any]) -> None:
    old, new = pair(**more)
    assert old.by_id["a"].fingerprint != new.by_id["a"].fingerprint
    assert old.fingerprint != new.fingerprint


@pytest.mark.parametrize(
    "more",
    [
        {}, {"weight": 1}, {"weight": 1.0}, {"gate": False}, {"tags": []}, {"check": None}, {"ask": " Does a hold?\n"},
        {"levels": [{"name": "no", "value": 0}, {"name": "yes", "value": 1.0}]},
        {"evidence": ["context", "artifacts", "state", "policy", "transcript"]}, {"if_unknown": "against"}, {"examples": []},
    ],
    ids=str,
)  # fmt: skip
def test_defaults_spelled_out_and_outer_blanks_change_nothing(more: dict[str, Any]) -> None:
    old, new = pair(**more)
    assert old == new
    assert old.by_id["a"].fingerprint == new.by_id["a"].fingerprint
    assert old.fingerprint == new.fingerprint


def test_an_id_belongs_to_the_rubric_and_not_to_the_question() -> None:
    one, other = made(criterion("a") | {"ask": "q"}), made(criterion("b") | {"ask": "q"})
    assert one.leaves[0].fingerprint == other.leaves[0].fingerprint
    assert one.fingerprint != other.fingerprint


def test_the_order_of_keys_does_not_matter() -> None:
    check = {"name": "says", "words": ["x"], "in": "last_reply"}
    one = {"id": "r", "version": "1", "criteria": [criterion("a", weight=2, check=check)]}
    other = {key: one[key] for key in reversed(one)}
    other["criteria"] = [dict(reversed(criterion("a", weight=2, check=dict(reversed(check.items()))).items()))]
    assert load(one).fingerprint == load(other).fingerprint
    assert load(one).leaves[0].fingerprint == load(other).leaves[0].fingerprint


def test_a_zero_is_a_zero_whatever_its_sign() -> None:
    assert (
        made(criterion("a", weight=-0.0), criterion("b")).fingerprint
        == made(criterion("a", weight=0), criterion("b")).fingerprint
    )


def test_the_order_of_criteria_matters_to_the_rubric() -> None:
    assert made(criterion("a"), criterion("b")).fingerprint != made(criterion("b"), criterion("a")).fingerprint


def test_a_fingerprint_is_sixteen_hex_digits_and_the_same_in_every_process() -> None:
    assert (
        fingerprint_of({"b": [1, 2.5, None], "a": "é"})
        == fingerprint_of({"a": "é", "b": [1, 2.5, None]})
        == "d764fee2563da33e"
    )


def test_what_is_no_json_number_has_no_canonical_form() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical({"a": float("nan")})


def test_a_lone_surrogate_can_be_fingerprinted() -> None:
    assert len(fingerprint_of("\ud800")) == 16
