"""The output file: one record a line, in the order of the input, resumable after any stop."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from judge.episode import Episode
from judge.errors import InputError
from judge.record import GradeRecord
from judge.stopping import RunStoppedError


class Earlier:
    """The records of an earlier run, found by episode without holding them in memory. Only scored ones count."""

    def __init__(self, paths: list[Path], *, method: str) -> None:
        self._places: dict[str, tuple[Path, int, str]] = {}
        self.superseded = 0
        for path in paths:
            if path.exists():
                self._index(path, method)

    def _index(self, path: Path, method: str) -> None:
        with path.open("rb") as file:
            at = 0
            for line in file:
                row = _row(line)
                if row is not None and row.get("score") is not None:
                    if row.get("method") != method:
                        raise InputError(
                            f"{path} was graded by another method ({row.get('method')}, now {method}): other judges, templates "
                            f"or options. Scores of two methods are not mixed; write to another file, or use --force"
                        )
                    rubric: dict[str, str] = row["rubric"]
                    self._places[str(row["episode_id"])] = (path, at, rubric["fingerprint"])
                at += len(line)

    def __len__(self) -> int:
        return len(self._places)

    def holds(self, episode: Episode, rubric_fingerprint: str) -> bool:
        """Whether this episode was graded under the same rubric."""
        place = self._places.get(episode.id)
        return place is not None and place[2] == rubric_fingerprint

    def take(self, episode_id: str) -> str:
        """The line of this episode, which is then no longer left."""
        path, at, _ = self._places.pop(episode_id)
        return _line_at(path, at)

    def supersede(self, record: GradeRecord) -> None:
        """A new record takes the place of its episode's line, if there is one; `superseded` counts those of another rubric."""
        place = self._places.pop(record.episode_id, None)
        self.superseded += place is not None and place[2] != record.rubric.fingerprint

    def rest(self) -> Iterator[str]:
        """The lines not taken yet."""
        return (_line_at(path, at) for path, at, _ in self._places.values())


def _row(line: bytes) -> dict[str, Any] | None:
    """The row of a line; None if the line was cut off by a crash."""
    if not line.endswith(b"\n"):
        return None
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) and "episode_id" in row and "rubric" in row else None


def _line_at(path: Path, at: int) -> str:
    with path.open("rb") as file:
        file.seek(at)
        return file.readline().decode("utf-8").rstrip("\n")


class Output:
    """Writes records and errors. An existing file is never overwritten without `force`, and continued with `resume`.

    `left` is how many earlier records found no place in a resumed run (their rubric changed, or their episode is gone): they
    stay in OUT.before, so that nothing is lost.
    """

    def __init__(
        self, path: Path | None, *, force: bool, resume: bool, method: str, source: Path | None = None
    ) -> None:
        self.path = path
        if path is not None and source is not None and path.exists() and path.samefile(source):
            raise InputError(f"{path} is the file of the episodes; write the records to another -o")
        self.errors = 0
        self.left = 0
        self.earlier = Earlier([], method=method)
        self._file: TextIO | None = None
        self._errors_file: TextIO | None = None
        if path is None:
            return
        self._before = path.with_name(path.name + ".before")
        if path.exists() and not (force or resume):
            raise InputError(f"{path} exists; use --resume to go on with it, --force to overwrite it, or another -o")
        if resume:
            self.earlier = Earlier([self._before, path], method=method)
        elif self._before.exists():
            self._before.unlink()
        self._open(path, resume)

    def _open(self, path: Path, resume: bool) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if resume and path.exists():
                self._set_aside(path)
            self._file = path.open("w", encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path}: can't be written: {error.strerror}") from None
        errors = self.errors_path
        if errors is not None and errors.exists():
            errors.unlink()

    def _set_aside(self, path: Path) -> None:
        """The old file becomes OUT.before; an older one that a kill left behind is put in front of it."""
        if self._before.exists():
            with self._before.open("ab") as before:
                before.write(b"\n" + path.read_bytes())
            path.unlink()
        else:
            path.rename(self._before)
        self.earlier = Earlier([self._before], method=self._method_of_first(self._before))

    @staticmethod
    def _method_of_first(path: Path) -> str:
        with path.open("rb") as file:
            return next(
                (str(row["method"]) for line in file if (row := _row(line)) and row.get("score") is not None), ""
            )

    @property
    def errors_path(self) -> Path | None:
        """Where lines go that could not be graded: OUT.errors.jsonl."""
        return (
            None if self.path is None else self.path.with_name(self.path.name.removesuffix(".jsonl") + ".errors.jsonl")
        )

    def write(self, line: str) -> None:
        """One record's line. Raises RunStoppedError if it can't be written."""
        if self._file is not None:
            try:
                self._file.write(line + "\n")
            except OSError as error:
                raise self._unwritable(error) from None

    def _finish(self, file: TextIO, lines: Iterable[str]) -> None:
        try:
            with file:
                file.writelines(f"{line}\n" for line in lines)
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> RunStoppedError:
        return RunStoppedError(f"{self.path}: can't be written: {error.strerror}; make room and go on with --resume")

    def record(self, record: GradeRecord) -> None:
        """One record."""
        if self._file is not None:
            self.write(record.to_json())

    def error(self, **row: object) -> None:
        """One line that brought no record."""
        self.errors += 1
        if self.errors_path is None:
            return
        if self._errors_file is None:
            self._errors_file = self.errors_path.open("w", encoding="utf-8")
        self._errors_file.write(json.dumps(row, ensure_ascii=True) + "\n")
        self._errors_file.flush()

    def flush(self) -> None:
        """What was written so far is in the file. Raises RunStoppedError if it can't be."""
        if self._file is not None:
            try:
                self._file.flush()
            except OSError as error:
                raise self._unwritable(error) from None

    def close(self, *, complete: bool) -> None:
        """Close the file. After a stop, records of the earlier run that were not reached are kept behind the new ones.

        Raises RunStoppedError if what is left can't be written: then OUT.before still holds it.
        """
        if self._file is not None:
            self._finish(self._file, () if complete else self.earlier.rest())
            self.left = self.earlier.superseded + (len(self.earlier) if complete else 0)
            if not self.left:
                self._before.unlink(missing_ok=True)
        if self._errors_file is not None:
            self._errors_file.close()
