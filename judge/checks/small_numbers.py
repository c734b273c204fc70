"""Small numbers in English words: "seven", "twenty-one"."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = {word: value for value, word in enumerate(_ONES)} | {
    word: 10 * ten for ten, word in enumerate(_TENS, start=2)
}
_SPELLED = re.compile(
    rf"\b(?:({'|'.join(_TENS)})(?:[-\s]({'|'.join(_ONES[1:10])}))?|({'|'.join(sorted(_ONES, key=len, reverse=True))}))\b",
    re.IGNORECASE,
)


def spelled_out(text: str) -> Iterator[tuple[int, str]]:
    """Each number from 0 to 99 that `text` writes in words, and the words."""
    for match in _SPELLED.finditer(text):
        parts = [part.lower() for part in match.groups() if part]
        yield sum(_VALUES[part] for part in parts), match[0]
