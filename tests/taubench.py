"""The public tau-bench episodes as plain records: a base state in a file, and what was changed as a patch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judge.state import State, apply_changes
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


def tau2_records(run: str, folder: Path) -> Iterator[dict[str, Any]]:
    """The episodes of a recorded tau2 run (such as `qwen25_7b_airline`) as plain records.

    Each domain's initial state is written to `folder` once. `context.communicate` are the words that a reply has to hold;
    `metadata.assertions` is True if all recorded assertions about the conversation hold, None if none was recorded.
    """
    data = shared("data/tau2_episodes")
    domain = run.rsplit("_", 1)[-1]
    tables = {
        path.stem.rsplit("_", 1)[-1]: json.loads(path.read_text()) for path in sorted(data.glob(f"db_{domain}_*.json"))
    }
    (folder / f"{domain}.json").write_text(json.dumps(tables))
    tasks = {task["task_hash"]: task for task in rows(data / f"tasks_{domain}.jsonl")}
    base = State.of(tables)
    for row in rows(data / f"{run}.jsonl"):
        yield _tau2_record(row, tasks[row["task_hash"]], domain, base)


def rows_changed(initial: State, diff: list[list[Any]]) -> list[dict[str, Any]]:
    """A recorded list of changes as a JSON Patch of whole rows, since it names places in lists by identity."""
    final = apply_changes(initial, diff).value
    patch = []
    for table, row in dict.fromkeys(tuple(path.split("/")[:2]) for _op, path, _old, _new in diff):
        place = {"path": f"/{table}/{row}"}
        there = row in final[table]
        patch.append({"op": "add", **place, "value": final[table][row]} if there else {"op": "remove", **place})
    return patch


def _tau2_record(row: dict[str, Any], task: dict[str, Any], domain: str, base: State) -> dict[str, Any]:
    initial = apply_changes(base, task["init_diff"])
    first = {"$base": f"{domain}.json", "$patch": rows_changed(base, task["init_diff"])}
    wanted = task["task"]["evaluation_criteria"].get("communicate_info") or []
    said = [assertion["met"] for assertion in row["nl_assertions"] or []]
    return {
        "task_id": f"{domain}-{row['task_id']}", "episode_id": row["episode_id"], "trial": row["trial"],
        "group_id": f"{domain}-{row['task_id']}", "policy": row["agent_model"], "context": {"communicate": wanted},
        "messages": row["messages"], "initial_state": first if task["init_diff"] else f"{domain}.json",
        "final_state": {"$base": "initial_state", "$patch": rows_changed(initial, row["final_diff"])},
        "goal_state": {"$base": "initial_state", "$patch": rows_changed(initial, task["goal_diff"])},
        "reward": row["reward"], "termination": row["termination"],
        "metadata": {"db_match": row["db_match"], "assertions": all(said) if said else None},
    }  # fmt: skip


def write_tau2(run: str, folder: Path) -> Path:
    """The episodes of a recorded tau2 run as a JSONL file in `folder`."""
    path = folder / f"{run}.jsonl"
    with path.open("w") as file:
        file.writelines(json.dumps(record) + "\n" for record in tau2_records(run, folder))
    return path
