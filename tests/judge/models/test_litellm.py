"""Through LiteLLM. Importing it takes seconds, so all of it is asked in one file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from judge.errors import InputError
from judge.judges import Judge
from judge.models.catalogue import connect
from tests.judge.models.asking import VERDICTS, asked, called, failed, failure_of, model_at, reply_of
from tests.provider import Provider
from tests.provider.faults import redirected, refuses, status

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.fixture(autouse=True, scope="module")
def _litellm() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        # Without it the package fetches its list of prices from the network.
        patch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        pytest.importorskip("litellm")
        yield


VENDOR = "litellm/openai"
KINDS = {
    "429": "rate_limited", "quota": "quota", "529": "provider_error", "500": "provider_error", "503": "provider_error",
    "bad_key": "auth", "no_model": "model_not_found", "overlong": "context_length", "filter": "content_filter",
    "refused": "judge_refused", "length": "truncated", "html": "bad_endpoint", "object": "empty", "dropped": "connection",
    "hang": "timeout",
}  # fmt: skip


@pytest.mark.parametrize("fault", KINDS)
async def test_each_fault_has_its_kind(fault: str) -> None:
    async with Provider(rule=fault) as provider:
        error = await failed(model_at(provider, VENDOR), timeout=2)
    assert error.kind == KINDS[fault]
    assert "sk-demo-AAAA1111" not in str(error)


async def test_a_right_answer_has_no_made_up_price() -> None:
    async with Provider() as provider:
        reply = await asked(model_at(provider, VENDOR))
    assert reply.text == VERDICTS
    assert reply.usage.input_tokens
    assert reply.usage.usd is None


@pytest.mark.parametrize("fault", [status(429), status(500)], ids=["429", "500"])
async def test_its_own_retries_are_off(fault: object) -> None:
    async with Provider(rule=fault) as provider:  # type: ignore[arg-type]
        [outcome] = await called(model_at(provider, VENDOR), attempts=3)
    assert failure_of(outcome).passing
    assert provider.count == 3


async def test_an_overflow_is_asked_once() -> None:
    async with Provider(rule="overlong") as provider:
        [outcome] = await called(model_at(provider, VENDOR), attempts=3)
    assert (failure_of(outcome).kind, provider.count) == ("context_length", 1)


async def test_a_schema_that_is_not_taken_is_given_up_openly() -> None:
    async with Provider(rule=refuses("response_format")) as provider:
        reply = await asked(model_at(provider, VENDOR))
    assert reply.text == VERDICTS
    assert reply.notes == ("schema refused: reply asked for as tool",)


async def test_a_lone_surrogate_is_sent_once_and_cleaned() -> None:
    async with Provider() as provider:
        reply = await asked(model_at(provider, VENDOR), evidence="Thanks \udcad\n")
    assert provider.count == 1
    assert "\ufffd" in provider.requests[0].text
    assert reply.notes == ("lone surrogates replaced by U+FFFD",)


async def test_a_redirect_is_not_followed() -> None:
    async with Provider() as other, Provider(rule=redirected(f"{other.url}/chat/completions")) as provider:
        error = await failed(model_at(provider, VENDOR))
    assert error.kind == "bad_endpoint"
    assert other.count == 0


def test_a_missing_key_is_told_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    with pytest.raises(InputError, match="GROQ_API_KEY is not set"):
        connect(Judge(name="x", model="litellm/groq/llama"))


async def test_it_works_in_another_event_loop() -> None:
    async with Provider() as provider:
        [outcome] = await called(model_at(provider, VENDOR))
    assert reply_of(outcome).text == VERDICTS
