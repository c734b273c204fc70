"""What every noun is made of: a frozen record that refuses keys nobody declared, and numbers that refuse NaN."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field

LARGEST_WEIGHT = 1e9
SMALLEST_WEIGHT = 1e-9

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)]
Weight = Annotated[float, Field(ge=-LARGEST_WEIGHT, le=LARGEST_WEIGHT, allow_inf_nan=False, strict=True)]
CriterionId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:\-]{0,127}$")]


class Noun(BaseModel):
    """Frozen, and closed to keys that nobody declared."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def trusted(cls, **values: Any) -> Self:
        """A noun of values that need no checking, since our own code worked them out from nouns that were checked.

        What comes from outside goes through the constructor, which checks. This is several times as quick.
        """
        made = cls.__new__(cls)
        object.__setattr__(made, "__dict__", {**_defaults(cls), **values})
        object.__setattr__(made, "__pydantic_fields_set__", set(values))
        object.__setattr__(made, "__pydantic_extra__", None)
        object.__setattr__(made, "__pydantic_private__", None)
        return made

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with other values, which are trusted, and without what was derived from the old ones.

        Pooling and quote checking copy every verdict, so this does by hand what pydantic does in several calls.
        """
        if deep:
            return super().model_copy(update=update, deep=True)
        kind = type(self)
        held = self.__dict__
        values = {name: held[name] for name in kind.__pydantic_fields__}
        given = set(self.__pydantic_fields_set__)
        if update:
            values.update(update)
            given |= update.keys()
        copy = kind.__new__(kind)
        object.__setattr__(copy, "__dict__", values)
        object.__setattr__(copy, "__pydantic_fields_set__", given)
        object.__setattr__(copy, "__pydantic_extra__", None)
        object.__setattr__(copy, "__pydantic_private__", None)
        return copy


@cache
def _defaults(kind: type[Noun]) -> dict[str, Any]:
    """Every field in its order with its default. Defaults are shared, as nouns are frozen."""
    return {
        name: None if field.is_required() else field.get_default(call_default_factory=True)
        for name, field in kind.__pydantic_fields__.items()
    }


def texts_and_numbers(value: Any) -> Iterator[tuple[str | float, bool]]:
    """Every text and float inside a JSON value, each with whether it is a key of a mapping."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield from ((key, True) for key in item)
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, str | float):
            yield item, False
