"""Small refund episodes graded by the engine: a database, what the agent left, what was wanted, and what judges say."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from judge.engine import Engine
from judge.options import Options
from judge.record import GradeRecord
from tests.judge.fakes import Fake, reply_of

BEFORE = {
    "refunds": {},
    "orders": {"o1": {"status": "paid"}, "o2": {"status": "paid"}},
    "credits": {"c1": {"amount": 0}},
}
REFUND = {"op": "add", "path": "/refunds/r1", "value": {"order": "o1", "amount": 48}}
WRONG_REFUND = {"op": "add", "path": "/refunds/r1", "value": {"order": "o1", "amount": 84}}
CREDIT = {"op": "replace", "path": "/credits/c1/amount", "value": 10}

STATE = {"id": "right_state", "check": {"name": "state"}, "gate": True}
REFUNDED = {
    "id": "refunded",
    "ask": "Was the refund made?",
    "evidence": ["transcript"],
    "shadows": {"tables": ["refunds"], "kinds": ["missing", "wrong"]},
}


def episode(name: str, *, did: Sequence[Any] = (), goal: Any = (REFUND,), **more: Any) -> dict[str, Any]:
    """A record; `did` and `goal` are JSON Patches on the initial state, or `goal` is a whole goal."""
    wanted = {"$base": "initial_state", "$patch": list(goal)} if isinstance(goal, tuple | list) else goal
    return {
        "task_id": name.split("#", maxsplit=1)[0], "episode_id": name, "instruction": "Refund order o1.", "initial_state": BEFORE,
        "final_state": {"$base": "initial_state", "$patch": list(did)}, "goal_state": wanted,
        "messages": [{"role": "user", "content": "Refund o1."}, {"role": "assistant", "content": "Refund of 48.00 made."}],
        **more,
    }  # fmt: skip


def rubric(*criteria: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A rubric of these criteria."""
    return {"id": "refund", "pass_mark": 0.5, "criteria": list(criteria), **more}


def graded(
    episodes: Sequence[dict[str, Any]],
    rubric_: Mapping[str, Any],
    judges: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[GradeRecord]:
    """The records of these episodes; `judges` gives for each judge its levels by criterion, or by episode and criterion."""
    fakes = [_fake(name, levels) for name, levels in (judges or {}).items()]

    async def run() -> list[GradeRecord]:
        async with Engine(fakes, options=Options(behind_gates=True)) as engine:
            return [await engine.grade(one, dict(rubric_)) for one in episodes]

    return asyncio.run(run())


def _fake(name: str, levels: Mapping[str, Any]) -> Any:
    return Fake(lambda prompt: reply_of(levels.get(prompt.episode_id, levels), prompt), name)
