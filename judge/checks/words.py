"""Words as tokens: whole, without case, in any script. A phrase is found only as a row of whole tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

# Scripts that put no space between words: there each character is a token of its own.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_TOKEN = re.compile(
    rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])\w)+(?:(?<=\d)[.,:](?=\d)(?:(?![{_UNSPACED}])\w)+)*|[%&@#+$€£¥₹₽₩]"
)
_ONE_UNSPACED = re.compile(f"[{_UNSPACED}]")


def is_unspaced(character: str) -> bool:
    """True for a character of a script that puts no space between words."""
    return bool(character) and _ONE_UNSPACED.match(character) is not None


def folded(text: str) -> str:
    """`text` without case, without compatibility forms and without characters that nobody sees."""
    if text.isascii():
        return text.casefold()
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(c for c in text if unicodedata.category(c) != "Cf")


@lru_cache(maxsize=8)
def tokens(text: str) -> tuple[str, ...]:
    """The tokens of `text`: words, numbers with their marks, and signs that mean something ("C++", "R&D", "$")."""
    stripped = (token.strip("_") for token in _TOKEN.findall(folded(text)))
    return tuple(token for token in stripped if token)


def stands_in(phrase: Sequence[str], text: Sequence[str]) -> bool:
    """Whether the tokens of a phrase stand in a row among the tokens of a text."""
    if not phrase:
        return False
    first, length = phrase[0], len(phrase)
    wanted = tuple(phrase)
    at = -1
    try:
        while True:
            at = text.index(first, at + 1)
            if tuple(text[at : at + length]) == wanted:
                return True
    except ValueError:
        return False


def count_words(text: str) -> int:
    """How many words a reader would count; in scripts without spaces, each character counts."""
    return sum(_words_in(chunk) for chunk in text.split())


def _words_in(chunk: str) -> int:
    """The words in text without spaces: its characters in scripts that have none, and what is left as one, if it is a word."""
    rest = chunk if chunk.isascii() else _ONE_UNSPACED.sub("", chunk)
    return len(chunk) - len(rest) + (re.search(r"\w", rest) is not None)


def count_sentences(text: str) -> int:
    """How many sentences, headings and list items hold at least one word."""
    parts = re.split(r"(?<=[.!?…])[\"'”’)\]]*\s+|[。！？]|\n+", text)
    return sum(1 for part in parts if re.search(r"\w", part))
