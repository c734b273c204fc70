"""What an endpoint takes: learned from the requests that it refuses, never guessed from a model's name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from judge.judges import Judge
from judge.models.outcomes import Told

Rung = Literal["schema", "tool", "json", "none"]
LADDER: tuple[Rung, ...] = ("schema", "tool", "json", "none")

_TOGETHER = {"logprobs": ("top_logprobs",), "top_logprobs": ("logprobs",)}
_FORM_WORDS: dict[Rung, str] = {
    "schema": r"(?i)response_format|output_(?:config|format)|json[_ ]?schema|structured|\bschema\b|grammar|guided",
    "tool": r"(?i)\btool|function",
    "json": r"(?i)response_format|json",
}
_LIMITS = ("max_completion_tokens", "max_tokens")


class Learned:
    """The strongest form of reply and the parameters that one model at one endpoint takes, as far as is known.

    `rung` is how the form of a reply is asked for; `notes` say what was given up. `version` counts the lessons.
    """

    def __init__(
        self, judge: Judge, *, rungs: tuple[Rung, ...] = LADDER, limit_key: str = "max_tokens", fixed: frozenset[str]
    ) -> None:
        first = "schema" if judge.structured in ("auto", "decisions") else judge.structured
        self.rungs = rungs[rungs.index(first) :] if first in rungs else ("none",)
        self.limit_key = limit_key
        self._fixed = fixed
        self.most_output: int | None = None
        self.dropped: frozenset[str] = frozenset()
        self.notes: tuple[str, ...] = ()
        self.version = 0
        self._empties = 0
        self._refused_limits: set[str] = set()

    @property
    def rung(self) -> Rung:
        """How the form of a reply is asked for."""
        return self.rungs[0]

    def learn(self, said: Told, payload: Mapping[str, Any]) -> bool:
        """Give up what a refusal names. False if it names nothing that was sent and could be given up."""
        return (
            self._learn_limit(said, payload)
            or self._learn_parameter(said, payload)
            or self._learn_form(said, payload)
            or self._learn_layout(said)
        )

    def note_empty(self) -> None:
        """A structured request brought nothing where a plain one did. After the third in a row, only plain ones are sent."""
        self._empties += 1
        if self._empties == 3 and self.rung != "none":
            self.rungs = ("none",)
            self._note(f"{self.rung} given up: replies were empty")

    def note_filled(self) -> None:
        """A structured request brought an answer."""
        self._empties = 0

    def _note(self, note: str) -> None:
        self.version += 1
        self.notes = (*self.notes, note)

    def _learn_limit(self, said: Told, payload: Mapping[str, Any]) -> bool:
        sent = self.limit_key
        if sent not in payload or not _names(said, sent):
            return False
        numbers = [int(number) for number in re.findall(r"(?<![\w.])\d{2,8}(?![\w.])", said.message)]
        if most := max((number for number in numbers if number < payload[sent]), default=None):
            self.most_output = most
            self._note(f"at most {most} output tokens: more refused")
            return True
        other = next(key for key in _LIMITS if key != sent)
        if sent in self._fixed or other in self._refused_limits:
            return False
        self._refused_limits.add(sent)
        self.limit_key = other
        self._note(f"{sent} refused: sent as {other}")
        return True

    def _learn_parameter(self, said: Told, payload: Mapping[str, Any]) -> bool:
        candidates = [key for key in payload if key not in self._fixed and not self._is_form(key)]
        named = [key for key in candidates if _names(said, key)]
        exact = [key for key in named if said.param and said.param.split(".")[0].split("[")[0] == key]
        for key in exact or named[:1]:
            self.dropped |= {key, *_TOGETHER.get(key, ())}
            self._note(f"{key} dropped: refused by the endpoint")
        return bool(named)

    def _is_form(self, key: str) -> bool:
        return self.rung != "none" and key in ("response_format", "tools", "tool_choice", "output_config")

    def _learn_form(self, said: Told, payload: Mapping[str, Any]) -> bool:
        words = _FORM_WORDS.get(self.rung)
        asked = any(key in payload for key in ("response_format", "tools", "output_config"))
        if words is None or not asked or not re.search(words, f"{said.param or ''} {said.message}"):
            return False
        refused, self.rungs = self.rung, self.rungs[1:] or ("none",)
        self._note(f"{refused} refused: reply asked for as {self.rung}")
        return True

    def _learn_layout(self, said: Told) -> bool:
        message = said.message.lower()
        for key, words in (
            ("cache_control", ("cache_control",)),
            ("system", ("system role", "system message", "role 'system'")),
        ):
            if key not in self.dropped and any(word in message for word in words):
                self.dropped |= {key}
                self._note(f"{key} dropped: refused by the endpoint")
                return True
        return False


def _word(key: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w]){re.escape(key)}(?![\w])")


def _names(said: Told, key: str) -> bool:
    if said.param:
        return said.param.split(".")[0].split("[")[0] == key
    return _word(key).search(said.message) is not None
