"""Replies that need no judge: nothing was said, so there is nothing to judge, and a judge would make something up."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

from judge.episode import Episode

# Fillers that are letters to Unicode and nothing to a reader.
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")


@dataclass(frozen=True)
class Unanswerable:
    """Why no judge need be asked about the reply. `acted`: the agent called tools or left files, which may still be judged."""

    kind: Literal["no_reply"]
    reason: str
    acted: bool


def unanswerable(episode: Episode) -> Unanswerable | None:
    """Why the reply can't answer anything: there is none, or none of its characters says anything. None if it may."""
    acted = any(True for _ in episode.calls()) or bool(episode.artifacts)
    said = [text for _, text in episode.replies()]
    if not said:
        return Unanswerable("no_reply", "the agent sent no reply", acted)
    if any(says_something(text) for text in said):
        return None
    what = "invisible characters" if all(_is_invisible(c) for text in said for c in text) else "punctuation"
    return Unanswerable("no_reply", f"the agent's reply holds nothing but {what}", acted)


def says_something(text: str) -> bool:
    """Whether `text` holds a letter, a digit or a symbol such as an emoji: more than space, punctuation and the unseen."""
    return any(unicodedata.category(c)[0] in "LNS" and c not in _BLANK_LETTERS for c in text)


def _is_invisible(character: str) -> bool:
    return (
        character in _BLANK_LETTERS
        or unicodedata.category(character)[0] in "CZ"
        or unicodedata.category(character) == "Mn"
    )
