"""A file of labels: its name and bytes, and the values or rows in it, each with its place for messages."""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.adapters.labels.remarks import BadRow
from judge.errors import InputError
from judge.reading.sources import BadLine, values_in

STDIN = "-"
_SEPARATORS = ",;\t|"
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_WIDE = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Source:
    """What a file holds. `name` is what messages call it."""

    name: str
    data: bytes

    @classmethod
    def at(cls, path: str | Path) -> Source:
        """The file at a path, or the standard input for `-`. Raises InputError if it can't be read or is empty."""
        try:
            data = sys.stdin.buffer.read() if str(path) == STDIN else Path(path).read_bytes()
        except OSError as error:
            raise InputError(f"{path}: can't be read: {error.strerror or error}") from None
        if data.startswith(_GZIP):
            data = _unpacked(path, data)
        if data.startswith(_ZIP):
            raise InputError(
                f"{path}: is an archive, as workbooks and Inspect's .eval logs are; save a workbook as CSV, "
                f"and make a log JSON with `inspect log convert --to json`"
            )
        if not data.strip():
            raise InputError(f"{path}: is empty; expected labels")
        return cls("stdin" if str(path) == STDIN else Path(path).name, data)

    @property
    def holds_json(self) -> bool:
        """True if it begins as JSON does, and not as a table."""
        return self.data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")

    def values(self) -> Iterator[tuple[str, Any] | BadRow]:
        """Each JSON value with its place: the line in JSON Lines, the number of the item in one list."""
        listed = self.data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
        for number, found in enumerate(values_in(io.BytesIO(self.data), self.name), start=1):
            if isinstance(found, BadLine):
                yield BadRow(f"{self.name} line {found.line}", found.message)
            else:
                yield f"{self.name} item {number}" if listed else f"{self.name} line {found.line}", found.value

    def first_value(self) -> Any:
        """The first JSON value, None if there is none that can be read."""
        found = next((f for f in self.values() if not isinstance(f, BadRow)), None)
        return None if found is None else found[1]

    def rows(self) -> Iterator[tuple[str, list[str]] | BadRow]:
        """Each row of a table that is not blank, the header first, with its line. Raises InputError if it is no text."""
        text, separator, begins = _separated(self._text())
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        first = begins
        while True:
            try:
                cells = next(lines)
            except StopIteration:
                return
            except csv.Error as error:
                yield BadRow(f"{self.name} line {begins}", _broken(error))
                return
            if any(cell.strip() for cell in cells):
                yield f"{self.name} line {begins}", cells
            begins = first + lines.line_num

    def _text(self) -> str:
        try:
            wide = self.data.startswith(_WIDE)
            return self.data.decode("utf-16" if wide else "utf-8-sig")
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            raise InputError(f"{self.name} line {line}: is no UTF-8 text; save the file as CSV in UTF-8") from None


def _unpacked(path: str | Path, data: bytes) -> bytes:
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: the compressed file is damaged: {error}") from None


def _separated(text: str) -> tuple[str, str, int]:
    """A table's text, what separates its cells, and the line it begins on."""
    if stated := re.match(r"sep=(.)\r?\n", text):  # which some spreadsheets write as the first line
        return text[stated.end() :], stated[1], 2
    return text, max(_SEPARATORS, key=text.split("\n", 1)[0].count), 1


def _broken(error: csv.Error) -> str:
    if "unexpected end" in str(error):
        return "a quotation mark opens a text that is never closed; nothing after it could be read"
    return f"is no row of a table ({error}); put a text that holds quotation marks in quotes and double those inside"
