"""The changes of a state comparison, as grade records hold them: their kinds, places and words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

MADE, MISSING, WRONG, COLLATERAL = "required_made", "required_missing", "made_wrong", "collateral"
REQUIRED = frozenset({MADE, MISSING, WRONG})
FAULTS = frozenset({MISSING, WRONG, COLLATERAL})
WORDS = {MADE: "required and made", MISSING: "required and missing", WRONG: "made wrong", COLLATERAL: "collateral"}
SIDES = {"was": "was", "now": "is", "wanted": "wanted"}
MOST_SHOWN = 5
LONGEST = 60

Steps = tuple[str, ...]
Change = Mapping[str, Any]


def steps_of(path: str) -> Steps:
    """The names along the path of a change; none for the whole state."""
    return (
        tuple(step.replace("~1", "/").replace("~0", "~") for step in path.removeprefix("/").split("/")) if path else ()
    )


def faults_of(changes: Sequence[Change]) -> list[Change]:
    """The changes that make the final state wrong."""
    return [change for change in changes if change.get("kind") in FAULTS]


def in_words(changes: Sequence[Change]) -> str:
    """The changes for a reader, at most five: `required and missing: refunds/r1 (was nothing, is nothing, wanted …)`."""
    shown = [_one(change) for change in changes[:MOST_SHOWN]]
    more = len(changes) - len(shown)
    return "; ".join([*shown, f"and {more} more"] if more else shown)


def _one(change: Change) -> str:
    kind = str(change.get("kind", ""))
    sides = ", ".join(f"{word} {_short(change.get(side, ...))}" for side, word in SIDES.items())
    return f"{WORDS.get(kind, kind)}: {change.get('path') or 'the whole state'} ({sides})"


def _short(value: Any) -> str:
    text = "nothing" if value is ... else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
