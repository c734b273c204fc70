"""What one question asks, on which scale, and how its answer counts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_serializer, model_validator

from rubrics.fingerprints import fingerprint_of
from rubrics.templates import check_expression, check_template

CANNOT_TELL = "cannot_tell"
NOT_APPLICABLE = "not_applicable"
RESERVED_LEVELS = (CANNOT_TELL, NOT_APPLICABLE)

Evidence = Literal["transcript", "policy", "state", "artifacts", "context"]
ALL_EVIDENCE: tuple[Evidence, ...] = ("transcript", "policy", "state", "artifacts", "context")

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)]
Weight = Annotated[float, Field(allow_inf_nan=False, strict=True)]
CriterionId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:\-]{0,127}$")]


class Noun(BaseModel):
    """Frozen, and closed to keys that nobody declared."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with other values, which are trusted, and without what was derived from the old ones."""
        if deep:
            return super().model_copy(update=update, deep=True)
        kind = type(self)
        copy = kind.__new__(kind)
        held = self.__dict__
        values = {name: held[name] for name in kind.model_fields}
        given = set(self.__pydantic_fields_set__)
        if update:
            values.update(update)
            given.update(update)
        object.__setattr__(copy, "__dict__", values)
        object.__setattr__(copy, "__pydantic_fields_set__", given)
        object.__setattr__(copy, "__pydantic_extra__", None)
        object.__setattr__(copy, "__pydantic_private__", None)
        return copy


class Level(Noun):
    """One step of a scale: its name, its value in [0, 1] and what it means in words a rater can apply."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    value: Share
    means: str = ""

    @field_validator("name", mode="before")
    @classmethod
    def _name_as_text(cls, name: object) -> object:
        return str(name) if isinstance(name, int) and not isinstance(name, bool) else name


YES_NO = (Level(name="no", value=0.0), Level(name="yes", value=1.0))


class Check(Noun):
    """The name of a check function and its arguments; written flat: `{name: state, tables: [refunds]}`."""

    name: Annotated[str, Field(min_length=1)]
    args: dict[str, JsonValue] = {}

    @model_validator(mode="before")
    @classmethod
    def _from_flat(cls, given: object) -> object:
        # `called` has an argument named `args` too, so only the pair of keys is taken for the nested form.
        if isinstance(given, dict) and "name" in given and set(given) != {"name", "args"}:
            return {"name": given["name"], "args": {key: value for key, value in given.items() if key != "name"}}
        return given

    @model_serializer
    def _to_flat(self) -> dict[str, JsonValue]:
        return {"name": self.name, **self.args}


class Example(Noun):
    """A labelled reply that shows a judge where a level begins."""

    reply: str
    level: str
    reason: str = ""

    @field_validator("level", mode="before")
    @classmethod
    def _level_as_text(cls, level: object) -> object:
        return str(level) if isinstance(level, int) and not isinstance(level, bool) else level


class Criterion(Noun):
    """One question about an episode, answered on an ordered scale by a judge, a person or a check.

    `weight` is its share of the score (negative: a penalty, where value 1 means that the bad thing happened; 1 by
    default, 0 for a gate). `gate` closes the score to 0 when the level is below the top (`True`) or below the level
    named. `if_unknown` says what "could not tell" means: `against` (the worst value), `missing` or `exclude`.
    """

    id: CriterionId
    ask: str = ""
    levels: tuple[Level, ...] = YES_NO
    between: bool = False
    weight: Weight = 1.0
    gate: bool | str = False
    check: Check | None = None
    applies_if: str | None = None
    may_not_apply: bool = False
    if_unknown: Literal["against", "missing", "exclude"] = "against"
    evidence: tuple[Evidence, ...] = ALL_EVIDENCE
    require_quote: bool = False
    shadows: dict[str, JsonValue] | None = None
    tags: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _written_short(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        full = dict(given)
        if "scale" in full:
            if "levels" in full:
                raise ValueError("give either `levels` or `scale`, not both")
            full["levels"], full["between"] = levels_of_scale(full.pop("scale"))
        if "weight" not in full and full.get("gate", False) is not False:
            full["weight"] = 0.0
        if isinstance(full.get("gate"), int) and not isinstance(full["gate"], bool):
            full["gate"] = str(full["gate"])
        return full

    @model_validator(mode="after")
    def _can_be_asked(self) -> Criterion:
        if not self.ask.strip() and self.check is None:
            raise ValueError("has neither `ask` (a question for judges) nor `check` (settled by code); give one")
        if not self.evidence:
            raise ValueError("`evidence` is empty: a judge would see nothing; leave it out to show everything")
        self._check_levels()
        if self.ask:
            check_template(self.ask)
        if self.applies_if is not None:
            check_expression(self.applies_if)
        return self

    def _check_levels(self) -> None:
        names = [level.name for level in self.levels]
        if len(names) < 2:
            raise ValueError(f"has {len(names)} level(s); a scale needs at least two, worst to best")
        if len({name.casefold() for name in names}) < len(names):
            raise ValueError(f"level names must differ, got {names}")
        if reserved := [name for name in names if name.casefold() in RESERVED_LEVELS]:
            raise ValueError(f"level name {reserved[0]!r} is reserved for raters who can't answer; choose another")
        values = [level.value for level in self.levels]
        if any(low >= high for low, high in pairwise(values)):
            raise ValueError(f"level values must rise from worst to best, got {values}")
        if isinstance(self.gate, str) and self.gate not in names:
            raise ValueError(f"gate {self.gate!r} is no level of its scale {names}")
        for example in self.examples:
            if example.level not in names:
                raise ValueError(f"an example has level {example.level!r}, expected one of {names}")

    @property
    def judged(self) -> bool:
        """True if people or models answer it; False if a check does."""
        return self.check is None

    @property
    def is_gate(self) -> bool:
        """True if a level that is too low closes the whole score to 0."""
        return self.gate is not False

    @property
    def numbered(self) -> bool:
        """True if every level name is a number, so that a rater may answer with a score."""
        return all(re.fullmatch(r"-?\d+(\.\d+)?", level.name) for level in self.levels)

    @cached_property
    def by_name(self) -> dict[str, Level]:
        """The levels by their names."""
        return {level.name: level for level in self.levels}

    @property
    def threshold(self) -> float:
        """The value at or above which the gate is open; 0 for a criterion that is no gate."""
        if self.gate is False:
            return 0.0
        return self.levels[-1].value if self.gate is True else self.by_name[str(self.gate)].value

    @property
    def worst(self) -> float:
        """The value that costs most: the lowest, or for a penalty the highest."""
        return self.levels[-1].value if self.weight < 0 else self.levels[0].value

    @property
    def best(self) -> float:
        """The value that earns most: the highest, or for a penalty the lowest."""
        return self.levels[0].value if self.weight < 0 else self.levels[-1].value

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hex digits over all that can change an answer to it: an edited question, not an edited weight."""
        elsewhere = {"id", "weight", "gate", "if_unknown", "shadows", "tags"}
        return fingerprint_of(self.model_dump(mode="json", exclude=elsewhere, exclude_defaults=True))

    def level_at(self, value: float) -> Level:
        """The highest level whose value is at most `value`; the lowest level if there is none."""
        reached = [level for level in self.levels if level.value <= value + 1e-9]
        return reached[-1] if reached else self.levels[0]


def levels_of_scale(scale: Any) -> tuple[list[dict[str, Any]], bool]:
    """Numbered levels for `1-5` or `{min: 1, max: 5, integer: false}`, and whether numbers between them count.

    A `0-1` scale counts every number between, since with integers alone it would be a yes/no question.
    """
    low, high, integer = _bounds(scale)
    if not low < high or high - low > 100:
        raise ValueError(f"scale {scale!r} must rise, by at most 100 steps")
    names = range(low, high + 1)
    levels = [{"name": str(n), "value": (n - low) / (high - low)} for n in names]
    return levels, not integer


def _bounds(scale: Any) -> tuple[int, int, bool]:
    if isinstance(scale, str) and (match := re.fullmatch(r"\s*(-?\d+)\s*(?:-|–|\.\.|to)\s*(-?\d+)\s*", scale)):
        low, high = int(match[1]), int(match[2])
        return low, high, (low, high) != (0, 1)
    if isinstance(scale, dict) and set(scale) <= {"min", "max", "integer"}:
        least, most, integer = scale.get("min"), scale.get("max"), scale.get("integer", True)
        if type(least) is int and type(most) is int and isinstance(integer, bool):
            return least, most, integer
    raise ValueError(f"scale {scale!r} is not like '1-5' or {{min: 1, max: 5, integer: false}}")
