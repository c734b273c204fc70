"""The package `rubric` (2.2.0), one call for all criteria, on the same transcripts: run by an interpreter that has it.

    pip install rubric==2.2.0 openai; python -m benchmarks.peer_rubric URL EPISODES IN_FLIGHT

Prints {"wall", "cpu", "right"} as JSON. Its user brings the way to a model; here it is the openai package without retries.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

from benchmarks.provider import cpu
from benchmarks.transcripts import ASKS, score, turns

SCHEMA = {
    "type": "object", "additionalProperties": False, "required": ["verdicts"],
    "properties": {"verdicts": {"type": "array", "items": {
        "type": "object", "additionalProperties": False, "required": ["id", "reason", "level"],
        "properties": {"id": {"type": "string", "enum": [f"c{i}" for i in range(len(ASKS))]}, "reason": {"type": "string"},
                       "level": {"type": "string", "enum": ["no", "yes"]}}}}},
}  # fmt: skip


async def run(url: str, count: int, in_flight: int) -> int:
    """Grades `count` transcripts; returns how many scores are right."""
    from openai import AsyncOpenAI, OpenAIError
    from rubric import Criterion, OneShotOutput, Rubric
    from rubric.autograders import PerCriterionOneShotGrader

    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    form: Any = {"type": "json_schema", "json_schema": {"name": "verdicts", "strict": True, "schema": SCHEMA}}

    async def generate(system: str, user: str, **_: Any) -> OneShotOutput:
        messages: Any = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        got = await client.chat.completions.create(model="judge-x", messages=messages, response_format=form)
        verdicts = json.loads(got.choices[0].message.content or "")["verdicts"]
        rows = [{"criterion_number": int(v["id"][1:]) + 1, "criterion_status": "MET" if v["level"] == "yes" else "UNMET",
                 "explanation": v["reason"]} for v in verdicts]  # fmt: skip
        return OneShotOutput.model_validate({"criteria_evaluations": rows})

    rubric = Rubric([Criterion(weight=1, requirement=f"Does the reply {ask}?") for ask in ASKS])
    grader = PerCriterionOneShotGrader(generate_fn=generate)
    numbers, right = iter(range(count)), 0

    async def worker() -> None:
        nonlocal right
        for number in numbers:
            try:
                report = await rubric.grade("\n".join(turns(number)), autograder=grader)
            except (OpenAIError, ValueError, KeyError, TypeError, IndexError, AttributeError):
                continue
            right += abs(report.score - score(number)) < 1e-9

    await asyncio.gather(*(worker() for _ in range(in_flight)))
    await client.close()
    return right


def main() -> None:
    """Measure one run after a short one that warms up."""
    url, count, in_flight = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    asyncio.run(run(url, min(count, 2 * in_flight), in_flight))
    used, wall = cpu(), time.perf_counter()
    right = asyncio.run(run(url, count, in_flight))
    print(json.dumps({"wall": time.perf_counter() - wall, "cpu": cpu() - used, "right": right}))


if __name__ == "__main__":
    main()
