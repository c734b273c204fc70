"""Explaining: changes as lines that a person reads in a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final

from judge.state.change import Change, Kind
from judge.state.values import ABSENT, Json

WORDS: Final[Mapping[Kind, str]] = {
    "required_missing": "required and missing",
    "made_wrong": "made wrong",
    "collateral": "collateral",
    "required_made": "required and made",
    "allowed": "allowed",
    "ignored": "ignored",
}
_WIDTH: Final = max(map(len, WORDS.values()))
LONGEST: Final = 120


def explain(changes: Iterable[Change]) -> str:
    """One line a change, the worst first: kind, path, what it was and is, what was wanted, and the note."""
    order = list(WORDS)
    return "\n".join(map(_line, sorted(changes, key=lambda change: order.index(change.kind))))


def _line(change: Change) -> str:
    line = f"{WORDS[change.kind]:<{_WIDTH}}  {change.path or '(whole state)'}: {_shown(change.was)} -> {_shown(change.now)}"
    if change.bad:
        line += f", wanted {_shown(change.wanted)}"
    return line + (f"  [{change.note}]" if change.note else "")


def _shown(value: Json) -> str:
    if value is ABSENT:
        return "(nothing)"
    text = json.dumps(value, ensure_ascii=False, default=str)
    # Control characters and other invisible ones could repaint the terminal.
    text = "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
