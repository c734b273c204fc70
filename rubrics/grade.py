"""What the verdicts on one episode add up to."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rubrics.criterion import Noun

Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class Grade(Noun):
    """A score with all that is needed to trust or distrust it.

    `score` is in [0, 1], or None when verdicts are missing or nothing that earns applies. `low` and `high` are the score
    if every missing criterion went against or for the agent (None when nothing that earns applies). `raw` is the weighted
    mean before clipping, `ungated` after it, both as if every gate were open. `values` holds each criterion's value in
    [0, 1], None where there is none. `coverage` is the share of applicable criteria that have a verdict. `spread` is the
    weighted mean, over judged criteria, of the largest less the smallest value among judges (None with fewer than two).
    `reward` and its interval stay None until a calibration is applied.
    """

    score: Score | None
    low: Score | None
    high: Score | None
    raw: Finite | None
    ungated: Score | None
    values: dict[str, Score | None]
    passed: bool | None
    coverage: Score
    missing: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    not_applicable: tuple[str, ...] = ()
    closed_gates: tuple[str, ...] = ()
    spread: Score | None = None
    flags: tuple[str, ...] = ()
    reward: Score | None = None
    reward_low: Score | None = None
    reward_high: Score | None = None
    escalate: bool | None = None
