"""A PostgreSQL server of the tests' own, on a socket in a temporary folder; skips where its programs are not installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _programs() -> Path:
    found = shutil.which("initdb")
    places = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    if not places or not (places[0] / "initdb").exists():
        pytest.skip("PostgreSQL's server programs are not installed")
    return places[0]


@contextmanager
def server() -> Iterator[str]:
    """The URL of an empty database. As root, the server runs as the user `postgres`, as it must."""
    programs = _programs()
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    as_user: list[str] = []
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
        as_user = ["runuser", "-u", "postgres", "--"]
    data = folder / "data"

    def run(program: str, *arguments: object) -> None:
        command = [*as_user, programs / program, "-D", data, *arguments]
        subprocess.run([str(part) for part in command], cwd=folder, check=True, capture_output=True)

    run("initdb", "-A", "trust", "-U", "judge")
    run("pg_ctl", "-w", "-o", f"-k {folder} -c listen_addresses=''", "-l", folder / "log", "start")
    try:
        yield f"postgresql+psycopg://judge@/postgres?host={folder}"
    finally:
        run("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)
