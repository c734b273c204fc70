"""What one question asks, on which scale, and how its answer counts."""

from __future__ import annotations

import math
import re
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field, JsonValue, field_validator, model_serializer, model_validator

from rubrics.fingerprints import fingerprint_of
from rubrics.nouns import SMALLEST_WEIGHT, CriterionId, Noun, Share, Weight, texts_and_numbers
from rubrics.scales import (
    CANNOT_TELL,
    NOT_APPLICABLE,
    RESERVED_LEVELS,
    YES_NO,
    Level,
    check_scale,
    level_name,
    levels_of_scale,
)
from rubrics.templates import check_expression, check_template, is_template

__all__ = [
    "ALL_EVIDENCE", "CANNOT_TELL", "NOT_APPLICABLE", "RESERVED_LEVELS", "YES_NO", "Check", "Criterion", "CriterionId",
    "Evidence", "Example", "Level", "Noun", "Share", "Weight", "levels_of_scale",
]  # fmt: skip

Evidence = Literal["transcript", "policy", "state", "artifacts", "context"]
ALL_EVIDENCE: tuple[Evidence, ...] = ("transcript", "policy", "state", "artifacts", "context")
Json = dict[str, JsonValue]


class Check(Noun):
    """The name of a check function and its arguments; written flat: `{name: state, tables: [refunds]}`."""

    name: Annotated[str, Field(min_length=1, description="Which check: state, says, called, length, ...")]
    args: Json = {}

    @model_validator(mode="before")
    @classmethod
    def _from_flat(cls, given: object) -> object:
        # `called` has an argument named `args` too, so only the pair of keys is taken for the nested form.
        if isinstance(given, dict) and "name" in given and set(given) != {"name", "args"}:
            return {"name": given["name"], "args": {key: value for key, value in given.items() if key != "name"}}
        return given

    @field_validator("args")
    @classmethod
    def _can_be_filled(cls, args: Json) -> Json:
        for item, is_key in texts_and_numbers(args):
            if isinstance(item, float):
                _check_finite(item)
            elif is_template(item):
                if is_key:
                    raise ValueError(f"the key {item!r} holds a template; only values are filled in")
                check_template(item)
        return args

    @model_serializer
    def _to_flat(self) -> Json:
        if "name" in self.args or set(self.args) == {"args"}:
            return {"name": self.name, "args": self.args}
        return {"name": self.name, **self.args}


class Example(Noun):
    """A labelled reply that shows a judge where a level begins."""

    reply: Annotated[str, Field(description="What the agent wrote; taken as it stands, never filled in.")]
    level: Annotated[str, Field(description="The level it has: a name of the scale.")]
    reason: Annotated[str, Field(description="Why, in a sentence.")] = ""

    @field_validator("level", mode="before")
    @classmethod
    def _level_as_text(cls, level: object) -> object:
        return level_name(level)


class Criterion(Noun):
    """One question about an episode, answered on an ordered scale by a judge, a person or a check.

    `weight` is its share of the score (negative: a penalty, where value 1 means that the bad thing happened; 1 by
    default, 0 for a gate). `gate` closes the score to 0 when the level is below the top (`True`) or below the level
    named. `if_unknown` says what "could not tell" means: `against` (the worst value), `missing` or `exclude`.
    """

    id: Annotated[CriterionId, Field(description="Its name in verdicts and grades; no two in a rubric are the same.")]
    ask: Annotated[str, Field(description="The question; may use `{{ names }}` from the episode's context.")] = ""
    levels: Annotated[
        tuple[Level, ...], Field(description="The scale, worst to best; no = 0 and yes = 1 by default.")
    ] = YES_NO
    between: Annotated[bool, Field(description="True if numbers between the numbered levels count.")] = False
    weight: Annotated[
        Weight,
        Field(
            description="Its share of the score: 1 by default, 0 for a gate; negative: a penalty (yes = it happened)."
        ),
    ] = 1.0
    gate: Annotated[
        bool | str,
        Field(description="true: below the top level the score is 0; a level's name: below that level it is."),
    ] = False
    check: Annotated[Check | None, Field(description="What settles it by code, with its arguments beside `name`.")] = (
        None
    )
    applies_if: Annotated[
        str | None,
        Field(description="A condition, such as `context.amount is defined`; where false, it leaves the sums."),
    ] = None
    may_not_apply: Annotated[bool, Field(description="True if a rater may answer not_applicable.")] = False
    if_unknown: Annotated[
        Literal["against", "missing", "exclude"],
        Field(
            description="What 'could not tell' means: it counts against, the score is unknown, or it leaves the sums."
        ),
    ] = "against"
    evidence: Annotated[tuple[Evidence, ...], Field(description="What a judge may see; everything by default.")] = (
        ALL_EVIDENCE
    )
    require_quote: Annotated[
        bool, Field(description="True if a verdict without a quote that is really there is void.")
    ] = False
    shadows: Annotated[
        Json | None,
        Field(description="The part of the state comparison that decides the same question: tables, kinds."),
    ] = None
    tags: Annotated[
        tuple[str, ...], Field(description="Words for grouping and for partial pooling of calibrations.")
    ] = ()
    examples: Annotated[tuple[Example, ...], Field(description="Labelled replies that show where a level begins.")] = ()

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
        if isinstance(gate := full.get("gate", False), int | float) and not isinstance(gate, bool):
            full["gate"] = gate = level_name(gate)
        if not isinstance(gate, bool | str):
            raise ValueError(f"`gate` must be true, false or the name of a level, got {gate!r}")
        if "weight" not in full and gate is not False:
            full["weight"] = 0.0
        if isinstance(ask := full.get("ask"), str):
            full["ask"] = ask.strip()
        return full

    @field_validator("weight")
    @classmethod
    def _weight_that_counts(cls, weight: float) -> float:
        if 0 < abs(weight) < SMALLEST_WEIGHT:
            raise ValueError(f"is too small to count; give 0, or at least {SMALLEST_WEIGHT:g}")
        return weight or 0.0  # without the sign of -0.0, which would change the fingerprint

    @field_validator("evidence")
    @classmethod
    def _in_one_order(cls, evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
        return tuple(kind for kind in ALL_EVIDENCE if kind in evidence)

    @model_validator(mode="after")
    def _can_be_asked(self) -> Criterion:
        if not self.ask and self.check is None:
            raise ValueError("has neither `ask` (a question for judges) nor `check` (settled by code); give one")
        if not self.evidence:
            raise ValueError("`evidence` is empty: a judge would see nothing; leave it out to show everything")
        check_scale(self.levels)
        if self.is_gate:
            self._check_gate()
        for example in self.examples:
            if example.level not in self.by_name:
                raise ValueError(f"an example has level {example.level!r}, expected one of {list(self.by_name)}")
        self._check_texts()
        return self

    def _check_gate(self) -> None:
        names = list(self.by_name)
        if isinstance(self.gate, str) and self.gate not in names:
            raise ValueError(f"gate {self.gate!r} is no level of its scale {names}")
        if self.gate == names[0]:
            raise ValueError(
                f"gate {self.gate!r} is the lowest level, so it could never close; write `gate: false` for no gate"
            )
        if self.weight < 0:
            raise ValueError(
                "is a gate and a penalty, but a gate closes below its level, when the bad thing did not happen; "
                "ask the other way round, with a weight of 0 or more"
            )

    def _check_texts(self) -> None:
        if self.ask:
            check_template(self.ask)
        if self.applies_if is not None:
            check_expression(self.applies_if)
        for level in self.levels:
            if level.means:
                check_template(level.means)
        for item, _ in texts_and_numbers(self.shadows or {}):
            if isinstance(item, float):
                _check_finite(item)

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
        return all(re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", level.name) for level in self.levels)

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

    @property
    def may_leave(self) -> bool:
        """True if a rater's answer may take it out of the sums: `not_applicable`, or could not tell with `exclude`."""
        return self.may_not_apply or self.if_unknown == "exclude"

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hex digits over all that can change an answer to it: an edited question, not an edited weight."""
        elsewhere = {"id", "weight", "gate", "if_unknown", "shadows", "tags"}
        return fingerprint_of(self.model_dump(mode="json", exclude=elsewhere, exclude_defaults=True))

    def level_at(self, value: float) -> Level:
        """The highest level whose value is at most `value`; the lowest level if there is none."""
        reached = [level for level in self.levels if level.value <= value + 1e-9]
        return reached[-1] if reached else self.levels[0]


def _check_finite(number: float) -> None:
    if not math.isfinite(number):
        raise ValueError(f"holds {number}, which is no number that anything could equal")
