"""What a format is: how it is read, how it is written, and what it looks like."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from calibration.label import Label
from judge.adapters.labels.naming import Naming
from judge.adapters.labels.remarks import LeftOut, Read
from judge.adapters.labels.source import Source

Reader = Callable[[Source, Naming], Iterator[Read]]
Writer = Callable[[Sequence[Label]], tuple[str, list[LeftOut]]]


@dataclass(frozen=True)
class Form:
    """One format: how it is read and written, and whether a JSON value or a table's header looks like it.

    `people_only` is True where every rater is taken for a person, so that labels of checks and judges can't be written.
    """

    reads: Reader | None = None
    writes: Writer | None = None
    looks: Callable[[Any], bool] | None = None
    looks_table: Callable[[Sequence[str]], bool] | None = None
    people_only: bool = True
