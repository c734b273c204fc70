"""Files: one table, or one whole state, from CSV, JSON, JSON lines or TOML. Nothing is guessed: a CSV cell is text."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

from judge.state.errors import StateUnavailable
from judge.state.values import Json

# A float keeps 17 digits at most; only a file that writes longer numbers pays for keeping them exact.
_LONG_NUMBER = re.compile(r"[0-9.]{17}")


def read_json(path: Path, name: str) -> Json:
    """The value of a JSON file; numbers are kept exact, NaN and infinities are refused."""
    text = _text(path, name)
    return _parsed(text, name, exact=bool(_LONG_NUMBER.search(text)))


def read_jsonl(path: Path, name: str) -> list[Json]:
    """The rows of a file with one JSON value a line; empty lines are no rows."""
    text = _text(path, name)
    exact = bool(_LONG_NUMBER.search(text))
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    return [_parsed(line, f"{name}, line {number}", exact=exact) for number, line in lines]


def read_toml(path: Path, name: str) -> dict[str, Json]:
    """The tables of a TOML file; dates and times become ISO text."""
    try:
        return {key: _plain(value) for key, value in tomllib.loads(_text(path, name), parse_float=_exact).items()}
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise StateUnavailable(f"{name}: not TOML ({error})") from None


def read_csv(path: Path, name: str) -> list[dict[str, str]]:
    """The rows of a CSV (or tab-separated) file under its header; every cell is text."""
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, delimiter=delimiter, strict=True)
            header = _header(next(rows, []), name)
            return [_record(header, row, f"{name}, line {rows.line_num}") for row in rows if row]
    except UnicodeDecodeError as error:
        raise StateUnavailable(f"{name}: not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8") from None
    except csv.Error as error:
        raise StateUnavailable(f"{name}: not CSV ({error})") from None


def _header(header: list[str], name: str) -> list[str]:
    if not header or not all(cell.strip() for cell in header):
        raise StateUnavailable(f"{name}: the first line must name every column; add a header")
    twice = sorted({cell for cell in header if header.count(cell) > 1})
    if twice:
        raise StateUnavailable(f"{name}: the column {twice[0]!r} is there twice; rename one")
    return header


def _record(header: list[str], row: list[str], name: str) -> dict[str, str]:
    if len(row) != len(header):
        raise StateUnavailable(
            f"{name}: has {len(row)} cells under {len(header)} columns; quote cells that hold commas"
        )
    return dict(zip(header, row, strict=True))


def _text(path: Path, name: str) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise StateUnavailable(f"{name}: not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8") from None


def _parsed(text: str, name: str, *, exact: bool) -> Json:
    def refuse(constant: str) -> None:
        raise StateUnavailable(f"{name}: holds {constant}, which is no value; write null or a number")

    try:
        return json.loads(text, parse_constant=refuse, parse_float=_exact if exact else None)
    except RecursionError:
        raise StateUnavailable(f"{name}: is nested too deeply; store it flatter") from None
    except StateUnavailable:
        raise
    except json.JSONDecodeError as error:
        raise StateUnavailable(f"{name}: not JSON ({error})") from None
    except ValueError as error:
        raise StateUnavailable(f"{name}: holds a number that cannot be read ({error})") from None


def _exact(literal: str) -> float | Decimal:
    """A float where it says the same as the literal, else a Decimal."""
    number = float(literal)
    decimal = Decimal(literal)
    return number if decimal.is_finite() is False or Decimal(repr(number)) == decimal else decimal


def _plain(value: Json) -> Json:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value
