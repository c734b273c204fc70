"""A figure with its interval, or the reason why there is none."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rubrics.criterion import Noun

Finite = Annotated[float, Field(allow_inf_nan=False)]


class Figure(Noun):
    """An estimate, its 95% interval and how many observations it rests on.

    `value` is None where it is undefined, and `why` then says so in a sentence; `low` and `high` are None where no
    interval can be given.
    """

    value: Finite | None
    low: Finite | None = None
    high: Finite | None = None
    n: int = 0
    why: str = ""
