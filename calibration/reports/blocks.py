"""What a report's sections are made of. HTML and Markdown are written from the same blocks, so that they say the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from calibration.figures import Figure
from calibration.reports.evidence import Mark
from calibration.reports.wording import DASH, count, number, percent, reach


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: `text`, a smaller line below it, a mark; `why` is a note, such as why a figure is undefined.

    `code` is text of a machine, such as an id; `wide` is running text; `href` leads somewhere; `command` is to be typed.
    """

    text: str
    small: str = ""
    mark: Mark | None = None
    why: str = ""
    code: bool = False
    wide: bool = False
    href: str | None = None
    command: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a caption; the first cell of a row is its heading. `notes` stand below it, numbered."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    more: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """The reasons of undefined figures, each once, in the order of the rows."""
        return tuple(dict.fromkeys(cell.why for row in self.rows for cell in row if cell.why))


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its title, drawn when it is needed; `says` is what to see in it."""

    title: str
    draw: Callable[[], str]
    says: str = ""


@dataclass(frozen=True, slots=True)
class Charts:
    """Charts side by side where there is room."""

    charts: tuple[Chart, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Terms:
    """A list of terms with what they mean."""

    terms: tuple[tuple[str, Cell], ...]


Block = Table | Charts | Text | Items | Terms


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report: its id (for links), heading, one sentence that says what it is for, and its blocks."""

    id: str
    title: str
    lead: str
    blocks: tuple[Block, ...]


def figure_cell(figure: Figure | None, *, share: bool = False) -> Cell:
    """A figure with its interval below it; a dash where it is undefined. The reason for either is a note."""
    if figure is None or figure.value is None:
        return Cell(DASH, why=figure.why if figure else "")
    small = reach(figure, as_percent=share)
    return Cell(percent(figure.value) if share else number(figure.value), small, why="" if small else figure.why)


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[Cell | str]], *, most: int = 60) -> Table:
    """A table of at most `most` rows, which says how many more there are."""
    cut = len(rows) - most
    shown = tuple(tuple(Cell(cell) if isinstance(cell, str) else cell for cell in row) for row in rows[:most])
    return Table(
        caption, tuple(head), shown, f"{count(cut)} more are in the JSON form of this report." if cut > 0 else ""
    )
