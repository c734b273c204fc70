"""A chat transcript as steps: the shapes of OpenAI, Anthropic and tau-bench, mixed or not.

Steps are numbered from 0: the words of a message are a step, then each of its tool calls is one; a tool result is the
observation of its call's step. Reasoning is kept as `thought` and is never anybody's words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judge.episode import json_text
from judge.errors import EpisodeError
from judge.reading.content import (
    arguments_of,
    first,
    kind_of,
    only,
    split_thought,
    thought_in,
    thought_of,
    words_of,
    words_of_part,
)
from judge.reading.parsing_json import decode_arguments

ROLES = {
    role: producer
    for producer, roles in {
        "agent": "assistant agent ai model bot gpt",
        "user": "user human customer",
        "tool": "tool function ipython tool_result",
        "environment": "environment env observation",
        "system": "system developer",
    }.items()
    for role in roles.split()
}
_CALL_TYPES = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "function_call", "custom_tool_call"})
_NOT_PLAIN = frozenset({"", " ", "\n", "\t", "\r", "<"})
_RESULT_TYPES = frozenset({"function_call_output", "custom_tool_call_output"})


@dataclass
class Transcript:
    """Steps as plain mappings, ready to be validated, and the system texts that stood before the first of them."""

    steps: list[dict[str, Any]] = field(default_factory=list)
    system: list[str] = field(default_factory=list)
    _by_id: dict[str, dict[str, Any]] = field(default_factory=dict)
    _open: list[dict[str, Any]] = field(default_factory=list)

    def say(self, by: str, text: str | None, thought: str | None = None) -> None:
        """Add a step in which somebody said something."""
        step: dict[str, Any] = {"t": len(self.steps), "by": by, "text": text}
        if thought:
            step["thought"] = thought
        self.steps.append(step)

    def call(self, by: str, call: Call, thought: str | None = None) -> None:
        """Add a step in which a tool was called."""
        by = "user" if by == "user" or call.requestor == "user" else "agent"
        action = {"tool": call.tool, "args": call.args, "by": by}
        step: dict[str, Any] = {"t": len(self.steps), "by": by, "action": action}
        if thought:
            step["thought"] = thought
        self.steps.append(step)
        self._open.append(step)
        if call.id is not None:
            self._by_id[call.id] = step

    def answer(self, result: Any, *, call_id: str | None, tool: str | None, error: bool) -> None:
        """Give a result to its call: by id, or to the earliest call (of that tool) that has none; else as a step of its own."""
        step = self._asked_by(call_id, tool)
        if step is None:
            self.say("tool", words_of(result) or "")
            step = self.steps[-1]
        else:
            self._open.remove(step)
            step["observation"] = "" if result is None else result
        if error:
            step["error"] = True

    def asked(self, call_id: Any) -> bool:
        """Whether a call of that id waits for its result."""
        return isinstance(call_id, str) and call_id in self._by_id

    def _asked_by(self, call_id: str | None, tool: str | None) -> dict[str, Any] | None:
        if call_id is not None and self._by_id:
            return self._by_id.pop(call_id, None)
        named = [step for step in self._open if tool in (None, step["action"]["tool"])]
        return named[0] if named else None


@dataclass(frozen=True)
class Call:
    """One tool call of a message. `requestor` is `user` where the simulated user made it."""

    id: str | None
    tool: str
    args: dict[str, Any]
    requestor: str | None = None


def read_messages(messages: Sequence[Any]) -> Transcript:
    """The transcript of a list of messages. Raises EpisodeError that names the message."""
    transcript = Transcript()
    for i, message in enumerate(messages):
        if not isinstance(message, dict):
            what = "text" if isinstance(message, str) else type(message).__name__
            raise EpisodeError(f"messages[{i}] is {what}, expected an object with `role` and `content`")
        role, content = message.get("role"), message.get("content")
        # Most messages are a line of plain words: they need none of what follows.
        if (
            len(message) == 2
            and isinstance(content, str)
            and content[:1] not in _NOT_PLAIN
            and role in ("assistant", "user")
        ):
            transcript.say("user" if role == "user" else "agent", content)
        else:
            _read(transcript, message, f"messages[{i}]")
    return transcript


def _read(transcript: Transcript, message: dict[str, Any], where: str) -> None:
    if "role" not in message and _read_item(transcript, message, where):
        return
    given = message.get("role", message.get("from"))
    role = ROLES.get(given.lower()) if isinstance(given, str) else None
    content = message.get("content", message.get("value"))
    if role == "tool":
        _read_result(transcript, message, content)
    elif role == "agent" or (role == "user" and _is_rich(message, content)):
        _read_turn(transcript, role, message, content, where)
    elif role == "system" and not transcript.steps:
        transcript.system.append(words_of(content) or "")
    elif role is not None:
        transcript.say("environment" if role == "system" else role, words_of(content) or "")
    else:
        raise EpisodeError(f"{where} has role {given!r}, expected one of {', '.join(sorted(ROLES))}")


def _is_rich(message: Mapping[str, Any], content: Any) -> bool:
    return isinstance(content, list) or "tool_calls" in message or "tool_call" in message


def _read_result(transcript: Transcript, message: Mapping[str, Any], content: Any) -> None:
    tool_messages = message.get("tool_messages")
    if isinstance(tool_messages, list):
        for each in tool_messages:
            _read_result(transcript, only(each, "tool_messages"), each.get("content"))
        return
    call_id = message.get("tool_call_id", message.get("call_id"))
    if call_id is None and transcript.asked(message.get("id")):
        call_id = message["id"]
    name = message.get("name")
    result = words_of(content) if _is_message_content(content) else content
    transcript.answer(
        result, call_id=None if call_id is None else str(call_id), tool=name if isinstance(name, str) else None,
        error=failed(message, result),
    )  # fmt: skip


def _is_message_content(content: Any) -> bool:
    return isinstance(content, list) and any(isinstance(part, dict) and "type" in part for part in content)


def failed(message: Mapping[str, Any], result: Any) -> bool:
    """Whether a tool's result is an error: by a flag beside it, or because its text begins with "Error:"."""
    if message.get("is_error") or message.get("error"):
        return True
    if isinstance(result, str):
        return result[:64].lstrip()[:6].casefold() in ("error:", "error")
    return isinstance(result, dict) and bool(result.get("error"))


def _read_turn(transcript: Transcript, role: str, message: dict[str, Any], content: Any, where: str) -> None:
    """The words and calls of one message of the agent, or of a user who calls tools or answers them."""
    thought = thought_of(message)
    before = len(transcript.steps)
    answered = False
    for piece in _pieces(content, where):
        if isinstance(piece, Call):
            transcript.call(role, piece, thought)
        elif isinstance(piece, Mapping):
            _read_block_result(transcript, piece)
            answered = True
            continue
        else:
            words, aside = split_thought(piece) if role == "agent" else (piece, None)
            thought = "\n".join(t for t in (thought, aside) if t) or None
            if not words.strip():
                continue
            transcript.say(role, words, thought)
        thought = None
    for call in _calls_beside(message, where):
        transcript.call(role, call, thought)
        thought = None
    if not answered and (thought or len(transcript.steps) == before):
        transcript.say(role, _refusal(message), thought)


def _refusal(message: Mapping[str, Any]) -> str:
    refusal = message.get("refusal")
    return refusal if isinstance(refusal, str) else ""


def _pieces(content: Any, where: str) -> Iterator[str | Call | Mapping[str, Any]]:
    """Words, calls and results inside a message's content, in order; neighbouring words in one piece."""
    if not isinstance(content, list):
        text = words_of(content)
        if text is not None:
            yield text
        return
    words: list[str] = []
    for part in content:
        kind = kind_of(part)
        if kind in _CALL_TYPES or kind.endswith("tool_result") or kind in _RESULT_TYPES:
            if words:
                yield "\n".join(words)
                words = []
            yield part if kind not in _CALL_TYPES else _call(part, where)
        elif (text := words_of_part(part) if kind or isinstance(part, str) else json_text(part)) is not None:
            words.append(text)
    if words:
        yield "\n".join(words)


def _read_block_result(transcript: Transcript, block: Mapping[str, Any]) -> None:
    call_id = first(block, ("tool_use_id", "call_id", "id"))
    content = first(block, ("content", "output"))
    result = words_of(content) if _is_message_content(content) else content
    transcript.answer(result, call_id=None if call_id is None else str(call_id), tool=None, error=failed(block, result))


def _calls_beside(message: Mapping[str, Any], where: str) -> Iterator[Call]:
    """The calls that stand beside the content: `tool_calls`, one `tool_call`, or the older `function_call`."""
    calls = message.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        raise EpisodeError(f"{where}.tool_calls is {type(calls).__name__}, expected a list")
    for call in calls or ():
        yield _call(call, where)
    for key in ("tool_call", "function_call"):
        if message.get(key) is not None:
            yield _call(message[key], where)


def _call(given: Any, where: str) -> Call:
    call = given if isinstance(given, dict) else only(given, f"{where}: a tool call")
    inner = call.get("function", call.get("custom"))
    held = inner if isinstance(inner, dict) else call
    name = held.get("name", held.get("tool", inner))
    if not isinstance(name, str) or not name:
        raise EpisodeError(f"{where} calls a tool without a name: {json_text(call)[:120]}")
    written = held["arguments"] if "arguments" in held else first(held, ("input", "args", "kwargs", "parameters"))
    args = written if isinstance(written, dict) else arguments_of(written, decode_arguments)
    call_id = call.get("call_id", call.get("id"))
    requestor = call.get("requestor")
    return Call(
        None if call_id is None else str(call_id), name, args, requestor if isinstance(requestor, str) else None
    )


def _read_item(transcript: Transcript, item: dict[str, Any], where: str) -> bool:
    """Read an item of the OpenAI Responses shape, which has a type in the place of a role; False if it is none."""
    kind = kind_of(item)
    if kind in _CALL_TYPES:
        transcript.call("agent", _call(item, where))
    elif kind in _RESULT_TYPES:
        _read_block_result(transcript, item)
    elif kind == "reasoning":
        transcript.say("agent", None, thought_in(item))
    else:
        return False
    return True
