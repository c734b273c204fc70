"""JSON values: absence, numbers by value, and sameness that is both strict and quick.

Python's own ``==`` runs in C but takes ``True`` for ``1``. Sameness here is ``==`` first, confirmed by a look at where the
booleans stand, and that look is needed only where there are any.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import chain, compress
from operator import is_not
from typing import Any, Final, TypeAlias

from judge.state.errors import StateUnavailable

Json: TypeAlias = Any
"""A JSON value: dict with string keys, list, str, int, float, Decimal, bool or None."""

MAX_DEPTH: Final = 100
MAX_VALUES: Final = 50_000_000


class Absent(enum.Enum):
    """The type of ``ABSENT``: nothing stands at this place, which is not the same as null."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = Absent.ABSENT

_SCALARS: Final = frozenset({str, int, float, bool, type(None), Decimal})
_KNOWN: Final = _SCALARS | {dict, list}


def holds_booleans(value: Json, where: str) -> bool:
    """Whether a boolean stands anywhere in the value, which is checked on the way.

    Raises StateUnavailable for NaN, an infinity, a key that is not a string, a type JSON does not have, and for nesting
    deeper than ``MAX_DEPTH``; ``where`` names the value in the message.
    """
    level: list[Json] = [value]
    found, seen = False, 0
    for _ in range(MAX_DEPTH + 1):
        types = set(map(type, level))
        found = found or bool in types
        _refuse_what_json_lacks(level, types, where)
        level = _one_level_down(level, types)
        seen += len(level)
        if not level:
            return found
        if seen > MAX_VALUES:
            raise StateUnavailable(f"{where} holds more than {MAX_VALUES:,} values; store a smaller extract")
    raise StateUnavailable(f"{where} is nested deeper than {MAX_DEPTH} levels; store it flatter")


def _one_level_down(level: list[Json], types: set[type]) -> list[Json]:
    below: list[Json] = []
    if dict in types:
        below.extend(chain.from_iterable([value.values() for value in level if type(value) is dict]))
    if list in types:
        below.extend(chain.from_iterable([value for value in level if type(value) is list]))
    return below


def _refuse_what_json_lacks(level: list[Json], types: set[type], where: str) -> None:
    strange = types - _KNOWN
    if strange:
        names = ", ".join(sorted(kind.__name__ for kind in strange))
        raise StateUnavailable(
            f"{where} holds a value of type {names}, which JSON does not have; store it as text or number"
        )
    if float in types and not all(map(math.isfinite, [value for value in level if type(value) is float])):
        raise StateUnavailable(f"{where} holds NaN or an infinity, which is no value; store null or a number")
    if Decimal in types and not all(value.is_finite() for value in level if type(value) is Decimal):
        raise StateUnavailable(f"{where} holds NaN or an infinity, which is no value; store null or a number")
    if dict in types:
        keys = set(map(type, chain.from_iterable([value for value in level if type(value) is dict])))
        if keys - {str}:
            names = ", ".join(sorted(kind.__name__ for kind in keys - {str}))
            raise StateUnavailable(f"{where} has keys of type {names}; keys of a JSON object are text")


def same(one: Json, other: Json) -> bool:
    """Equal as JSON: numbers by value, key order aside, and a boolean is never a number."""
    return one is other or (bool(one == other) and booleans_agree([one], [other])) or _equal_by_decimal(one, other)


def _equal_by_decimal(one: Json, other: Json) -> bool:
    """Float against Decimal by the literal each stands for, which ``==`` does not do, anywhere inside."""
    if is_number(one) and is_number(other):
        return isinstance(one, Decimal) != isinstance(other, Decimal) and as_decimal(one) == as_decimal(other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return False


def booleans_agree(ones: Sequence[Json], others: Sequence[Json]) -> bool:
    """Whether, in values that are pairwise ``==``, booleans stand opposite booleans only."""
    left, right = _not_identical(ones, others)
    while left:
        kinds, opposite = list(map(type, left)), list(map(type, right))
        if kinds != opposite and any((a is bool) != (b is bool) for a, b in zip(kinds, opposite, strict=True)):
            return False
        left, right = _not_identical(*_paired_level_down(left, right, set(kinds)))
    return True


def _not_identical(ones: Sequence[Json], others: Sequence[Json]) -> tuple[list[Json], list[Json]]:
    differs = list(map(is_not, ones, others))
    return list(compress(ones, differs)), list(compress(others, differs))


def _paired_level_down(left: list[Json], right: list[Json], kinds: set[type]) -> tuple[list[Json], list[Json]]:
    below_left: list[Json] = []
    below_right: list[Json] = []
    if dict in kinds:
        ours, theirs = ([value for value in side if type(value) is dict] for side in (left, right))
        below_left.extend(chain.from_iterable(map(dict.values, ours)))
        if list(map(list, ours)) == list(map(list, theirs)):
            below_right.extend(chain.from_iterable(map(dict.values, theirs)))
        else:
            below_right.extend(other[key] for one, other in zip(ours, theirs, strict=True) for key in one)
    if list in kinds:
        below_left.extend(chain.from_iterable([value for value in left if type(value) is list]))
        below_right.extend(chain.from_iterable([value for value in right if type(value) is list]))
    return below_left, below_right


def is_number(value: Json) -> bool:
    """Whether the value is a JSON number; a boolean is none."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def as_decimal(value: int | float | Decimal) -> Decimal:
    """The number as the decimal its JSON literal stands for: 0.1 is 0.1, not its binary neighbour."""
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def token(value: Json) -> Any:
    """A hashable stand-in: two values have equal tokens exactly when they are the same."""
    if isinstance(value, bool) or value is None or value is ABSENT:
        return ("constant", repr(value))
    if is_number(value):
        return ("number", as_decimal(value))
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return ("object", frozenset((key, token(item)) for key, item in value.items()))
    return ("array", tuple(map(token, value)))


def first_words(names: Iterable[str], limit: int = 8) -> str:
    """The first few names, comma-separated, for a message."""
    names = list(names)
    return ", ".join(names[:limit]) + (", …" if len(names) > limit else "")
