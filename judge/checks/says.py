"""Check `says`: numbers and words that a text states, by value and by whole token, never by substring."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from pydantic import Field, field_validator, model_validator

from judge.checks.finding import Arguments, CheckSettings, Finding, listed, share
from judge.checks.numbers import Mark, all_numbers, expected
from judge.checks.places import Place, Texts, texts_at
from judge.checks.words import stands_in, tokens
from judge.episode import Episode
from rubrics.templates import is_template

Item = tuple[str, Callable[[str], bool]]


class Alternative(Arguments):
    """One of several ways of saying it: all its numbers and words together."""

    numbers: tuple[Any, ...] = ()
    words: tuple[Any, ...] = ()


class Says(Arguments):
    """`numbers` by value, `words` as rows of whole words without case; of `any_of`, one is enough.

    `in`: where to look. `not`: value 1 if none of it is said. `partial`: the share said counts. `decimal: ","` for texts in
    which 4.183 is four thousand; `spelled`: "seven" counts for 7; `tolerance`: the largest difference between numbers.
    """

    numbers: tuple[Any, ...] = ()
    words: tuple[Any, ...] = ()
    any_of: tuple[Any, ...] = ()
    place: Place = Field("last_reply", alias="in")
    negated: bool = Field(False, alias="not")
    partial: bool = False
    decimal: Mark = "."
    spelled: bool = False
    tolerance: float = Field(0.0, ge=0, allow_inf_nan=False)

    @field_validator("numbers", "words", "any_of", mode="before")
    @classmethod
    def _one_is_a_list_of_one(cls, value: Any) -> Any:
        return [value] if isinstance(value, str | int | float | dict) else value

    @model_validator(mode="after")
    def _can_be_looked_for(self) -> Says:
        if not (self.numbers or self.words or self.any_of):
            raise ValueError("gives nothing to look for; give `numbers`, `words` or `any_of`")
        for _ in items_of(self):
            pass
        return self


def items_of(args: Says) -> Iterable[Item]:
    """What is looked for: its name in a sentence, and whether a text states it. Raises ValueError for what can't be."""
    for number in args.numbers:
        yield _number(number, args)
    for words in args.words:
        yield _words(words)
    if args.any_of:
        ways = [_way(alternative, args) for alternative in args.any_of]
        name = " or ".join(name for name, _ in ways)
        yield name, lambda text: any(found(text) for _, found in ways)


def _number(value: Any, args: Says) -> Item:
    if isinstance(value, str) and is_template(value):
        return value, lambda _: False
    wanted, tolerance = expected(value, args.decimal), Decimal(str(args.tolerance))
    return str(value), lambda text: any(
        wanted.meets(number, tolerance) for number in all_numbers(text, args.decimal, args.spelled)
    )


def _words(value: Any) -> Item:
    text = str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
    if text is None:
        raise ValueError(f"words: {value!r} is no text")
    phrase = tokens(text)
    if not phrase:
        raise ValueError(f"words: {text!r} holds no word to look for")
    return f"'{text}'", lambda text: stands_in(phrase, tokens(text))


def _way(alternative: Any, args: Says) -> Item:
    if isinstance(alternative, dict):
        way = Alternative.model_validate(alternative)
        parts = [*(_number(n, args) for n in way.numbers), *(_words(w) for w in way.words)]
        if not parts:
            raise ValueError("any_of: an alternative gives neither `numbers` nor `words`")
        return " with ".join(name for name, _ in parts), lambda text: all(found(text) for _, found in parts)
    return _number(alternative, args) if _is_number(alternative, args) else _words(alternative)


def _is_number(value: Any, args: Says) -> bool:
    try:
        expected(value, args.decimal)
    except ValueError:
        return False
    return not isinstance(value, bool)


def says(episode: Episode, args: Says, _settings: CheckSettings) -> Finding:
    """Look for each number and phrase in the text at `in`."""
    at = texts_at(episode, args.place)
    if isinstance(at, Finding):
        return at
    found, missing = _sorted_out(args, at)
    where = at.absence or f"in {at.name}"
    if args.negated:
        value = share(len(missing), len(found) + len(missing), partial=args.partial)
        return Finding(value, f"{where}: says {listed(found)}" if found else f"{where}: says none of {listed(missing)}")
    value = share(len(found), len(found) + len(missing), partial=args.partial)
    said = f"says {listed(found)}" if found else ""
    lacks = f"does not say {listed(missing)}" if missing else ""
    return Finding(value, f"{where}: {', '.join(part for part in (said, lacks) if part)}")


def _sorted_out(args: Says, at: Texts) -> tuple[list[str], list[str]]:
    found: list[str] = []
    missing: list[str] = []
    for name, stands in items_of(args):
        (found if any(stands(text) for text in at.texts) else missing).append(name)
    return found, missing
