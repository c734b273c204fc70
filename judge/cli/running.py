"""A run of the command line: episodes in, records out, progress on stderr, and an exit code that says how it went."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any

from judge.cli.grading import print_json
from judge.cli.outputs import Output
from judge.cli.progress import Progress
from judge.cli.setup import console
from judge.cli.summary import Summary
from judge.engine import Engine, UngradableError
from judge.episode import Episode
from judge.errors import InputError
from judge.reading import BadLine, read_episodes
from judge.reading.records import KNOWN
from judge.record import Cost, GradeRecord
from judge.stopping import RunStoppedError, Watch
from rubrics.errors import RubricError


class Run:
    """Episodes of one file under one engine, with what was counted on the way."""

    def __init__(
        self, engine: Engine, episodes: Path, rubric: Any, *, limit: int | None = None, patience: int = 25
    ) -> None:
        self.engine = engine
        self.rubric = rubric
        self.path = episodes
        self.summary = Summary()
        self._keys_seen: set[str] = set()
        self._source = episodes if episodes.is_file() else None
        self._limit = limit
        self._patience = patience
        self._output = Output(None, force=False, resume=False, method="")
        self._kept: dict[int, str] = {}
        self._waiting: list[tuple[int, str]] = []
        self._read = 0

    def episodes(self) -> Iterator[Episode]:
        """The episodes of the file; lines that can't be read are counted and reported, odd keys are told once."""
        for episode in islice(read_episodes(self.path, on_bad=self._bad_line), self._limit):
            for key in episode.metadata.keys() - self._keys_seen:
                self._tell_of(key, episode)
            yield episode

    def _tell_of(self, key: str, episode: Episode) -> None:
        self._keys_seen.add(key)
        if near := get_close_matches(key, KNOWN, n=1, cutoff=0.8):
            where = f"{self.path}:{episode.line}" if episode.line else str(self.path)
            sys.stderr.write(
                f"judge: {where}: nothing reads the key {key!r} (it is kept in metadata); did you mean {near[0]!r}?\n"
            )

    def _bad_line(self, bad: BadLine) -> None:
        self.summary.unreadable += 1
        self._say(f"{bad.source}:{bad.line}: {bad.message}" if bad.line else f"{bad.source}: {bad.message}")
        self._output.error(source=bad.source, line=bad.line, kind="unreadable", message=bad.message, raw=bad.raw)

    def ungradable(self, error: UngradableError) -> None:
        self.summary.unreadable += 1
        episode = error.episode
        where = f"{self.path}:{episode.line}" if episode.line else str(self.path)
        self._say(f"{where}: {episode.id}: {error}")
        self._output.error(
            source=str(self.path), line=episode.line, episode_id=episode.id, kind="ungradable", message=str(error)
        )

    def _say(self, message: str) -> None:
        if self.summary.unreadable <= 10:
            sys.stderr.write(f"judge: {message}\n")
        elif self.summary.unreadable == 11:
            sys.stderr.write("judge: more such lines are only counted from here on\n")

    def grade(self, output: Path | None, *, resume: bool, force: bool, as_json: bool) -> int:
        """Grade all, write records to `output` or stdout, show the table. Returns the exit code."""
        if self.engine.panel.judges:
            _ = self.engine.bench  # a missing key is one sentence before a file is touched
        self._output = Output(output, force=force, resume=resume, method=self.engine.method, source=self._source)
        emit = (lambda line: sys.stdout.write(line + "\n")) if as_json and output is None else self._output.write
        stopped: str | None = None
        try:
            asyncio.run(self._grade_all(emit))
        except RunStoppedError as reason:
            stopped = str(reason)
        except KeyboardInterrupt:
            stopped = "interrupted; what was graded is kept, and the same command with --resume goes on"
        finally:
            self._output.close(complete=stopped is None)
            if self.engine.ledger is not None:
                self.engine.ledger.close()
        return self._finish(stopped, as_json, output)

    async def _grade_all(self, emit: Callable[[str], Any]) -> None:
        _stop_on_terminate()
        gc.freeze()  # what was loaded before the run need not be searched for garbage while it lasts
        watch = Watch(self.engine.bench, patience=self._patience)
        async with self.engine:
            with Progress(self.path, self.summary, limit=self._limit) as progress:
                records = self.engine.grade_many(self._fresh(), self.rubric, on_error=self.ungradable)
                async for record in records:
                    self._take(record, emit)
                    progress.advance()
                    if reason := watch.reason(record):
                        await records.aclose()  # type: ignore[attr-defined]
                        raise RunStoppedError(reason)
                self._emit_kept(emit, None)

    def _fresh(self) -> Iterator[Episode]:
        """The episodes that the earlier run did not grade; the others' records wait for their turn."""
        for position, episode in enumerate(self.episodes()):
            self._read = position + 1
            line = self._earlier_line(episode)
            if line is None:
                self._waiting.append((position, episode.id))
                yield episode
            else:
                self._kept[position] = line

    def _earlier_line(self, episode: Episode) -> str | None:
        if not len(self._output.earlier):
            return None
        try:
            fingerprint = self.engine.rubric_for(episode, self.rubric).fingerprint
        except (RubricError, InputError):
            return None
        return self._output.earlier.take(episode, fingerprint)

    def _take(self, record: GradeRecord, emit: Callable[[str], Any]) -> None:
        while self._waiting and self._waiting[0][1] != record.episode_id:
            self._waiting.pop(0)
        position = self._waiting.pop(0)[0] if self._waiting else self._read
        self._emit_kept(emit, position)
        self.summary.add(record)
        emit(record.to_json())
        if self.summary.episodes % 50 == 0:
            self._output.flush()

    def _emit_kept(self, emit: Callable[[str], Any], before: int | None) -> None:
        for position in [p for p in self._kept if before is None or p < before]:
            line = self._kept.pop(position)
            self.summary.add(GradeRecord.from_json(line).model_copy(update={"cost": Cost()}))
            self.summary.kept += 1
            emit(line)

    def _finish(self, stopped: str | None, as_json: bool, output: Path | None) -> int:
        if not as_json:
            self.summary.show(console())
        elif output is not None:
            print_json(self.summary.to_dict())
        if output is not None and not as_json:
            sys.stderr.write(f"judge: records in {output}")
            sys.stderr.write(
                f", {self._output.errors} line(s) without one in {self._output.errors_path}\n"
                if self._output.errors
                else "\n"
            )
        if self._output.left:
            where = f"{output}.before"
            sys.stderr.write(
                f"judge: {self._output.left} earlier record(s) were of another rubric or episode and are kept in {where}\n"
            )
        if stopped is not None:
            sys.stderr.write(f"judge: stopped: {stopped}\n")
            return 3
        if not self.summary.episodes:
            sys.stderr.write(f"judge: {self.path}: no episode could be graded\n")
            return 2
        return 1 if self.summary.score.without or self.summary.unreadable else 0


def _stop_on_terminate() -> None:
    """A polite kill is an interrupt: what was graded is written before the end."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    if task is not None and hasattr(signal, "SIGTERM"):
        try:
            loop.add_signal_handler(signal.SIGTERM, lambda: signal.raise_signal(signal.SIGINT))
        except (NotImplementedError, RuntimeError, ValueError):
            return  # not the main thread, or a platform without signal handlers: Ctrl-C alone stops it
