"""Whatever an endpoint sends, the outcome is a reply or a failure with a kind; nothing else ever gets out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.errors import JudgeError
from judge.judges import Judge
from judge.models.chat import Chat
from judge.models.decisions import Decisions
from judge.models.dialects import Dialect, settings_of
from judge.models.exchange import Reply
from judge.models.learning import Learned
from judge.models.likelihoods import likelihoods_of
from judge.models.messages import Messages
from judge.models.outcomes import Source, error_of, told
from judge.models.prices import Tariff
from judge.models.remote import Remote, Response
from tests.judge.models.asking import VERDICTS, criterion, prompt
from tests.provider import Request, answers

SOURCE = Source("openai/judge-x", "http://h/v1", ("opensesame",))
DIALECTS = {"chat": Chat(), "messages": Messages(), "decisions": Decisions()}
each_dialect = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)

KEYS = st.sampled_from(
    "choices message content text type finish_reason tool_calls function arguments refusal usage prompt_tokens "
    "completion_tokens prompt_tokens_details cached_tokens stop_reason input answers probability probabilities label value "
    "error code param name delta index content_block model logprobs token top_logprobs logprob detail".split()
)
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(
    ["text", "tool_use", "thinking", "predicate", "score", "amount", "yes", "stop", "length", "message_start", "error",
     "content_block_delta", "message_delta", "message_stop", "content_block_start"]
)  # fmt: skip
JSON = st.recursive(
    VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=25
)
BODIES = st.dictionaries(KEYS, JSON, max_size=6)
FUZZ = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


REQUEST = Request(
    b"POST /v1/x HTTP/1.1\r\n", b'{"model": "x", "questions": [{"name": "amount", "type": "predicate"}]}', 0.0
)
CALL = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": VERDICTS}}
GOOD: dict[str, Any] = {
    "chat": answers.completion(REQUEST, VERDICTS, logprobs=answers.logprobs(VERDICTS)),
    "messages": answers.message(REQUEST, VERDICTS, thinking="hm"),
    "decisions": answers.decision(REQUEST),
}
STREAMS = {
    "chat": [
        *answers.completion_events(answers.completion(REQUEST, VERDICTS, tool_calls=[CALL], reasoning_content="hm")),
    ],
    "messages": answers.message_events(GOOD["messages"]),
    "decisions": [],
}


@st.composite
def broken(draw: st.DrawFn, whole: Any) -> Any:
    """The same with something else in one to three places."""
    copy = json.loads(json.dumps(whole))
    for _ in range(draw(st.integers(1, 3))):
        node, depth = copy, draw(st.integers(1, 7))
        for at in range(depth):
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if at == depth - 1 or not isinstance(node[key], dict | list):
                node[key] = draw(JSON)
                break
            node = node[key]
    return copy


class Sending:
    """A transport that brings one response."""

    def __init__(self, response: Response) -> None:
        self.response = response

    async def send(self, path: str, payload: dict[str, Any], timeout: float | None) -> Response:
        """The response."""
        return self.response

    async def close(self) -> None:
        """Nothing."""


async def outcome(dialect: Dialect, response: Response) -> Reply | JudgeError:
    """What a model with that dialect makes of a response."""
    judge = Judge(name="x", model="openai/judge-x")
    model = Remote(
        judge, dialect, Sending(response), source=SOURCE, settings=settings_of(judge), tariff=Tariff(None)
    )  # fmt: skip
    try:
        return await model.ask(prompt("amount"), timeout=5)
    except JudgeError as error:
        return error


@each_dialect
@FUZZ
@given(body=BODIES)
async def test_any_json_is_a_reply_or_a_failure(dialect: Dialect, body: dict[str, Any]) -> None:
    found = await outcome(dialect, Response(200, {"content-type": "application/json"}, json.dumps(body).encode()))
    assert isinstance(found, Reply | JudgeError)
    if isinstance(found, Reply):
        assert (found.text or "").strip() or found.probabilities


@each_dialect
@FUZZ
@given(events=st.lists(BODIES, max_size=8))
async def test_any_stream_is_a_reply_or_a_failure(dialect: Dialect, events: list[dict[str, Any]]) -> None:
    raw = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
    assert isinstance(
        await outcome(dialect, Response(200, {"content-type": "text/event-stream"}, raw)), Reply | JudgeError
    )


@FUZZ
@given(
    body=st.binary(max_size=200) | JSON.map(lambda content: json.dumps(content).encode()), status=st.integers(300, 599)
)
def test_any_error_has_a_kind_and_a_sentence_without_the_key(body: bytes, status: int) -> None:
    error = error_of(SOURCE, status, {}, body + b" opensesame")
    assert error.kind
    assert "openai/judge-x" in error.message
    assert "opensesame" not in error.message
    assert len(error.message) < 900


@FUZZ
@given(body=JSON)
def test_no_refusal_breaks_what_is_learned(body: Any) -> None:
    judge = Judge.model_validate(
        {"name": "x", "model": "openai/x", "params": {"temperature": 0}, "max_output_tokens": 9}
    )
    chat = Chat()
    learned = chat.learned(judge)
    for _ in range(12):
        payload = chat.payload(prompt("amount"), settings_of(judge), learned)
        assert {"model", "messages"} <= set(payload)
        if not learned.learn(told(json.dumps(body)), payload):
            break
    else:
        pytest.fail("a refusal taught something for ever")


@pytest.mark.parametrize("name", DIALECTS)
@FUZZ
@given(data=st.data())
async def test_a_right_answer_with_something_odd_in_it_is_a_reply_or_a_failure(name: str, data: st.DataObject) -> None:
    body = data.draw(broken(GOOD[name]))
    found = await outcome(DIALECTS[name], Response(200, {}, json.dumps(body).encode()))
    assert isinstance(found, Reply | JudgeError)


@pytest.mark.parametrize("name", ["chat", "messages"])
@FUZZ
@given(data=st.data())
async def test_a_stream_with_something_odd_in_it_is_a_reply_or_a_failure(name: str, data: st.DataObject) -> None:
    events = [json.loads(each.partition("data: ")[2]) for each in STREAMS[name] if "[DONE]" not in each]
    raw = "".join(f"data: {json.dumps(event)}\n\n" for event in data.draw(broken(events))).encode()
    found = await outcome(DIALECTS[name], Response(200, {"content-type": "text/event-stream"}, raw))
    assert isinstance(found, Reply | JudgeError)


@pytest.mark.parametrize("body", [b"", b" \n", b"{", b"[]", b'"text"', b"null", b"<html>", b"\xff\xfe", b"5"])
@each_dialect
async def test_what_is_no_object_is_a_failure(dialect: Dialect, body: bytes) -> None:
    found = await outcome(dialect, Response(200, {}, body))
    assert isinstance(found, JudgeError)
    assert found.kind in ("provider_error", "bad_endpoint")


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab"),
        ({"content": [{"type": "reasoning", "text": "x"}, {"type": "text", "text": "b"}]}, "b"),
        ({"content": None, "function_call": {"name": "f", "arguments": "{}"}}, "{}"),
        ({"content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]}, '{"a": 1}'),
        ({"content": "x", "tool_calls": []}, "x"),
        ({"content": "x", "refusal": ""}, "x"),
    ],
)
async def test_text_is_found_wherever_servers_put_it(message: dict[str, Any], text: str) -> None:
    body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
    found = await outcome(Chat(), Response(200, {}, body))
    assert isinstance(found, Reply)
    assert found.text == text


async def test_a_cut_tool_call_is_passed_on_as_it_came() -> None:
    arguments = VERDICTS[:-3]
    call = {"function": {"name": "submit_verdicts", "arguments": arguments}}
    body = {"choices": [{"message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    found = await outcome(Chat(), Response(200, {}, json.dumps(body).encode()))
    assert isinstance(found, Reply)
    assert found.text == arguments


def test_the_likelihood_of_a_level_is_that_of_its_own_token() -> None:
    text = '{"verdicts": [{"id": "amount", "reason": "no doubt", "level": "yes"}]}'
    read = likelihoods_of(answers.logprobs(text), [criterion("amount")])
    assert read is not None
    assert read["amount"] == pytest.approx({"no": 0.2, "yes": 0.8}, abs=0.01)
    assert likelihoods_of(answers.logprobs(text), [criterion("amount"), criterion("tone")]) is None
    assert likelihoods_of(answers.logprobs(text), [criterion("tone", "a", "b", "c")]) is None
    assert likelihoods_of(answers.logprobs("no level here"), [criterion("amount")]) is None
    assert likelihoods_of(answers.logprobs(text), [criterion("amount", "maybe", "more")]) is None


def test_a_lesson_is_kept_and_its_number_told() -> None:
    learned = Learned(Judge(name="x", model="openai/x"), fixed=frozenset({"model", "messages"}))
    payload = {"model": "x", "messages": [], "temperature": 0, "response_format": {}}
    assert learned.learn(told(json.dumps({"error": {"param": "temperature", "message": "no"}})), payload)
    assert (learned.version, learned.dropped, learned.rung) == (1, frozenset({"temperature"}), "schema")
    assert not learned.learn(told('{"error": {"message": "The moon is full"}}'), payload)


def test_requests_of_the_provider_know_their_schema_in_every_place() -> None:
    schema = {"type": "object"}
    for body in (
        {"response_format": {"json_schema": {"schema": schema}}}, {"output_config": {"format": {"schema": schema}}},
        {"tools": [{"function": {"parameters": schema}}]}, {"tools": [{"input_schema": schema}]},
    ):  # fmt: skip
        assert Request(b"POST /v1/x HTTP/1.1\r\n", json.dumps(body).encode(), 0.0).schema == schema
