"""Every way in which a provider answers or fails, through the wire client and through the vendors' own packages."""

from __future__ import annotations

import json

import pytest

from tests.judge.models.asking import VERDICTS, asked, each_client, failed, model_at
from tests.provider import FAULTS, Fault, Provider
from tests.provider.faults import ECHOED_KEY, OVERLONG, page, raw, redirected, refused, reply, status
from tests.provider.plans import response

KINDS: dict[str, str] = {
    "429": "rate_limited", "quota": "quota", "529": "provider_error", "500": "provider_error", "502": "provider_error",
    "503": "provider_error", "408": "provider_error", "dropped": "connection", "dropped_midway": "connection",
    "hang": "timeout", "stall": "timeout", "html": "bad_endpoint", "bad_key": "auth", "no_model": "model_not_found",
    "overlong": "context_length", "filter": "content_filter", "refused": "judge_refused", "length": "truncated",
    "thoughts_only": "truncated",
}  # fmt: skip


@each_client
@pytest.mark.parametrize("fault", KINDS)
async def test_each_fault_has_its_kind(vendor: str, client: str, fault: str) -> None:
    async with Provider(rule=fault) as provider:
        error = await failed(model_at(provider, vendor, client), timeout=0.6)
    assert error.kind == KINDS[fault]
    assert provider.count == 1
    assert f"{vendor}/judge-x" in error.message


@each_client
async def test_a_right_answer_brings_text_model_and_usage(vendor: str, client: str) -> None:
    async with Provider() as provider:
        reply = await asked(model_at(provider, vendor, client))
    assert reply.text == VERDICTS
    assert reply.finish == "stop"
    assert reply.model is not None
    assert reply.model.startswith("judge-x-2026")
    usage = reply.usage
    assert None not in (usage.input_tokens, usage.cached_tokens, usage.output_tokens)
    assert usage.cached_tokens == usage.input_tokens // 2  # type: ignore[operator]
    assert usage.usd is None
    assert reply.notes == ()


@each_client
async def test_a_stream_adds_up_to_the_same_reply(vendor: str, client: str) -> None:
    async with Provider() as provider:
        reply = await asked(model_at(provider, vendor, client, params={"stream": True}))
        assert provider.requests[0].streams
    assert reply.text == VERDICTS
    assert reply.usage.output_tokens
    assert reply.usage.input_tokens


@each_client
@pytest.mark.parametrize(
    ("fault", "kind"),
    [("stream_error", "provider_error"), ("stream_ends_early", "truncated"), ("dropped_midway", "connection")],
)
async def test_half_a_stream_is_never_a_reply(vendor: str, client: str, fault: str, kind: str) -> None:
    async with Provider(rule=fault) as provider:
        error = await failed(model_at(provider, vendor, client, params={"stream": True}))
    assert error.kind == kind


@each_client
@pytest.mark.parametrize("fault", ["object", "no_choices", "empty"])
async def test_a_response_without_text_is_empty(vendor: str, client: str, fault: str) -> None:
    async with Provider(rule=fault) as provider:
        error = await failed(model_at(provider, vendor, client))
    assert error.kind == "empty"


@each_client
@pytest.mark.parametrize("wording", OVERLONG)
async def test_an_overlong_prompt_is_known_in_every_wording(vendor: str, client: str, wording: str) -> None:
    async with Provider(rule=status(400, OVERLONG[wording])) as provider:
        error = await failed(model_at(provider, vendor, client, max_output_tokens=4000))
    assert (error.kind, error.blame) == ("context_length", "episode")
    assert provider.count == 1


@each_client
async def test_a_redirect_is_never_followed_and_names_base_url(vendor: str, client: str) -> None:
    async with Provider() as other, Provider(rule=redirected(f"{other.url}/chat/completions")) as provider:
        error = await failed(model_at(provider, vendor, client))
    assert error.kind == "bad_endpoint"
    assert "base_url" in error.message
    assert provider.host in error.message
    assert other.count == 0


@each_client
async def test_a_web_page_names_base_url(vendor: str, client: str) -> None:
    async with Provider(rule=page()) as provider:
        error = await failed(model_at(provider, vendor, client))
    assert error.lasting
    assert f"base_url {provider.host}" in error.message


@each_client
async def test_a_key_that_the_server_echoes_is_not_shown(
    vendor: str, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "opensesame")
    echo = status(401, {"message": f"Incorrect API key provided: {ECHOED_KEY} aka opensesame"})
    async with Provider(rule=echo) as provider:
        error = await failed(model_at(provider, vendor, client, api_key_env="MY_KEY"))
        assert "opensesame" in str(provider.requests[0].headers)
    assert error.kind == "auth"
    for text in (str(error), error.message, repr(error), repr(error.failure())):
        assert ECHOED_KEY not in text
        assert "opensesame" not in text


@each_client
async def test_thoughts_are_never_the_answer(vendor: str, client: str) -> None:
    draft = VERDICTS.replace("yes", "no")
    async with Provider(rule=reply(VERDICTS, thinking=draft)) as provider:
        right = await asked(model_at(provider, vendor, client))
    assert right.text == VERDICTS
    async with Provider(rule=reply("", thinking=draft)) as provider:
        error = await failed(model_at(provider, vendor, client))
    assert error.kind == "empty"


@each_client
async def test_a_filter_that_cuts_the_reply_is_told(vendor: str, client: str) -> None:
    kind = {"openai": "content_filter", "anthropic": "judge_refused"}[vendor]
    async with Provider(rule=reply("", finish="content_filter")) as provider:
        error = await failed(model_at(provider, vendor, client))
    assert error.kind == kind


@each_client
async def test_a_refusal_keeps_the_judges_words(vendor: str, client: str) -> None:
    async with Provider(rule=refused("I will not.")) as provider:
        error = await failed(model_at(provider, vendor, client))
    assert error.kind == "judge_refused"
    assert vendor == "anthropic" or error.raw == "I will not."


@each_client
async def test_a_cut_reply_keeps_its_text_and_its_cost(vendor: str, client: str) -> None:
    async with Provider(rule="length") as provider:
        error = await failed(model_at(provider, vendor, client))
    assert error.raw == VERDICTS[: len(VERDICTS) // 2]
    assert error.usage.output_tokens  # type: ignore[attr-defined]


@each_client
async def test_a_server_that_says_not_to_retry_is_believed(vendor: str, client: str) -> None:
    async with Provider(rule="final") as provider:
        error = await failed(model_at(provider, vendor, client))
    assert (error.kind, error.passing) == ("provider_error", False)


@each_client
async def test_lone_surrogates_are_replaced_both_ways_and_noted(vendor: str, client: str) -> None:
    answer = VERDICTS.replace("As asked.", "odd \\ud83d char \\ud83d\\ude00")
    lone = json.loads(f'"{VERDICTS.replace(chr(34), chr(92) + chr(34))} \\ud83d"')
    async with Provider([reply(answer), reply(lone)]) as provider:
        model = model_at(provider, vendor, client, structured="none")
        first = await asked(model, evidence="Thanks \ud83d see you \U0001f600 and \ud83d\ude00\n")
        second = await asked(model)
        sent = provider.requests[0].text
    assert "Thanks \ufffd see you \U0001f600 and \U0001f600" in sent
    assert first.text == answer
    assert second.text is not None
    assert second.text.endswith("\ufffd")
    for reply_ in (first, second):
        assert "lone surrogates replaced by U+FFFD" in reply_.notes


@each_client
async def test_broken_json_with_status_200_may_be_tried_again(vendor: str, client: str) -> None:
    cut = raw(response(200, b'{"choices": [{"message": {"cont'))
    async with Provider(rule=cut) as provider:
        error = await failed(model_at(provider, vendor, client))
    assert (error.kind, error.passing) == ("provider_error", True)


async def test_an_error_in_a_body_with_status_200_is_told() -> None:
    overloaded: Fault = raw(response(200, {"error": {"code": 429, "message": "Rate limit exceeded"}}))
    async with Provider(rule=overloaded) as provider:
        error = await failed(model_at(provider))
    assert error.kind == "rate_limited"


async def test_a_host_that_is_not_there_is_a_connection_failure() -> None:
    async with Provider() as provider:
        pass
    error = await failed(model_at(provider))
    assert error.kind == "connection"
    assert provider.host in error.message


def test_every_fault_of_the_provider_is_tried_here() -> None:
    assert set(FAULTS) - set(KINDS) == {"final", "object", "no_choices", "empty", "malformed", "stream_error",
                                        "stream_ends_early"}  # fmt: skip
