"""Criteria as statements that are true or false: what a model too small to write a verdict can still tell.

A scale of k levels becomes the k - 1 statements "the answer is at least LEVEL", from the second lowest level to the top.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rubrics.criterion import Criterion, Level

SYSTEM = "You are a careful fact checker. Answer with exactly one word: True or False."

WORDING = "1"
"""Changes with any word that the model sees, so that answers to the old words aren't taken for answers to the new."""

_TURNABLE = re.compile(
    r"(Does|Do|Did|Has|Have) ((?:the|an?) (?:(?:last|final|first) )?\w+(?: of the \w+)?) ([^?]+)\?", re.IGNORECASE
)
"""English questions whose subject is plain to see."""


def cleaned(evidence: str) -> str:
    """The evidence without what would end its message: after `<|im_end|>` a reply could speak in another's name."""
    return evidence.rstrip().replace("<|", "< |")


def statements(criterion: Criterion) -> tuple[str, ...]:
    """One text for each level but the lowest, to follow the evidence: is it true that at least this level is reached?"""
    question = _one_line(criterion.ask)
    if _is_yes_no(criterion) and (claim := _asserted(question)):
        meaning = _meaning(criterion.levels[1])
        return (_text(f"Statement: {claim}{meaning}."),)
    asked = f"Question: {question}\n{_scale(criterion.levels)}Statement: The answer is"
    *middle, best = criterion.levels[1:]
    claims = [*(f"at least {level.name}{_meaning(level)}" for level in middle), f"{best.name}{_meaning(best)}"]
    return tuple(_text(f"{asked} {claim}.") for claim in claims)


def _text(statement: str) -> str:
    return f"\n\n{cleaned(statement)}\nIs the statement true? Answer True or False."


def _is_yes_no(criterion: Criterion) -> bool:
    return [level.name.casefold() for level in criterion.levels] == ["no", "yes"]


def _asserted(question: str) -> str | None:
    """What the question says if answered yes; None where its words can't be turned round safely.

    "Does the reply name X?" becomes "The reply does name X", which needs no grammar of verbs.
    """
    if (found := _TURNABLE.fullmatch(question)) is None:
        return None
    verb, subject, rest = found.groups()
    return f"{subject[0].upper()}{subject[1:]} {verb.lower()} {rest}"


def _scale(levels: Sequence[Level]) -> str:
    return f"Scale, worst to best: {', '.join(level.name for level in levels)}\n" if len(levels) > 2 else ""


def _meaning(level: Level) -> str:
    meaning = _one_line(level.means).rstrip(".")
    return f" ({meaning})" if meaning else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def distribution(criterion: Criterion, truths: Sequence[float]) -> dict[str, float]:
    """Probabilities of the levels, summing to 1, from the probabilities that each of `statements(criterion)` is true.

    "At least 4" can't be likelier than "at least 3": where the model says so, the two are pooled to their mean.
    """
    at_least = [1.0, *_falling(truths), 0.0]
    levels = criterion.levels
    return {level.name: at_least[place] - at_least[place + 1] for place, level in enumerate(levels)}


def _falling(truths: Sequence[float]) -> list[float]:
    """The falling sequence nearest to `truths` in least squares (pool adjacent violators; Ayer et al. 1955)."""
    blocks: list[list[float]] = []
    for truth in truths:
        blocks.append([truth])
        while len(blocks) > 1 and _mean(blocks[-2]) < _mean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    return [_mean(block) for block in blocks for _ in block]


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)
