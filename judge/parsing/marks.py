"""Marks that a judge writes as words: `Rating: [[3]]`, `GRADE: C`, `VERDICT: MET`, or nothing but a level's name.

Only what is labelled counts, at the start of a line or sentence and alone to its end: never a bare number in prose, never
part of a word.
"""

from __future__ import annotations

import re

from judge.parsing.answers import Answer, AnswerError, named_level, read_answer
from rubrics import Criterion

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_LABEL = r"(?:(?:my|the)\s+)?(?:final\s+|overall\s+)?(?:rating|grade|score|verdict|level|answer|decision|judge?ment)"
_MARK = re.compile(
    rf"(?:^[ \t#*_-]{{0,12}}|(?<=[.!?;,)—–])[ \t]{{1,4}}[*_]{{0,3}}){_LABEL}[ \t]{{0,4}}(?:\([^()\n]{{0,40}}\))?[ \t*_]{{0,6}}"
    r"[:=][ \t]{0,6}(?P<mark>\S[^\n]{0,79})$",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r"^[ \t]*```.*?(?:^[ \t]*```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_PAIRS = (("[[", "]]"), ("[", "]"), ('"', '"'), ("“", "”"), ("'", "'"))
_MET = {"met": True, "true": True, "yes": True, "not met": False, "unmet": False, "false": False, "no": False}
_NUMERAL = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:\s*/\s*[0-9]+)?")


def read_marks(criterion: Criterion, text: str) -> Answer:
    """The answer of a reply without JSON: the whole of it names a level, or its last labelled mark does.

    Raises AnswerError: `parse_error` if there is no mark or the last one is malformed, `off_scale` for a number that the
    scale does not have.
    """
    plain = _INVISIBLE.sub("", text).strip()
    if (alone := _named(criterion, plain)) is not None:
        return alone
    mark = plain if _NUMERAL.fullmatch(plain) else _last_mark(_outside_fences(plain))
    if mark is None:
        raise AnswerError("parse_error", "wrote neither JSON nor a labelled verdict on a line of its own")
    if (answer := _named(criterion, mark)) is not None:
        return answer
    number = _bare(mark)
    if not _NUMERAL.fullmatch(number):
        raise AnswerError("parse_error", f"ended with the mark {mark!r}, which is no level of the scale")
    return read_answer(criterion, "level", number)


def closing_mark(criterion: Criterion, reason: str) -> Answer | None:
    """The level that a reason states as its very end (`VERDICT: MET`); None for ordinary prose."""
    end = reason[-100:]
    if ":" not in end and "=" not in end:
        return None
    plain = _INVISIBLE.sub("", reason[-400:]).rstrip()
    mark = None
    for match in _MARK.finditer(plain):
        mark = match["mark"] if match.end() == len(plain) else None
    return None if mark is None else _stated(criterion, mark)


def stated_after(criterion: Criterion, tail: str) -> Answer | None:
    """The level that the last labelled mark in `tail`, the words after an answer, states; None if there is none."""
    mark = _last_mark(_outside_fences(_INVISIBLE.sub("", tail).strip()))
    return None if mark is None else _stated(criterion, mark)


def _outside_fences(text: str) -> str:
    """The text without its fenced blocks, in which judges quote; a reply that is one block is its content."""
    if (block := _FENCE.match(text)) and block.end() == len(text):
        return text
    return _FENCE.sub("", text)


def _last_mark(text: str) -> str | None:
    found = None
    for match in _MARK.finditer(text):
        found = match["mark"]
    return found


def _named(criterion: Criterion, mark: str) -> Answer | None:
    return named_level(criterion, mark) or named_level(criterion, _bare(mark)) if len(mark) <= 120 else None


def _stated(criterion: Criterion, mark: str) -> Answer | None:
    """The level that a mark means beside an answer in JSON; here `met` and `not met` are understood for two levels."""
    if (answer := _named(criterion, mark)) is not None:
        return answer
    word = _bare(mark)
    if len(criterion.levels) == 2 and not criterion.between and (met := _MET.get(word.casefold())) is not None:
        level = criterion.levels[-1] if met else criterion.levels[0]
        return Answer(level.name, level.value)
    if not criterion.numbered or not _NUMERAL.fullmatch(word):
        return None
    try:
        return read_answer(criterion, "level", word)
    except AnswerError:
        return None


def _bare(mark: str) -> str:
    """A mark without the brackets, emphasis or quotes around it, and without the full stop after it."""
    bare = mark.strip()
    while True:
        shorter = bare.removesuffix(".").strip(" \t*_`")
        for opening, closing in _PAIRS:
            inner = shorter[len(opening) : -len(closing)]
            if shorter.startswith(opening) and shorter.endswith(closing) and inner.strip():
                shorter = inner.strip()
                break
        if shorter == bare:
            return bare
        bare = shorter
