"""Shadows: the part of the state comparison that decides the same question as a judged criterion."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from calibration.errors import CalibrationError
from calibration.oracles.changes import COLLATERAL, FAULTS, MISSING, REQUIRED, WRONG, Change, Steps, steps_of

KINDS = {"missing": MISSING, "wrong": WRONG, COLLATERAL: COLLATERAL, MISSING: MISSING, WRONG: WRONG}
KEYS = ("tables", "paths", "kinds")
ANYWHERE = "**"


@dataclass(frozen=True, slots=True)
class Shadow:
    """The places and kinds of change that decide a criterion; no parts means the whole state."""

    parts: tuple[Steps, ...]
    kinds: frozenset[str]

    @property
    def positive(self) -> bool:
        """True if it looks for what was to be done; False if only for what was to be left alone."""
        return bool(self.kinds & {MISSING, WRONG})

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it looks at; empty where it looks everywhere."""
        first = {part[0] for part in self.parts}
        return frozenset() if first & {"*", ANYWHERE} else frozenset(first)

    def touched_by(self, change: Change) -> bool:
        """Whether the change stands in one of its parts, inside it or around it."""
        if not self.parts:
            return True
        steps = steps_of(str(change.get("path", "")))
        whole = any(isinstance(change.get(side), dict | list) for side in ("was", "now", "wanted"))
        return any(_meets(part, steps, whole=whole) for part in self.parts)

    def faults(self, changes: Iterable[Change]) -> list[Change]:
        """The changes of its kinds in its parts: with any, the criterion went wrong."""
        return [change for change in changes if change.get("kind") in self.kinds and self.touched_by(change)]

    def required(self, changes: Iterable[Change]) -> int:
        """How many changes the goal asks for in its parts; 0 means that leaving them alone was right."""
        return sum(change.get("kind") in REQUIRED and self.touched_by(change) for change in changes)


def shadow_of(criterion: str, written: Mapping[str, Any]) -> Shadow:
    """The shadow that a criterion's `shadows` describes.

    `tables` and `paths` (patterns such as `refunds.*.amount`) are its parts, `kinds` are `missing`, `wrong` and
    `collateral` (all by default). Raises CalibrationError for a key or kind that does not exist.
    """
    unknown = [key for key in written if key not in KEYS]
    if unknown:
        raise CalibrationError(
            f"criterion {criterion!r}: shadows has no key {unknown[0]!r}, expected {', '.join(KEYS)}; mend the rubric"
        )
    kinds = _listed(written.get("kinds"))
    wrong = [kind for kind in kinds if kind not in KINDS]
    if wrong:
        raise CalibrationError(
            f"criterion {criterion!r}: shadows has the kind {wrong[0]!r}, expected some of missing, wrong, collateral; "
            "mend the rubric"
        )
    parts: list[Steps] = [(table,) for table in _listed(written.get("tables"))]
    parts += [_pattern(path) for path in _listed(written.get("paths"))]
    return Shadow(tuple(parts), frozenset(KINDS[kind] for kind in kinds) or FAULTS)


def _listed(value: Any) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else [str(item) for item in value]


def _pattern(path: str) -> Steps:
    plain = re.sub(r"\[\s*['\"]?(.*?)['\"]?\s*\]", r".\1", path.strip()).removeprefix("$").strip("./")
    steps = steps_of(plain) if "/" in plain else tuple(plain.split("."))
    return (ANYWHERE, *steps[1:]) if steps[0] == "*" and len(steps) > 1 else steps


def _meets(part: Sequence[str], steps: Sequence[str], *, whole: bool) -> bool:
    """Whether a place lies inside what the pattern names, or around it. In a table the row may be left out.

    `whole`: the change is about something that came, went or is wanted whole, so that any place may lie inside.
    """
    if not part or not steps:
        return True
    if part[0] == ANYWHERE:
        return whole or any(_meets(part[1:], steps[n:], whole=whole) for n in range(len(steps)))
    if not fnmatchcase(steps[0], part[0]):
        return False
    return _fits(part[1:], steps[1:]) or (len(part) == 2 and len(steps) > 2 and _fits(part[1:], steps[2:]))


def _fits(part: Sequence[str], steps: Sequence[str]) -> bool:
    return all(fnmatchcase(step, pattern) for pattern, step in zip(part, steps, strict=False))
