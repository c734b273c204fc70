"""The verbs for those who need no engine of their own: one call opens one, grades and closes it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from judge.engine import Calibration, Engine, EpisodeSource, RubricSource
from judge.options import Options
from judge.panel import Panel
from judge.reading import as_episode
from judge.record import GradeRecord
from judge.seating import JudgeSource

if TYPE_CHECKING:
    from judge.store.ledger import Ledger

Judges = Panel | Sequence[JudgeSource] | JudgeSource


async def grade(
    episode: EpisodeSource, rubric: RubricSource = None, *, judges: Judges = (), calibration: Calibration | None = None,
    options: Options | None = None, store: str | Path | Ledger | None = None,
) -> GradeRecord:  # fmt: skip
    """The grade of one episode (an Episode or a plain record) under `rubric`, or the rubric it carries.

    Raises RubricError, EpisodeError or InputError for what can't be used. What a judge or the network does is never
    raised: it stands in the record, where the score is None and `low` and `high` say what it could have been.
    """
    async with Engine(judges, options=options, store=store) as engine:
        return await engine.grade(as_episode(episode), rubric, calibration=calibration)


async def grade_group(
    episodes: Sequence[EpisodeSource], rubric: RubricSource = None, *, judges: Judges = (),
    calibration: Calibration | None = None, options: Options | None = None, store: str | Path | Ledger | None = None,
) -> list[GradeRecord]:  # fmt: skip
    """The grades of the siblings of one prompt, in their order, all judged by the same realised panel."""
    async with Engine(judges, options=options, store=store) as engine:
        return await engine.grade_group([as_episode(e) for e in episodes], rubric, calibration=calibration)


async def grade_many(
    episodes: Iterable[EpisodeSource], rubric: RubricSource = None, *, judges: Judges = (),
    calibration: Calibration | None = None, options: Options | None = None, store: str | Path | Ledger | None = None,
) -> AsyncIterator[GradeRecord]:  # fmt: skip
    """Grade records in the order of the episodes, graded side by side, in flat memory."""
    async with Engine(judges, options=options, store=store) as engine:
        async for record in engine.grade_many((as_episode(e) for e in episodes), rubric, calibration=calibration):
            yield record


def grade_sync(
    episode: EpisodeSource, rubric: RubricSource = None, *, judges: Judges = (), calibration: Calibration | None = None,
    options: Options | None = None, store: str | Path | Ledger | None = None,
) -> GradeRecord:  # fmt: skip
    """`grade` for code that is not async. Raises RuntimeError inside a running event loop: await `grade` there."""
    if _in_a_loop():
        raise RuntimeError(
            "grade_sync can't be used where an event loop runs (async code, notebooks): await judge.grade there"
        )
    return asyncio.run(grade(episode, rubric, judges=judges, calibration=calibration, options=options, store=store))


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def check(episode: EpisodeSource, rubric: RubricSource = None, *, options: Options | None = None) -> GradeRecord:
    """What code alone settles: the grade with every judged criterion missing. No model, no key, no network."""
    return Engine((), options=options).check(as_episode(episode), rubric)
