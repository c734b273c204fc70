"""Labelled items made of plain arrays, and of the public sets with several recorded judges."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from calibration.items import Item, Pair
from tests.shared import shared


def items_from(
    values: Any,
    *,
    tasks: Sequence[int] | None = None,
    covariates: dict[str, Any] | None = None,
    policies: Sequence[str] | None = None,
    criterion: str | None = None,
) -> list[Item]:
    """An item for each row of `values`, with judges j1, j2 … for its columns; NaN where a judge gave none."""
    rows = np.asarray(values, dtype=float)
    return [
        Item(
            f"e{i}", f"t{i if tasks is None else tasks[i]}", criterion,
            judges := {f"j{j + 1}": float(x) for j, x in enumerate(row) if not np.isnan(x)},
            float(np.nanmean(row)) if judges else None, tuple(judges),
            {name: float(x[i]) for name, x in (covariates or {}).items()},
            levels={str(n): n / 4 for n in range(5)}, policy=policies[i] if policies else None,
        )
        for i, row in enumerate(rows)
    ]  # fmt: skip


def pairs_from(values: Any, truth: Any, *, inclusion: Any = None, **about: Any) -> list[Pair]:
    """The items with their truth, by one person; `inclusion` are the probabilities with which they were labelled."""
    return [
        Pair(item, float(y), {"person:a": float(y)}, inclusion=None if inclusion is None else float(inclusion[i]))
        for i, (item, y) in enumerate(zip(items_from(values, **about), truth, strict=True))
    ]


def relevance_pairs(most: int | None = None) -> Iterator[Pair]:
    """Query-passage items with the values of 33 recorded judges and a person's; levels off the scale are left out."""
    with (shared("data/llmjudge_relevance") / "verdicts.csv").open() as file:
        for i, row in enumerate(csv.DictReader(file)):
            if i == most:
                return
            query, passage, truth = row.pop("query_id"), row.pop("passage_id"), float(row.pop("human")) / 3
            judges = {judge: float(x) / 3 for judge, x in row.items() if x and 0 <= float(x) <= 3}
            mean = sum(judges.values()) / len(judges)
            levels = {str(n): n / 3 for n in range(4)}
            item = Item(f"{query}/{passage}", query, "relevance", judges, mean, tuple(judges), {}, levels=levels)
            yield Pair(item, truth, {"person:nist": truth})


def audit_pairs(domain: str) -> Iterator[Pair]:
    """tau2 episodes with the recorded verdicts of four judge prompts and the reward of the state check."""
    with (shared("data/tau2_judge_audit") / f"episodes_{domain}.jsonl").open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            judges = {judge: float(x) for judge, x in row["verdict"].items() if x is not None}
            length = {"log_reply_chars": float(np.log1p(len(row["transcript"])))}
            mean, truth = sum(judges.values()) / len(judges), float(row["tau2_reward"])
            item = Item(row["simulation_id"], str(row["task_id"]), None, judges, mean, tuple(judges), length)
            yield Pair(item, truth, {"state:reward": truth})
