"""The steps of a plain record: what was said or done at each, and what came back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judge.errors import EpisodeError
from judge.reading.content import THOUGHT_KEYS, arguments_of, first, only, split_thought, thought_of, words_of
from judge.reading.messages import ROLES, failed
from judge.reading.parsing_json import decode_arguments

_WORDS = ("text", "content", "message")
_READ = frozenset({"t", "by", "role", "action", "observation", "error", "metadata", *_WORDS, *THOUGHT_KEYS})


def read_steps(steps: Sequence[Any]) -> list[dict[str, Any]]:
    """The steps as plain mappings, ready to be validated. Raises EpisodeError that names the step.

    What a step holds beside the known keys is kept in its `metadata`. A step without `t` gets its place in the list.
    """
    read = [_read(i, only(step, f"steps[{i}]")) for i, step in enumerate(steps)]
    if len({step["t"] for step in read}) < len(read):
        seen: dict[Any, int] = {}
        for i, step in enumerate(read):
            if (before := seen.setdefault(step["t"], i)) != i:
                raise EpisodeError(
                    f"steps[{before}] and steps[{i}] both have t = {step['t']}; a step's `t` is its place"
                )
    return read


def _read(i: int, step: dict[str, Any]) -> dict[str, Any]:
    observation = step.get("observation")
    read: dict[str, Any] = {"t": _place(i, step.get("t")), "by": _producer(i, step), "observation": observation}
    words = first(step, _WORDS)
    action = step.get("action")
    if isinstance(action, dict) and "tool" in action and not action.keys() - {"tool", "args"}:
        read["action"] = {"tool": action["tool"], "args": action.get("args") or {}, "by": _caller(read["by"])}
    elif action is not None:
        words = _read_action(i, action, read, words)
    _add_words(read, words, thought_of(step))
    if step.get("error") or failed({}, observation):
        read["error"] = True
    if metadata := _beside(step):
        read["metadata"] = metadata
        if observation is None and not read.keys() & {"text", "thought", "action"}:
            odd = ", ".join(map(repr, list(metadata)[:4]))
            raise EpisodeError(
                f"steps[{i}] says and does nothing: it has none of text, action, observation, only {odd}"
            )
    return read


def _beside(step: dict[str, Any]) -> dict[str, Any]:
    """What a step holds beside the keys that are read."""
    given = step.get("metadata")
    kept = {key: value for key, value in step.items() if key not in _READ}
    if isinstance(step.get("error"), str | dict):
        kept["error"] = step["error"]
    return {**kept, **(given if isinstance(given, dict) else {} if given is None else {"metadata": given})}


def _add_words(read: dict[str, Any], words: Any, thought: str | None) -> None:
    text = words_of(words)
    if text is not None and read["by"] == "agent":
        text, aside = split_thought(text)
        thought = "\n".join(t for t in (thought, aside) if t) or None
    if text is not None:
        read["text"] = text
    if thought is not None:
        read["thought"] = thought


def _place(i: int, given: Any) -> int:
    if given is None:
        return i
    if isinstance(given, str) and given.isdecimal():
        return int(given)
    if isinstance(given, int | float) and not isinstance(given, bool) and given % 1 == 0:
        return int(given)
    raise EpisodeError(f"steps[{i}].t is {str(given)[:40]!r}, expected a whole number: the step's place")


def _producer(i: int, step: dict[str, Any]) -> str:
    given = first(step, ("by", "role"))
    if given is None:
        return "agent" if step.get("action") is not None or _says_something(step) else "environment"
    by = ROLES.get(given.lower()) if isinstance(given, str) else None
    if by is None:
        raise EpisodeError(f"steps[{i}] is by {given!r}, expected one of user, agent, tool, environment")
    return "environment" if by == "system" else by


def _says_something(step: dict[str, Any]) -> bool:
    return any(step.get(key) is not None for key in (*_WORDS, *THOUGHT_KEYS))


def _caller(by: str) -> str:
    return "user" if by == "user" else "agent"


def _read_action(i: int, action: Any, read: dict[str, Any], words: Any) -> Any:
    """Read an action in one of its other spellings into `read`, and return the words that go with it."""
    if isinstance(action, str | list):
        return action if words is None else words
    if not isinstance(action, dict):
        raise EpisodeError(f"steps[{i}].action is {type(action).__name__}, expected {{tool, args}} or text")
    name = first(action, ("tool", "name", "function", "tool_name"))
    if isinstance(name, dict):
        return _read_action(i, name, read, words)
    if name is None or action.get("type") == "message":
        said = first(action, _WORDS)
        if said is None:
            raise EpisodeError(
                f"steps[{i}].action has no `tool`; expected {{tool, args}}, got keys {sorted(action)[:8]}"
            )
        return said if words is None else words
    args = arguments_of(first(action, ("args", "arguments", "kwargs", "input", "parameters")), decode_arguments)
    by = ROLES.get(str(first(action, ("by", "requestor")) or read["by"]).lower(), "agent")
    read["action"] = {"tool": name, "args": args, "by": _caller(by)}
    return first(action, _WORDS) if words is None else words
