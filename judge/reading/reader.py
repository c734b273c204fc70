"""Reading episodes from a file, a folder or the standard input, one after the other."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from judge.episode import Episode
from judge.errors import EpisodeError, InputError
from judge.reading.cleaning import clean_text
from judge.reading.parsing_json import without_nan
from judge.reading.records import KNOWN, Origin, episode_from
from judge.reading.sources import BadLine, Found, beginning_of, records_in, values_in

ENDINGS = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
STDIN = "-"


def read_episodes(
    path: str | Path, *, on_bad: Callable[[BadLine], None] | None = None, stdin: BinaryIO | None = None
) -> Iterator[Episode]:
    """The episodes in a JSON or JSON Lines file (also .gz), a folder of such files, or `-`, the standard input.

    Each line that gives no episode goes to `on_bad`, and the rest go on: what is not given was reported. Without `on_bad`
    the first such line raises EpisodeError. JSON Lines are streamed, so that memory stays flat. Episodes get ids that
    differ: a second one of a task gets `#2`, while an `episode_id` given twice is a bad line. Raises InputError if there is
    no such file, or no file to read in a folder.
    """
    on_bad = on_bad or _raise
    if str(path) == STDIN:
        return _numbered([(stdin or sys.stdin.buffer, "stdin", Path.cwd())], on_bad)
    files = _files(Path(path))
    return _numbered(((file, str(file), file.parent) for file in files), on_bad)


def _raise(bad: BadLine) -> None:
    raise EpisodeError(str(bad))


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        files = sorted(
            f for f in path.iterdir() if f.name.endswith(ENDINGS) and not f.name.startswith(".") and f.is_file()
        )
        if not files:
            raise InputError(
                f"{path}: this folder holds no episodes; they stand in files ending in {', '.join(ENDINGS)}"
            )
        return files
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    return [path]


def _numbered(
    files: Iterable[tuple[Path | BinaryIO, str, Path]], on_bad: Callable[[BadLine], None]
) -> Iterator[Episode]:
    ids = _Ids()
    for file, source, base_dir in files:
        stem = Path(source).name.split(".")[0]
        for found, given in _records(file, source, on_bad):
            try:
                record = without_nan(given, known=KNOWN) if found.odd else given
                episode = episode_from(record, Origin(base_dir, found.line, f"{stem}:{found.line}"))
                episode = ids.told_apart(episode, given=isinstance(record, dict) and bool(record.get("episode_id")))
            except EpisodeError as error:
                on_bad(_bad(source, found, str(error)))
            except RecursionError:
                on_bad(_bad(source, found, "is nested too deeply"))
            else:
                yield episode


def _bad(source: str, found: Found, message: str) -> BadLine:
    return BadLine(source, found.line, clean_text(message), beginning_of(found.raw))


def _records(file: Any, source: str, on_bad: Callable[[BadLine], None]) -> Iterator[tuple[Found, Any]]:
    with _opened(file) as stream:
        for found in values_in(stream, source):
            if isinstance(found, BadLine):
                on_bad(found)
                continue
            for record in records_in(found):
                yield found, record


@contextmanager
def _opened(file: Path | BinaryIO) -> Iterator[Any]:
    if not isinstance(file, Path):
        yield file
        return
    try:
        stream = gzip.open(file) if file.name.endswith(".gz") else file.open("rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise InputError(f"{file}: can't be opened: {error.strerror or error}") from None
    with stream:
        yield stream


class _Ids:
    """The ids met so far, and how many episodes came under each."""

    def __init__(self) -> None:
        self._met: dict[str, int] = {}

    def told_apart(self, episode: Episode, *, given: bool) -> Episode:
        """The episode under an id of its own. Raises EpisodeError if its record gives an id that another one has."""
        wanted = episode.episode_id
        times = self._met.get(wanted, 0) + 1
        if times == 1:
            self._met[wanted] = 1
            return episode
        if given:
            raise EpisodeError(f"episode_id {wanted!r} is given twice; ids must differ")
        while (own := f"{wanted}#{times}") in self._met:
            times += 1
        self._met[wanted], self._met[own] = times, 1
        return episode.model_copy(update={"episode_id": own})
