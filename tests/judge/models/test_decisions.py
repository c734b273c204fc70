"""The rubric as OpenAI's typed questions."""

from __future__ import annotations

from functools import partial

import pytest

from judge.models.decisions import levels_of, question_of
from tests.judge.models.asking import asked, criterion, failed, model_at
from tests.provider import Provider, Request, answers
from tests.provider.plans import Plan, response

TONE = criterion("tone", "cold", "fine", "warm")


def refusing(*names: str) -> partial[Plan]:
    """A provider's rule that declines to answer the questions of these names."""

    def answer(request: Request) -> Plan:
        return Plan((response(200, answers.decision(request, refuse=names)),))

    return partial(answer)


@pytest.mark.parametrize("client", ["wire", "sdk"])
async def test_criteria_become_typed_questions_and_answers_probabilities(client: str) -> None:
    async with Provider() as provider:
        model = model_at(provider, "openai", client, structured="decisions")
        reply = await asked(model, "amount", TONE, evidence="answer-key: amount=no, tone=fine\n")
        body, path = provider.requests[0].body, provider.requests[0].path
    assert path == "/v1/decisions"
    assert [question["type"] for question in body["questions"]] == ["predicate", "score"]
    assert [message["role"] for message in body["input"]] == ["system", "user"]
    assert "Criteria:" not in str(body["input"])
    assert reply.text is None
    assert reply.probabilities is not None
    assert reply.probabilities["amount"] == pytest.approx({"no": 0.9, "yes": 0.1})
    assert reply.probabilities["tone"] == pytest.approx({"cold": 0.05, "fine": 0.9, "warm": 0.05})
    assert (reply.usage.input_tokens, reply.usage.cached_tokens, reply.usage.output_tokens) == (500, 100, 5)


async def test_a_refused_question_is_left_out_and_noted() -> None:
    async with Provider(rule=refusing("tone")) as provider:
        reply = await asked(model_at(provider, structured="decisions"), "amount", TONE)
    assert reply.probabilities is not None
    assert set(reply.probabilities) == {"amount"}
    assert reply.notes == ("tone: refused",)


async def test_a_judge_that_refuses_every_question_has_refused() -> None:
    async with Provider(rule=refusing("tone", "amount")) as provider:
        error = await failed(model_at(provider, structured="decisions"), "amount", TONE)
    assert error.kind == "judge_refused"


def test_a_question_that_may_not_apply_is_a_choice() -> None:
    question = question_of(criterion("refund", may_not_apply=True))
    assert question["type"] == "choice"
    assert [choice["value"] for choice in question["choices"]] == ["no", "yes", "not_applicable"]


@pytest.mark.parametrize(
    "answer",
    [
        {"type": "predicate", "probability": 1.2},
        {"type": "predicate", "probability": None},
        {"type": "predicate", "probability": True},
        {"type": "predicate", "name": "other", "probability": 0.5},
        {"type": "score", "probabilities": [{"label": "maybe", "probability": 1.0}]},
        {"type": "score", "probabilities": []},
        {"type": "score", "probabilities": [{"label": "no", "probability": 0.1}]},
        {"type": "refusal"},
        "no",
        None,
    ],
)
def test_an_answer_off_the_scale_is_none(answer: object) -> None:
    assert levels_of(answer, criterion("amount")) is None
