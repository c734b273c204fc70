"""Check `cell`: what stands in one cell of a workbook that the agent left."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

from pydantic import Field, field_validator, model_validator

from judge.artifacts import ArtifactError, MissingReaderError, file_of
from judge.checks.finding import Arguments, CheckSettings, Finding, listed, short, yes_or_no
from judge.checks.matching import same
from judge.checks.places import artifact_named
from judge.episode import Episode
from rubrics.templates import is_template


class Cell(Arguments):
    """`cell` ("B5") on `sheet` (the first by default) of `file`: its value `equals` this, by value and within `tolerance`.

    `formula: true` asks for a formula there, whatever it gives, `false` for none, text for that very formula.
    """

    file: str = Field(min_length=1)
    cell: str
    sheet: str | None = None
    equals: Any = None
    formula: bool | str | None = None
    tolerance: float = Field(0.0, ge=0, allow_inf_nan=False)

    @field_validator("cell")
    @classmethod
    def _is_a_cell(cls, cell: str) -> str:
        if not is_template(cell) and not re.fullmatch(r"\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6}", cell):
            raise ValueError(f"{cell!r} is no cell such as 'B5'")
        return cell.replace("$", "").upper() if not is_template(cell) else cell

    @model_validator(mode="after")
    def _asks_something(self) -> Cell:
        if "equals" not in self.model_fields_set and self.formula is None:
            raise ValueError("gives neither `equals` nor `formula`")
        return self


def cell(episode: Episode, args: Cell, _settings: CheckSettings) -> Finding:
    """Look the cell up: its formula, its value as last calculated, or both."""
    artifact = artifact_named(episode, args.file)
    if isinstance(artifact, Finding):
        return artifact
    if isinstance(artifact, str):
        return yes_or_no(False, artifact)
    try:
        formula, value, sheets = _looked_up(file_of(artifact, episode.base_dir), args)
    except (ArtifactError, MissingReaderError) as error:
        return Finding(None, str(error), kind=error.kind)
    if sheets:
        return yes_or_no(False, f"{args.file} has no sheet {args.sheet!r}; it has {listed(sheets)}")
    return _judged(f"{args.file}, {args.sheet or 'first sheet'}!{args.cell}", formula, value, args)


def _judged(where: str, formula: str | None, value: Any, args: Cell) -> Finding:
    holds = f"{where} holds {formula or short(_plain(value))}"
    if args.formula is not None and not _is_formula(formula, args.formula):
        asked = "a formula" if args.formula is True else "no formula" if args.formula is False else args.formula
        return yes_or_no(False, f"{holds}, expected {asked}")
    if "equals" not in args.model_fields_set:
        return yes_or_no(True, holds)
    return _compared(where, formula, value, args)


def _compared(where: str, formula: str | None, value: Any, args: Cell) -> Finding:
    if formula is not None and value is None:
        reason = (
            f"{where} holds {formula}, but no value: the program that wrote the file did not calculate it; open and save it "
            "in a spreadsheet program, or ask for the formula"
        )
        return Finding(None, reason, kind="state_unavailable")
    found = _plain(value)
    shown = f"{short(found)} ({formula})" if formula else short(found)
    holds = same(args.equals, found.strip() if isinstance(found, str) else found, args.tolerance)
    return yes_or_no(holds, f"{where} is {shown}, expected {short(args.equals)}")


def _is_formula(formula: str | None, wanted: bool | str) -> bool:
    if isinstance(wanted, bool):
        return (formula is not None) == wanted
    return formula is not None and _bare(formula) == _bare(wanted)


def _bare(formula: str) -> str:
    return re.sub(r"\s", "", formula).lstrip("=").replace("$", "").upper()


def _looked_up(path: Any, args: Cell) -> tuple[str | None, Any, list[str]]:
    """The cell's formula (None if it has none), its value, and the sheets if the one asked for is not among them."""
    from judge.artifacts import open_workbook

    with open_workbook(path, values=False) as book:
        if args.sheet is not None and args.sheet not in book.sheetnames:
            return None, None, list(book.sheetnames)
        written = _value_at(book, args)
    formula = _formula_text(written)
    if formula is None:
        return None, written, []
    with open_workbook(path, values=True) as book:
        return formula, _value_at(book, args), []


def _value_at(book: Any, args: Cell) -> Any:
    sheet = book[args.sheet] if args.sheet is not None else book.worksheets[0]
    return sheet[args.cell].value


def _formula_text(written: Any) -> str | None:
    text = getattr(written, "text", written)  # an array formula is an object that holds its text
    return text if isinstance(text, str) and text.startswith("=") else None


def _plain(value: Any) -> Any:
    """A cell's value as JSON has it: dates and times as ISO text, a midnight as its date."""
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, dt.date | dt.time) else value
