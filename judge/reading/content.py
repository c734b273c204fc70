"""The content of one chat message: words, thoughts and notes in the place of pictures, sounds and files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from judge.episode import json_text
from judge.errors import EpisodeError

THOUGHT_KEYS = ("reasoning_content", "reasoning", "thinking", "thought")
_THOUGHT_KEYS = frozenset(THOUGHT_KEYS)
_TEXT_TYPES = frozenset({"text", "input_text", "output_text", "refusal", "summary_text"})
_THOUGHT_TYPES = frozenset({"thinking", "redacted_thinking", "reasoning"})
_MEDIA_TYPES = frozenset(
    "image image_url input_image audio audio_url input_audio video video_url file input_file document media".split()
)
_DATA_URI = re.compile(r"data:([\w.+-]+/[\w.+-]+)?[^,]{0,100},(.*)", re.DOTALL)
_OPEN_THINK = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)


def words_of(content: Any) -> str | None:
    """The words of a message's content: text, a list of parts, or a structured value as JSON; None if there is none."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, str) or _is_part(part) for part in content):
        texts = [text for part in content if (text := words_of_part(part)) is not None]
        return "\n".join(texts) if texts else None
    if _is_part(content):
        return words_of_part(content)
    return json_text(content)


def kind_of(part: Any) -> str:
    """The `type` of a content part; empty if it has none."""
    kind = part.get("type") if isinstance(part, dict) else None
    return kind if isinstance(kind, str) else ""


def _is_part(part: Any) -> bool:
    return isinstance(part, dict) and (isinstance(part.get("type"), str) or set(part) == {"text"})


def words_of_part(part: Any) -> str | None:
    """The words of one content part; a note for what is no text; None for a thought."""
    if isinstance(part, str):
        return part
    kind = part.get("type", "text")
    if kind in _THOUGHT_TYPES:
        return None
    if kind in _TEXT_TYPES:
        text = part.get("text", part.get("refusal"))
        return text if text is None or isinstance(text, str) else json_text(text)
    return _note(kind, part) if kind in _MEDIA_TYPES else json_text(part)


def thought_of(message: Mapping[str, Any]) -> str | None:
    """What the message says that nobody else saw: its reasoning, from a field of its own or from parts of its content."""
    content = message.get("content")
    if _THOUGHT_KEYS.isdisjoint(message) and not isinstance(content, list):
        return None
    thoughts = [_thought_text(message[key]) for key in THOUGHT_KEYS if message.get(key)]
    if isinstance(content, list):
        thoughts += [thought_in(part) for part in content if _is_part(part) and part.get("type") in _THOUGHT_TYPES]
    return "\n".join(t for t in thoughts if t) or None


def thought_in(part: Mapping[str, Any]) -> str:
    """The text of one part that holds a thought; empty where the vendor hides it."""
    return _thought_text(part.get("thinking") or part.get("summary") or part.get("content") or part.get("text") or "")


def _thought_text(value: Any) -> str:
    return (words_of(value) or "") if isinstance(value, str | list) else json_text(value)


def split_thought(text: str) -> tuple[str, str | None]:
    """Words and thought of text that begins with a think block; a block that never closes is all thought."""
    opened = _OPEN_THINK.match(text)
    if opened is None:
        return text, None
    thought, closed, words = text[opened.end() :].partition(f"</{opened[1]}>")
    return (words.lstrip() if closed else ""), thought.strip() or None


def _note(kind: str, part: Mapping[str, Any]) -> str:
    """A short note in the place of a picture, a sound or a file: what it is, and its size."""
    inner = part.get(kind)
    held = inner if isinstance(inner, Mapping) else part
    source = part.get("source")
    if isinstance(source, Mapping):
        held = source
    where = inner if isinstance(inner, str) else held.get("url") or held.get("file_id") or held.get("filename")
    data = held.get("data") or held.get("file_data")
    media = held.get("media_type") or held.get("mime_type") or held.get("format")
    what = kind.removeprefix("input_").removesuffix("_url")
    if isinstance(where, str) and (uri := _DATA_URI.match(where)):
        media, data, where = uri[1] or media, uri[2], None
    size = f"{len(data) * 3 // 4} bytes" if isinstance(data, str) else None
    if isinstance(data, str) and held.get("type") == "text":
        return data
    known = [str(fact) for fact in (media, size, where[:200] if isinstance(where, str) else None) if fact]
    return f"⟨{', '.join([what, *known])}, not shown⟩" if known else json_text(part)


def arguments_of(given: Any, decode: Any) -> dict[str, Any]:
    """A call's arguments as a mapping. Text that is no JSON object is kept whole under `$text`, other JSON under `$value`."""
    if isinstance(given, str):
        try:
            given = decode(given) if given.strip() else {}
        except (ValueError, RecursionError):
            return {"$text": given}
    if given is None:
        return {}
    return given if isinstance(given, dict) else {"$value": given}


def only(mapping: Any, where: str) -> dict[str, Any]:
    """`mapping` if it is one. Raises EpisodeError that names the place."""
    if not isinstance(mapping, dict):
        raise EpisodeError(f"{where} is {type(mapping).__name__}, expected an object")
    return mapping


def first(mapping: Mapping[str, Any], names: Iterable[str]) -> Any:
    """The value of the first name that `mapping` holds; None if it holds none."""
    return next((mapping[name] for name in names if name in mapping), None)
