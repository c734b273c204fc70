"""How a run grades, apart from who judges: everything here that can move a score is part of the method."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rubrics.criterion import Noun

DEFAULT_BATCH = 8
DEFAULT_CONCURRENCY = 64


class Options(Noun):
    """Settings of a run.

    `batch` is how many criteria go into one call (1: each alone). `seed` orders the criteria in a call. `deadline` is how
    many seconds an episode may take in all, from when its judging begins (None: no limit): what is not judged by then is
    missing. `behind_gates`: ask judges even when a check has closed a gate, so that `ungated` and the labels of a
    calibration are known. `reask`: tell a judge once what was wrong with an answer that can't be used. `cache`: take
    replies from the ledger. `allow_code`: let `python` checks import the functions they name. `budget` is the most that
    may be spent, in US dollars (None: no limit); `concurrency` the most calls in flight for each endpoint; `window` the
    most episodes being graded at once (None: four times the concurrency).
    """

    batch: Annotated[int, Field(ge=1)] = DEFAULT_BATCH
    seed: int = 0
    deadline: Annotated[float, Field(gt=0)] | None = None
    timeout: Annotated[float, Field(gt=0)] = 120.0
    behind_gates: bool = False
    reask: bool = True
    cache: bool = True
    allow_code: bool = False
    hedge: bool = False
    budget: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    concurrency: Annotated[int, Field(ge=1)] = DEFAULT_CONCURRENCY
    window: Annotated[int, Field(ge=1)] | None = None

    @property
    def episodes_at_once(self) -> int:
        """How many episodes are being graded at once."""
        return self.window or max(16, 4 * self.concurrency)

    @property
    def episodes_held(self) -> int:
        """How many episodes lie between the one read last and the one given out next: in work, or done and waiting."""
        return 8 * self.episodes_at_once
