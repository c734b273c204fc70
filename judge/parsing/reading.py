"""From the entries of one answer to verdicts: each criterion once, each on its scale."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from judge.parsing.answers import ANSWER_KEYS, Answer, AnswerError, expected, read_entry, shown
from judge.parsing.marks import closing_mark
from judge.parsing.outcomes import Parsed, failure
from judge.parsing.repairing import Repeating
from judge.parsing.sets import NAME_KEYS, Entry, VerdictSet
from rubrics import Criterion, Failure, Quote, Verdict

REASON_KEYS = ("reason", "explanation", "rationale", "justification")
MAX_QUOTES = 50

_UNPRINTABLE = re.compile("[\x00\ud800-\udfff]")
_NAMED_STEP = re.compile(r"\s*(?:step\s*)?\[?([0-9]{1,9})\]?\s*", re.IGNORECASE)


def read_set(found: VerdictSet, criteria: Sequence[Criterion], rater: str) -> Parsed:
    """A verdict or a failure for each criterion, from the entries that are about it."""
    entries: dict[str, list[Entry]] = {}
    unknown = []
    for name, known, entry in found.entries:
        if known is None:
            unknown.append(name)
        else:
            entries.setdefault(known, []).append(entry)
    reader = _Reader(rater, unknown if not entries else [])
    for criterion in criteria:
        reader.read(criterion, entries.get(criterion.id, []))
    if unknown:
        reader.notes.append(f"ignored {len(unknown)} entries for ids that were not asked: {_listed(unknown)}")
    if found.strangers:
        reader.notes.append(f"ignored {found.strangers} items that are no entries")
    return Parsed(tuple(reader.verdicts), tuple(reader.failures), tuple(dict.fromkeys(reader.notes)))


class _Reader:
    def __init__(self, rater: str, unknown: list[str | None]) -> None:
        self.rater = rater
        self.unknown = unknown
        self.verdicts: list[Verdict] = []
        self.failures: list[Failure] = []
        self.notes: list[str] = []

    def read(self, criterion: Criterion, entries: list[Entry]) -> None:
        try:
            self.verdicts.append(self._verdict(criterion, entries))
        except AnswerError as error:
            self.failures.append(failure(error.kind, criterion, self.rater, str(error)))

    def _verdict(self, criterion: Criterion, entries: list[Entry]) -> Verdict:
        if not entries:
            raise self._nothing(criterion)
        answer = _agreed(criterion, entries)
        entry = entries[-1]
        reason = self._reason(entry)
        if (stated := closing_mark(criterion, reason)) is not None and stated != answer:
            raise AnswerError(
                "inconsistent_verdict",
                f"chose {shown(answer.level)}, but the reason ends with {shown(reason[-40:])}",
            )
        quotes = self._quotes(entry)
        return Verdict.trusted(
            criterion=criterion.id,
            rater=self.rater,
            level=answer.level,
            value=answer.value,
            reason=reason,
            quotes=quotes,
        )

    def _nothing(self, criterion: Criterion) -> AnswerError:
        if self.unknown:
            return AnswerError("unknown_id", f"answered only for {_listed(self.unknown)}, expected {criterion.id!r}")
        return AnswerError("missing", f"gave no entry for it, expected {expected(criterion)}")

    def _reason(self, entry: Entry) -> str:
        for key in REASON_KEYS:
            reason = entry.get(key)
            if isinstance(reason, str):
                return self._clean(reason)
            if isinstance(reason, list):
                return self._clean("\n".join(str(line) for line in reason))
        return ""

    def _quotes(self, entry: Entry) -> tuple[Quote, ...]:
        given = entry.get("quotes")
        if not given:
            return ()
        items = given if isinstance(given, list) else [given]
        quotes = [quote for item in items[:MAX_QUOTES] if (quote := self._quote(item)) is not None]
        if len(quotes) < len(items):
            self.notes.append("ignored quotes without text or above the limit")
        return tuple(quotes)

    def _quote(self, item: Any) -> Quote | None:
        if isinstance(item, str):
            item = {"text": item}
        if not isinstance(item, dict):
            return None
        text = item.get("text")
        if not isinstance(text, str) or not text.strip():
            return None
        step, source = _place(item.get("step"), item.get("source"))
        return Quote.trusted(text=self._clean(text), step=step, source=None if source is None else self._clean(source))

    def _clean(self, text: str) -> str:
        """Text that can be stored and sent: lone surrogates and NUL become U+FFFD."""
        if (text.isascii() and "\x00" not in text) or not _UNPRINTABLE.search(text):
            return text
        self.notes.append("replaced characters that are no text (lone surrogates, NUL) by U+FFFD")
        return _UNPRINTABLE.sub("\ufffd", text)


def _agreed(criterion: Criterion, entries: list[Entry]) -> Answer:
    """The answer of all entries about one criterion. Raises AnswerError if they differ or one can't be read."""
    if len(entries) == 1:
        return _read_once(criterion, entries[0])
    answers = [_answer_or_error(criterion, entry) for entry in entries]
    if any(str(other) != str(answers[0]) for other in answers[1:]):
        raise AnswerError("duplicate_verdict", f"answered {len(entries)} times, and not alike")
    if isinstance(answers[-1], AnswerError):
        raise answers[-1]
    return answers[-1]


def _read_once(criterion: Criterion, entry: Entry) -> Answer:
    if isinstance(entry, Repeating) and entry.contradicts((*ANSWER_KEYS, "id", *NAME_KEYS)):
        raise AnswerError("inconsistent_verdict", "gave the same key twice with different values")
    return read_entry(criterion, entry)


def _answer_or_error(criterion: Criterion, entry: Entry) -> Answer | AnswerError:
    try:
        return _read_once(criterion, entry)
    except AnswerError as error:
        return error


def _place(step: Any, source: Any) -> tuple[int | None, str | None]:
    """The step and source that a quote names; a step written as text is read as a number, or else as a source."""
    if type(step) is int and abs(step) < 10**9:
        return step, source if isinstance(source, str) else None
    name = step if isinstance(step, str) else source
    if not isinstance(name, str) or not name.strip():
        return None, None
    if match := _NAMED_STEP.fullmatch(name):
        return int(match[1]), None
    return None, name.strip()[:200]


def _listed(names: Sequence[str | None]) -> str:
    listed = ", ".join("(no id)" if name is None else shown(name) for name in names[:5])
    return f"{listed} …" if len(names) > 5 else listed
