"""What a rule finds, and what it looks at."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from rubrics.criterion import Criterion
from rubrics.nouns import Noun
from rubrics.rubric import Rubric

Severity = Literal["warning", "note"]


class Finding(Noun):
    """One thing that makes a rubric worse than it need be: a `warning` is nearly always a fault, a `note` a risk to know.

    `criterion` is None where the rubric as a whole is meant.
    """

    criterion: str | None
    rule: str
    severity: Severity
    message: str
    hint: str


class Subject(NamedTuple):
    """The rubric to look at, and the text of its file where there is one (its comments are documentation)."""

    rubric: Rubric
    text: str | None = None

    @property
    def judged(self) -> list[Criterion]:
        """The criteria that people or models answer: how a check's question is worded sways nobody."""
        return [criterion for criterion in self.rubric.leaves if criterion.judged]


class Hit(NamedTuple):
    """What a rule says of one criterion, or of the whole (None)."""

    criterion: str | None
    message: str


class Rule(NamedTuple):
    """How sure the rule is, what to do about it, and what it finds."""

    severity: Severity
    hint: str
    find: Callable[[Subject], Iterator[Hit]]


_ASIDE = re.compile(r"\"[^\"]*\"|“[^”]*”|„[^“]*“|(?<!\w)'[^']*'(?!\w)|\([^)]*\)")
_POLAR = re.compile(
    r"(?:^|, )(is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|may|might|must)(n't)?\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"\{\{.*?\}\}", re.DOTALL)


def plain(ask: str) -> str:
    """A question without what it quotes and puts in brackets, its filled-in names as NAME, in one line."""
    return " ".join(_ASIDE.sub(" … ", _NAME.sub("NAME", ask)).split())


def question(ask: str) -> str:
    """The first question (or sentence) of a text, plain: what follows only explains it."""
    text = plain(ask)
    end = re.search(r"\?|\.(?=\s|$)", text)
    return text[: end.end()] if end else text


def explained(ask: str) -> bool:
    """Whether something of four words or more follows the question, such as where the line is drawn."""
    return len(plain(ask)[len(question(ask)) :].split()) >= 4


def polar(text: str) -> bool:
    """Whether a question wants yes or no."""
    return _POLAR.search(text) is not None
