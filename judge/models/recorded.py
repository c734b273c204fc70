"""A judge that replays stored answers: rows `{episode_id, judge, criterion?, reply | verdicts | failure}`."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from judge.errors import JudgeError
from judge.judges import Judge, parse_reference
from judge.models.cleaning import NOTE, clean
from judge.models.exchange import Finish, Prompt, Reply, Usage
from judge.models.recordings import Row, read_recording


def expand(reference: str, *, base_dir: str | Path = ".") -> list[Judge]:
    """One judge for each that the file holds, in the order of the file; only that one if the reference ends in #NAME.

    Raises InputError if the file can't be read or holds no judge of that name.
    """
    path, name = _split(reference)
    recording = read_recording(Path(base_dir, path))
    names = [recording.judge_named(name)] if name else recording.judges
    return [Judge(name=each, model=f"recorded/{path}#{each}") for each in names]


def _split(reference: str) -> tuple[str, str]:
    path, _, name = parse_reference(reference).name.partition("#")
    return path, name


RECORDED = "recorded"
"""The note on every reply: what its judge was shown is not known."""


class ReplayedError(JudgeError):
    """A failure that was recorded for one episode: it comes again however often it is asked, and says nothing of others."""

    @property
    def passing(self) -> bool:
        """False, whatever its kind."""
        return False

    @property
    def lasting(self) -> bool:
        """False, whatever its kind."""
        return False


class Recorded:
    """A Model that answers with the stored reply of an episode, whatever the prompt says. Free of charge.

    Several rows of one episode are its samples 0, 1, 2 … Rows for single criteria are joined into one reply; a reply
    that answers more than what is asked is narrowed to it.
    """

    concurrency: int | None = None
    offline = True

    def __init__(self, judge: Judge, *, base_dir: str | Path = ".") -> None:
        path, name = _split(judge.model)
        self.reference = f"recorded/{path}"
        self._recording = read_recording(Path(base_dir, path))
        self._judge = self._recording.judge_named(name or judge.name, alone=not name)
        self.identity: Mapping[str, Any] = {
            "reference": self.reference, "judge": self._judge, "sha256": self._recording.sha256,
        }  # fmt: skip

    async def ask(self, prompt: Prompt, *, timeout: float | None, sample: int = 0) -> Reply:  # noqa: ARG002
        """The stored reply. Raises JudgeError: `missing` if there is none, or the failure that was stored."""
        rows = self._recording.rows(prompt.episode_id, self._judge)
        if not rows:
            raise JudgeError("missing", f"{self._where(prompt)} has no row")
        whole = [row for row in rows if row.criterion is None]
        if whole:
            return self._reply_of(self._pick(whole, prompt, sample), prompt)
        return self._joined(rows, prompt, sample)

    async def close(self) -> None:
        """Nothing to let go of."""

    def _where(self, prompt: Prompt) -> str:
        return f"{self._recording.path}: episode {prompt.episode_id!r}, judge {self._judge!r}"

    def _pick(self, rows: Sequence[Row], prompt: Prompt, sample: int) -> Row:
        if sample < len(rows):
            return rows[sample]
        raise JudgeError("missing", f"{self._where(prompt)} has {len(rows)} sample(s), asked for sample {sample}")

    def _reply_of(self, row: Row, prompt: Prompt) -> Reply:
        if row.failure is not None:
            raise ReplayedError(row.failure, row.message or f"{self._where(prompt)}: {row.failure}, as recorded")
        if row.probabilities is not None:
            return _probable(row.probabilities, row.model, prompt)
        text, changed = clean(row.text or "")
        if row.finish == "length":
            raise JudgeError("truncated", f"{self._where(prompt)}: the recorded reply was cut off", raw=text)
        if not text.strip():
            raise JudgeError("empty", f"{self._where(prompt)}: the recorded reply is empty", raw=text)
        return _reply(_narrowed(text, prompt), row.model, row.finish, changed)

    def _joined(self, rows: Sequence[Row], prompt: Prompt, sample: int) -> Reply:
        by_criterion: dict[str | None, list[Row]] = defaultdict(list)
        for row in rows:
            by_criterion[row.criterion].append(row)
        asked = [c.id for c in prompt.criteria if c.id in by_criterion] if prompt.criteria else list(by_criterion)
        picked = [self._pick(by_criterion[name], prompt, sample) for name in asked]
        if not picked:
            wanted = ", ".join(c.id for c in prompt.criteria)
            raise JudgeError("missing", f"{self._where(prompt)} has no row for {wanted}")
        if len(picked) == 1 or all(row.failure for row in picked):
            return self._reply_of(_with_id(picked[0]), prompt)
        verdicts = [verdict for row in picked for verdict in _verdicts_of(row)]
        text, changed = clean(json.dumps({"verdicts": verdicts}, ensure_ascii=False))
        return _reply(text, picked[0].model, "stop", changed)


def _reply(text: str, model: str | None, finish: Finish, changed: bool) -> Reply:
    notes = (RECORDED, NOTE) if changed else (RECORDED,)
    return Reply(text=text, finish=finish, model=model, usage=Usage(usd=0.0, calls=0), notes=notes)


def _probable(given: Mapping[str, Mapping[str, float]], model: str | None, prompt: Prompt) -> Reply:
    asked = {c.id: given[c.id] for c in prompt.criteria if c.id in given}
    return replace(_reply("", model, "stop", False), probabilities=asked or given)


def _parsed(text: str | None) -> Any:
    try:
        return json.loads(text or "")
    except (ValueError, RecursionError):
        return None


def _narrowed(text: str, prompt: Prompt) -> str:
    # A recorded reply may answer the whole rubric while one batch of it is asked. If something asked is not in it, it
    # is left as it is, so that the parser sees the unknown id.
    content = _parsed(text)
    verdicts = content.get("verdicts") if isinstance(content, dict) else None
    if not isinstance(verdicts, list) or not all(isinstance(verdict, dict) for verdict in verdicts):
        return text
    asked, given = {c.id for c in prompt.criteria}, {str(verdict.get("id")) for verdict in verdicts}
    if not asked < given:
        return text
    kept = [verdict for verdict in verdicts if verdict.get("id") in asked]
    return json.dumps({**content, "verdicts": kept}, ensure_ascii=False)


def _verdicts_of(row: Row) -> list[Any]:
    """The verdicts in a row about one criterion; none where it failed, so that the parser finds it missing."""
    content = _parsed(row.text)
    if row.failure is not None or not isinstance(content, (dict, list)):
        return []
    verdicts = content if isinstance(content, list) else content.get("verdicts", [content])
    return [_named(verdict, row.criterion) for verdict in verdicts]


def _named(verdict: Any, criterion: str | None) -> Any:
    return {"id": criterion, **verdict} if isinstance(verdict, dict) else verdict


def _with_id(row: Row) -> Row:
    content = _parsed(row.text)
    if not isinstance(content, dict) or "verdicts" in content:
        return row
    return row._replace(text=json.dumps({"verdicts": [_named(content, row.criterion)]}, ensure_ascii=False))
