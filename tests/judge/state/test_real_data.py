"""Recorded verdicts of public agent benchmarks, reproduced by comparing states."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge.state import State, apply_changes, compare, diff
from tests.shared import shared


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def tables(folder: Path, prefix: str, *names: str) -> State:
    return State.of({name: json.loads((folder / f"{prefix}{name}.json").read_text()) for name in names})


@pytest.fixture(scope="module")
def airline() -> tuple[State, dict[str, Any], list[dict[str, Any]]]:
    folder = shared("data/tau1_airline")
    tasks = {task["task_id"]: task for task in lines(folder / "tasks.jsonl")}
    return tables(folder, "db_", "flights", "reservations", "users"), tasks, lines(folder / "episodes_gpt-4o.jsonl")


def test_all_200_airline_verdicts_are_reproduced_and_every_failure_is_explained(airline: Any) -> None:
    initial, tasks, episodes = airline
    right = 0
    for episode in episodes:
        final = apply_changes(initial, episode["final_diff"])
        comparison = compare(initial, final, apply_changes(initial, tasks[episode["task_id"]]["goal_diff"]))
        assert comparison.match == episode["db_match"], episode["episode_id"]
        assert comparison.match == (not comparison.faults)
        right += 1
    assert right == 200


def test_the_difference_of_an_airline_episode_leads_back_to_its_final_state(airline: Any) -> None:
    initial, _, episodes = airline
    for episode in episodes[:60]:
        final = apply_changes(initial, episode["final_diff"])
        assert apply_changes(initial, diff(initial, final)).value == final.value


def tau2_bases(folder: Path) -> dict[str, State]:
    agent, user = (tomllib.loads((folder / f"telecom_{name}.toml").read_text()) for name in ("db", "user_db"))
    return {
        "airline": tables(folder, "db_airline_", "flights", "reservations", "users"),
        "retail": tables(folder, "db_retail_", "orders", "products", "users"),
        "telecom": State.of({"agent_db": agent, "user_db": user}),
    }


def comparable(folder: Path) -> Iterator[dict[str, Any]]:
    """The episodes with a recorded database verdict and no replay error."""
    for path in sorted(folder.glob("*.jsonl")):
        if not path.name.startswith("tasks_"):
            yield from (e for e in lines(path) if e["db_match"] is not None and not e["replay_error"])


def test_all_464_comparable_tau2_verdicts_are_reproduced_and_empty_goals_told_apart() -> None:
    folder = shared("data/tau2_episodes")
    bases = tau2_bases(folder)
    tasks = {task["task_hash"]: task for domain in bases for task in lines(folder / f"tasks_{domain}.jsonl")}
    seen = empty = spoiled = 0
    for episode in comparable(folder):
        task = tasks[episode["task_hash"]]
        initial = apply_changes(bases[episode["domain"]], task["init_diff"])
        final, goal = (apply_changes(initial, changes) for changes in (episode["final_diff"], task["goal_diff"]))
        comparison = compare(initial, final, goal)
        assert comparison.match == episode["db_match"], episode["episode_id"]
        assert (comparison.required == 0) == (task["goal_diff"] == []), episode["episode_id"]
        seen += 1
        if comparison.required == 0:
            empty += 1
            spoiled += not comparison.match
            assert {change.kind for change in comparison.changes} <= {"collateral"}
    assert (seen, empty) == (464, 145)
    assert 0 < spoiled < empty
