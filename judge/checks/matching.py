"""Equality by value: 48, 48.0 and "48.00" are one number; true is no number; objects need not hold more than is asked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)


def number_of(value: Any) -> Decimal | None:
    """The number that a value is or spells; None if it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(value)
    text = repr(value) if isinstance(value, float) else value if isinstance(value, str) else str(value)
    if isinstance(value, str | float | Decimal) and _NUMBER.fullmatch(text.strip()):
        try:
            return Decimal(text.strip())
        except InvalidOperation:
            return None
    return None


def same(wanted: Any, found: Any, tolerance: Decimal | float = 0) -> bool:
    """Whether two JSON values are equal by value. Two texts are compared as texts: "007" is not "7"."""
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        return wanted.keys() == found.keys() and all(same(wanted[key], found[key], tolerance) for key in wanted)
    if isinstance(wanted, list | tuple) and isinstance(found, list | tuple):
        return len(wanted) == len(found) and all(same(w, f, tolerance) for w, f in zip(wanted, found, strict=True))
    return _same_scalar(wanted, found, tolerance)


def _same_scalar(wanted: Any, found: Any, tolerance: Decimal | float) -> bool:
    if isinstance(wanted, str) and isinstance(found, str):
        return wanted == found or unicodedata.normalize("NFC", wanted) == unicodedata.normalize("NFC", found)
    if isinstance(wanted, bool) or isinstance(found, bool):
        return wanted is found
    left, right = number_of(wanted), number_of(found)
    if left is not None and right is not None:
        return abs(left - right) <= Decimal(str(tolerance))
    return wanted is None and found is None


def holds(wanted: Any, found: Any) -> bool:
    """Whether `found` holds all that is wanted: objects may have more keys, at every depth; the rest is equal by value."""
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        return all(key in found and holds(item, found[key]) for key, item in wanted.items())
    if isinstance(wanted, list | tuple) and isinstance(found, list | tuple):
        return len(wanted) == len(found) and all(holds(w, f) for w, f in zip(wanted, found, strict=True))
    return same(wanted, found)
