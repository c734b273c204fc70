"""Transcripts of 11,400 characters that carry their answer key, so that a benchmark can tell right grades from wrong ones."""

from __future__ import annotations

from collections.abc import Iterator

CHARACTERS = 11_400
TURNS = 24
ASKS = ("state the amount", "name the payment method", "say how long it takes", "apologise", "use the customer's name")
WORDS = "The customer was charged twice for order 99173 and asks for the later charge back. "


def answers(number: int) -> list[bool]:
    """The right answers about transcript `number`: another pattern for each of 32."""
    return [bool(number >> place & 1) for place in range(len(ASKS))]


def score(number: int) -> float:
    """The right score of transcript `number`, in [0, 1]."""
    return sum(answers(number)) / len(ASKS)


def turns(number: int) -> Iterator[str]:
    """The turns of one transcript; the first holds the answer key that the test provider reads."""
    text = (WORDS * 20)[: CHARACTERS // TURNS - 12]
    key = ", ".join(f"c{i}={'yes' if met else 'no'}" for i, met in enumerate(answers(number)))
    yield f"answer-key: {key}\n#{number}.0 {text[: len(text) - len(key) - 14]}"
    yield from (f"#{number}.{turn} {text}" for turn in range(1, TURNS))
