"""Databases: the tables of a SQLite file, or of a SQL dump loaded into memory, read by SQLite under guard."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from judge.state.errors import StateUnavailable
from judge.state.values import Json

MOST_SECONDS: Final = 30.0
MOST_PAGES: Final = 131_072  # of 4 KiB: 512 MiB
LONGEST_VALUE: Final = 64 << 20

# What other programs put into a dump and a snapshot of tables does not need.
_NOISE = re.compile(
    r"(SET|PRAGMA|BEGIN|COMMIT|END|START\s+TRANSACTION|LOCK|UNLOCK|USE|ANALYZE|VACUUM|GRANT|REVOKE|COMMENT\s+ON|DELIMITER"
    r"|SELECT\s+pg_catalog|ALTER\s+TABLE\s+.*\s+OWNER\s+TO|CREATE\s+(DATABASE|SCHEMA|EXTENSION|SEQUENCE)"
    r"|CREATE\s+(TEMP\s+|TEMPORARY\s+)?(TRIGGER|VIEW))\b.*",
    re.IGNORECASE | re.DOTALL,
)
_PIECE = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|--[^\n]*|/\*.*?\*/|;|[^'\"`;/-]+|.", re.DOTALL)
_TRIGGER = re.compile(r"\s*CREATE\s+(TEMP\s+|TEMPORARY\s+)?TRIGGER\b", re.IGNORECASE)

_LOADING: Final = frozenset(
    {
        sqlite3.SQLITE_CREATE_TABLE,
        sqlite3.SQLITE_CREATE_INDEX,
        sqlite3.SQLITE_DROP_TABLE,
        sqlite3.SQLITE_DROP_INDEX,
        sqlite3.SQLITE_ALTER_TABLE,
        sqlite3.SQLITE_INSERT,
        sqlite3.SQLITE_UPDATE,
        sqlite3.SQLITE_DELETE,
        sqlite3.SQLITE_REINDEX,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_RECURSIVE,
        sqlite3.SQLITE_FUNCTION,
    }
)


def read_sqlite(path: Path, name: str) -> tuple[dict[str, Json], dict[str, tuple[str, ...]]]:
    """The tables of a SQLite file, opened read-only, and for each the columns of its primary key (none: order is free)."""
    journal = Path(f"{path}-wal")
    # Without a journal nothing else can be part of the database, and an immutable file can be read in a read-only folder.
    mode = "mode=ro" if journal.exists() and journal.stat().st_size else "mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?{mode}", uri=True)) as connection:
            return _tables(connection, name)
    except sqlite3.Error as error:
        raise StateUnavailable(f"{name}: SQLite cannot read it ({error}); check that the file is whole") from None


def read_dump(path: Path, name: str) -> tuple[dict[str, Json], dict[str, tuple[str, ...]]]:
    """The tables that a SQL dump makes, in a database of its own in memory that can reach nothing else."""
    try:
        script = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise StateUnavailable(f"{name}: not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8") from None
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute(f"PRAGMA max_page_count={MOST_PAGES}")
        connection.execute("BEGIN")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        connection.set_authorizer(allowing(_LOADING))
        set_deadline(connection, MOST_SECONDS)
        _load(connection, script, name)
        connection.set_authorizer(None)
        try:
            return _tables(connection, name)
        except sqlite3.Error as error:
            raise StateUnavailable(f"{name}: SQLite cannot read what it loaded ({error})") from None


def set_deadline(connection: sqlite3.Connection, seconds: float) -> None:
    """Interrupt whatever the connection does once the seconds from now have passed."""
    end = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > end, 10_000)


def allowing(actions: frozenset[int]) -> Callable[..., int]:
    """An authorizer that lets SQLite do these and nothing else, and never load code."""

    def authorize(action: int, _first: str | None, second: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() == "load_extension":
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK if action in actions else sqlite3.SQLITE_DENY

    return authorize


def _load(connection: sqlite3.Connection, script: str, name: str) -> None:
    for line, statement in statements(script):
        if _NOISE.fullmatch(statement):
            continue
        try:
            connection.execute(statement)
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            shown = " ".join(statement.split())[:60]
            raise StateUnavailable(
                f"{name}, line {line}: SQLite refuses {shown!r} ({error}); write plain SQL, as `sqlite3 FILE .dump` does"
            ) from None


def statements(script: str) -> Iterator[tuple[int, str]]:
    """The statements of a script without comments, each with the number of the line it begins on."""
    line, begins = 1, 1
    parts: list[str] = []
    for match in _PIECE.finditer(script):
        piece = " " if match.group().startswith(("--", "/*")) else match.group()
        if not parts:
            blank = piece[: len(piece) - len(piece.lstrip())]
            begins, piece = line + blank.count("\n"), piece.lstrip()
        line += match.group().count("\n")
        if piece == ";" and _is_whole(statement := "".join(parts)):
            if statement.strip():
                yield begins, statement.strip()
            parts = []
        elif piece:
            parts.append(piece)
    if rest := "".join(parts).strip():
        yield begins, rest


def _is_whole(statement: str) -> bool:
    """Whether a semicolon ends the statement; inside a trigger's body it ends one of its own statements."""
    return not _TRIGGER.match(statement) or sqlite3.complete_statement(f"{statement};")


def _tables(connection: sqlite3.Connection, name: str) -> tuple[dict[str, Json], dict[str, tuple[str, ...]]]:
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    connection.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
    set_deadline(connection, MOST_SECONDS)
    listed = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    )
    names = [table for (table,) in listed]
    if not names:
        raise StateUnavailable(f"{name}: holds no tables; check that the snapshot was written")
    tables = {table: _rows(connection, table) for table in names}
    return tables, {table: _primary_key(connection, table) for table in names}


def _rows(connection: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    cursor = connection.execute(f"SELECT * FROM {quoted(table)}")  # noqa: S608 - the name is quoted
    columns = [column[0] for column in cursor.description]
    return [dict(zip(columns, map(plain, row), strict=True)) for row in cursor]


def _primary_key(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    columns = connection.execute(f"PRAGMA table_info({quoted(table)})").fetchall()
    return tuple(name for _, name in sorted((column[5], column[1]) for column in columns if column[5]))


def quoted(name: str) -> str:
    """A name as SQL writes it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def plain(value: Any) -> Json:
    """A SQLite value as JSON: bytes become a SQL literal such as ``x'0A'``."""
    return f"x'{value.hex().upper()}'" if isinstance(value, bytes) else value
