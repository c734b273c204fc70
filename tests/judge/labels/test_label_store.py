"""Labels in the store: an answer is one row however often it comes, and answers that differ all stay."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from calibration.label import Label
from judge.errors import InputError
from judge.store.labels import ROWS_AT_ONCE, LabelStore
from judge.store.ledger import Ledger
from tests.postgresql import server

FULL = Label(
    episode="a1", criterion="amount", rater="ann", level="yes", note="states 48.00", inclusion=0.25, stratum="passes",
    at=datetime(2026, 3, 31, 12, 5, 30, 250_000, tzinfo=UTC), used_for="tuning", place="labels.csv line 2",
)  # fmt: skip
BARE = Label(episode="a1", rater="ben", value=0.75)


@pytest.fixture(scope="module")
def postgresql() -> Iterator[str]:
    with server() as url:
        yield url


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LabelStore]:
    place = request.getfixturevalue("postgresql") if request.param == "PostgreSQL" else tmp_path / "j.db"
    with LabelStore(place) as made:
        with made._engine.begin() as connection:
            connection.exec_driver_sql("delete from labels")
        yield made


def test_labels_come_back_as_they_were_in_their_order(store: LabelStore) -> None:
    assert store.put([FULL, BARE], source="labels.csv") == (2, 0)
    assert list(store.labels()) == [FULL, BARE]


def test_importing_twice_adds_nothing(store: LabelStore) -> None:
    many = [Label(episode=f"e{n}", rater="ann", level="pass") for n in range(ROWS_AT_ONCE + 10)]
    assert store.put(many) == (len(many), 0)
    assert store.put([*many, BARE, BARE]) == (1, len(many) + 1)
    assert len(list(store.labels())) == len(many) + 1


def test_answers_that_differ_are_all_kept_and_reported(store: LabelStore) -> None:
    """C06: kept per annotator; no silent last-wins."""
    other = FULL.model_copy(update={"level": "no", "at": None, "place": "labels.csv line 9"})
    assert store.put([FULL, other, FULL.model_copy(update={"rater": "person:ben", "level": "no"})]) == (3, 0)
    (conflict,) = store.conflicts()
    assert str(conflict) == "a1/amount: person:ann said 'yes' (labels.csv line 2) and 'no' (labels.csv line 9)"


def test_what_is_learned_of_an_answer_later_is_taken_over_and_what_is_not_said_stays(store: LabelStore) -> None:
    store.put([FULL])
    nothing_more = FULL.model_copy(update={"note": "", "inclusion": None, "stratum": None, "used_for": None})
    corrected = FULL.model_copy(update={"inclusion": 0.5, "used_for": "example"})
    assert store.put([nothing_more]) == (0, 1)
    assert list(store.labels()) == [FULL]
    assert store.put([corrected]) == (0, 1)
    assert list(store.labels()) == [corrected]


def test_labels_can_be_chosen_by_episode_criterion_and_rater(store: LabelStore) -> None:
    store.put([FULL, BARE, FULL.model_copy(update={"episode": "a2"})])
    assert [x.episode for x in store.labels(episodes=["a2", "zz"])] == ["a2"]
    assert list(store.labels(criterion="")) == [BARE]
    assert len(list(store.labels(criterion="amount"))) == 2
    assert list(store.labels(rater="ben")) == list(store.labels(rater="person:ben")) == [BARE]


def test_times_without_an_offset_are_utc_and_texts_fit_every_database(store: LabelStore) -> None:
    odd = FULL.model_copy(update={"at": datetime(2026, 1, 1), "note": "\x00 \ud83d", "episode": "é'\""})
    store.put([odd])
    (found,) = store.labels()
    assert found.at == datetime(2026, 1, 1, tzinfo=UTC)
    assert (found.note, found.episode) == ("␀ \ufffd", "é'\"")


def test_a_store_of_before_labels_gets_their_table(tmp_path: Path) -> None:
    Ledger(tmp_path / "j.db").close()
    with closing(sqlite3.connect(tmp_path / "j.db")) as database:
        database.execute("drop table labels")
    with LabelStore(tmp_path / "j.db") as made:
        assert made.put([BARE]) == (1, 0)


def test_a_store_that_fails_says_so_in_one_sentence(tmp_path: Path) -> None:
    with LabelStore(tmp_path / "j.db") as made:
        with closing(sqlite3.connect(tmp_path / "j.db")) as database:
            database.execute("drop table labels")
        with pytest.raises(InputError, match=r"j.db: can't be written: no such table: labels"):
            made.put([BARE])
        with pytest.raises(InputError, match=r"j.db: can't be read"):
            list(made.labels())
