"""Reading JSON that is nearly JSON, where only one reading is possible.

Repaired: trailing commas, comments, Python's quotes and literals, curly quotes as delimiters, raw line breaks and control
characters in strings, illegal escapes, and inner quotes that come in pairs and can't be taken for an end. Nothing that is
missing is ever added: a text that ends too early raises BrokenError.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

MAX_DEPTH = 60
MAX_NUMBER = 300
MAX_INNER_QUOTES = 100

OPENERS = "\"'“”‘"
_CLOSERS = {'"': '"', "'": "'", "“": "”", "”": "”", "‘": "’"}
_INNER = {'"': '["]', "'": "[']", "“": "[“”]", "”": "[“”]", "‘": "[‘’]"}
_STOPS = {opener: re.compile(rf"\\|{inner}") for opener, inner in _INNER.items()}

_GAP = r"(?:[\s\u200b\ufeff]+|//[^\n]{0,500}(?=\n)|/\*.{0,500}?\*/)*"
_KEY = rf"[\"'“”‘][\w.:\- ]{{1,128}}[\"'”’]{_GAP}:"
_SKIP = re.compile(_GAP, re.DOTALL)
_AFTER_KEY = re.compile(rf"{_GAP}:", re.DOTALL)
_AFTER_MEMBER = re.compile(rf"{_GAP}(?:\}}|,{_GAP}(?:\}}|{_KEY}))", re.DOTALL)
_AFTER_ITEM = re.compile(rf"{_GAP}(?:\]|,{_GAP}(?:\]|[\"'“”‘{{\[0-9tfnTFN-]))", re.DOTALL)
_SCALAR = re.compile(r"(?:-?Infinity|[A-Za-z]+|-?[0-9][0-9.eE+-]*)(?![\w.+-])")
_NUMERAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_LITERALS = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None,
    "NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf"),
}  # fmt: skip
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_CODES = {"u": re.compile(r"[0-9a-fA-F]{4}"), "x": re.compile(r"[0-9a-fA-F]{2}")}


class BrokenError(ValueError):
    """The text can't be read as JSON in one way only. `at` is the place where reading stopped."""

    def __init__(self, at: int) -> None:
        super().__init__(f"not JSON at character {at}")
        self.at = at


class Repeating(dict[str, Any]):
    """A JSON object that gives some key twice; `pairs` has all that it gave, in order."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs

    def contradicts(self, keys: tuple[str, ...]) -> bool:
        """True if one of `keys` is given twice with different values."""
        return any(len({repr(value) for name, value in self.pairs if name == key}) > 1 for key in keys)


def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The pairs of a JSON object as a dict that does not hide a repeated key."""
    made = dict(pairs)
    return made if len(made) == len(pairs) else Repeating(pairs)


# Raw line breaks in strings are let through here already: a judge that writes them means them.
STRICT = json.JSONDecoder(object_pairs_hook=as_object, strict=False)


def read_repaired(text: str, start: int) -> tuple[Any, int]:
    """The object or list that begins at `start`, and the place after it. Raises BrokenError."""
    reader = _Reader(text, start)
    return reader.value(_AFTER_MEMBER, 0), reader.at


class _Reader:
    """One pass over the text; `at` is the next character."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    def value(self, after: re.Pattern[str], depth: int) -> Any:
        char = self._peek()
        if depth > MAX_DEPTH:
            raise BrokenError(self.at)
        if char == "{":
            return as_object(self._sequence("}", lambda: self._member(depth)))
        if char == "[":
            return self._sequence("]", lambda: self.value(_AFTER_ITEM, depth + 1))
        if char in OPENERS:
            return self._string(after)
        return self._scalar()

    def _peek(self) -> str:
        gap = _SKIP.match(self.text, self.at)
        self.at = gap.end() if gap else self.at
        if self.at >= len(self.text):
            raise BrokenError(self.at)
        return self.text[self.at]

    def _sequence(self, closer: str, read: Callable[[], Any]) -> list[Any]:
        self.at += 1
        found: list[Any] = []
        while self._peek() != closer:
            found.append(read())
            if self._peek() == ",":
                self.at += 1
            elif self.text[self.at] != closer:
                raise BrokenError(self.at)
        self.at += 1
        return found

    def _member(self, depth: int) -> tuple[str, Any]:
        if self._peek() not in OPENERS:
            raise BrokenError(self.at)
        key = self._string(_AFTER_KEY)
        if self._peek() != ":":
            raise BrokenError(self.at)
        self.at += 1
        return key, self.value(_AFTER_MEMBER, depth + 1)

    def _string(self, after: re.Pattern[str]) -> str:
        opener, start, pieces, inner, unpaired = self.text[self.at], self.at + 1, [], 0, 0
        while stop := _STOPS[opener].search(self.text, start):
            here, end = stop.start(), stop.end()
            if stop[0] == "\\":
                pieces.append(self.text[start:here])
                start = self._escape(here, pieces)
            elif stop[0] == _CLOSERS[opener] and after.match(self.text, end):
                if unpaired % 2:
                    raise BrokenError(here)
                self.at = end
                return _joined([*pieces, self.text[start:here]])
            else:
                self._refuse_ambiguous(here, end, inner, after)
                inner += 1
                unpaired += not self._is_apostrophe(here)
                pieces.append(self.text[start:end])
                start = end
        raise BrokenError(len(self.text))

    def _refuse_ambiguous(self, here: int, end: int, inner: int, after: re.Pattern[str]) -> None:
        """An inner quote in a key, or one that looks like the end of a key, may be the end of this string as well."""
        if after is _AFTER_KEY or inner >= MAX_INNER_QUOTES or _AFTER_KEY.match(self.text, end):
            raise BrokenError(here)

    def _is_apostrophe(self, here: int) -> bool:
        around = self.text[here - 1 : here] + self.text[here + 1 : here + 2]
        return self.text[here] in "'’" and len(around) == 2 and around.isalpha()

    def _escape(self, at: int, pieces: list[str]) -> int:
        char = self.text[at + 1 : at + 2]
        if (pattern := _CODES.get(char)) and (code := pattern.match(self.text, at + 2)):
            pieces.append(chr(int(code[0], 16)))
            return code.end()
        pieces.append(_ESCAPES.get(char, char))
        return at + 2

    def _scalar(self) -> Any:
        match = _SCALAR.match(self.text, self.at)
        if match is None:
            raise BrokenError(self.at)
        word = match[0]
        if word in _LITERALS:
            value = _LITERALS[word]
        elif len(word) <= MAX_NUMBER and _NUMERAL.fullmatch(word):
            value = float(word) if set(word) & set(".eE") else int(word)
        else:
            raise BrokenError(self.at)
        self.at = match.end()
        return value


def _joined(pieces: list[str]) -> str:
    text = "".join(pieces)
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
