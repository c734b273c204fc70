"""What a check is asked with, and what it finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict

from judge.state import StateCache
from rubrics.verdict import Failure, Kind, Verdict


class Arguments(BaseModel):
    """The arguments of a check, read once: frozen, and closed to names that nobody declared."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True)
class CheckSettings:
    """What the user allows, and what checks share.

    `allow_code`: `python` checks may import and run code. `regex_seconds`: how long one match may take. `states`: databases
    already read, so that one that many episodes start from is read once.
    """

    allow_code: bool = False
    regex_seconds: float = 1.0
    states: StateCache = field(default_factory=StateCache, compare=False, repr=False)


@dataclass(frozen=True)
class Finding:
    """What a check saw: a value in [0, 1], or None where it can't tell, and a sentence that says what was found or missed.

    With None, `kind` says why it could not look (of the closed list of failures); no kind means that it looked and the
    evidence does not tell. `changes` is the whole comparison, for the check of the state.
    """

    value: float | None
    reason: str
    kind: Kind | None = None
    changes: Sequence[dict[str, Any]] = ()


@dataclass(frozen=True)
class Checked:
    """A check's outcome: a verdict or a failure, never both, and the changes of state that it compared."""

    verdict: Verdict | None
    failure: Failure | None
    changes: tuple[dict[str, Any], ...] = ()


def yes_or_no(holds: bool, reason: str) -> Finding:
    """A finding of 1 or 0."""
    return Finding(1.0 if holds else 0.0, reason)


def share(found: int, wanted: int, *, partial: bool) -> float:
    """The share found, or without partial credit 1 if all was found and 0 if not."""
    return found / wanted if partial else float(found == wanted)


def listed(items: Sequence[Any], most: int = 5) -> str:
    """Items in a row for a sentence: at most `most`, and how many more there are."""
    shown = ", ".join(str(item) for item in items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"


def short(value: Any, most: int = 80) -> str:
    """A value as a sentence can hold it: quoted text or JSON, cut with a mark."""
    from judge.episode import json_text

    text = f"{value!r}" if isinstance(value, str) else json_text(value)
    return text if len(text) <= most else text[: most - 1] + "…"
