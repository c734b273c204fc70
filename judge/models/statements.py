"""Criteria as statements that are true or false: what a model too small to write a verdict can still tell.

A scale of k levels becomes the k - 1 statements "the answer is at least LEVEL", from the second lowest level to the top.
"""

from __future__ import annotations

from collections.abc import Sequence

from rubrics.criterion import Criterion, Level

SYSTEM = "You are a careful fact checker. Answer with exactly one word: True or False."

WORDING = "1"
"""Changes with any word that the model sees, so that answers to the old words aren't taken for answers to the new."""


def cleaned(evidence: str) -> str:
    """The evidence without what would end its message: after `<|im_end|>` a reply could speak in another's name."""
    return evidence.rstrip().replace("<|", "< |")


def question(statement: str) -> str:
    """What follows the evidence."""
    return f"\n\nStatement: {cleaned(statement)}\nIs the statement true? Answer True or False."


def statements(criterion: Criterion) -> tuple[str, ...]:
    """One statement for each level but the lowest, saying that at least this level is reached."""
    question = " ".join(criterion.ask.split())
    if len(criterion.levels) == 2:
        return (f'the answer to the question "{question}" is {_named(criterion.levels[1])}.',)
    names = ", ".join(level.name for level in criterion.levels)
    scale = f'on the scale from worst to best ({names}), the answer to the question "{question}" is'
    middle = tuple(f"{scale} at least {_named(level)}." for level in criterion.levels[1:-1])
    return (*middle, f"{scale} {_named(criterion.levels[-1])}.")


def _named(level: Level) -> str:
    meaning = " ".join(level.means.split()).rstrip(".")
    return f'"{level.name}" ({meaning})' if meaning else f'"{level.name}"'


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
