"""Sources: where a state stands, and reading it: inline, in a file or folder, or as a base with changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, Final, TypeAlias

from judge.state.databases import read_dump, read_sqlite
from judge.state.errors import StateUnavailable
from judge.state.files import read_csv, read_json, read_jsonl, read_toml
from judge.state.patching import patched
from judge.state.states import State
from judge.state.values import Json
from judge.state.workbooks import read_workbook

MOST_BYTES: Final = 1 << 30
DEEPEST_FOLDER: Final = 4

TABLE_READERS: Final[Mapping[str, Callable[[Path, str], Json]]] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".json": read_json,
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".toml": read_toml,
}
DATABASES: Final = (".db", ".db3", ".sqlite", ".sqlite3")
WORKBOOKS: Final = (".xlsx", ".xlsm")

_Key: TypeAlias = tuple[Any, ...]


class StateCache:
    """States already read, by file, time and size, so that a database many episodes start from is read once.

    It may be shared between threads. It keeps the last ``size`` states.
    """

    def __init__(self, size: int = 32) -> None:
        self._size = size
        self._states: OrderedDict[_Key, State] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: _Key, read: Callable[[], State]) -> State:
        """The state of that key, read now if it is not there."""
        with self._lock:
            if key in self._states:
                self._states.move_to_end(key)
                return self._states[key]
        state = read()
        with self._lock:
            # Two threads may have read the same file: the first one's state is kept, so that all share one object.
            state = self._states.setdefault(key, state)
            while len(self._states) > self._size:
                self._states.popitem(last=False)
        return state


def read_state(
    value: Json, *, base_dir: Path | None = None, initial: State | None = None, cache: StateCache | None = None
) -> State:
    """The state an episode gives: inline JSON, a path, or ``{"$base": PATH or "initial_state", "$patch": [RFC 6902]}``.

    A path is relative to ``base_dir``, the folder of the episodes file, and may not leave it. It names a SQLite file, a SQL
    dump, a .json or .toml file, a workbook, or a folder of CSV, JSON, JSONL or TOML tables. Raises StateUnavailable, naming
    the file and what to do; a state that cannot be read is never an empty one.
    """
    if isinstance(value, State):
        return value
    if isinstance(value, str):
        return _from_path(value, base_dir, cache)
    if isinstance(value, dict) and ("$base" in value or "$patch" in value):
        return _from_base(value, base_dir=base_dir, initial=initial, cache=cache)
    if value is None:
        raise StateUnavailable("the state is missing; give it inline, as a path, or as $base and $patch")
    return State.of(value, "the inline state")


def _from_base(
    value: dict[str, Json], *, base_dir: Path | None, initial: State | None, cache: StateCache | None
) -> State:
    if set(value) != {"$base", "$patch"}:
        raise StateUnavailable(
            'a state with a base is {"$base": PATH or "initial_state", "$patch": [operations]} and nothing else, '
            f"not an object of {', '.join(map(repr, value))}"
        )
    base = value["$base"]
    if base == "initial_state":
        if initial is None:
            raise StateUnavailable("$base is initial_state, and the episode has no initial state; give one")
        state = initial
    elif isinstance(base, str):
        state = _from_path(base, base_dir, cache)
    else:
        raise StateUnavailable(f'$base is a path or "initial_state", not {repr(base)[:80]}')
    return _patched_state(state, value["$patch"])


def _patched_state(state: State, patch: Json) -> State:
    if patch == []:
        return state
    value = patched(state.value, patch, state.source)
    brought = [operation.get("value") for operation in patch]
    if any(operation["op"] in ("move", "copy") for operation in patch):
        brought.append(bool(state.booleans))  # what moved may have held some
    return state.changed(value, brought, source=f"{state.source} with its $patch")


def _from_path(text: str, base_dir: Path | None, cache: StateCache | None) -> State:
    path = _inside(text, base_dir)
    key = _fingerprint(path, text)

    def read() -> State:
        return _read(path, text, base_dir.resolve() if base_dir else path)

    return cache.get((str(path), *key), read) if cache is not None else read()


def _inside(text: str, base_dir: Path | None) -> Path:
    """The real file of a relative path; refused where it leaves the folder, by whatever way."""
    if text.lstrip().startswith(("{", "[")):
        raise StateUnavailable("the state is JSON written as text; give the object itself, not a string of it")
    if not text.strip() or "\0" in text:
        raise StateUnavailable(f"the state's path is {text!r}; give a path relative to the episodes file")
    if PurePosixPath(text).is_absolute() or PureWindowsPath(text).is_absolute() or PureWindowsPath(text).drive:
        raise StateUnavailable(f"state {text}: absolute paths are refused; give a path relative to the episodes file")
    if base_dir is None:
        raise StateUnavailable(f"state {text}: a path needs the folder it is relative to; read the episode from a file")
    try:
        folder, path = base_dir.resolve(), (base_dir / text).resolve()
    except (OSError, RuntimeError) as error:
        raise StateUnavailable(f"state {text}: cannot be found ({error})") from None
    if not path.is_relative_to(folder):
        raise StateUnavailable(f"state {text}: leads out of the folder of the episodes file; move it inside")
    if not path.exists():
        raise StateUnavailable(f"state {text}: there is no such file in the folder of the episodes file")
    return path


def _fingerprint(path: Path, text: str) -> _Key:
    """What changes when the file or anything in the folder does."""
    try:
        files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
        wal = [Path(f"{path}-wal")] if Path(f"{path}-wal").exists() else []
        stats = [(str(file), file.stat()) for file in files + wal]
    except OSError as error:
        raise StateUnavailable(f"state {text}: cannot be read ({error.strerror})") from None
    if sum(stat.st_size for _, stat in stats) > MOST_BYTES:
        raise StateUnavailable(f"state {text}: larger than {MOST_BYTES >> 20:,} MiB; store a smaller extract")
    return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats)


def _read(path: Path, text: str, folder: Path) -> State:
    name = f"state {text}"
    try:
        if path.is_dir():
            return State.of(_read_folder(path, name, folder), name)
        suffix = path.suffix.lower()
        if suffix in DATABASES or _is_sqlite(path):
            return State.of(*_with_name(read_sqlite(path, name), name))
        if suffix == ".sql":
            return State.of(*_with_name(read_dump(path, name), name))
        if suffix in WORKBOOKS:
            return State.of(read_workbook(path, name), name)
        if suffix in (".json", ".toml"):
            return State.of(TABLE_READERS[suffix](path, name), name)
    except OSError as error:
        raise StateUnavailable(f"{name}: cannot be read ({error.strerror or error})") from None
    raise StateUnavailable(
        f"{name}: of a kind that is not known; give a SQLite file, a .sql dump, .json, .toml, .xlsx, or a folder of tables"
    )


def _with_name(
    read: tuple[Json, dict[str, tuple[str, ...]]], name: str
) -> tuple[Json, str, dict[str, tuple[str, ...]]]:
    tables, identity = read
    return tables, name, identity


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _read_folder(path: Path, name: str, folder: Path, depth: int = 0) -> dict[str, Json]:
    """A table for each file, an object of tables for each folder inside; files of other kinds are left alone."""
    if depth > DEEPEST_FOLDER:
        raise StateUnavailable(f"{name}: folders are nested deeper than {DEEPEST_FOLDER} levels")
    tables: dict[str, Json] = {}
    for entry in sorted(path.iterdir()):
        readable = entry.is_dir() or entry.suffix.lower() in TABLE_READERS
        if entry.name.startswith((".", "~")) or not readable:
            continue
        if not entry.resolve().is_relative_to(folder):
            raise StateUnavailable(f"{name}: {entry.name} is a link that leads out of the folder of the episodes file")
        if entry.stem in tables:
            raise StateUnavailable(f"{name}: two files hold the table {entry.stem!r}; keep one")
        inner = f"{name}/{entry.name}"
        table = (
            _read_folder(entry, inner, folder, depth + 1)
            if entry.is_dir()
            else TABLE_READERS[entry.suffix.lower()](entry, inner)
        )
        tables[entry.name if entry.is_dir() else entry.stem] = table
    if not tables:
        raise StateUnavailable(f"{name}: holds no tables; put .csv, .json, .jsonl or .toml files in it")
    return tables
