"""JSON as people's files hold it: strict where a value counts, patient where it can't matter."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, Final

import orjson

from judge.errors import EpisodeError

# Fields in which a number that is none can't change a grade: there NaN and Infinity are read as null.
_HARMLESS = frozenset({"metadata", "info", "usage", "stats", "timing"})


NOT_PLAIN: Final = object()

# An integer of nineteen digits may need more than 64 bits, of which orjson makes a float.
_DIGITS_AS_ZEROS = bytes(48 if 48 <= byte <= 57 else byte for byte in range(256))
_LONG = b"0" * 19


class Decoder:
    """Reads JSON. `odd` is True if what was read last held a NaN or an Infinity, which JSON does not have."""

    def __init__(self) -> None:
        self.odd = False
        self._json = json.JSONDecoder(parse_constant=self._constant)
        self._careful = json.JSONDecoder(parse_constant=self._constant, parse_float=self._float)

    def _constant(self, _: str) -> float:
        self.odd = True
        return math.nan

    def _float(self, text: str) -> float:
        value = float(text)
        self.odd = self.odd or math.isinf(value)
        return value

    def quickly(self, raw: bytes) -> Any:
        """The one value in `raw`, or NOT_PLAIN where anything about it is unusual, so that it needs `decode`."""
        self.odd = False
        if _LONG in raw.translate(_DIGITS_AS_ZEROS):
            return NOT_PLAIN
        try:
            return orjson.loads(raw)
        except orjson.JSONDecodeError:
            return NOT_PLAIN

    def decode(self, text: str) -> Any:
        """The one value that `text` holds. Raises ValueError or RecursionError."""
        self.odd = False
        return self._careful.decode(text)

    def decode_at(self, text: str, start: int) -> tuple[Any, int]:
        """The value that begins at `start`, and where it ends. Raises ValueError or RecursionError."""
        self.odd = False
        return self._json.raw_decode(text, start)


def decode_arguments(text: str) -> Any:
    """The arguments of a call, written as JSON text inside JSON. A NaN stays the text that the agent wrote."""
    return json.loads(text) if "NaN" not in text and "Infinity" not in text else json.loads(text, parse_constant=str)


def without_nan(record: Any, *, known: frozenset[str]) -> Any:
    """The record with NaN as null in fields that can't matter. Raises EpisodeError that names any other place."""
    if not isinstance(record, dict):
        place = next(_nans(record, ""), None)
        _refuse(place)
        return record
    clean = {}
    for key, value in record.items():
        if key in _HARMLESS or key not in known:
            clean[key] = _nulled(value)
            continue
        _refuse(next(_nans(value, key), None))
        clean[key] = value
    return clean


def _refuse(place: str | None) -> None:
    if place is not None:
        raise EpisodeError(f"{place} is NaN or Infinity, which is no JSON number; write null where a number is unknown")


def _nulled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _nulled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_nulled(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _nans(value: Any, place: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _nans(item, f"{place}.{key}" if place else key)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _nans(item, f"{place}[{i}]")
    elif isinstance(value, float) and not math.isfinite(value):
        yield place
