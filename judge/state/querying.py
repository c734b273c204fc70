"""Querying: a state as a database that can be asked and not changed, for the ``sql`` check."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from decimal import Decimal
from typing import Any, Final

from judge.state.databases import allowing, plain, quoted, set_deadline
from judge.state.errors import QueryError, StateUnavailable
from judge.state.states import State
from judge.state.values import Json, first_words

LONGEST_VALUE: Final = 16 << 20
KEY: Final = "_key"

_READING: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)


def query_state(
    state: State | Json,
    sql: str,
    params: Mapping[str, Json] | None = None,
    *,
    limit_rows: int = 1000,
    seconds: float = 2.0,
) -> list[dict[str, Json]]:
    """The rows that one SELECT gives on a state.

    `params` are the values of its `:names`.

    A list of records is a table; records by key are one with the key in ``_key`` where the records do not hold it; any
    other object is a table of one row, any other value one of rows with ``value``. Nested values are JSON text, booleans 1
    and 0. Raises QueryError for anything but one SELECT, for a query that fails or takes longer than ``seconds``, and for
    more than ``limit_rows`` rows.
    """
    state = state if isinstance(state, State) else State.of(state)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        _fill(connection, state)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        connection.set_authorizer(allowing(_READING))
        set_deadline(connection, seconds)
        try:
            cursor = connection.execute(sql, params or {})
            rows = cursor.fetchmany(limit_rows + 1)
        except (sqlite3.Error, sqlite3.Warning, ValueError, TypeError) as error:
            raise QueryError(_said(error, state, seconds)) from None
        if len(rows) > limit_rows:
            raise QueryError(f"the query gives more than {limit_rows} rows; count or limit them in SQL")
        columns = [column[0] for column in cursor.description or ()]
    if not columns:
        raise QueryError("the query gives no columns; write one SELECT")
    if len(set(columns)) < len(columns):
        raise QueryError(f"the query names a column twice ({first_words(columns)}); use AS")
    return [{name: _finite(plain(cell)) for name, cell in zip(columns, row, strict=True)} for row in rows]


def _said(error: Exception, state: State, seconds: float) -> str:
    text = str(error)
    if "interrupted" in text:
        return f"the query ran longer than {seconds:g} seconds; make it simpler"
    if any(said in text for said in ("not authorized", "authorization denied", "prohibited", "one statement")):
        return f"a query is one SELECT that only reads ({text})"
    tables = first_words(state.value) if isinstance(state.value, dict) else "state"
    return f"the query fails ({text}); the tables are {tables}"


def _finite(value: Json) -> Json:
    if isinstance(value, float) and not math.isfinite(value):
        raise QueryError("the query gives an infinity, which is no value; bound it in SQL")
    return value


def _fill(connection: sqlite3.Connection, state: State) -> None:
    tables = state.value if isinstance(state.value, dict) else {"state": state.value}
    connection.execute("BEGIN")
    for name, table in tables.items():
        try:
            _fill_table(connection, name, _records(table))
        except sqlite3.Error as error:
            raise StateUnavailable(f"{state.source}: table {name!r} cannot be queried with SQL ({error})") from None
    connection.execute("COMMIT")


def _records(table: Json) -> list[dict[str, Json]]:
    if isinstance(table, list):
        return [row if isinstance(row, dict) else {"value": row} for row in table]
    if isinstance(table, dict) and all(isinstance(row, dict) for row in table.values()):
        return _keyed(table)
    return [table] if isinstance(table, dict) else [{"value": table}]


def _keyed(table: dict[str, Json]) -> list[dict[str, Json]]:
    """Records by key as rows, with the key as a column of its own unless one column holds it everywhere."""
    columns: dict[str, Json] = next(iter(table.values()), {})
    if any(all(str(row.get(column)) == key for key, row in table.items()) for column in columns):
        return list(table.values())
    return [{KEY: key, **row} for key, row in table.items()]


def _fill_table(connection: sqlite3.Connection, name: str, rows: list[dict[str, Json]]) -> None:
    columns = list(dict.fromkeys(column for row in rows for column in row)) or [KEY]
    connection.execute(f"CREATE TABLE {quoted(name)} ({', '.join(map(quoted, columns))})")
    places = ", ".join("?" * len(columns))
    cells: Iterable[list[Any]] = ([_cell(row.get(column)) for column in columns] for row in rows)
    connection.executemany(f"INSERT INTO {quoted(name)} VALUES ({places})", cells)  # noqa: S608 - the name is quoted


def _cell(value: Json) -> Any:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=float)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() and abs(value) < 1 << 63 else float(value)
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        return str(value)
    return value
