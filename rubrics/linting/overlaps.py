"""Criteria that ask the same: the fault or the merit is counted twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from rubrics.criterion import Criterion
from rubrics.linting.findings import Hit, Rule, Subject, plain

SIMILAR = 0.7  # the share of their content words that two questions have in common (Jaccard index)
FEWEST_WORDS = 3
MOST_COMPARED = 600  # criteria: beyond it only equal questions are looked for
_FRAME = frozenset(
    "a an the is are was were does do did has have had be been it its this that these those any all of to in on at by for with from as "
    "and or not no if so than then there their they he she his her agent reply message customer user response answer text last final "
    "state say tell give name mention contain include provide write ask make show how what which who whom when where why whether".split()
)


def overlapping(subject: Subject) -> Iterator[Hit]:
    """Two judged criteria whose questions share 70% of their content words, or two checks that are the same."""
    judged = subject.judged
    words = {criterion.id: content_words(criterion.ask) for criterion in judged}
    pairs = combinations(judged, 2) if len(judged) <= MOST_COMPARED else _equally_worded(judged)
    for one, other in pairs:
        share = similarity(words[one.id], words[other.id])
        if (
            share >= SIMILAR
            and min(len(words[one.id]), len(words[other.id])) >= FEWEST_WORDS
            and not _told_apart(one, other)
        ):
            yield Hit(other.id, f"asks nearly what {one.id!r} asks: {share:.0%} of their words are the same")
    checked = [criterion for criterion in subject.rubric.leaves if criterion.check is not None]
    for one, other in _equally_checked(checked):
        yield Hit(other.id, f"is settled by the same check as {one.id!r}")


def content_words(ask: str) -> frozenset[str]:
    """The words of a question that make it this one: without endings and without what every question says."""
    found = re.findall(r"[^\W_]+", plain(ask).casefold())
    return frozenset(_stem(word) for word in found) - _frame()


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """The Jaccard index of two sets of words: 1 for the same words, 0 for none in common or no words at all."""
    return len(one & other) / len(one | other) if one or other else 0.0


def _stem(word: str) -> str:
    for ending in ("ies", "ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


@lru_cache(maxsize=1)
def _frame() -> frozenset[str]:
    return frozenset(map(_stem, _FRAME))


def _told_apart(one: Criterion, other: Criterion) -> bool:
    """Whether they can't both apply, or speak of different things by name: numbers, quotes, filled-in or capital names."""
    if one.applies_if is not None and other.applies_if is not None and one.applies_if != other.applies_if:
        return True
    here, there = _particulars(one.ask), _particulars(other.ask)
    return bool(here - there or there - here)


def _particulars(ask: str) -> set[str]:
    return set(re.findall(r"\{\{.*?\}\}|\d[\d.,]*|\"[^\"]*\"|'[^']*'|(?<=[\w,;:] )[A-Z][\w-]*", ask))


def _equally_worded(criteria: list[Criterion]) -> Iterator[tuple[Criterion, Criterion]]:
    first: dict[str, Criterion] = {}
    for criterion in criteria:
        key = plain(criterion.ask).casefold()
        if key in first:
            yield first[key], criterion
        first.setdefault(key, criterion)


def _equally_checked(criteria: list[Criterion]) -> Iterator[tuple[Criterion, Criterion]]:
    first: dict[str, Criterion] = {}
    for criterion in criteria:
        key = repr((criterion.check, criterion.applies_if))
        if key in first:
            yield first[key], criterion
        first.setdefault(key, criterion)


OVERLAP_RULES = {
    "overlapping": Rule("warning", "keep one of them, or ask in each for what the other leaves out", overlapping),
}
