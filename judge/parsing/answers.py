"""Where one answer stands on its criterion's scale. What would have to be guessed is refused."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from rubrics import CANNOT_TELL, NOT_APPLICABLE, Criterion, Level
from rubrics.verdict import Kind

LEVEL_KEYS = ("level", "label", "verdict")
MET_KEYS = ("met", "criterion_status")
ANSWER_KEYS = (*LEVEL_KEYS, *MET_KEYS, "score")
_OTHER_KEYS = frozenset(ANSWER_KEYS) - {"level"}

_MET_WORDS = {"true": True, "false": False}
_STATUS_WORDS = {"met": True, "unmet": False}
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_FULL_WIDTH = {0xFF10 + digit: 0x30 + digit for digit in range(10)} | {0xFF0E: 0x2E, 0xFF0F: 0x2F}
_NUMBER = re.compile(r"([+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?)(?:\s*/\s*([0-9]{1,15}(?:\.[0-9]{1,15})?))?")
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_LARGEST = 10**15


class AnswerError(ValueError):
    """An answer that gives no verdict. `kind` says why, as one of the closed list; the text says what came."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind: Kind = kind


class Answer(NamedTuple):
    """A level of the scale with its value in [0, 1]; or `not_applicable`, or None (could not tell), without a value."""

    level: str | None
    value: float | None


def read_entry(criterion: Criterion, entry: Mapping[str, Any]) -> Answer:
    """The one answer that an entry gives under `level`, `label`, `verdict`, `met`, `criterion_status` or `score`.

    Raises AnswerError: `missing` if it gives none, `inconsistent_verdict` if two keys answer differently, else what
    `read_answer` raises.
    """
    level = entry.get("level")
    if type(level) is str and (named := criterion.by_name.get(level)) is not None and _OTHER_KEYS.isdisjoint(entry):
        return Answer(level, named.value)
    given = [(key, entry[key]) for key in ANSWER_KEYS if entry.get(key) is not None]
    if not given:
        raise AnswerError("missing", "gave no level (absent or null)")
    answers = [read_answer(criterion, key, value) for key, value in given]
    if any(other != answers[0] for other in answers[1:]):
        said = ", ".join(f"{key} {shown(value)}" for key, value in given)
        raise AnswerError("inconsistent_verdict", f"gave two different answers in one entry ({said})")
    return answers[0]


def read_answer(criterion: Criterion, key: str, given: object) -> Answer:
    """The level that `given` names under `key`. Raises AnswerError (`off_scale`, `not_finite`)."""
    if isinstance(given, str):
        return _from_text(criterion, key, given)
    if isinstance(given, bool):
        return _from_boolean(criterion, key, given)
    if isinstance(given, int | float):
        return _from_number(criterion, given)
    raise _off_scale(criterion, given)


def named_level(criterion: Criterion, text: str) -> Answer | None:
    """The level (or reserved answer) of that name, by exact spelling, else without case and outer space; None if none."""
    if (level := criterion.by_name.get(text)) is not None:
        return _at(level)
    name = folded(text)
    for level in criterion.levels:
        if folded(level.name) == name:
            return _at(level)
    words = re.sub(r"[\s_-]+", "_", name)
    if words == CANNOT_TELL:
        return Answer(None, None)
    if words == NOT_APPLICABLE and criterion.may_not_apply:
        return Answer(NOT_APPLICABLE, None)
    return None


def expected(criterion: Criterion) -> str:
    """What may be answered, in words: `one of ['no', 'yes']`, `a number from 1 to 5`, `a whole number from 1 to 10`."""
    names = [level.name for level in criterion.levels]
    if not criterion.numbered or (len(names) <= 7 and not criterion.between):
        return f"one of {names}"
    numbers = sorted(map(float, names))
    kind = "number" if criterion.between else "whole number" if numbers[-1] - numbers[0] == len(names) - 1 else "level"
    return f"a {kind} from {numbers[0]:g} to {numbers[-1]:g}"


def folded(text: str) -> str:
    """Text for comparing names: Unicode NFC, without case, outer space and characters that nobody sees."""
    if text.isascii():
        return text.strip().casefold()
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", text)).strip().casefold()


def shown(given: object) -> str:
    """What came, short enough for a message."""
    if isinstance(given, int) and not isinstance(given, bool) and abs(given) > _LARGEST:
        return "a number of too many digits"
    if isinstance(given, Mapping | list):
        return "an object" if isinstance(given, Mapping) else "a list"
    text = ascii(given) if isinstance(given, str) and not given.isprintable() else repr(given)
    return text if len(text) <= 80 else f"{text[:76]}…{text[-1]}"


def _at(level: Level) -> Answer:
    return Answer(level.name, level.value)


def _off_scale(criterion: Criterion, given: object) -> AnswerError:
    return AnswerError("off_scale", f"chose {shown(given)}, expected {expected(criterion)}")


def _from_text(criterion: Criterion, key: str, text: str) -> Answer:
    if (answer := named_level(criterion, text)) is not None:
        return answer
    if key in MET_KEYS and _two_levels(criterion):
        words = _MET_WORDS if key == "met" else _STATUS_WORDS
        if (met := words.get(folded(text))) is not None:
            return _at(criterion.levels[-1] if met else criterion.levels[0])
    if criterion.numbered and len(text) <= 80:
        return _from_numeral(criterion, text)
    raise _off_scale(criterion, text)


def _from_boolean(criterion: Criterion, key: str, met: bool) -> Answer:
    if key != "met" or not _two_levels(criterion):
        raise _off_scale(criterion, met)
    return _at(criterion.levels[-1] if met else criterion.levels[0])


def _two_levels(criterion: Criterion) -> bool:
    return len(criterion.levels) == 2 and not criterion.between


def _from_numeral(criterion: Criterion, text: str) -> Answer:
    plain = folded(text).translate(_FULL_WIDTH)
    if _NOT_FINITE.fullmatch(plain):
        raise AnswerError("not_finite", f"chose {shown(text)}, expected {expected(criterion)}")
    match = _NUMBER.fullmatch(plain)
    if match is None:
        raise _off_scale(criterion, text)
    top = max(float(level.name) for level in criterion.levels)
    if match[2] is not None and float(match[2]) != top:
        raise AnswerError("off_scale", f"chose {shown(text)}, but the scale's top is {top:g}")
    return _from_number(criterion, float(match[1]))


def _from_number(criterion: Criterion, number: float) -> Answer:
    if not criterion.numbered:
        raise _off_scale(criterion, number)
    if isinstance(number, float) and not math.isfinite(number):
        raise AnswerError("not_finite", f"chose {shown(number)}, expected {expected(criterion)}")
    if abs(number) <= _LARGEST:
        for level in criterion.levels:
            if float(level.name) == number:
                return _at(level)
        if criterion.between:
            return _between_levels(criterion, number)
    raise _off_scale(criterion, number)


def _between_levels(criterion: Criterion, number: float) -> Answer:
    found = []
    for lower, upper in pairwise(criterion.levels):
        low, high = float(lower.name), float(upper.name)
        share = (number - low) / (high - low)
        if 0 < share < 1:
            found.append(lower.value + share * (upper.value - lower.value))
    if len(found) != 1:
        raise _off_scale(criterion, number)
    return Answer(criterion.level_at(found[0]).name, found[0])
