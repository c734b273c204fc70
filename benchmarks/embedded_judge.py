"""How right and how quick the embedded judge is: `python benchmarks/embedded_judge.py [--model NAME] [--split SPLIT]`.

Right: short office replies, each with one criterion that it meets and one that it doesn't, from
tests/judge/models/judging_probe.jsonl. The wording of the statements was chosen on the split `chosen_on`; the figure to
believe is that of `fresh`.
Quick: three episodes of about 150 words with three yes/no criteria each.
The weights must be there: `judge models pull`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import time
from pathlib import Path
from typing import Any

from judge.episode import Episode, Step
from judge.models.exchange import Prompt
from judge.models.local import LocalModel
from judge.prompting import Exhibit, compose
from rubrics.criterion import Criterion

PROBE = Path(__file__).parents[1] / "tests" / "judge" / "models" / "judging_probe.jsonl"
PATIENCE = 1800.0


def episode(name: str, request: str, reply: str) -> Episode:
    """An episode of one request and one reply."""
    steps = (Step(t=1, by="user", text=request), Step(t=2, by="agent", text=reply))
    return Episode(task_id=name, steps=steps)


def probe_prompt(row: dict[str, Any]) -> Prompt:
    """The prompt that asks both criteria of a row, as a run would compose it."""
    criteria = [Criterion(id=kind, ask=row[kind]) for kind in ("met", "unmet")]
    return compose(Exhibit(episode(row["id"], row["request"], row["reply"])), criteria, window=8192)


def wilson(right: int, n: int) -> tuple[float, float]:
    """The 95% interval of a share (Wilson 1927)."""
    z, share = 1.96, right / n
    centre, spread = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (centre - spread) / (1 + z * z / n), (centre + spread) / (1 + z * z / n)


async def accuracy(model: LocalModel, rows: list[dict[str, Any]]) -> None:
    """Prints how often the criteria were judged right, and how well met and unmet ones were told apart."""
    chances: list[dict[str, float]] = []
    missing = 0
    for row in rows:
        reply = await model.ask(probe_prompt(row), timeout=PATIENCE)
        found = {name: levels["yes"] for name, levels in (reply.probabilities or {}).items()}
        missing += 2 - len(found)
        if len(found) == 2:
            chances.append(found)
    met, unmet = [c["met"] for c in chances], [c["unmet"] for c in chances]
    right, n = sum(p > 0.5 for p in met) + sum(p <= 0.5 for p in unmet), 2 * len(rows)
    low, high = wilson(right, n)
    print(f"right {right}/{n} = {right / n:.3f} (95% {low:.2f} to {high:.2f}), not answered {missing}")
    print(
        f"met judged met {sum(p > 0.5 for p in met)}/{len(met)}, unmet judged unmet {sum(p <= 0.5 for p in unmet)}/{len(unmet)}"
    )
    pairs = [(m > u) + 0.5 * (m == u) for m in met for u in unmet]
    print(
        f"AUC {sum(pairs) / len(pairs):.3f}, met above unmet of the same reply {sum(c['met'] > c['unmet'] for c in chances)}"
    )


async def speed(model: LocalModel, rows: list[dict[str, Any]]) -> None:
    """Prints the seconds and tokens for three episodes of about 150 words with three criteria each."""
    asks = ("Does the reply state an amount?", "Does the reply apologise?", "Does the reply name a next step?")
    criteria = [Criterion(id=f"c{i}", ask=ask) for i, ask in enumerate(asks)]
    begun, read, cached = time.monotonic(), 0, 0
    for number in range(3):
        some = rows[4 * number : 4 * number + 4]
        told = episode(f"speed{number}", some[0]["request"], " ".join(row["reply"] for row in some))
        usage = (await model.ask(compose(Exhibit(told), criteria, window=8192), timeout=PATIENCE)).usage
        read, cached = read + (usage.input_tokens or 0), cached + (usage.cached_tokens or 0)
    seconds = time.monotonic() - begun
    print(f"3 episodes x 3 criteria: {seconds:.1f} s, {read} tokens, {cached} of them cached")
    print(f"{(read - cached) / seconds:.0f} tokens read a second")


async def main() -> None:
    """Loads the model and prints the figures."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--model", default="qwen2.5-coder-1.5b")
    options.add_argument("--split", default="fresh", choices=["fresh", "chosen_on"])
    options.add_argument("--threads", type=int)
    options.add_argument("--only", choices=["accuracy", "speed"])
    given = options.parse_args()
    rows = [row for row in map(json.loads, PROBE.read_text("utf-8").splitlines()) if row["split"] == given.split]
    model = LocalModel(given.model, threads=given.threads)
    begun = time.monotonic()
    await model.ask(Prompt(system="", evidence="", questions="", criteria=(), episode_id=""), timeout=None)
    print(f"{model.reference}: loaded in {time.monotonic() - begun:.1f} s")
    if given.only != "accuracy":
        await speed(model, rows)
    if given.only != "speed":
        await accuracy(model, rows)
    await model.close()


if __name__ == "__main__":
    asyncio.run(main())
