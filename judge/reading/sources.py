"""The values in a file, with the line on which each begins: JSON Lines as a stream, other JSON value by value."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedIOBase
from typing import Any, BinaryIO

from judge.reading.cleaning import clean_text
from judge.reading.parsing_json import NOT_PLAIN, Decoder

MAX_LINE = 64 * 2**20
MAX_DOCUMENT = 2**30
SHOWN = 200
_LISTS = ("episodes", "simulations", "results", "records", "items")
_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class BadLine:
    """A line that gave no episode: the file's name, the line's number from 1, why, and its first 200 characters."""

    source: str
    line: int
    message: str
    raw: str = ""

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.message}"


@dataclass(frozen=True)
class Found:
    """A value read from a file, the line on which it begins, and whether it held a NaN or an Infinity."""

    line: int
    value: Any
    raw: bytes
    odd: bool = False


def values_in(stream: BinaryIO | BufferedIOBase, source: str) -> Iterator[Found | BadLine]:
    """Every value in `stream`, in order. What can't be read comes as a BadLine in its place, and the rest follows."""
    number = 0
    lines = _lines(stream)
    try:
        for number, raw in lines:
            if raw is None or not raw.isspace():
                yield from _first_value(stream, number, raw, source)
                break
        decoder = Decoder()
        for number, raw in lines:
            if raw is None or not raw.isspace():
                yield _too_long(source, number) if raw is None else _value(raw, source, number, decoder)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        yield BadLine(
            source, number + 1, f"the compressed file breaks off here ({error}); what came before it was read"
        )
    except OSError as error:
        yield BadLine(source, number + 1, f"can't be read any further: {error}")


def _first_value(
    stream: BinaryIO | BufferedIOBase, line: int, raw: bytes | None, source: str
) -> Iterator[Found | BadLine]:
    """The value on the first line, which also tells JSON Lines from a document that goes on over more lines."""
    if raw is None:
        yield _too_long(source, line)
    elif raw.startswith(_WIDE_BOMS):
        yield BadLine(source, line, "is UTF-16; save the file as UTF-8")
    else:
        raw = raw.removeprefix(_BOM)
        stripped = raw.strip()
        if stripped.startswith(b"[") or (stripped.startswith(b"{") and stripped[-1:] in b"{[,:"):
            yield from _document(stream, raw, source, line)
        elif stripped:
            yield _value(raw, source, line, Decoder())


def _too_long(source: str, line: int) -> BadLine:
    return BadLine(source, line, f"is longer than {MAX_LINE // 2**20} MB; keep big states in files of their own")


def _lines(stream: BinaryIO | BufferedIOBase) -> Iterator[tuple[int, bytes | None]]:
    """Each line with its number; None for one that is too long, unless the file is one JSON list on a single line."""
    number = 0
    while raw := stream.readline(MAX_LINE + 1):
        number += 1
        if len(raw) <= MAX_LINE or (number == 1 and raw.lstrip(_BOM + b" \t\r\n").startswith(b"[")):
            yield number, raw
            continue
        while raw and not raw.endswith(b"\n"):
            raw = stream.readline(MAX_LINE)
        yield number, None


def _decoded(raw: bytes) -> str | None:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        pass
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None


def _value(raw: bytes, source: str, line: int, decoder: Decoder) -> Found | BadLine:
    value = decoder.quickly(raw)
    if value is not NOT_PLAIN:
        return Found(line, value, raw)
    text = _decoded(raw)
    if text is None:
        return BadLine(source, line, "is no UTF-8 text", beginning_of(raw))
    try:
        return Found(line, decoder.decode(text), raw, decoder.odd)
    except (ValueError, RecursionError) as error:
        return BadLine(source, line, _why(error, text), beginning_of(raw))


def _why(error: Exception, text: str) -> str:
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        cut = error.pos >= len(text.rstrip()) - 1 or error.msg.startswith("Unterminated")
        return f"is no complete JSON: {error.msg}, at character {error.pos + 1}" + (
            ": the line is cut off" if cut else ""
        )
    return f"is no JSON that can be read: {error}"


def beginning_of(raw: bytes) -> str:
    """The first 200 characters of a line, fit to be printed."""
    return clean_text(raw[: 4 * SHOWN].decode("utf-8", "replace").strip()[:SHOWN])


def _document(stream: BinaryIO | BufferedIOBase, begun: bytes, source: str, line: int) -> Iterator[Found | BadLine]:
    """The values of JSON that is not one value a line: the items of a list, one by one, or values one after the other."""
    raw = begun + stream.read(MAX_DOCUMENT)
    if len(raw) >= MAX_DOCUMENT:
        yield BadLine(
            source, line, f"one JSON value of more than {MAX_DOCUMENT // 2**20} MB; use JSON Lines, a record a line"
        )
        return
    text = _decoded(raw)
    if text is None:
        yield BadLine(source, line, "is no UTF-8 text", beginning_of(begun))
        return
    yield from _Document(text, source, line).values()


class _Document:
    """A walk through JSON text that keeps count of lines."""

    def __init__(self, text: str, source: str, line: int) -> None:
        self.text, self.source, self.line = text, source, line
        self.at = self.counted = 0
        self.decoder = Decoder()

    def values(self) -> Iterator[Found | BadLine]:
        """Every value, those of a list one by one. After a broken one, goes on at the next line that opens a record."""
        while self._more():
            if self._skip("["):
                yield from self._items()
                continue
            found = self._next()
            yield found
            if isinstance(found, BadLine):
                self._go_on()

    def _items(self) -> Iterator[Found | BadLine]:
        while not self._skip("]"):
            found = self._next()
            if isinstance(found, Found) and _is_message(found.value):
                found = self._whole_list(found)
            yield found
            if isinstance(found, BadLine):
                self._go_on()
                return

    def _go_on(self) -> None:
        self.at = self.text.find("\n{", self.at + 1)
        if self.at < 0:
            self.at = len(self.text)

    def _skip(self, mark: str) -> bool:
        self._skip_space()
        if self.text.startswith(mark, self.at):
            self.at += 1
            return True
        return False

    def _skip_space(self) -> None:
        text, at = self.text, self.at
        while at < len(text) and text[at] in " \t\r\n":
            at += 1
        self.line += text.count("\n", self.counted, at)
        self.at = self.counted = at

    def _more(self) -> bool:
        self._skip_space()
        return self.at < len(self.text)

    def _next(self) -> Found | BadLine:
        self._skip_space()
        start = self.at
        try:
            value, self.at = self.decoder.decode_at(self.text, start)
        except (ValueError, RecursionError) as error:
            return self._bad(error, start)
        found = Found(self.line, value, self._raw(start), self.decoder.odd)
        self._skip(",")
        return found

    def _raw(self, start: int) -> bytes:
        return self.text[start : start + SHOWN].encode("utf-8", "replace")

    def _bad(self, error: Exception, start: int) -> BadLine:
        why = _why(error, self.text)
        begun = self.line
        at = error.pos if isinstance(error, json.JSONDecodeError) else start
        if start >= len(self.text):
            why += ": the list has no closing `]`"
        elif at > start:
            why = f"line {begun + self.text.count(chr(10), start, at)} {why}"
        return BadLine(self.source, begun, why, beginning_of(self._raw(start)))

    def _whole_list(self, first: Found) -> Found | BadLine:
        """The list is one transcript: read all of its messages as one value."""
        messages, odd = [first.value], first.odd
        while not self._skip("]"):
            found = self._next()
            if isinstance(found, BadLine):
                return found
            messages.append(found.value)
            odd = odd or found.odd
        return Found(first.line, messages, first.raw, odd)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and "role" in value and "content" in value and "task_id" not in value


def records_in(found: Found) -> Iterator[Any]:
    """The records that a value holds: itself, the items of a list of them, or of `{"episodes": […]}` and its like."""
    value = found.value
    if isinstance(value, dict) and "steps" not in value and "task_id" not in value and "messages" not in value:
        listed = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
        if listed is not None:
            yield from listed
            return
    if isinstance(value, list) and not (value and _is_message(value[0])):
        yield from value
        return
    yield value
