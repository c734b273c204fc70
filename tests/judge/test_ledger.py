"""The ledger: what was paid for is kept by all that could change it, and failures are not answers."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from judge.errors import InputError, StoreError
from judge.models.exchange import Prompt, Reply, Usage
from judge.record import Cost, GradeRecord, RubricRef
from judge.replies import reply_key
from judge.store.ledger import ROWS_AT_MOST, Ledger
from tests.postgresql import server

PROMPT = Prompt(system="s", evidence="e\x00 \ud83d", questions="q", criteria=(), episode_id="ep")
REPLY = Reply(
    text="{}", model="m-1", usage=Usage(input_tokens=10, cached_tokens=2, output_tokens=3, usd=0.1), seconds=1.5,
    probabilities={"a": {"yes": 0.75, "no": 0.25}}, notes=("dropped temperature",),
)  # fmt: skip


def put(ledger: Ledger, key: str, reply: Reply = REPLY) -> None:
    ledger.put(key, PROMPT, reply, judge="j", reference="openai/m", sample=0)


def record(**more: object) -> GradeRecord:
    given = {"task_id": "t", "episode_id": "ep", "rubric": RubricRef(id="r", version="1", fingerprint="f" * 16), "method": "m",
             "score": 0.5, "low": 0.5, "high": 0.5, "raw": 0.5, "ungated": 0.5, "values": {"a": 0.5}, "passed": None,
             "coverage": 1.0, "cost": Cost()}  # fmt: skip
    return GradeRecord(**{**given, **more})  # type: ignore[arg-type]


def test_a_reply_comes_back_from_another_process_as_a_hit_that_costs_nothing(tmp_path: Path) -> None:
    key = reply_key("identity", PROMPT.key, 0)
    with_it = Ledger(tmp_path / "j.db")
    put(with_it, key)
    with_it.close()
    found = Ledger(tmp_path / "j.db").get(key)
    assert found is not None
    assert (found.text, found.model, found.probabilities, found.notes) == (
        REPLY.text,
        REPLY.model,
        REPLY.probabilities,
        REPLY.notes,
    )
    assert found.cached
    assert (found.usage.usd, found.usage.calls, found.usage.input_tokens) == (0.0, 0, None)


def test_a_reply_is_found_before_it_is_written(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "j.db")
    key = reply_key("i", "p", 0)
    put(ledger, key)
    assert ledger.get(key) is not None
    assert ledger.get(reply_key("i", "p", 1)) is None


def test_the_first_of_two_replies_under_one_key_stays(tmp_path: Path) -> None:
    key = reply_key("i", "p", 0)
    for text in ("first", "second"):
        ledger = Ledger(tmp_path / "j.db")
        put(ledger, key, Reply(text=text))
        ledger.close()
    found = Ledger(tmp_path / "j.db").get(key)
    assert found is not None
    assert found.text == "first"


@pytest.mark.parametrize(
    "other", [("x", "p", 0), ("i", "x", 0), ("i", "p", 1)], ids=["another judge", "another prompt", "another sample"]
)
def test_whatever_changes_the_answer_changes_the_key(other: tuple[str, str, int]) -> None:
    assert reply_key(*other) != reply_key("i", "p", 0)


@pytest.mark.parametrize("part", ["system", "evidence", "questions", "schema"])
def test_every_part_of_a_prompt_is_in_its_key(part: str) -> None:
    changed = {
        **{f: getattr(PROMPT, f) for f in ("system", "evidence", "questions", "criteria", "episode_id", "schema")}
    }
    changed[part] = {"type": "object"} if part == "schema" else "changed"
    assert Prompt(**changed).key != PROMPT.key


def test_the_way_back_to_prompt_and_reply_is_kept_with_nul_and_surrogates_made_harmless(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "j.db")
    put(ledger, reply_key("i", "p", 0))
    (exchange,) = ledger.exchanges("ep")
    assert (exchange["judge"], exchange["reference"], exchange["system"], exchange["questions"]) == (
        "j",
        "openai/m",
        "s",
        "q",
    )
    assert exchange["evidence"] == "e\x00 ?"
    assert exchange["reply"]["usage"]["usd"] == 0.1


def test_the_newest_grade_of_an_episode_is_shown_and_the_same_one_is_kept_once(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "j.db")
    for score in (0.5, 0.75, 0.75):
        ledger.record(record(score=score))
    found = ledger.latest("ep")
    assert found is not None
    assert found.score == 0.75
    assert ledger.latest("other") is None


def test_a_store_that_cannot_be_used_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "j.db").write_text("this is no database, it only has its name" * 100)
    with pytest.raises(InputError, match="--store"):
        Ledger(tmp_path / "j.db")


def test_a_database_of_another_program_is_refused_with_what_it_lacks(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "j.db")) as other:
        other.execute("create table replies (key text primary key, reply text)")
    with pytest.raises(InputError, match="'replies' has no column 'episode_id'"):
        Ledger(tmp_path / "j.db")


@pytest.mark.parametrize(
    "damaged", ["{broken", "[]", '{"text": "x"}', '{"text": "x", "usage": {"apples": 1}, "notes": []}']
)
def test_a_damaged_reply_is_no_answer_and_makes_room_for_the_next_one(tmp_path: Path, damaged: str) -> None:
    key = reply_key("i", "p", 0)
    ledger = Ledger(tmp_path / "j.db")
    put(ledger, key)
    ledger.close()
    with closing(sqlite3.connect(tmp_path / "j.db")) as database:
        database.execute("update replies set reply = ?", (damaged,))
        database.commit()
    ledger = Ledger(tmp_path / "j.db")
    assert ledger.get(key) is None
    put(ledger, key)
    ledger.close()
    assert Ledger(tmp_path / "j.db").get(key) is not None


def test_a_store_that_can_be_written_no_more_says_so_at_once_and_not_what_it_held(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "j.db")
    with closing(sqlite3.connect(tmp_path / "j.db")) as database:
        database.execute("drop table replies")
    put(ledger, reply_key("i", "p", 0))
    with pytest.raises(StoreError, match="can't be written: no such table: replies") as error:
        ledger.flush()
    assert "INSERT" not in str(error.value)
    with pytest.raises(StoreError):
        put(ledger, reply_key("i", "p", 1))
    with pytest.raises(StoreError):
        ledger.close()


def test_a_closed_ledger_takes_nothing_more_instead_of_losing_it(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "j.db")
    ledger.close()
    with pytest.raises(StoreError, match="is closed"):
        put(ledger, reply_key("i", "p", 0))


@pytest.fixture(scope="module")
def postgresql() -> Iterator[str]:
    with server() as url:
        yield url


def test_postgresql_keeps_the_same(postgresql: str) -> None:
    key = reply_key("identity", PROMPT.key, 0)
    with_it = Ledger(postgresql)
    put(with_it, key)
    put(with_it, key)
    with_it.record(record(score=0.25))
    with_it.close()
    again = Ledger(postgresql)
    found, (exchange,) = again.get(key), again.exchanges("ep")
    assert found is not None
    assert found.text == "{}"
    assert exchange["evidence"] == "e\x00 ?"
    assert again.latest("ep").score == 0.25  # type: ignore[union-attr]
    again.close()


def test_closing_twice_is_fine_and_everything_is_on_disk(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "j.db")
    keys = [reply_key("i", str(n), 0) for n in range(1200)]
    for key in keys:
        put(ledger, key)
    ledger.close()
    ledger.close()
    again = Ledger(tmp_path / "j.db")
    assert all(again.get(key) is not None for key in keys)


def test_what_waits_to_be_written_stays_bounded_however_busy_the_caller_is(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "j.db")
    most = 0
    for number in range(5000):
        put(ledger, reply_key("i", str(number), 0))
        most = max(most, len(ledger._pending))
    assert most <= ROWS_AT_MOST
    ledger.close()
