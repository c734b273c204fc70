"""The public tau-bench episodes as plain records: a base state in a file, and what was changed as a patch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.shared import shared

OPS = {"add": "add", "set": "replace", "del": "remove"}


def patch_of(diff: list[list[Any]]) -> list[dict[str, Any]]:
    """A recorded list of [op, path, old, new] as a JSON Patch."""
    return [
        {"op": OPS[op], "path": "/" + path, **({} if op == "del" else {"value": new})} for op, path, _old, new in diff
    ]


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def airline_records(folder: Path) -> Iterator[dict[str, Any]]:
    """The 200 airline episodes as plain records, whose initial state is written to `folder`/airline.json once."""
    data = shared("data/tau1_airline")
    tables = {name: json.loads((data / f"db_{name}.json").read_text()) for name in ("flights", "reservations", "users")}
    (folder / "airline.json").write_text(json.dumps(tables))
    tasks = {task["task_id"]: task for task in rows(data / "tasks.jsonl")}
    policy = (data / "policy.md").read_text()
    for row in rows(data / "episodes_gpt-4o.jsonl"):
        task = tasks[row["task_id"]]
        yield {
            "task_id": f"airline-{row['task_id']}", "episode_id": row["episode_id"], "trial": row["trial"],
            "group_id": f"airline-{row['task_id']}", "policy": row["agent_model"],
            "instruction": task["instruction"], "context": {"policy": policy, "outputs": task["outputs"]},
            "messages": row["messages"], "initial_state": "airline.json",
            "final_state": {"$base": "initial_state", "$patch": patch_of(row["final_diff"])},
            "goal_state": {"$base": "initial_state", "$patch": patch_of(task["goal_diff"])},
            "reward": row["reward"], "terminated": row["terminated"], "metadata": {"db_match": row["db_match"]},
        }  # fmt: skip


def write_airline(folder: Path) -> Path:
    """The airline episodes as a JSONL file in `folder`."""
    path = folder / "airline.jsonl"
    with path.open("w") as file:
        file.writelines(json.dumps(record) + "\n" for record in airline_records(folder))
    return path
