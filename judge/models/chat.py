"""OpenAI's chat completions, as its own API and the many servers that speak the same format have them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from judge.errors import JudgeError
from judge.judges import Judge
from judge.models.dialects import TOOL, TOOL_MEANS, Kept, Settings, cut, empty, refused
from judge.models.exchange import Finish, Prompt, Reply, Usage
from judge.models.learning import Learned
from judge.models.likelihoods import likelihoods_of
from judge.models.outcomes import Source, Told, error_inside, told_of
from judge.models.prices import Tariff, count
from judge.models.schemas import strict

FINISHES: dict[str, Finish] = {
    "stop": "stop", "length": "length", "content_filter": "content_filter", "tool_calls": "tool_call",
    "function_call": "tool_call", "end_turn": "stop", "eos": "stop", "max_tokens": "length",
}  # fmt: skip


class Chat:
    """The dialect of /chat/completions. `limit_key` is what the endpoint is first taken to call the limit of a reply."""

    path = "/chat/completions"

    def __init__(self, *, limit_key: str = "max_tokens") -> None:
        self._limit_key = limit_key
        self._formats = Kept(_format)
        self._tools = Kept(_tool)

    def learned(self, judge: Judge) -> Learned:
        """At first: strict schemas, every parameter."""
        own = {"response_format", "tools", "functions"} & set(judge.params)
        judge = judge.model_copy(update={"structured": "none"}) if own else judge
        return Learned(judge, limit_key=self._limit_key, fixed=frozenset({"model", "messages", "stream"}))

    def payload(self, prompt: Prompt, settings: Settings, learned: Learned) -> dict[str, Any]:
        """System text and user text as two messages, the parameters set, and the form of the reply."""
        payload: dict[str, Any] = {"model": settings.model, "messages": _messages(prompt, learned), **settings.params}
        if settings.limit is not None:
            payload[learned.limit_key] = min(settings.limit, learned.most_output or settings.limit)
        if prompt.schema is not None:
            self._add_form(payload, prompt.schema, learned)
        if settings.logprobs and len(prompt.criteria) == 1:
            payload |= {"logprobs": True, "top_logprobs": 10}
        if settings.streams:
            payload |= {"stream": True, "stream_options": {"include_usage": True}}
        for key in learned.dropped & payload.keys():
            del payload[key]
        return payload

    def _add_form(self, payload: dict[str, Any], schema: Mapping[str, Any], learned: Learned) -> None:
        if learned.rung == "schema":
            payload["response_format"] = self._formats.of(schema)
        elif learned.rung == "tool":
            payload |= self._tools.of(schema)
        elif learned.rung == "json":
            payload["response_format"] = {"type": "json_object"}

    def read(self, body: dict[str, Any], prompt: Prompt, source: Source, tariff: Tariff) -> Reply:
        """The first choice. Reasoning is never taken for the answer; a tool call's arguments are."""
        usage = usage_of(body.get("usage"), tariff)
        if (said := told_of(body)) is not None and not body.get("choices"):
            raise error_inside(source, said)
        choice = _first(body.get("choices"))
        message = choice.get("message")
        if not isinstance(message, dict):
            raise empty(source, "no choices in the response", usage)
        text, finish = text_of(message), FINISHES.get(str(choice.get("finish_reason")), "unknown")
        if choice.get("finish_reason") == "error" or isinstance(choice.get("error"), dict):
            raise error_inside(source, told_of(choice) or Told("the model failed", frozenset(), None))
        check(text, finish, message, source, usage)
        return Reply(
            text=text, finish=finish, model=_name(body.get("model")), usage=usage,
            probabilities=likelihoods_of(choice.get("logprobs"), prompt.criteria),
        )  # fmt: skip

    def assemble(self, events: Iterator[dict[str, Any]]) -> dict[str, Any] | None:
        """The completion that the chunks add up to."""
        whole: dict[str, Any] = {}
        message: dict[str, Any] = {}
        calls: dict[Any, dict[str, Any]] = {}
        choice: dict[str, Any] = {"message": message, "finish_reason": None}
        for event in events:
            whole |= {key: event[key] for key in ("model", "usage") if event.get(key)}
            piece = _first(event.get("choices"))
            _add_delta(message, calls, piece.get("delta"))
            choice["finish_reason"] = piece.get("finish_reason") or choice["finish_reason"]
            if isinstance(piece.get("logprobs"), dict):
                kept = choice.setdefault("logprobs", {"content": []})
                kept["content"] += piece["logprobs"].get("content") or []
        if choice["finish_reason"] is None:
            return None
        if calls:
            message["tool_calls"] = [{"function": call} for call in calls.values()]
        return whole | {"choices": [choice]}


def check(text: str, finish: Finish, message: Mapping[str, Any], source: Source, usage: Usage) -> None:
    """Raise the failure that a message with that text and finish stands for, if it does."""
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal and not text.strip():
        raise refused(source, refusal, usage)
    if finish == "content_filter":
        message_of = f"{source.reference}: the provider's filter stopped the reply"
        raise JudgeError("content_filter", message_of, usage=usage, raw=text)
    if finish == "length":
        raise cut(source, text, usage)
    if not text.strip():
        thoughts = message.get("reasoning_content") or message.get("reasoning")
        raise empty(source, "only reasoning came" if thoughts else "no text came", usage)


def _messages(prompt: Prompt, learned: Learned) -> list[dict[str, str]]:
    user = prompt.evidence + prompt.questions
    if not prompt.system:
        return [{"role": "user", "content": user}]
    if "system" in learned.dropped:
        return [{"role": "user", "content": f"{prompt.system}\n\n{user}"}]
    return [{"role": "system", "content": prompt.system}, {"role": "user", "content": user}]


def _format(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "verdicts", "strict": True, "schema": strict(schema)}}


def _tool(schema: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": TOOL, "description": TOOL_MEANS, "strict": True, "parameters": strict(schema)}
    return {
        "tools": [{"type": "function", "function": function}],
        "tool_choice": {"type": "function", "function": {"name": TOOL}},
    }


def text_of(message: Mapping[str, Any]) -> str:
    """What a message says: the arguments of its tool call, or its content (text, or parts of it)."""
    call = _first(message.get("tool_calls")).get("function") or message.get("function_call")
    if isinstance(call, dict) and call.get("arguments"):
        arguments = call["arguments"]
        return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    content = message.get("content")
    if isinstance(content, list):
        parts = [
            part for part in content if isinstance(part, dict) and part.get("type", "text") in ("text", "output_text")
        ]
        return "".join(str(part.get("text") or "") for part in parts)
    return content if isinstance(content, str) else ""


def _first(items: Any) -> dict[str, Any]:
    return items[0] if isinstance(items, list) and items and isinstance(items[0], dict) else {}


def _name(given: Any) -> str | None:
    return given if isinstance(given, str) else None


def usage_of(given: Any, tariff: Tariff) -> Usage:
    """Tokens and dollars of one call; None for what was not said."""
    if not isinstance(given, dict):
        return Usage(usd=tariff.usd(None, None, None))
    details = given.get("prompt_tokens_details")
    cached = count(details.get("cached_tokens")) if isinstance(details, dict) else None
    cached = cached if cached is not None else count(given.get("prompt_cache_hit_tokens"))
    read, written = count(given.get("prompt_tokens")), count(given.get("completion_tokens"))
    usd = tariff.usd(read, cached, written)
    return Usage(read, cached, written, _cost(given.get("cost")) if usd is None else usd)


def _cost(given: Any) -> float | None:
    """Dollars, where the endpoint bills itself (as OpenRouter does)."""
    return float(given) if isinstance(given, float | int) and not isinstance(given, bool) and given > 0 else None


def _add_delta(message: dict[str, Any], calls: dict[Any, dict[str, Any]], delta: Any) -> None:
    if not isinstance(delta, dict):
        return
    for key in ("content", "refusal", "reasoning_content", "reasoning"):
        if isinstance(delta.get(key), str):
            message[key] = message.get(key, "") + delta[key]
    for piece in delta.get("tool_calls") or []:
        function = piece.get("function") or {}
        call = calls.setdefault(piece.get("index", 0), {"name": function.get("name"), "arguments": ""})
        call["arguments"] += function.get("arguments") or ""
