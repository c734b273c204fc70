"""Our own form: rows with named columns, as CSV or JSON Lines."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from calibration.label import Label
from judge.adapters.labels.form import Form
from judge.adapters.labels.naming import Naming
from judge.adapters.labels.remarks import BadRow, LeftOut, Read, Told
from judge.adapters.labels.saying import label_of_row
from judge.adapters.labels.source import Source
from judge.adapters.labels.writing import rater_name
from judge.errors import InputError
from judge.reading.cleaning import clean_text
from rubrics.explaining import suggestion

COLUMNS = (
    "episode_id", "criterion", "rater", "level", "value", "note", "inclusion_probability", "stratum", "at", "used_for",
)  # fmt: skip
# Other spellings that can only mean one column; each counts only where that column is not there itself.
_SPELLINGS = {"episode": "episode_id", "inclusion": "inclusion_probability", "label": "level", "score": "value"}
# What other tools call our columns: never read as such, only proposed.
_FOREIGN = {
    "annotator": "rater", "labeler": "rater", "labeller": "rater", "user": "rater", "reviewer": "rater", "comment": "note",
    "reason": "note", "rationale": "note", "timestamp": "at", "date": "at", "created_at": "at", "task_id": "episode_id",
    "question": "criterion", "answer": "level", "choice": "level", "rating": "level", "verdict": "level",
}  # fmt: skip


def read_csv(source: Source, naming: Naming) -> Iterator[Read]:
    """The labels of a table. Raises InputError if its header lacks what every label needs."""
    rows = source.rows()
    head = next(rows, None)
    if head is None or isinstance(head, BadRow):
        raise InputError(f"{head}" if head else f"{source.name}: is empty; expected a header: {', '.join(COLUMNS)}")
    columns = _columns(source.name, head[1], naming)
    yield from _unknown(source.name, head[1], columns)
    for row in rows:
        yield row if isinstance(row, BadRow) else _from_cells(*row, columns, naming)


def read_jsonl(source: Source, naming: Naming) -> Iterator[Read]:
    """The labels of JSON objects with our keys, one a line or in a list."""
    told: set[str] = set()
    for found in source.values():
        if isinstance(found, BadRow):
            yield found
            continue
        place, value = found
        if not isinstance(value, dict):
            yield BadRow(place, f"expected an object with {', '.join(COLUMNS[:4])}, got {type(value).__name__}")
            continue
        columns = _named([_plain(key) for key in value], naming)
        new = {key: column for key, column in zip(value, columns, strict=True) if key not in told}
        yield from _unknown(source.name, list(new), list(new.values()))
        told.update(new)
        yield label_of_row(dict(_filled(columns, value.values())), naming, place)


def looks(value: Any) -> bool:
    """True for an object of our own form."""
    if not isinstance(value, dict):
        return False
    keys = set(_named([_plain(key) for key in value], Naming()))
    return "episode_id" in keys and bool(keys & {"level", "value"})


def looks_table(cells: Sequence[str]) -> bool:
    """True for a header of our own form: it names the episodes, or at least two more of our columns."""
    found = {c for c in _named([_plain(c) for c in cells], Naming()) if c}
    return "episode_id" in found or len(found) > 1


def write_csv(labels: Sequence[Label]) -> tuple[str, list[LeftOut]]:
    """A table with all columns; what is not known stays empty."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(_row(label) for label in labels)
    return clean_text(out.getvalue()), []


def write_jsonl(labels: Sequence[Label]) -> tuple[str, list[LeftOut]]:
    """One object a line, without what is not known."""
    return "".join(clean_text(json.dumps(_row(label), ensure_ascii=False)) + "\n" for label in labels), []


def _row(label: Label) -> dict[str, Any]:
    row = {
        "episode_id": label.episode, "criterion": label.criterion, "rater": rater_name(label), "level": label.level,
        "value": label.value, "note": label.note, "inclusion_probability": label.inclusion, "stratum": label.stratum,
        "at": label.at.isoformat() if label.at else None, "used_for": label.used_for,
    }  # fmt: skip
    return {key: value for key, value in row.items() if value not in (None, "")}


def _plain(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name.strip().casefold())


def _named(given: Sequence[str], naming: Naming) -> list[str]:
    """For each column the name we know it by, or nothing."""
    episode = _plain(naming.episode) if naming.episode else ""
    known = [name if name in COLUMNS else "" for name in given]
    if episode in given:
        known = ["" if name == "episode_id" else name for name in known]
        known[given.index(episode)] = "episode_id"
    for at, name in enumerate(given):
        target = _SPELLINGS.get(name)
        if target and not known[at] and target not in known:
            known[at] = target
    return known


def _columns(name: str, header: Sequence[str], naming: Naming) -> list[str]:
    given = [_plain(cell) for cell in header]
    columns = _named(given, naming)
    twice = next((c for c in columns if c and columns.count(c) > 1), None)
    if twice:
        raise InputError(f"{name}: column {twice!r} is there twice; keep one")
    if naming.episode and _plain(naming.episode) not in given:
        raise InputError(f"{name}: --episode-field {naming.episode}: no such column; found {', '.join(header)}")
    lacks = [c for c in ("episode_id", *(() if naming.rater else ("rater",))) if c not in columns]
    lacks += [] if {"level", "value"} & set(columns) else ["level"]
    if lacks:
        raise InputError(
            f"{name}: no column {' and no column '.join(lacks)}, found {', '.join(header)}{_remedy(lacks, given)}"
        )
    return columns


def _remedy(lacks: Sequence[str], given: Sequence[str]) -> str:
    options = {"episode_id": "name it with --episode-field", "rater": "name the person with --rater"}
    near = [name for name in given if _FOREIGN.get(name) in lacks or suggestion(name, lacks)]
    if near:
        return f"; did you mean {', '.join(near)}? Rename it" + "".join(
            f", or {options[c]}" for c in lacks if c in options
        )
    return "".join(f"; {options[c]}" for c in lacks if c in options)


def _unknown(name: str, given: Sequence[str], columns: Sequence[str]) -> Iterator[Told]:
    """Columns that nobody reads, each told once."""
    for written, column in zip(given, columns, strict=True):
        if not column and written.strip():
            free = [c for c in COLUMNS if c not in columns]
            proposed = _FOREIGN.get(_plain(written))
            hint = suggestion(_plain(written), free) or (f"; did you mean {proposed}?" if proposed in free else "")
            yield Told(f"{name}: column {written.strip()!r} is not read{hint}")


def _from_cells(place: str, cells: Sequence[str], columns: Sequence[str], naming: Naming) -> Label | BadRow:
    if any(cell.strip() for cell in cells[len(columns) :]):
        return BadRow(
            place,
            f"has {len(cells)} cells where the header has {len(columns)}; put a text that holds the separator in quotes",
        )
    return label_of_row(dict(_filled(columns, cells)), naming, place)


def _filled(columns: Sequence[str], values: Any) -> Iterator[tuple[str, Any]]:
    for column, value in zip(columns, values, strict=False):
        if column:
            yield column, value.strip() if isinstance(value, str) and column != "note" else value


CSV = Form(read_csv, write_csv, looks_table=looks_table, people_only=False)
JSONL = Form(read_jsonl, write_jsonl, looks, people_only=False)
