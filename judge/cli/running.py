"""A run of the command line: episodes in, records out, progress on stderr, and an exit code that says how it went."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import aclosing
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any

from judge.cli.grading import print_json
from judge.cli.outputs import Output
from judge.cli.progress import Progress
from judge.cli.setup import console
from judge.cli.summary import Summary
from judge.cli.turns import Turns
from judge.engine import Calibration, Engine, UngradableError, calibrated
from judge.episode import Episode
from judge.errors import InputError, StoreError
from judge.reading import BadLine, read_episodes
from judge.reading.records import KNOWN
from judge.record import Cost, GradeRecord
from judge.stopping import RunStoppedError, Watch
from rubrics.errors import RubricError


class Run:
    """Episodes of one file under one engine, with what was counted on the way."""

    def __init__(
        self, engine: Engine, episodes: Path, rubric: Any, *, limit: int | None = None, patience: int = 25,
        calibration: Calibration | None = None,
    ) -> None:  # fmt: skip
        self.engine = engine
        self.rubric = rubric
        self.path = episodes
        self.summary = Summary()
        self._keys_seen: set[str] = set()
        self._groups = _Groups(str(episodes))
        self._source = episodes if episodes.is_file() else None
        self._limit = limit
        self._patience = patience
        self._calibration = calibration
        self._output = Output(None, force=False, resume=False, method="")
        self._turns = Turns(self._output.earlier)

    def episodes(self) -> Iterator[Episode]:
        """The episodes of the file; lines that can't be read are counted and reported, odd keys are told once."""
        for episode in islice(read_episodes(self.path, on_bad=self._bad_line), self._limit):
            self._groups.tell_of(episode)
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
        _ = self.engine.ledger  # so is a store that can't be used
        self._output = Output(output, force=force, resume=resume, method=self.engine.method, source=self._source)
        self._turns = Turns(self._output.earlier)
        stopped = self._stopped(_print if as_json and output is None else self._output.write)
        try:
            self._output.close(complete=stopped is None)
        except RunStoppedError as reason:
            stopped = str(reason)
        return self._finish(stopped, as_json, output)

    def _stopped(self, emit: Callable[[str], Any]) -> str | None:
        """Grade all. Returns what stopped it; None if nothing did."""
        try:
            asyncio.run(self._grade_all(emit))
        except (RunStoppedError, StoreError) as reason:
            return str(reason)
        except KeyboardInterrupt:
            return "interrupted; what was graded is kept, and the same command with --resume goes on"
        return None

    async def _grade_all(self, emit: Callable[[str], Any]) -> None:
        _stop_on_terminate()
        rest_from_garbage()
        watch = Watch(self.engine.bench, patience=self._patience)
        fresh = self._turns.fresh(self.episodes(), self._is_graded)
        async with self.engine:
            with Progress(self.path, self.summary, limit=self._limit) as progress:
                graded = self.engine.grade_many(
                    fresh, self.rubric, calibration=self._calibration, on_error=self.ungradable
                )
                async with aclosing(graded) as records:
                    async for record in records:
                        self._take(record, emit)
                        progress.advance()
                        if reason := watch.reason(record):
                            raise RunStoppedError(reason)
                self._emit_kept(emit, self._turns.left())

    def _is_graded(self, episode: Episode) -> bool:
        """Whether the earlier run has its record, under the same rubric."""
        try:
            fingerprint = self.engine.rubric_for(episode, self.rubric).fingerprint
        except (RubricError, InputError):
            return False
        return self._output.earlier.holds(episode, fingerprint)

    def _take(self, record: GradeRecord, emit: Callable[[str], Any]) -> None:
        self._emit_kept(emit, self._turns.before(record))
        self.summary.add(record)
        emit(record.to_json())
        if self.summary.episodes % 50 == 0:
            self._output.flush()

    def _emit_kept(self, emit: Callable[[str], Any], lines: Iterable[str]) -> None:
        for line in lines:
            kept = GradeRecord.from_json(line)
            if self._calibration is not None:
                kept = calibrated(kept, self._calibration)
            self.summary.add(kept.model_copy(update={"cost": Cost()}))
            self.summary.kept += 1
            emit(line if self._calibration is None else kept.to_json())

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


class _Groups:
    """Tells once of siblings that do not stand together: only those that do are judged by one panel."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._current: str | None = None
        self._past: set[str] = set()
        self._told = False

    def tell_of(self, episode: Episode) -> None:
        """Note the group of an episode."""
        if episode.group_id == self._current:
            return
        if episode.group_id in self._past and not self._told:
            self._told = True
            sys.stderr.write(
                f"judge: {self._path}:{episode.line}: siblings of group {episode.group_id!r} stand apart, so that other judges "
                f"may count for some of them; put the lines of a group together\n"
            )
        if self._current is not None:
            self._past.add(self._current)
        self._current = episode.group_id


def _print(line: str) -> None:
    try:
        sys.stdout.write(line + "\n")
    except BrokenPipeError:
        raise
    except OSError as error:
        raise RunStoppedError(f"standard output can't be written: {error.strerror}") from None


def _stop_on_terminate() -> None:
    """A polite kill is an interrupt: what was graded is written before the end."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    if task is not None and hasattr(signal, "SIGTERM"):
        try:
            loop.add_signal_handler(signal.SIGTERM, lambda: signal.raise_signal(signal.SIGINT))
        except (NotImplementedError, RuntimeError, ValueError):
            return  # not the main thread, or a platform without signal handlers: Ctrl-C alone stops it


def rest_from_garbage() -> None:
    """Search less often for garbage: a run makes many objects, hardly any of them in circles, and a tenth of its CPU was that."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
