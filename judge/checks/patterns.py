"""Checks on the form of a text: `regex` and `length`."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any, Literal

from pydantic import Field, model_validator

from judge.checks.finding import Arguments, CheckSettings, Finding, short, yes_or_no
from judge.checks.places import Place, texts_at
from judge.checks.words import count_sentences, count_words
from judge.episode import Episode
from rubrics.templates import is_template

LONGEST_PATTERN = 4000


class Regex(Arguments):
    """`pattern` found anywhere in the text at `in`; `not`: value 1 if it is found nowhere; `whole`: it fits the whole text."""

    pattern: str = Field(min_length=1, max_length=LONGEST_PATTERN)
    place: Place = Field("last_reply", alias="in")
    negated: bool = Field(False, alias="not")
    ignore_case: bool = False
    whole: bool = False

    @model_validator(mode="after")
    def _compiles(self) -> Regex:
        if not is_template(self.pattern):
            compiled(self.pattern, self.ignore_case)
        return self


@lru_cache(maxsize=512)
def compiled(pattern: str, ignore_case: bool = False) -> Any:
    """The compiled pattern. Raises ValueError that says where it breaks."""
    import regex

    try:
        return regex.compile(pattern, regex.IGNORECASE if ignore_case else 0)
    except regex.error as error:
        raise ValueError(f"pattern {short(pattern)} is no regular expression: {error}") from None


def regex(episode: Episode, args: Regex, settings: CheckSettings) -> Finding:
    """Whether a pattern stands in a text; given up after `settings.regex_seconds`."""
    at = texts_at(episode, args.place)
    if isinstance(at, Finding):
        return at
    search = (
        compiled(args.pattern, args.ignore_case).fullmatch
        if args.whole
        else compiled(args.pattern, args.ignore_case).search
    )
    try:
        match = next((m for text in at.texts if (m := search(text, timeout=settings.regex_seconds))), None)
    except TimeoutError:
        reason = (
            f"pattern {short(args.pattern)} took more than {settings.regex_seconds:g} s on {at.name}; make it simpler"
        )
        return Finding(None, reason, kind="check_error")
    where = at.absence or at.name
    reason = f"{where}: {short(match[0])} fits the pattern" if match else f"{where}: nothing fits {short(args.pattern)}"
    return yes_or_no((match is None) == args.negated, reason)


class Length(Arguments):
    """The length of the text at `in`, of each reply for `any_reply`: at least `min`, at most `max`, in `unit`."""

    min: int | None = Field(None, ge=0)
    max: int | None = Field(None, ge=0)
    unit: Literal["chars", "words", "sentences"] = "words"
    place: Place = Field("last_reply", alias="in")

    @model_validator(mode="after")
    def _is_a_range(self) -> Length:
        if self.min is None and self.max is None:
            raise ValueError("gives neither `min` nor `max`")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"`min` {self.min} is above `max` {self.max}")
        return self


def count_chars(text: str) -> int:
    """How many characters a reader would count: composed, without the space around the text."""
    return len(unicodedata.normalize("NFC", text.strip()))


_COUNTS = {"chars": count_chars, "words": count_words, "sentences": count_sentences}


def length(episode: Episode, args: Length, _settings: CheckSettings) -> Finding:
    """Whether a text is within a length. Where there is no text there is no length, and the value is 0."""
    at = texts_at(episode, args.place)
    if isinstance(at, Finding):
        return at
    if not at.texts:
        return yes_or_no(False, at.absence)
    counts = [_COUNTS[args.unit](text) for text in at.texts]
    low, high = args.min or 0, float("inf") if args.max is None else args.max
    off = [count for count in counts if not low <= count <= high]
    asked = f"at least {low}" if args.max is None else f"at most {args.max}" if not low else f"{low} to {args.max}"
    return yes_or_no(not off, f"{at.name}: {off[0] if off else counts[-1]} {args.unit}, expected {asked}")
