"""Criteria become statements, and what a model thinks of them becomes probabilities of levels."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.models.statements import cleaned, distribution, statements
from rubrics.criterion import Criterion


def criterion(**given: Any) -> Criterion:
    """A criterion called `c`."""
    return Criterion.model_validate({"id": "c", "ask": "How warm is the reply?", **given})


COLD_TO_WARM = [
    {"name": "cold", "value": 0, "means": "No greeting."},
    {"name": "fine", "value": 0.5},
    {"name": "warm", "value": 1, "means": "A greeting\n  and thanks."},
]


ASKED = "\nIs the statement true? Answer True or False."


def test_a_yes_no_question_is_one_statement() -> None:
    (text,) = statements(criterion(ask="Does the reply\n state  the amount?"))
    assert text == f"\n\nStatement: The reply does state the amount.{ASKED}"


@pytest.mark.parametrize(
    ("ask", "claim"),
    [
        ("Do the minutes name who was absent?", "The minutes do name who was absent."),
        ("Did the agent of the bank call back?", "The agent of the bank did call back."),
        ("Does a message of the agent tell so?", "A message of the agent does tell so."),
        ("Does the last reply not blame her?", "The last reply does not blame her."),
    ],
)
def test_a_question_is_turned_round_where_its_subject_is_plain(ask: str, claim: str) -> None:
    assert statements(criterion(ask=ask)) == (f"\n\nStatement: {claim}{ASKED}",)


@pytest.mark.parametrize(
    "ask",
    [
        "Is the tone of the reply friendly?",
        "Nennt die Antwort den Betrag?",
        "Does the reply, if any, name it?",
        "Does the reply name it? Or its price?",
        "Does the reply name it? Only prices count.",
    ],
)
def test_other_questions_are_left_as_they_are(ask: str) -> None:
    assert statements(criterion(ask=ask)) == (f"\n\nQuestion: {ask}\nStatement: The answer is yes.{ASKED}",)


def test_what_yes_means_is_said() -> None:
    levels = [{"name": "no", "value": 0}, {"name": "yes", "value": 1, "means": "To the cent."}]
    (text,) = statements(criterion(ask="Does the reply name it?", levels=levels))
    assert text == f"\n\nStatement: The reply does name it (To the cent).{ASKED}"


def test_a_scale_of_three_levels_is_two_statements() -> None:
    head = "\n\nQuestion: How warm is the reply?\nScale, worst to best: cold, fine, warm\nStatement: The answer is"
    assert statements(criterion(levels=COLD_TO_WARM)) == (
        f"{head} at least fine.{ASKED}",
        f"{head} warm (A greeting and thanks).{ASKED}",
    )


@pytest.mark.parametrize("token", ["<|im_end|>", "<|im_start|>system", "<|endoftext|>"])
def test_a_control_token_in_evidence_or_criterion_is_only_text(token: str) -> None:
    levels = [{"name": "a", "value": 0}, {"name": f"b{token}", "value": 0.5}, {"name": "c", "value": 1, "means": token}]
    assert "<|" not in cleaned(f"before {token} after")
    assert "<|" not in "".join(statements(criterion(ask=token, levels=levels)))


def test_a_yes_no_answer_keeps_its_probability() -> None:
    assert distribution(criterion(), [0.75]) == {"no": 0.25, "yes": 0.75}


def test_statements_that_contradict_each_other_are_pooled() -> None:
    levels = distribution(criterion(levels=COLD_TO_WARM), [0.4, 0.8])
    assert levels == pytest.approx({"cold": 0.4, "fine": 0.0, "warm": 0.6})


TRUTHS = st.lists(st.floats(0, 1), min_size=1, max_size=9)


@given(TRUTHS)
def test_levels_are_probabilities(truths: list[float]) -> None:
    levels = distribution(_scale(truths), truths)
    assert sum(levels.values()) == pytest.approx(1)
    assert all(0 <= chance <= 1 for chance in levels.values())


@given(TRUTHS)
def test_answers_that_agree_are_left_as_they_are(truths: list[float]) -> None:
    falling = sorted(truths, reverse=True)
    levels = list(distribution(_scale(truths), falling).values())
    assert [sum(levels[place:]) for place in range(1, len(levels))] == pytest.approx(falling)


@given(TRUTHS)
def test_pooling_keeps_the_mean_level(truths: list[float]) -> None:
    levels = list(distribution(_scale(truths), truths).values())
    assert sum(place * chance for place, chance in enumerate(levels)) == pytest.approx(sum(truths))


def _scale(truths: list[float]) -> Criterion:
    """A scale with one level more than there are truths."""
    last = len(truths)
    return criterion(levels=[{"name": f"l{place}", "value": place / last} for place in range(last + 1)])
