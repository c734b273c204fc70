"""How long a provider asks us to wait, in whichever of its ways of saying it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_SAID = re.compile(r"(?i)(?:try again|retry|retry_?delay)\D{0,20}?((?:\d+(?:\.\d+)?\s*(?:ms|h|m|s)[a-z]*[\s,]*)+)")
_PIECE = re.compile(r"(?i)(\d+(?:\.\d+)?)\s*(ms|h|m|s)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def asked_wait(headers: Mapping[str, str], text: str = "") -> float | None:
    """Seconds to wait by `retry-after-ms`, `retry-after` (seconds or a date), or by the words of the error.

    None if nothing is said. Header names are in small letters.
    """
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    given = headers.get("retry-after")
    if (seconds := _number(given)) is not None:
        return seconds
    if given and (until := _until(given)) is not None:
        return until
    return _said(text)


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return max(0.0, value) if math.isfinite(value) else None


def _until(text: str) -> float | None:
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - datetime.now(UTC)).total_seconds())


def _said(text: str) -> float | None:
    match = _SAID.search(text)
    if match is None:
        return None
    return sum(float(number) * _SECONDS[unit.lower()] for number, unit in _PIECE.findall(match[1]))
