"""What a client sent."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any


class Request:
    """One HTTP request. `body` is its parsed JSON; `at` the loop's time of its arrival; `answered` what was done with it."""

    def __init__(self, head: bytes, raw: bytes, at: float) -> None:
        self._head = head
        self.raw = raw
        self.at = at
        self.answered = ""
        self.method, self.path = head[: head.find(b" HTTP/")].decode("latin-1").split(" ", 1)

    @cached_property
    def headers(self) -> Mapping[str, str]:
        """The headers by their names in small letters."""
        lines = self._head.decode("latin-1").split("\r\n")[1:]
        return {
            name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)
        }

    @cached_property
    def body(self) -> dict[str, Any]:
        """The JSON that was sent; {} if it was none."""
        try:
            return dict(json.loads(self.raw))
        except ValueError:
            return {}

    @property
    def anthropic(self) -> bool:
        """True if it speaks Anthropic's format."""
        return self.path.split("?")[0].endswith("/messages")

    @property
    def streams(self) -> bool:
        """True if it asks for server-sent events."""
        return self.body.get("stream") is True

    @cached_property
    def system(self) -> str:
        """The system text, wherever it stands."""
        if self.anthropic:
            return _text(self.body.get("system"))
        return "".join(_text(message["content"]) for message in self._messages if message.get("role") != "user")

    @cached_property
    def text(self) -> str:
        """The words of the user's messages."""
        return "".join(_text(message["content"]) for message in self._messages if message.get("role") == "user")

    @property
    def _messages(self) -> list[dict[str, Any]]:
        given = self.body.get("messages", self.body.get("input", []))
        return given if isinstance(given, list) else [{"role": "user", "content": given}]

    @cached_property
    def schema(self) -> Any:
        """The JSON schema that the reply must meet, from whichever place the vendor has for it; None if there is none."""
        body = self.body
        for path in (
            ("response_format", "json_schema", "schema"),
            ("output_config", "format", "schema"),
            ("tools", 0, "function", "parameters"),
            ("tools", 0, "input_schema"),
        ):
            if (found := _at(body, path)) is not None:
                return found
        return None

    @property
    def tool(self) -> str | None:
        """The name of the tool that the reply must call, None if it needs to call none."""
        name = _at(self.body, ("tools", 0, "name")) or _at(self.body, ("tools", 0, "function", "name"))
        return name if self.body.get("tool_choice") not in (None, "none", "auto") else None


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


def _at(content: Any, path: tuple[str | int, ...]) -> Any:
    for part in path:
        try:
            content = content[part]
        except (KeyError, IndexError, TypeError):
            return None
    return content


CRITERION = re.compile(r"^([A-Za-z0-9][\w.:\-]*) \[([^\]\n]+)\]", re.MULTILINE)
ANSWER_KEY = re.compile(r"answer-key:((?:\s*[\w.:\-]+=[\w.\-]+[,;]?)+)")


def criteria_of(request: Request) -> dict[str, list[str]]:
    """The criteria that are asked, with the levels of each as far as the prompt or the schema names them."""
    questions = request.text[request.text.rfind("\nCriteria:") :]
    if found := {name: levels.split(" | ") for name, levels in CRITERION.findall(questions)}:
        return found
    entry = _at(request.schema, ("properties", "verdicts", "items", "properties")) or {}
    levels = [level for level in _at(entry, ("level", "enum")) or [] if level not in ("cannot_tell", "not_applicable")]
    return {name: levels or ["no", "yes"] for name in _at(entry, ("id", "enum")) or []}


def answer_key_of(request: Request) -> dict[str, str]:
    """The right levels, where the evidence holds a line such as `answer-key: amount=no, tone=warm`."""
    if (at := request.text.find("answer-key:")) < 0 or (match := ANSWER_KEY.match(request.text, at)) is None:
        return {}
    return dict(pair.split("=", 1) for pair in re.findall(r"[\w.:\-]+=[\w.\-]+", match[1]))
