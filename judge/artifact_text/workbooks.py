"""Workbooks as text: every sheet with its rows, and each formula beside the value it last gave."""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

from judge.artifact_text.limits import MAX_ROWS, bounded, missing, unpacked, unreadable


@contextmanager
def open_workbook(path: Path, *, values: bool) -> Iterator[Any]:
    """The workbook, read-only: with `values` as last calculated, else with its formulas.

    Raises ArtifactError for a broken or oversized file, MissingReaderError without openpyxl.
    """
    try:
        import openpyxl
        from openpyxl.utils.exceptions import InvalidFileException
    except ModuleNotFoundError:
        raise missing("openpyxl", path) from None
    with unpacked(path), warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # openpyxl warns of styles and extensions that it leaves out; none of them is text
        try:
            book = openpyxl.load_workbook(path, read_only=True, data_only=values)
        except (InvalidFileException, KeyError, ValueError, TypeError, AttributeError, ParseError, OSError) as error:
            raise unreadable(path, error) from None
        try:
            yield book
        finally:
            book.close()


def xlsx_text(path: Path) -> str:
    """Each sheet as rows of cells; a formula stands in brackets after its value."""
    with open_workbook(path, values=False) as formulas, open_workbook(path, values=True) as values:
        try:
            return "\n".join(bounded(_book_lines(formulas, values), "rows"))
        except (ValueError, TypeError, KeyError, AttributeError, ParseError) as error:
            raise unreadable(path, error) from None


def _book_lines(formulas: Any, values: Any) -> Iterator[str]:
    for name in formulas.sheetnames:
        sheet = formulas[name]
        if not hasattr(sheet, "iter_rows"):
            yield f"## Sheet {name} (a chart, not shown)"
            continue
        hidden = "" if getattr(sheet, "sheet_state", "visible") == "visible" else " (hidden)"
        yield f"## Sheet {name}{hidden}"
        yield from _sheet_lines(sheet, values[name])
        yield ""


def _sheet_lines(formulas: Any, values: Any) -> Iterator[str]:
    from openpyxl.utils import get_column_letter

    # What a sheet says of its own size may be wrong, or made to be: rows are counted as they come.
    formulas.reset_dimensions()
    values.reset_dimensions()
    numbered = enumerate(_pairs(formulas, values), start=1)
    rows = ((i, f, v) for i, (f, v) in numbered if any(cell is not None for cell in f))
    width = 0
    for i, written, calculated in islice(rows, MAX_ROWS):
        if len(written) > width:
            width = len(written)
            yield "row | " + " | ".join(get_column_letter(n) for n in range(1, width + 1))
        cells = [_cell(f, v) for f, v in zip_longest(written, calculated)]
        yield f"{i} | " + " | ".join(cells)
    if more := sum(1 for _ in rows):
        yield f"… {more} more rows"


def _pairs(formulas: Any, values: Any) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    return zip(formulas.iter_rows(values_only=True), values.iter_rows(values_only=True), strict=False)


def _cell(written: Any, calculated: Any) -> str:
    formula = getattr(written, "text", written)
    if isinstance(formula, str) and formula.startswith("="):
        return f"{'(not calculated)' if calculated is None else _shown(calculated)} [{formula}]"
    return _shown(written)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.date().isoformat()
    return str(value).replace("\r\n", "\n").replace("\n", " ⏎ ")
