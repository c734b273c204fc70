"""What is sent: each vendor's layout, and what is given up when an endpoint refuses it."""

from __future__ import annotations

from typing import Any

import pytest

from judge.errors import InputError
from judge.models.catalogue import connect
from tests.judge.models.asking import (
    VERDICTS,
    asked,
    criterion,
    each_client,
    failed,
    judge_at,
    model_at,
    prompt,
)
from tests.provider import Fault, Provider
from tests.provider.faults import in_turn, refuses, reply, status


async def sent_by(vendor: str, client: str, **judge: Any) -> dict[str, Any]:
    """The body of the one request that such a judge sends."""
    async with Provider() as provider:
        await asked(
            model_at(provider, vendor, client, **judge), criterion("amount"), criterion("tone", "cold", "ok", "warm")
        )
        assert provider.count == 1
        return provider.requests[0].body


@pytest.mark.parametrize("client", ["wire", "sdk"])
async def test_openai_gets_one_system_and_one_user_message_and_a_strict_schema(client: str) -> None:
    body = await sent_by("openai", client)
    asked_of = prompt(criterion("amount"), criterion("tone", "cold", "ok", "warm"))
    assert body["messages"] == [
        {"role": "system", "content": asked_of.system},
        {"role": "user", "content": asked_of.evidence + asked_of.questions},
    ]
    form = body["response_format"]["json_schema"]
    assert form["strict"] is True
    assert form["schema"]["properties"]["verdicts"]["items"]["properties"]["id"]["enum"] == ["amount", "tone"]
    assert set(body) == {"model", "messages", "response_format"}


@pytest.mark.parametrize("client", ["wire", "sdk"])
async def test_anthropic_gets_its_system_field_a_limit_and_two_cache_breakpoints(client: str) -> None:
    body = await sent_by("anthropic", client)
    asked_of = prompt(criterion("amount"), criterion("tone", "cold", "ok", "warm"))
    mark = {"cache_control": {"type": "ephemeral"}}
    assert body["system"] == [{"type": "text", "text": asked_of.system, **mark}]
    assert body["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": asked_of.evidence, **mark},
                {"type": "text", "text": asked_of.questions},
            ],
        }
    ]
    assert body["max_tokens"] == 8192
    assert body["output_config"]["format"]["type"] == "json_schema"
    assert set(body) == {"model", "system", "messages", "max_tokens", "output_config"}


@each_client
async def test_no_sampling_parameter_is_sent_unless_the_judge_sets_it(vendor: str, client: str) -> None:
    sampling = {"temperature", "top_p", "seed", "n", "logprobs"}
    assert not sampling & set(await sent_by(vendor, client))
    body = await sent_by(vendor, client, params={"temperature": 0, "top_k": 5})
    assert (body["temperature"], body["top_k"]) == (0, 5)


@each_client
async def test_a_refused_parameter_is_dropped_once_and_noted(vendor: str, client: str) -> None:
    async with Provider(rule=refuses("temperature", "seed")) as provider:
        model = model_at(provider, vendor, client, params={"temperature": 0, "seed": 7})
        replies = [await model.ask(prompt(), timeout=5) for _ in range(4)]
        await model.close()
        assert provider.count == 2 + 4
        assert not {"temperature", "seed"} & set(provider.requests[-1].body)
    for each in replies:
        assert each.text == VERDICTS
        assert "temperature dropped: refused by the endpoint" in each.notes


async def test_a_value_that_is_refused_is_known_by_its_param_alone() -> None:
    refusal = status(400, {"param": "temperature", "code": "unsupported_value"})
    rule: Fault = lambda request: refusal(request) if "temperature" in request.body else None  # noqa: E731
    async with Provider(rule=rule) as provider:
        reply_ = await asked(
            model_at(provider, params={"temperature": 0, "seed": 7, "top_p": 1}, max_output_tokens=500)
        )
    assert reply_.notes == ("temperature dropped: refused by the endpoint",)
    assert {"seed", "top_p", "max_tokens"} <= set(provider.requests[-1].body)


@pytest.mark.parametrize("client", ["wire", "sdk"])
async def test_the_limit_goes_by_the_name_that_the_endpoint_knows(client: str) -> None:
    async with Provider(rule=refuses("max_tokens")) as provider:
        await asked(model_at(provider, "openai", client, max_output_tokens=500))
    assert provider.requests[-1].body["max_completion_tokens"] == 500
    assert "max_tokens" not in provider.requests[-1].body


async def test_a_limit_above_the_models_own_is_lowered_to_it() -> None:
    words = "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for judge-x"
    too_much = status(400, {"type": "invalid_request_error", "message": words})
    rule: Fault = lambda request: too_much(request) if request.body["max_tokens"] > 8192 else None  # noqa: E731
    async with Provider(rule=rule) as provider:
        reply_ = await asked(model_at(provider, "anthropic", max_output_tokens=100_000))
    assert provider.requests[-1].body["max_tokens"] == 8192
    assert reply_.notes == ("at most 8192 output tokens: more refused",)


@each_client
async def test_the_form_of_a_reply_goes_down_the_ladder_and_says_so(vendor: str, client: str) -> None:
    fields = {"openai": "response_format", "anthropic": "output_config"}
    async with Provider(rule=refuses(fields[vendor])) as provider:
        model = model_at(provider, vendor, client)
        tool = await model.ask(prompt(), timeout=5)
        again = await model.ask(prompt(), timeout=5)
        await model.close()
        assert provider.count == 3
        assert provider.requests[1].tool == "submit_verdicts"
    assert (tool.text, tool.finish) == (VERDICTS, "tool_call")
    assert tool.notes == again.notes == ("schema refused: reply asked for as tool",)
    async with Provider(rule=refuses(fields[vendor], "tools")) as provider:
        plain = await asked(model_at(provider, vendor, client))
    assert plain.text == VERDICTS
    assert "refused: reply asked for as none" in plain.notes[-1]


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
@pytest.mark.parametrize("structured", ["schema", "tool", "json", "none"])
async def test_the_form_can_be_settled_in_the_judges_settings(vendor: str, structured: str) -> None:
    body = await sent_by(vendor, "wire", structured=structured)
    form = {
        "schema": {"openai": "response_format", "anthropic": "output_config"}[vendor],
        "tool": "tools",
        "json": {"openai": "response_format", "anthropic": None}[vendor],
        "none": None,
    }[structured]
    held = {"response_format", "output_config", "tools"} & set(body)
    assert held == ({form} if form else set())


@each_client
async def test_an_empty_structured_reply_is_asked_once_more_as_plain_text(vendor: str, client: str) -> None:
    async with Provider([reply("")]) as provider:
        answer = await asked(model_at(provider, vendor, client))
        assert provider.count == 2
        assert provider.requests[0].schema is not None
        assert provider.requests[1].schema is None
    assert answer.text == VERDICTS
    assert "the structured reply was empty: asked again as plain text" in answer.notes
    assert answer.usage.calls == 2


async def test_an_endpoint_whose_structured_replies_stay_empty_is_asked_plainly_from_then_on() -> None:
    rule: Fault = lambda request: reply("")(request) if request.schema else None  # noqa: E731
    async with Provider(rule=rule) as provider:
        model = model_at(provider)
        for _ in range(6):
            assert (await model.ask(prompt(), timeout=5)).text == VERDICTS
        await model.close()
        assert provider.count == 2 * 3 + 3


async def test_a_context_overflow_that_names_a_parameter_teaches_nothing() -> None:
    words = "input length and max_tokens exceed context limit: 7000 + 4000 > 9000"
    async with Provider(rule=status(400, {"message": words})) as provider:
        error = await failed(model_at(provider, "anthropic", max_output_tokens=4000))
    assert error.kind == "context_length"
    assert provider.count == 1


async def test_an_unknown_refusal_is_not_sent_twice() -> None:
    async with Provider(rule=status(400, {"message": "The moon is in the wrong place"})) as provider:
        error = await failed(model_at(provider, params={"temperature": 0}))
    assert (error.kind, error.passing, provider.count) == ("provider_error", False, 1)


async def test_a_server_without_a_system_role_gets_its_text_in_the_users_message() -> None:
    refusal = status(400, {"message": "System role not supported"})
    rule: Fault = lambda request: refusal(request) if request.body["messages"][0]["role"] == "system" else None  # noqa: E731
    async with Provider(rule=rule) as provider:
        await asked(model_at(provider))
    assert [message["role"] for message in provider.requests[-1].body["messages"]] == ["user"]
    assert provider.requests[-1].text.startswith("You grade work.")


async def test_a_long_limit_streams_on_anthropic_and_works() -> None:
    async with Provider() as provider:
        for client in ("wire", "sdk"):
            answer = await asked(model_at(provider, "anthropic", client, max_output_tokens=32_000))
            assert answer.text == VERDICTS
        assert all(request.streams for request in provider.requests)


@each_client
async def test_the_last_turn_is_always_the_users(vendor: str, client: str) -> None:
    assert (await sent_by(vendor, client))["messages"][-1]["role"] == "user"


async def test_a_fixed_seed_differs_for_each_sample() -> None:
    async with Provider() as provider:
        model = model_at(provider, params={"seed": 7})
        for sample in (0, 1, 2):
            await model.ask(prompt(), timeout=5, sample=sample)
        await model.close()
    assert [request.body["seed"] for request in provider.requests] == [7, 8, 9]


async def test_settings_that_are_written_for_each_call_cant_be_set() -> None:
    async with Provider() as provider:
        with pytest.raises(InputError, match=r"params\.messages can't be set"):
            connect(judge_at(provider, params={"messages": []}))


async def test_a_form_set_by_the_user_goes_before_ours() -> None:
    body = await sent_by("openai", "wire", params={"response_format": {"type": "text"}})
    assert body["response_format"] == {"type": "text"}


async def test_effort_and_schema_share_anthropics_output_config() -> None:
    body = await sent_by("anthropic", "sdk", params={"output_config": {"effort": "low"}})
    assert set(body["output_config"]) == {"effort", "format"}


async def test_the_probability_of_a_level_is_read_from_its_token() -> None:
    async with Provider() as provider:
        one = await asked(model_at(provider, logprobs=True))
        two = await asked(model_at(provider, logprobs=True), "amount", "tone")
        assert provider.requests[0].body["logprobs"] is True
        assert "logprobs" not in provider.requests[1].body
    assert one.probabilities is not None
    assert one.probabilities["amount"]["yes"] == pytest.approx(0.8, abs=0.01)
    assert two.probabilities is None


async def test_a_model_without_logprobs_answers_without_probabilities() -> None:
    rule = in_turn(refuses("logprobs"))
    async with Provider(rule=rule) as provider:
        answer = await asked(model_at(provider, logprobs=True))
    assert answer.text == VERDICTS
    assert answer.probabilities is None
    assert "top_logprobs" not in provider.requests[-1].body
