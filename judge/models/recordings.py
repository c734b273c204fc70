"""Files of recorded replies, read once."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

from judge.errors import InputError
from judge.models.exchange import Finish
from rubrics.verdict import Kind

KINDS: tuple[str, ...] = get_args(Kind)


class Row(NamedTuple):
    """One recorded reply, about all criteria asked or about one; or the failure that came instead.

    `probabilities` are those of the levels by criterion, of a judge that gives them in place of text.
    """

    criterion: str | None
    text: str | None
    failure: Kind | None = None
    message: str | None = None
    finish: Finish = "stop"
    model: str | None = None
    probabilities: Mapping[str, Mapping[str, float]] | None = None


class Recording:
    """The rows of a file by episode and judge. `sha256` is of its bytes; `judges` are in the order of the file."""

    def __init__(self, path: Path, content: bytes) -> None:
        self.path = path
        self.sha256 = hashlib.sha256(content).hexdigest()
        self.judges: list[str] = []
        self._rows: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for number, given in _lines(path, content):
            self._add(given, f"{path}:{number}")
        if not self.judges:
            raise InputError(f"{path} holds no recorded replies; a row is {{episode_id, judge, reply}}")

    def rows(self, episode_id: str, judge: str) -> Sequence[Row]:
        """What that judge said of that episode, in the order of the file; empty if nothing."""
        return self._rows.get((episode_id, judge), ())

    def judge_named(self, name: str, *, alone: bool = False) -> str:
        """The judge of that name; with `alone`, the file's only judge whatever its name. Else raises InputError."""
        if name in self.judges:
            return name
        if alone and len(self.judges) == 1:
            return self.judges[0]
        raise InputError(f"{self.path} holds no judge {name!r}; it has {', '.join(self.judges) or 'none'}")

    def _add(self, given: dict[str, Any], where: str) -> None:
        for key in ("episode_id", "judge"):
            if not isinstance(given.get(key), str):
                raise InputError(f"{where}: needs {key!r}, a string; got {given.get(key)!r}")
        if given["judge"] not in self.judges:
            self.judges.append(given["judge"])
        self._rows[given["episode_id"], given["judge"]].append(_row_of(given, where))


def _lines(path: Path, content: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            given = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}:{number}: is not JSON: {error}") from None
        if not isinstance(given, dict):
            raise InputError(f"{path}:{number}: expected an object, got {type(given).__name__}")
        yield number, given


def _row_of(given: dict[str, Any], where: str) -> Row:
    held = [key for key in ("reply", "verdicts", "probabilities", "failure") if key in given]
    if len(held) != 1:
        raise InputError(
            f"{where}: needs one of `reply`, `verdicts`, `probabilities`, `failure`; it has {' and '.join(held) or 'none'}"
        )
    failure = _failure_of(given.get("failure"), where)
    finish = given.get("finish", "stop")
    if finish not in get_args(Finish):
        raise InputError(f"{where}: finish {finish!r} is none of {', '.join(get_args(Finish))}")
    message = given.get("message") or (
        given["failure"].get("message") if isinstance(given.get("failure"), dict) else None
    )
    return Row(
        criterion=given.get("criterion"), text=_text_of(given), failure=failure, message=message,
        finish=finish, model=given.get("model"), probabilities=_probabilities_of(given.get("probabilities"), where),
    )  # fmt: skip


def _text_of(given: dict[str, Any]) -> str | None:
    if "verdicts" in given:
        return json.dumps({"verdicts": given["verdicts"]}, ensure_ascii=False)
    reply = given.get("reply")
    return reply if reply is None or isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


def _probabilities_of(given: Any, where: str) -> Any:
    """Their form alone: whether they add up is for the parser, as with a judge that is asked."""
    if given is None or (isinstance(given, dict) and all(isinstance(levels, dict) for levels in given.values())):
        return given
    raise InputError(f"{where}: `probabilities` must be {{criterion: {{level: probability}}}}, got {given!r:.80}")


def _failure_of(failure: Any, where: str) -> Any:
    kind = failure.get("kind") if isinstance(failure, dict) else failure
    if kind is not None and kind not in KINDS:
        raise InputError(f"{where}: failure {kind!r} is none of {', '.join(KINDS)}")
    return kind


def read_recording(path: Path) -> Recording:
    """The recording in a `.jsonl` or `.jsonl.gz` file. Raises InputError that names the file and line."""
    try:
        stat = path.stat()
        return _read(path, stat.st_mtime_ns, stat.st_size)
    except OSError as error:
        raise InputError(f"{path}: recorded replies can't be read: {error.strerror or error}") from None


@lru_cache(maxsize=8)
def _read(path: Path, _changed: int, _size: int) -> Recording:
    # Several judges are often recorded in one file: it is read once for all of them, and anew when it changes.
    content = path.read_bytes()
    return Recording(path, gzip.decompress(content) if path.suffix == ".gz" else content)
