"""What the agent left in the database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from judge.checks import CheckSettings
from judge.episode import Episode
from judge.reading import episode_from, read_episodes
from tests.judge.checks.episodes import ask, criterion, failure, value
from tests.shared import shared

INITIAL = {"refunds": [], "tickets": [{"id": "T1", "status": "open", "note": None}]}
FINAL = {
    "refunds": [{"id": "r1", "charge": "c2", "amount": 48.0}],
    "tickets": [{"id": "T1", "status": "closed", "note": "dup"}],
}


def left(final: Any = FINAL, goal: Any = FINAL, initial: Any = INITIAL, **more: Any) -> Episode:
    return episode_from(
        {"task_id": "x", "steps": [], "initial_state": initial, "final_state": final, "goal_state": goal, **more}
    )


def test_the_right_state_is_worth_1_and_explained() -> None:
    checked = ask("state", left())
    assert checked.verdict is not None
    assert (checked.verdict.value, checked.verdict.level, checked.verdict.rater) == (1.0, "yes", "check:state")
    assert "required changes made" in checked.verdict.reason
    assert {change["kind"] for change in checked.changes} == {"required_made"}


def test_what_is_missing_and_what_is_collateral_are_named() -> None:
    final = {"refunds": [], "tickets": [{"id": "T1", "status": "open", "note": "oops"}]}
    goal = {"refunds": FINAL["refunds"], "tickets": INITIAL["tickets"]}
    checked = ask("state", left(final, goal))
    assert checked.verdict is not None
    assert checked.verdict.value == 0
    assert "1 required change missing: refunds" in checked.verdict.reason
    assert "1 collateral: tickets" in checked.verdict.reason
    assert {"required_missing", "collateral"} <= {change["kind"] for change in checked.changes}


def test_arguments_reach_the_comparison() -> None:
    final = {**FINAL, "tickets": INITIAL["tickets"]}
    assert value("state", left(final), tables=["refunds"]) == 1
    assert value("state", left(final), partial=True) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("episode", "kind", "why"),
    [
        (left(goal=None), "state_unavailable", "no goal_state"),
        (left(final=None), "state_unavailable", "final_state"),
        (left(final="crm.sql"), "state_unavailable", "final_state"),
        (left(goal={}), "check_error", "goal_state"),
        (left(final={"$base": "initial_state", "$patch": []}, initial=None), "state_unavailable", "initial"),
    ],
    ids=["no-goal", "no-final", "missing-dump", "empty-goal", "no-base"],
)
def test_a_state_that_nobody_can_read_is_no_zero(episode: Episode, kind: str, why: str) -> None:
    found, message = failure("state", episode)
    assert found == kind
    assert why in message
    assert message.startswith("c: ")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"query": "SELECT count(*) FROM refunds", "equals": 1}, 1),
        ({"query": "SELECT sum(amount) FROM refunds", "equals": "48.00"}, 1),
        ({"query": "SELECT amount FROM refunds", "equals": 48.004, "tolerance": 0.005}, 1),
        ({"query": "SELECT count(*) FROM refunds", "equals": 2}, 0),
        ({"query": "SELECT * FROM refunds WHERE charge = 'c1'", "exists": True}, 0),
        ({"query": "SELECT * FROM refunds WHERE charge = 'c1'", "exists": False}, 1),
        ({"query": "SELECT charge, amount FROM refunds", "rows": [["c2", 48]]}, 1),
        ({"query": "SELECT charge, amount FROM refunds", "rows": [{"charge": "c2", "amount": 48}]}, 1),
        ({"query": "SELECT charge FROM refunds", "rows": ["c2"]}, 1),
        ({"query": "SELECT charge FROM refunds", "rows": []}, 0),
        ({"query": "SELECT charge FROM refunds WHERE 0", "equals": None}, 0),
    ],
)
def test_a_query_is_asked_of_the_final_state(args: dict[str, Any], expected: float) -> None:
    assert value("sql", left(), **args) == expected


def test_a_query_that_fails_is_no_zero() -> None:
    assert failure("sql", left(), query="SELECT x FROM nowhere", equals=1)[0] == "check_error"
    assert failure("sql", left(final=None), query="SELECT 1", equals=1)[0] == "state_unavailable"


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"at": "$.refunds[0].amount", "equals": 48}, 1),
        ({"at": "$.refunds[0].amount", "equals": 48.01, "tolerance": 0.05}, 1),
        ({"at": "$.refunds[*].charge", "equals": "c2"}, 1),
        ({"at": "$.refunds[*].charge", "in": ["c1", "c2"]}, 1),
        ({"at": "$.refunds[*].charge", "in": ["c1"]}, 0),
        ({"at": "$.refunds[*]", "count": 1}, 1),
        ({"at": "$.refunds[?(@.charge == 'c2')].amount", "exists": True}, 1),
        ({"at": "$.refunds[?(@.charge == 'c1')].amount", "exists": True}, 0),
        ({"at": "$.refunds[?(@.charge == 'c1')].amount", "equals": 48}, 0),
        ({"at": "$.nothing", "exists": False}, 1),
        ({"at": "$.nothing"}, 0),
        ({"at": "$.tickets[0].note", "of": "initial", "exists": True}, 0),
        ({"at": "$.tickets[0].note", "exists": True}, 1),
        ({"at": "$.limit", "of": "context", "equals": 5}, 1),
    ],
)
def test_a_path_is_followed(args: dict[str, Any], expected: float) -> None:
    assert value("path", left(context={"limit": 5}), **args) == expected


def test_states_in_files_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "db.json").write_text('{"orders": [{"id": 1}]}')
    settings = CheckSettings()
    episode = left("db.json", {"orders": [{"id": 1}]}, None).model_copy(update={"base_dir": tmp_path})
    assert value("state", episode, settings=settings) == 1
    assert value("path", episode, settings=settings, at="$.orders[0].id", equals=1) == 1


def test_a_path_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "db.json").write_text("{}")
    episode = left("../db.json").model_copy(update={"base_dir": tmp_path / "in"})
    assert failure("state", episode)[0] == "state_unavailable"


def test_the_level_is_the_highest_that_the_value_reaches() -> None:
    levels = [{"name": "none", "value": 0}, {"name": "half", "value": 0.5}, {"name": "all", "value": 1}]
    asked = criterion("state", levels=levels, partial=True)
    from judge.checks import check

    checked = check(
        left({**FINAL, "tickets": [{"id": "T1", "status": "closed", "note": None}]}), asked, CheckSettings()
    )
    assert checked.verdict is not None
    assert checked.verdict.value == pytest.approx(2 / 3)
    assert checked.verdict.level == "half"


def test_the_sample_refunds_are_told_apart() -> None:
    path = Path(__file__).parents[3] / "rubrics" / "samples" / "refund_group.jsonl"
    args = {
        "tables": ["orders", "charges", "refunds", "credits", "tickets"],
        "keys": {"refunds": ["order_id"], "charges": ["charge_id"], "credits": ["customer_id"], "orders": ["order_id"],
                 "tickets": ["ticket_id"]},
        "ignore": ["*.refund_id", "*.credit_id", "*.created_at", "*.updated_at"],
    }  # fmt: skip
    reasons = {}
    for episode in read_episodes(path, on_bad=pytest.fail):  # type: ignore[arg-type]
        checked = ask("state", episode, **args)
        assert checked.verdict is not None
        reasons[episode.id] = (checked.verdict.value, checked.verdict.reason)
    assert {name for name, (found, _) in reasons.items() if found == 1} == {"a1", "a4", "a6", "a7", "a8"}
    assert "required" in reasons["a2"][1]
    assert "made wrong" in reasons["a3"][1]
    assert "collateral" in reasons["a5"][1]


def test_episodes_of_a_benchmark_answer_by_their_recorded_outcome() -> None:
    path = shared("data/tau1_airline/episodes_gpt-4o.jsonl")
    for episode in read_episodes(path, on_bad=pytest.fail):  # type: ignore[arg-type]
        assert value("outcome", episode, of="metadata.db_match", equals=True) == float(episode.metadata["db_match"])
        assert value("outcome", episode) == episode.reward
