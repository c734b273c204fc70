"""Right answers in each vendor's format."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.provider.requests import Request, answer_key_of, criteria_of

Answer = Callable[[Request], str]


def verdicts(request: Request) -> str:
    """A reply to a rubric prompt: the level that the answer key gives to each criterion, else its last one."""
    key = answer_key_of(request)
    return json.dumps(
        {
            "verdicts": [
                {"id": name, "quotes": [], "reason": "As asked.", "level": key.get(name, levels[-1])}
                for name, levels in criteria_of(request).items()
            ]
        }
    )


def tokens(text: str) -> int:
    """A count of tokens that is good enough for a bill: a fourth of the characters."""
    return max(1, len(text) // 4)


def completion(request: Request, text: str | None, *, finish: str | None = None, **message: Any) -> dict[str, Any]:
    """A chat completion with that text. More keys of the message are given by name."""
    tool = request.tool if text is not None else None
    if tool:
        call = {"id": "call_1", "type": "function", "function": {"name": tool, "arguments": text}}
        message, text = {"tool_calls": [call], **message}, None
    choice: dict[str, Any] = {
        "index": 0,
        "message": {"role": "assistant", "content": text, "refusal": None, **message},
        "finish_reason": finish or ("tool_calls" if tool else "stop"),
    }
    if request.body.get("logprobs"):
        choice["logprobs"] = logprobs(text or "")
    read = tokens(request.system + request.text)
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": f"{request.body.get('model')}-2026-11-01",
        "choices": [choice],
        "usage": {
            "prompt_tokens": read, "completion_tokens": tokens(text or ""), "total_tokens": read + tokens(text or ""),
            "prompt_tokens_details": {"cached_tokens": read // 2},
        },
    }  # fmt: skip


def logprobs(text: str) -> dict[str, Any]:
    """Every word a token, with a likelihood of 0.8 (and 0.2 for `no`)."""

    def entry(token: str, share: float) -> dict[str, Any]:
        return {"token": token, "logprob": share, "bytes": None}

    pieces = text.replace('"', ' " ').split(" ")
    return {
        "content": [entry(p, -0.223) | {"top_logprobs": [entry(p, -0.223), entry("no", -1.609)]} for p in pieces if p]
    }


def message(
    request: Request, text: str | None, *, stop: str | None = None, thinking: str | None = None
) -> dict[str, Any]:
    """An Anthropic message with that text, after a thinking block if there is one."""
    blocks: list[dict[str, Any]] = []
    if thinking is not None:
        blocks.append({"type": "thinking", "thinking": thinking, "signature": "c2ln"})
    if text is not None and request.tool and stop is None:
        blocks.append({"type": "tool_use", "id": "toolu_1", "name": request.tool, "input": _object(text)})
        stop = "tool_use"
    elif text is not None:
        blocks.append({"type": "text", "text": text})
    read = tokens(request.system + request.text)
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": f"{request.body.get('model')}-20261101",
        "content": blocks, "stop_reason": stop or "end_turn", "stop_sequence": None,
        "usage": {
            "input_tokens": read - read // 2, "cache_read_input_tokens": read // 2, "cache_creation_input_tokens": 0,
            "output_tokens": tokens(text or ""),
        },
    }  # fmt: skip


def _object(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {"text": text}


def decision(request: Request, *, likely: float = 0.9, refuse: tuple[str, ...] = ()) -> dict[str, Any]:
    """A decision on each question: the answer key's level (else the last) with that probability; some refused."""
    key = answer_key_of(request)
    return {
        "object": "decision", "model": request.body["model"],
        "answers": [_answer(question, key, likely, refuse) for question in request.body["questions"]],
        "usage": {
            "input_tokens": 500, "input_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 0},
            "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 505,
        },
    }  # fmt: skip


def _answer(
    question: Mapping[str, Any], key: Mapping[str, str], likely: float, refuse: tuple[str, ...]
) -> dict[str, Any]:
    name, kind = question["name"], question["type"]
    if name in refuse:
        return {"type": "refusal", "name": name}
    if kind == "predicate":
        return {"type": kind, "name": name, "probability": likely if key.get(name, "yes") == "yes" else 1 - likely}
    labels = [level["label"] for level in question["levels"]]
    right = key.get(name, labels[-1])
    shares = [likely if label == right else (1 - likely) / (len(labels) - 1) for label in labels]
    return {
        "type": "score", "name": name, "confidence": likely, "score": sum(i * share for i, share in enumerate(shares)),
        "probabilities": [
            {"label": label, "value": value, "probability": share}
            for value, (label, share) in enumerate(zip(labels, shares, strict=True))
        ],
    }  # fmt: skip


def models() -> dict[str, Any]:
    """The list of models."""
    return {"object": "list", "data": [{"id": "judge-x", "object": "model", "created": 1, "owned_by": "tests"}]}


def completion_events(body: dict[str, Any]) -> list[str]:
    """A chat completion as server-sent events, its text in small pieces."""
    choice, text = body["choices"][0], body["choices"][0]["message"]["content"]
    calls = choice["message"].get("tool_calls")
    head = {key: body[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    if reasoning := choice["message"].get("reasoning_content"):
        deltas.append({"reasoning_content": reasoning})
    if refusal := choice["message"].get("refusal"):
        deltas.append({"refusal": refusal})
    deltas += [{"content": piece} for piece in _pieces(text)]
    for call in calls or []:
        function = call["function"]
        deltas.append({"tool_calls": [{"index": 0, **call, "function": {**function, "arguments": ""}}]})
        deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": p}}]} for p in _pieces(function["arguments"])]
    chunks = [head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append(head | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
    chunks.append(head | {"choices": [], "usage": body["usage"]})
    return [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"]


def message_events(body: dict[str, Any]) -> list[str]:
    """An Anthropic message as server-sent events, its text in small pieces."""
    usage = body["usage"]
    start = {**body, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    for index, block in enumerate(body["content"]):
        empty, deltas = _block_events(block)
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    final = {"stop_reason": body["stop_reason"], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": final, "usage": {"output_tokens": usage["output_tokens"]}})
    events.append({"type": "message_stop"})
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]


def _block_events(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "thinking":
        return {**block, "thinking": ""}, [
            {"type": "thinking_delta", "thinking": p} for p in _pieces(block["thinking"])
        ]
    if block["type"] == "tool_use":
        pieces = _pieces(json.dumps(block["input"]))
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]


def _pieces(text: str | None) -> list[str]:
    return [text[at : at + 12] for at in range(0, len(text), 12)] if text else []
