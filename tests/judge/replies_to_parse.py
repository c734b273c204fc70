"""Hard replies of judges, and what each must give: read from `tests/cases/parsing.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.models.exchange import Reply
from rubrics import Criterion

CASES = Path(__file__).parents[1] / "cases" / "parsing.jsonl"


def criterion(name: str, scale: Any = "binary", **more: Any) -> Criterion:
    """A criterion on a scale as the cases write it: `binary`, `1-5`, bounds, or labels from worst to best."""
    if scale == "binary":
        return Criterion(id=name, ask="?", **more)
    if isinstance(scale, dict) and "labels" in scale:
        top = len(scale["labels"]) - 1
        levels = [{"name": label, "value": place / top} for place, label in enumerate(scale["labels"])]
        return Criterion.model_validate({"id": name, "ask": "?", "levels": levels, **more})
    return Criterion.model_validate({"id": name, "ask": "?", "scale": scale, **more})


def spelled_out(text: Any) -> str | None:
    """The reply's text; `{"repeat": [piece, times], "before", "after"}` stands for a long one."""
    if isinstance(text, dict):
        piece, times = text["repeat"]
        return f"{text.get('before', '')}{piece * times}{text.get('after', '')}"
    return text


@dataclass(frozen=True)
class Case:
    """One reply, the criteria asked, and the levels, values and failure kinds that must come of it."""

    id: str
    criteria: tuple[Criterion, ...]
    reply: Reply
    levels: Mapping[str, str | None]
    failures: Mapping[str, str]
    values: Mapping[str, float]


def read_cases() -> list[Case]:
    """All cases, in the order of the file."""
    rows = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    return [
        Case(
            id=row["id"],
            criteria=tuple(criterion(name, scale) for name, scale in row["criteria"].items()),
            reply=Reply(text=spelled_out(row["text"]), finish=row.get("finish", "stop")),
            levels=row["levels"],
            failures=row["failures"],
            values=row.get("values", {}),
        )
        for row in rows
    ]
