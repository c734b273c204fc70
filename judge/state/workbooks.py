"""Workbooks: a table for each sheet of an .xlsx file, under the header in its first row."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from judge.state.errors import StateUnavailable
from judge.state.values import Json

MOST_UNPACKED: Final = 512 << 20


def read_workbook(path: Path, name: str) -> dict[str, list[dict[str, Json]]]:
    """The rows of every sheet; an empty cell is null, a date is ISO text, a formula is the value stored with it."""
    try:
        import openpyxl
    except ImportError:
        raise StateUnavailable(
            f"{name}: reading workbooks needs openpyxl; pip install 'rubric-judge[office]'"
        ) from None
    _refuse_bombs(path, name)
    try:
        # From memory: a sheet left half-read in a file would keep it open.
        content = path.read_bytes()
        values = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        formulas = openpyxl.load_workbook(io.BytesIO(content), read_only=True)
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise StateUnavailable(f"{name}: not a workbook ({error})") from None
    try:
        pairs = zip(values.worksheets, formulas.worksheets, strict=True)
        return {sheet.title: _rows(sheet, written, f"{name}, sheet {sheet.title!r}") for sheet, written in pairs}
    finally:
        values.close()
        formulas.close()


def _refuse_bombs(path: Path, name: str) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, OSError) as error:
        raise StateUnavailable(f"{name}: not a workbook ({error})") from None
    if unpacked > MOST_UNPACKED:
        raise StateUnavailable(f"{name}: unpacks to more than {MOST_UNPACKED >> 20} MiB; store a smaller extract")


def _rows(sheet: Any, written: Any, name: str) -> list[dict[str, Json]]:
    lines = [
        [_cell(value, formula, f"{name}, row {number}") for value, formula in zip_longest(row, formulas)]
        for number, (row, formulas) in enumerate(
            zip_longest(sheet.iter_rows(values_only=True), written.iter_rows(values_only=True), fillvalue=()), 1
        )
    ]
    while lines and all(cell is None for cell in lines[-1]):
        lines.pop()
    if not lines:
        return []
    header = _header(lines[0], lines[1:], name)
    return [
        {column: line[place] if place < len(line) else None for place, column in header}
        for line in lines[1:]
        if any(cell is not None for cell in line)
    ]


def _header(first: list[Json], rest: Iterable[list[Json]], name: str) -> list[tuple[int, str]]:
    """The columns that have a name, with their places; a column with values and no name is an error."""
    named = [(place, str(cell).strip()) for place, cell in enumerate(first) if cell is not None and str(cell).strip()]
    places = {place for place, _ in named}
    for line in rest:
        stray = next((place for place, cell in enumerate(line) if cell is not None and place not in places), None)
        if stray is not None:
            raise StateUnavailable(
                f"{name}: column {stray + 1} holds values but its first row names no column; add a header"
            )
    columns = [column for _, column in named]
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise StateUnavailable(f"{name}: the column {twice[0]!r} is there twice; rename one")
    return named


def _cell(value: Json, formula: Json, name: str) -> Json:
    if value is None and isinstance(formula, str) and formula.startswith("="):
        raise StateUnavailable(
            f"{name}: {formula[:40]} has no value stored with it; save the file in a spreadsheet program"
        )
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return str(value) if isinstance(value, timedelta) else value
