"""Progress of long work on stderr: rate, cost and time left; a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from judge.cli.summary import Summary

QUIET_SECONDS = 15.0
COUNTED_BYTES = 2_000_000_000


class Progress:
    """Shows how far a run is. Nothing is shown for work that takes under a second."""

    def __init__(self, path: Path, summary: Summary, *, limit: int | None = None) -> None:
        self._summary = summary
        self._total = _total(path, limit)
        self._start = self._said = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = (
                TextColumn("grading"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[said]}"),
                TimeRemainingColumn(),
            )
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("grading", total=self._total, said="")
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self) -> None:
        """One more record is there."""
        if self._bar is not None:
            self._bar.update(self._task, advance=1, said=self._rate())
        elif time.monotonic() - self._said > QUIET_SECONDS:
            self._said = time.monotonic()
            total = f" of {self._total}" if self._total else ""
            sys.stderr.write(f"judge: {self._summary.episodes}{total} episodes, {self._rate()}{self._left()}\n")

    def _rate(self) -> str:
        seconds = max(time.monotonic() - self._start, 1e-6)
        return f"{self._summary.episodes / seconds:.1f}/s, {self._summary.money}"

    def _left(self) -> str:
        done = self._summary.episodes
        if not self._total or not done:
            return ""
        seconds = (time.monotonic() - self._start) / done * max(self._total - done, 0)
        return f", about {seconds / 60:.0f} min left" if seconds > 90 else f", about {seconds:.0f} s left"


def _total(path: Path, limit: int | None) -> int | None:
    """How many episodes a JSONL file has at most, by its lines; the limit or None where it can't be told cheaply."""
    if path.suffix != ".jsonl" or not path.is_file() or path.stat().st_size > COUNTED_BYTES:
        return limit
    with path.open("rb") as file:
        lines = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
    return min(lines, limit) if limit else lines
