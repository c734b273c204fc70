"""What a person answered, as a level or a value. Only what has one meaning is read; everything else says what is expected."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from calibration.label import FAIL, PASS, UNSETTLED
from judge.adapters.labels.naming import Naming
from rubrics.criterion import Criterion
from rubrics.explaining import suggestion
from rubrics.scales import level_name

Answer = tuple[str | None, float | None]
LONGEST_LEVEL = 80
_TRUE = ("true", "yes", "1", PASS)
_FALSE = ("false", "no", "0", FAIL)
_OVERALL_EXPECTED = "expected pass, fail, cannot_tell, or a number from 0 to 1"


def answer_to(given: Any, criterion: str | None, naming: Naming) -> Answer:
    """The level or value that `given` is for the criterion (None: the episode as a whole). Raises ValueError.

    For the whole, true, yes, 1 and pass are `pass`, their opposites `fail`, and other numbers in [0, 1] a value. For a
    criterion, true and false are `yes` and `no`, a number is the level of that name, and a text is a level; with a rubric,
    a level is found whatever its case, and true and 1, or false and 0, are the top or the bottom of two levels.
    """
    text = _text(_only(given))
    text = naming.levels.get(text, text)
    folded = _folded(text)
    if folded in UNSETTLED:
        return folded, None
    if criterion is None:
        return _overall(text, folded)
    scale = naming.scale(criterion)
    return _as_said(text, folded) if scale is None else _on_scale(text, folded, scale)


def value_of(given: Any) -> float:
    """A number from 0 to 1. Raises ValueError."""
    number = _number(given)
    if number is None or not 0 <= number <= 1:
        raise ValueError(
            f"`value` {_shown(given)}, expected a number from 0 to 1 (a level such as 4 goes into `level`)"
        )
    return number


def inclusion_of(given: Any) -> float | None:
    """The known probability of having been chosen for labelling; None if empty. Raises ValueError."""
    if given in (None, ""):
        return None
    number = _number(given)
    if number is None or not 0 < number <= 1:
        raise ValueError(
            f"`inclusion_probability` {_shown(given)}, expected a number above 0 and at most 1; leave it empty if not known"
        )
    return number


def moment(given: Any) -> datetime | None:
    """A time; one without an offset is UTC. None if empty. Raises ValueError."""
    if given in (None, ""):
        return None
    try:
        found = given if isinstance(given, datetime) else datetime.fromisoformat(given.strip())
    except (ValueError, AttributeError):
        raise ValueError(f"`at` {_shown(given)}, expected a time such as 2026-03-31 or 2026-03-31T14:05:00Z") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _only(given: Any) -> Any:
    """The one answer of a list of one."""
    if isinstance(given, Sequence) and not isinstance(given, str):
        if len(given) != 1:
            raise ValueError(f"{_shown(given)}: {len(given)} answers, expected one")
        given = given[0]
    if given is None or given == "":
        raise ValueError("no answer is given")
    if isinstance(given, Mapping | Sequence) and not isinstance(given, str):
        raise ValueError(f"{_shown(given)}: expected a level, as text or a number")
    return given


def _text(given: Any) -> str:
    """An answer in words: numbers and truth values as rubrics write them."""
    if isinstance(given, bool):
        return str(given).casefold()
    if isinstance(given, float) and not math.isfinite(given):
        raise ValueError("NaN or Infinity is no answer")
    text = str(level_name(given)).strip()
    return re.sub(
        r"^(-?[0-9]+)\.0+$", r"\1", text
    )  # spreadsheets write the level 4 as 4.0 where a cell of the column is empty


def _overall(text: str, folded: str) -> Answer:
    if folded in _TRUE:
        return PASS, None
    if folded in _FALSE:
        return FAIL, None
    number = _number(text)
    if number is None:
        raise ValueError(f"overall answer {_shown(text)}, {_OVERALL_EXPECTED}{suggestion(folded, (PASS, FAIL))}")
    if not 0 <= number <= 1:
        raise ValueError(
            f"overall answer {_shown(text)}, {_OVERALL_EXPECTED}; a rating belongs to the criterion with that scale"
        )
    return None, number


def _as_said(text: str, folded: str) -> Answer:
    if folded in ("true", "yes"):
        return "yes", None
    if folded in ("false", "no"):
        return "no", None
    if len(text) > LONGEST_LEVEL:
        raise ValueError(f"{text[:40]!r}… is no level: it is longer than {LONGEST_LEVEL} characters")
    return text, None


def _on_scale(text: str, folded: str, criterion: Criterion) -> Answer:
    names = list(criterion.by_name)
    if text in names:
        return text, None
    same = [name for name in names if _folded(name) == folded]
    if len(same) == 1:
        return same[0], None
    if len(names) == 2 and folded in (*_TRUE[:3], *_FALSE[:3]):
        return names[folded in _TRUE], None
    if (number := _number(text)) is not None and (between := _between(number, criterion)) is not None:
        return None, between
    raise ValueError(
        f"{_shown(text)} for {criterion.id!r}, expected one of {names}{suggestion(folded, names)}; "
        f"if it means one of them, map it: --level {_quoted(text)}=LEVEL"
    )


def _between(number: float, criterion: Criterion) -> float | None:
    """The value of a number between two levels of a scale on which such numbers count."""
    if not (criterion.between and criterion.numbered):
        return None
    low, high = float(criterion.levels[0].name), float(criterion.levels[-1].name)
    return (number - low) / (high - low) if low <= number <= high else None


def _number(given: Any) -> float | None:
    if isinstance(given, bool):
        return None
    try:
        number = float(re.sub(r"^([01]),([0-9]+)$", r"\1.\2", given.strip()) if isinstance(given, str) else given)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _folded(text: str) -> str:
    return re.sub(r"[\s_-]+", "_", text.strip().casefold())


def _shown(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 60 else f"{text[:56]}…"


def _quoted(text: str) -> str:
    return f"'{text[:40]}'" if " " in text else text[:40]
