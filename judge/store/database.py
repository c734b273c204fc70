"""Opening the store's database: SQLite by path, or any URL that SQLAlchemy knows."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event, inspect
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DatabaseError

from judge.errors import InputError
from judge.store.tables import metadata


def open_database(place: str | Path) -> Engine:
    """The database at a path (SQLite, created if absent) or URL, with its tables. Raises InputError if it can't be used."""
    url = str(place) if "://" in str(place) else f"sqlite:///{_with_folder(Path(place))}"
    if url.startswith(("postgresql://", "postgres://")):
        url = f"postgresql+psycopg://{url.partition('://')[2]}"
    try:
        engine = create_engine(url)
    except ModuleNotFoundError as error:
        raise InputError(f"store {masked(place)}: needs {error.name}; pip install 'rubric-judge[postgresql]'") from None
    except ArgumentError as error:
        raise InputError(f"store {masked(place)}: is neither a path nor a database URL: {error}") from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _for_many_writers)
    try:
        metadata.create_all(engine)
        lacks = _lacks(engine)
    except DatabaseError as error:
        raise InputError(
            f"store {masked(place)}: can't be used: {error.orig}; give another with --store PATH"
        ) from None
    if lacks:
        raise InputError(
            f"store {masked(place)}: {lacks}; it is of another version or program: give another with --store PATH"
        )
    return engine


def _lacks(engine: Engine) -> str | None:
    """What a database that was there already lacks to be a store; None if nothing."""
    found = inspect(engine)
    for table in metadata.sorted_tables:
        there = {column["name"] for column in found.get_columns(table.name)}
        if missing := [column.name for column in table.columns if column.name not in there]:
            return f"its table {table.name!r} has no column {missing[0]!r}"
    return None


def masked(place: str | Path) -> str:
    """The place as it may be shown: without the password of a URL."""
    return re.sub(r"(://[^:/@]*:)[^@]*@", r"\1***@", str(place))


def _with_folder(path: Path) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"store {path}: its folder can't be made: {error.strerror}; give another with --store PATH"
        ) from None
    return path


def _for_many_writers(connection: Any, _record: Any) -> None:
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA busy_timeout=30000")


def insert_once(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that all have the same columns, leaving a row that is already there as it is.

    The statement is compiled here and given to the driver with plain rows: for thousands of rows a second, SQLAlchemy's own
    handling of each row would cost as much as the database.
    """
    if not rows:
        return
    make = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    compiled = make(table).on_conflict_do_nothing().compile(dialect=connection.dialect, column_keys=list(rows[0]))
    names = compiled.positiontup
    given = [tuple(row[name] for name in names) for row in rows] if names else [dict(row) for row in rows]
    connection.exec_driver_sql(str(compiled), given)
