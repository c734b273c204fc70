"""The public tau-bench airline episodes: the state check alone, then a hybrid of state gate and judged replies."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import rubrics
from judge.engine import Engine
from judge.episode import Episode
from judge.options import Options
from judge.reading import read_episodes
from tests.judge.fakes import Fake
from tests.taubench import rows, write_airline

FAULTS = {"required_missing", "made_wrong", "collateral"}
STATE = rubrics.load(
    {
        "id": "airline_state",
        "pass_mark": 1.0,
        "criteria": [{"id": "right_state", "check": {"name": "state"}, "gate": True}],
    }
)
HYBRID = rubrics.load(
    {
        "id": "airline", "pass_mark": 0.6,
        "criteria": [
            {"id": "right_state", "check": {"name": "state"}, "gate": True},
            {"id": "outputs", "check": {"name": "says", "words": "{{ outputs }}", "in": "any_reply"}, "weight": 2,
             "applies_if": "context.outputs"},
            {"id": "clear", "ask": "Does the last reply tell the customer what was done?"},
            {"id": "false_claim", "ask": "Does a reply report an action as done that no tool result confirms?", "weight": -2},
        ],
    }
)  # fmt: skip


@pytest.fixture(scope="module")
def airline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_airline(tmp_path_factory.mktemp("airline"))


@pytest.fixture(scope="module")
def recorded(airline: Path) -> dict[str, dict[str, object]]:
    return {row["episode_id"]: row for row in rows(airline)}


def episodes(path: Path) -> list[Episode]:
    return list(read_episodes(path, on_bad=lambda bad: pytest.fail(bad.message)))


def test_the_state_check_agrees_with_all_200_recorded_verdicts(airline: Path, recorded: dict) -> None:  # type: ignore[type-arg]
    engine = Engine()
    found = {e.id: engine.check(e, STATE) for e in episodes(airline)}
    agreed = [(record.score == 1.0) == recorded[name]["metadata"]["db_match"] for name, record in found.items()]
    assert (len(agreed), sum(agreed)) == (200, 200)


def test_every_failure_is_explained_by_what_is_missing_wrong_or_collateral(airline: Path) -> None:
    engine = Engine()
    failed = [record for e in episodes(airline) if (record := engine.check(e, STATE)).score == 0.0]
    assert len(failed) == 112
    assert all(FAULTS & {str(change["kind"]) for change in record.changes} for record in failed)


async def test_the_hybrid_never_pays_for_a_wrong_state_and_asks_only_behind_open_gates(airline: Path) -> None:
    judge = Fake({"clear": "yes", "false_claim": "no"})
    async with Engine([judge], options=Options(concurrency=16)) as engine:
        records = [record async for record in engine.grade_many(episodes(airline), HYBRID)]
    gates = Counter(bool(record.closed_gates) for record in records)
    assert gates == {True: 112, False: 88}
    assert all(record.score == 0.0 for record in records if record.closed_gates)
    assert judge.asked == 88
    assert all(record.score is not None and 0.0 < record.score <= 1.0 for record in records if not record.closed_gates)
