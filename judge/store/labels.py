"""People's labels in the store: an answer imported twice is one row, and answers that differ are all kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from calibration.conflicts import Conflict, conflicts
from calibration.label import Label
from judge.errors import InputError
from judge.reading.cleaning import clean_text
from judge.store.database import masked, open_database
from judge.store.ledger import default_path
from judge.store.tables import labels as table

ROWS_AT_ONCE = 500  # below the number of parameters that SQLite allows in one statement
# What may become known of an answer after it was stored; the answer itself never changes.
_KNOWN_LATER = ("note", "inclusion", "stratum", "used_for")


class LabelStore:
    """The labels in a database, by path or URL (default: the ledger's). Raises InputError if it can't be used."""

    def __init__(self, place: str | Path | None = None) -> None:
        self.place = place or default_path()
        self._engine = open_database(self.place)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def put(self, labels: Iterable[Label], *, source: str = "") -> tuple[int, int]:
        """Keep labels; gives how many are new and how many answers were there already.

        An answer is the same if episode, criterion, rater, level, value and time are. What a later import says of it
        besides (note, inclusion probability, stratum, use) is taken over; what it does not say stays.
        """
        added = there = 0
        given = iter(labels)
        with self._telling("written"), self._engine.begin() as connection:
            while batch := list(islice(given, ROWS_AT_ONCE)):
                new = _put(connection, _rows(batch, source))
                added += new
                there += len(batch) - new
        return added, there

    def labels(
        self, episodes: Iterable[str] | None = None, criterion: str | None = None, rater: str | None = None
    ) -> Iterator[Label]:
        """The labels in the order in which they were stored; of some episodes, one criterion ("": the whole) or one rater."""
        query = select(table).order_by(table.c.id)
        if criterion is not None:
            query = query.where(table.c.criterion.is_(None) if criterion == "" else table.c.criterion == criterion)
        if rater is not None:
            query = query.where(table.c.rater.in_({rater, f"person:{rater}"}))
        wanted = None if episodes is None else {clean_text(episode) for episode in episodes}
        with self._telling("read"), self._engine.connect() as connection:
            for row in connection.execute(query).mappings():
                if wanted is None or row["episode_id"] in wanted:
                    yield _label(row)

    def conflicts(self) -> list[Conflict]:
        """Every question to which one rater gave answers that differ."""
        return conflicts(self.labels())

    @contextmanager
    def _telling(self, done: str) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            cause = getattr(error, "orig", None) or error
            raise InputError(f"store {masked(self.place)}: can't be {done}: {cause}") from error


def _put(connection: Connection, rows: Mapping[str, dict[str, Any]]) -> int:
    """Insert the rows that are new, and complete those that are there. Gives how many are new."""
    columns = [table.c.content, *(table.c[name] for name in _KNOWN_LATER)]
    query = select(*columns).where(table.c.content.in_(rows))
    there = {row["content"]: row for row in connection.execute(query).mappings()}
    new = [row for content, row in rows.items() if content not in there]
    if new:
        insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
        connection.execute(insert(table).on_conflict_do_nothing(), new)
    for content, known in there.items():
        more = {
            name: rows[content][name] for name in _KNOWN_LATER if rows[content][name] not in (None, "", known[name])
        }
        if more:
            connection.execute(update(table).where(table.c.content == content).values(**more))
    return len(new)


def _rows(labels: Iterable[Label], source: str) -> dict[str, dict[str, Any]]:
    """The rows of labels by their content; of the same answer twice, what either says."""
    rows: dict[str, dict[str, Any]] = {}
    for label in labels:
        row = _row(label, source)
        known = rows.setdefault(row["content"], row)
        known.update({name: row[name] for name in _KNOWN_LATER if row[name] not in (None, "")})
    return rows


def _row(label: Label, source: str) -> dict[str, Any]:
    at = _utc(label.at)
    said: Sequence[Any] = (
        label.episode, label.criterion, label.rater, label.level, label.value, at.isoformat() if at else None,
    )  # fmt: skip
    content = hashlib.sha256(json.dumps(said).encode()).hexdigest()
    texts = {
        "episode_id": label.episode, "criterion": label.criterion, "rater": label.rater, "level": label.level,
        "note": label.note, "stratum": label.stratum, "used_for": label.used_for, "place": label.place, "source": source,
    }  # fmt: skip
    return {
        "content": content, **{name: text if text is None else clean_text(text) for name, text in texts.items()},
        "value": label.value, "inclusion": label.inclusion, "at": at,
    }  # fmt: skip


def _label(row: Mapping[Any, Any]) -> Label:
    kept = {
        name: row[name] for name in ("rater", "criterion", "level", "value", "note", "inclusion", "stratum", "used_for")
    }
    return Label(episode=row["episode_id"], at=_utc(row["at"]), place=row["place"], **kept)


def _utc(at: datetime | None) -> datetime | None:
    """The time in UTC; SQLite gives back what it holds without an offset."""
    if at is None:
        return None
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
