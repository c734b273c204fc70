"""Anthropic's messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from judge.errors import JudgeError
from judge.judges import Judge
from judge.models.dialects import TOOL, TOOL_MEANS, Kept, Settings, cut, empty, refused
from judge.models.exchange import Finish, Prompt, Reply, Usage
from judge.models.learning import Learned
from judge.models.outcomes import Source, error_inside, told_of
from judge.models.prices import Tariff, count
from judge.models.schemas import unbounded

DEFAULT_LIMIT = 8192
STREAMS_ABOVE = 21_000
"""A reply that may be longer than this is streamed: the API refuses to keep a silent line open for it."""

FINISHES: dict[str, Finish] = {
    "end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_call", "refusal": "refusal",
}  # fmt: skip
_BREAKPOINT = {"type": "ephemeral"}


class Messages:
    """The dialect of /v1/messages: the system text in its own field, never a reply begun for the model."""

    path = "/v1/messages"

    def __init__(self) -> None:
        self._formats = Kept(_format)
        self._tools = Kept(_tool)

    def learned(self, judge: Judge) -> Learned:
        """At first: schemas, every parameter. There is no JSON mode between tools and plain text."""
        own = {"tools", "tool_choice"} & set(judge.params)
        judge = judge.model_copy(update={"structured": "none"}) if own or judge.structured == "json" else judge
        fixed = frozenset({"model", "messages", "stream", "system", "max_tokens"})
        return Learned(judge, rungs=("schema", "tool", "none"), fixed=fixed)

    def payload(self, prompt: Prompt, settings: Settings, learned: Learned) -> dict[str, Any]:
        """System and evidence end in cache breakpoints; the questions come after."""
        marks = "cache_control" not in learned.dropped
        limit = settings.limit or DEFAULT_LIMIT
        payload: dict[str, Any] = {
            "model": settings.model,
            "max_tokens": min(limit, learned.most_output or limit),
            "messages": [{"role": "user", "content": _blocks(prompt.evidence, prompt.questions, marks=marks)}],
            **settings.params,
        }
        if prompt.system:
            payload["system"] = _blocks(prompt.system, "", marks=marks)
        if prompt.schema is not None:
            self._add_form(payload, prompt.schema, learned)
        if settings.streams:
            payload["stream"] = True
        for key in learned.dropped & payload.keys():
            del payload[key]
        return payload

    def _add_form(self, payload: dict[str, Any], schema: Mapping[str, Any], learned: Learned) -> None:
        if learned.rung == "schema":
            payload["output_config"] = {**payload.get("output_config", {}), **self._formats.of(schema)}
        elif learned.rung == "tool":
            payload |= self._tools.of(schema)

    def read(self, body: dict[str, Any], prompt: Prompt, source: Source, tariff: Tariff) -> Reply:  # noqa: ARG002
        """The text blocks, or the input of a tool call. Thinking is never taken for the answer."""
        if body.get("type") == "error" and (said := told_of(body)) is not None:
            raise error_inside(source, said)
        usage = usage_of(body.get("usage"), tariff)
        stop, text = str(body.get("stop_reason")), _text(body.get("content"))
        if stop == "refusal":
            details = body.get("stop_details")
            raise refused(source, text or (json.dumps(details) if details else "no reason given"), usage)
        if stop == "model_context_window_exceeded":
            message = f"{source.reference}: prompt and reply together are longer than the model's window"
            raise JudgeError("context_length", message, usage=usage, raw=text)
        if stop == "max_tokens":
            raise cut(source, text, usage)
        if not text.strip():
            raise empty(source, "no text block came", usage)
        model = body.get("model")
        return Reply(text, FINISHES.get(stop, "unknown"), model if isinstance(model, str) else None, usage)

    def assemble(self, events: Iterator[dict[str, Any]]) -> dict[str, Any] | None:
        """The message that the events add up to."""
        whole: dict[str, Any] = {"content": []}
        blocks: dict[Any, dict[str, Any]] = {}
        ended = False
        for event in events:
            kind = event.get("type")
            if kind == "message_start":
                whole |= {**event["message"], "content": []}
            elif kind == "content_block_start":
                blocks[event.get("index")] = {**event["content_block"], "json": ""}
            elif kind == "content_block_delta":
                _add_delta(blocks.setdefault(event.get("index"), {"type": "text", "json": ""}), event.get("delta", {}))
            elif kind == "message_delta":
                whole |= {key: value for key, value in event["delta"].items() if value is not None}
                whole["usage"] = {**(whole.get("usage") or {}), **(event.get("usage") or {})}
            ended = ended or kind == "message_stop"
        whole["content"] = [blocks[index] for index in sorted(blocks, key=str)]
        return whole if ended and whole.get("stop_reason") else None


def _blocks(first: str, second: str, *, marks: bool) -> list[dict[str, Any]]:
    # A block without text is refused.
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in (first, second) if text]
    if marks and first:
        blocks[0]["cache_control"] = _BREAKPOINT
    return blocks


def _format(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"format": {"type": "json_schema", "schema": unbounded(schema)}}


def _tool(schema: Mapping[str, Any]) -> dict[str, Any]:
    tool = {"name": TOOL, "description": TOOL_MEANS, "input_schema": unbounded(schema)}
    return {"tools": [tool], "tool_choice": {"type": "tool", "name": TOOL}}


def _text(content: Any) -> str:
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    for block in blocks:
        if block.get("type") == "tool_use":
            # A streamed call's arguments are kept as they came: they may be cut.
            return block.get("json") or json.dumps(block.get("input"), ensure_ascii=False)
    return "".join(str(block.get("text") or "") for block in blocks if block.get("type") == "text")


def _add_delta(block: dict[str, Any], delta: Mapping[str, Any]) -> None:
    if delta.get("type") == "text_delta":
        block["text"] = block.get("text", "") + delta.get("text", "")
    elif delta.get("type") == "input_json_delta":
        block["json"] += delta.get("partial_json", "")


def usage_of(given: Any, tariff: Tariff) -> Usage:
    """Tokens and dollars of one call. Anthropic counts cached tokens apart: here they are part of the input."""
    if not isinstance(given, dict):
        return Usage(usd=tariff.usd(None, None, None))
    plain, cached = count(given.get("input_tokens")), count(given.get("cache_read_input_tokens"))
    stored, written = count(given.get("cache_creation_input_tokens")) or 0, count(given.get("output_tokens"))
    read = None if plain is None else plain + (cached or 0) + stored
    return Usage(read, cached, written, tariff.usd(read, cached, written, cache_writes=stored))
