"""Scales: ordered levels, worst to best. Yes/no is the two-level case, 1-5 the five-level case."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field, field_validator

from rubrics.nouns import Noun, Share

CANNOT_TELL = "cannot_tell"
NOT_APPLICABLE = "not_applicable"
RESERVED_LEVELS = (CANNOT_TELL, NOT_APPLICABLE)
# Nearer values could not be told apart where a mean of several answers is put back on the scale.
SMALLEST_STEP = 1e-6
MOST_STEPS = 100


class Level(Noun):
    """One step of a scale: its name, its value in [0, 1] and what it means in words a rater can apply."""

    name: Annotated[str, Field(min_length=1, max_length=80, description="What a rater answers.")]
    value: Annotated[
        Share, Field(description="What it is worth, from 0 to 1; rising from the worst level to the best.")
    ]
    means: Annotated[str, Field(description="What one would see at this level; may use `{{ names }}`.")] = ""

    @field_validator("name", mode="before")
    @classmethod
    def _name_as_text(cls, name: object) -> object:
        return level_name(name)


def level_name(name: object) -> object:
    """A level's name as text: numbers may be written without quotes. Raises ValueError for true and false."""
    if isinstance(name, bool):
        raise ValueError(
            f"is the truth value {name}, not text; put it in quotes (many YAML readers take yes, no, on and off for truth values)"
        )
    if isinstance(name, int):
        return str(name)
    return f"{name:g}" if isinstance(name, float) and math.isfinite(name) else name


YES_NO = (Level(name="no", value=0.0), Level(name="yes", value=1.0))


def check_scale(levels: Sequence[Level]) -> None:
    """Raise ValueError unless there are two levels or more, with names of their own and values that rise."""
    names = [level.name for level in levels]
    if len(names) < 2:
        raise ValueError(f"has {len(names)} level(s); a scale needs at least two, worst to best")
    if levels is YES_NO:
        return
    folded = [_folded(name) for name in names]
    if len(set(folded)) < len(names):
        raise ValueError(f"level names must differ, got {names}")
    if unclear := [name for name in names if name != name.strip() or not name.isprintable()]:
        raise ValueError(f"level name {unclear[0]!r} has outer blanks or characters that nobody sees; write it plainly")
    if reserved := [
        n for n, plain in zip(names, folded, strict=True) if re.sub(r"[\s_-]+", "_", plain) in RESERVED_LEVELS
    ]:
        raise ValueError(f"level name {reserved[0]!r} is reserved for raters who can't answer; choose another")
    values = [level.value for level in levels]
    if any(high - low < SMALLEST_STEP for low, high in pairwise(values)):
        raise ValueError(f"level values must rise from worst to best, got {values}")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip().casefold()


def levels_of_scale(scale: Any) -> tuple[list[dict[str, Any]], bool]:
    """Numbered levels for `1-5` or `{min: 1, max: 5, integer: false}`, and whether numbers between them count.

    A `0-1` scale counts every number between, since with integers alone it would be a yes/no question.
    """
    low, high, integer = _bounds(scale)
    if not low < high or high - low > MOST_STEPS:
        raise ValueError(f"scale {scale!r} must rise, by at most {MOST_STEPS} steps")
    names = range(low, high + 1)
    levels = [{"name": str(n), "value": (n - low) / (high - low)} for n in names]
    return levels, not integer


def _bounds(scale: Any) -> tuple[int, int, bool]:
    if isinstance(scale, str) and (
        match := re.fullmatch(r"\s*(-?[0-9]{1,9})\s*(?:-|–|\.\.|to)\s*(-?[0-9]{1,9})\s*", scale)
    ):
        low, high = int(match[1]), int(match[2])
        return low, high, (low, high) != (0, 1)
    if isinstance(scale, dict) and set(scale) <= {"min", "max", "integer"}:
        least, most, integer = scale.get("min"), scale.get("max"), scale.get("integer", True)
        if type(least) is int and type(most) is int and isinstance(integer, bool):
            return least, most, integer
    raise ValueError(f"scale {scale!r} is not like '1-5' or {{min: 1, max: 5, integer: false}}")
