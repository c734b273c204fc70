"""Engines and their ledger: whose it is, what becomes of it, and which answers are the same."""

from __future__ import annotations

import itertools
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import rubrics
from judge.engine import Engine
from judge.episode import Episode, Step
from judge.errors import InputError, StoreError
from judge.models.exchange import Prompt
from judge.store.ledger import Ledger
from tests.judge.fakes import Fake, reply_of

RUBRIC = rubrics.load({"id": "r", "criteria": [{"id": "a", "ask": "A?"}]})


def episode(name: str = "e") -> Episode:
    return Episode(task_id=name, steps=(Step(t=0, text=f"hello from {name}"),))


async def test_a_ledger_of_the_callers_stays_open_for_the_next_engine(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "j.db")
    for name in ("e1", "e2"):
        async with Engine([Fake({"a": "yes"})], store=ledger) as engine:
            await engine.grade(episode(name), RUBRIC)
    ledger.close()
    again = Fake({"a": "no"})
    async with Engine([again], store=tmp_path / "j.db") as engine:
        assert [(await engine.grade(episode(name), RUBRIC)).score for name in ("e1", "e2")] == [1.0, 1.0]
    assert again.asked == 0


async def test_an_engine_that_was_closed_opens_its_ledger_anew(tmp_path: Path) -> None:
    model = Fake({"a": "yes"})
    engine = Engine([model], store=tmp_path / "j.db")
    for name in ("e1", "e2", "e1", "e2"):
        await engine.grade(episode(name), RUBRIC)
        await engine.close()
    assert model.asked == 2


async def test_two_judges_that_are_the_same_one_give_an_answer_each_in_every_run(tmp_path: Path) -> None:
    replies = itertools.cycle(["yes", "no"])

    def answer(prompt: Prompt) -> str:
        return reply_of({"a": next(replies)}, prompt)

    scores = []
    for _ in range(2):
        twins = [Fake(answer), Fake(answer)]
        async with Engine(twins, store=tmp_path / "j.db") as engine:
            scores.append((await engine.grade(episode(), RUBRIC)).score)
    assert scores == [0.5, 0.5]


async def test_a_store_that_fails_in_the_middle_stops_the_run_and_is_no_episodes_fault(tmp_path: Path) -> None:
    engine = Engine([Fake({"a": "yes"})], store=tmp_path / "j.db")
    await engine.grade(episode("first"), RUBRIC)
    engine.ledger.flush()  # type: ignore[union-attr]
    with closing(sqlite3.connect(tmp_path / "j.db")) as database:
        database.execute("drop table replies")
    told: list[Exception] = []
    with pytest.raises(StoreError, match="no such table"):
        async for _ in engine.grade_many([episode("first"), episode("second")], RUBRIC, on_error=told.append):
            pass
    assert told == []


async def test_what_could_not_be_written_is_told_at_the_end_at_the_latest(tmp_path: Path) -> None:
    engine = Engine([Fake({"a": "yes"})], store=tmp_path / "j.db")
    assert engine.ledger is not None
    with closing(sqlite3.connect(tmp_path / "j.db")) as database:
        database.execute("drop table replies")
    await engine.grade(episode("first"), RUBRIC)
    with pytest.raises(StoreError, match="no such table"):
        await engine.close()


async def test_a_store_that_cannot_be_opened_is_told_before_an_episode_is_read(tmp_path: Path) -> None:
    (tmp_path / "j.db").write_text("no database" * 1000)
    read: list[str] = []

    def reading() -> Episode:
        read.append("e")
        return episode()

    engine = Engine([Fake({"a": "yes"})], store=tmp_path / "j.db")
    with pytest.raises(InputError, match="--store"):
        async for _ in engine.grade_many((reading() for _ in range(3)), RUBRIC, on_error=lambda _error: None):
            pass
    assert read == []
