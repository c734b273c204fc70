"""Finding the JSON in what a judge wrote, outside its thoughts, without ever looking inside something broken."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from judge.parsing.repairing import STRICT, BrokenError, read_repaired

MAX_BROKEN = 50
MAX_REPAIR = 300_000

# A tag in quote marks is spoken of, not used. The second form is Mistral's.
_THOUGHT = (
    r"(?<![\"'`“‘])(?:<(?P<closed>/?)(?:think|thinking|thought|thoughts|reasoning|scratchpad)\b[^<>]{0,200}>"
    r"|(?-i:\[(?P<shut>/?)THINK\]))"
)
_TAG = re.compile(_THOUGHT, re.IGNORECASE)
_START = re.compile(rf"{_THOUGHT}|[{{\[]", re.IGNORECASE)
# What stands in prose ({customer_name}, [3], [[9]]) begins otherwise.
_LIKE_JSON = re.compile(r"\{\s*(?:[\"'“”‘}]|//|/\*)|\[\s*(?:[{\[]|//|/\*)")


class UnreadableError(ValueError):
    """A text that is no honest reply: nested without end, or full of broken JSON. The message says which."""


@dataclass(frozen=True, slots=True)
class Document:
    """One complete JSON object or list, and where it stands in the text. `repaired` if it was only nearly JSON."""

    value: Any
    start: int
    end: int
    repaired: bool


@dataclass(frozen=True, slots=True)
class Find:
    """What a text holds outside its thoughts.

    `begin` is the place after thoughts that were closed but never opened; `thoughts` the other thoughts, as places;
    `broken` where something began like JSON and could not be read to its end (-1: in thoughts that were never opened).
    `unclosed` if the thoughts never ended: then nothing after them counts.
    """

    text: str
    documents: tuple[Document, ...]
    broken: tuple[int, ...]
    begin: int
    thoughts: tuple[tuple[int, int], ...]
    unclosed: bool

    def outside(self, start: int | None = None, end: int | None = None) -> str:
        """The text between two places, without thoughts."""
        start = self.begin if start is None else start
        end = len(self.text) if end is None else end
        pieces, at = [], start
        for begin, close in self.thoughts:
            if begin >= start and close <= end:
                pieces.append(self.text[at:begin])
                at = close
        return "".join([*pieces, self.text[at:end]])


def hunt(text: str) -> Find:
    """All complete JSON objects and lists in `text`, outermost only, in order. Raises UnreadableError."""
    return _Hunt(text).run()


class _Hunt:
    def __init__(self, text: str) -> None:
        self.text = text
        self.documents: list[Document] = []
        self.broken: list[int] = []
        self.thoughts: list[tuple[int, int]] = []
        self.begin = 0
        self.repairs = 0

    def run(self) -> Find:
        at, size = 0, len(self.text)
        while start := _START.search(self.text, at):
            if start[0] in "{[":
                at = self._document(start.start())
            elif _closes(start):
                at = self._forget_all_before(start.end())
            else:
                at = end = self._end_of_thought(start.end())
                self.thoughts.append((start.start(), end))
                if end == size + 1:
                    break
        return self._found(unclosed=at == size + 1)

    def _found(self, *, unclosed: bool) -> Find:
        size = len(self.text)
        thoughts = tuple((begin, min(end, size)) for begin, end in self.thoughts)
        return Find(self.text, tuple(self.documents), tuple(self.broken), self.begin, thoughts, unclosed)

    def _forget_all_before(self, end: int) -> int:
        """A tag that closes what nobody opened: some servers put the opening tag into the prompt."""
        self.documents, self.thoughts, self.begin = [], [], end
        # It may as well stand in a string of the broken thing, so what follows is not above doubt.
        self.broken = [-1] if self.broken else []
        return end

    def _end_of_thought(self, at: int) -> int:
        """The place after the tag that closes it, nested thoughts included; one past the end if none does."""
        depth = 1
        for tag in _TAG.finditer(self.text, at):
            depth += -1 if _closes(tag) else 1
            if depth == 0:
                return tag.end()
        return len(self.text) + 1

    def _document(self, start: int) -> int:
        if not _LIKE_JSON.match(self.text, start):
            return start + 1
        try:
            value, end = STRICT.raw_decode(self.text, start)
        except RecursionError:
            raise UnreadableError("is nested too deeply to be an answer") from None
        except ValueError:
            return self._repaired(start)
        self.documents.append(Document(value, start, end, repaired=False))
        return end

    def _repaired(self, start: int) -> int:
        try:
            value, end = read_repaired(self.text, start)
        except BrokenError as error:
            return self._note_broken(start, error.at)
        self.documents.append(Document(value, start, end, repaired=True))
        return end

    def _note_broken(self, start: int, stopped: int) -> int:
        """Reading goes on where it stopped, never inside: half of an answer is no answer."""
        self.broken.append(start)
        self.repairs += stopped - start
        if len(self.broken) > MAX_BROKEN or self.repairs > MAX_REPAIR:
            raise UnreadableError("is full of broken JSON")
        return max(stopped, start + 1)


def _closes(tag: re.Match[str]) -> bool:
    return bool(tag["closed"] or tag["shut"])


def is_debris(tail: str, *, after_broken: bool) -> bool:
    """True if `tail`, the text after an answer, closes what nobody opened in it: the answer was part of something.

    Superfluous closing brackets right after the answer are harmless; after something broken no brace is.
    """
    if after_broken:
        return "}" in tail
    depth = 0
    for char in tail.lstrip("}] \t\r\n"):
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return True
    return False
