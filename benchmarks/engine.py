"""Whole episodes a second on one core, everything on: prompt, call, parse, verify quotes, score, record, ledger.

    python -m benchmarks.engine [--episodes 1000] [--in-flight 64] [--latency 0.05] [--peers] [--profile]

Beside it, in the same run, a bare aiohttp loop with one call for each episode, and with `--peers` the package `rubric` (one call
for all criteria) where it is installed.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import json
import pstats
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import rubrics
from benchmarks.provider import busy, cpu, provider
from judge.engine import Engine
from judge.episode import Action, Episode, Step
from judge.judges import Judge
from judge.options import Options

CHARACTERS = 11_400
ASKS = ("state the amount", "name the payment method", "say how long it takes", "apologise", "use the customer's name")
RUBRIC = rubrics.load(
    {"id": "bench", "criteria": [{"id": f"c{i}", "ask": f"Does the reply {ask}?"} for i, ask in enumerate(ASKS)]}
)
TURNS = 24


def episodes(count: int) -> Iterator[Episode]:
    """Conversations of 11,400 characters, each its own."""
    words = "The customer was charged twice for order 99173 and asks for the later charge back. "
    text = (words * 20)[: CHARACTERS // TURNS - 12]
    for number in range(count):
        steps = [
            Step(t=t, by="agent" if t % 2 else "user", text=f"#{number}.{t} {text}")
            if t % 6 != 3
            else Step(t=t, action=Action(tool="lookup", args={"order": number}), observation=text)
            for t in range(TURNS)
        ]
        yield Episode(task_id=f"e{number}", steps=tuple(steps))


async def ours(url: str, count: int, in_flight: int) -> int:
    """Grades everything; returns how many scores are right."""
    judge = Judge(name="x", model="openai/judge-x", base_url=url)
    with tempfile.TemporaryDirectory() as folder:
        options = Options(concurrency=in_flight, window=2 * in_flight)
        async with Engine([judge], options=options, store=Path(folder) / "ledger.db") as engine:
            return sum([record.score == 1.0 async for record in engine.grade_many(episodes(count), RUBRIC)])


async def bare(url: str, count: int, in_flight: int) -> int:
    """The least that a client must do for one call an episode: encode, post, read, decode."""
    import aiohttp

    numbers = iter(range(count))
    transcripts = ["\n".join(step.text or str(step.observation) for step in e.steps) for e in episodes(in_flight)]

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def worker() -> None:
            for number in numbers:
                messages = [{"role": "user", "content": transcripts[number % in_flight]}]
                data = json.dumps({"model": "judge-x", "messages": messages}).encode()
                headers = {"content-type": "application/json"}
                async with session.post(f"{url}/chat/completions", data=data, headers=headers) as got:
                    json.loads(await got.read())["choices"][0]["message"]["content"]

        await asyncio.gather(*(worker() for _ in range(in_flight)))
    return count


async def peer_rubric(url: str, count: int, in_flight: int) -> int:
    """The package `rubric`, one call for all criteria, over its own way to an OpenAI endpoint."""
    from benchmarks.peer_rubric import grade

    return await grade(url, [_flat(e) for e in episodes(count)], [f"Does the reply {ask}?" for ask in ASKS], in_flight)


def _flat(episode: Episode) -> str:
    return "\n".join(step.text or str(step.observation) for step in episode.steps)


Run = Callable[[str, int, int], Awaitable[int]]


def measure(run: Run, url: str, count: int, in_flight: int) -> tuple[float, float, int]:
    """Wall seconds, CPU seconds and right grades."""
    used, wall = cpu(), time.perf_counter()
    right = asyncio.run(run(url, count, in_flight))  # type: ignore[arg-type]
    return time.perf_counter() - wall, cpu() - used, right


def main() -> None:
    """Measure and print."""
    given = _options()
    runs: dict[str, Run] = {"bare aiohttp": bare, "rubric-judge": ours}
    if given.peers:
        runs["rubric (peer)"] = peer_rubric
    print(busy(), end="")
    with provider("--latency", str(given.latency)) as url:
        for run in runs.values():
            asyncio.run(run(url, 2 * given.in_flight, given.in_flight))  # type: ignore[arg-type]
        if given.profile:
            _profile(url, given)
            return
        found: dict[str, list[Any]] = {name: [] for name in runs}
        for _ in range(given.rounds):
            for name, run in runs.items():
                found[name].append(measure(run, url, given.episodes, given.in_flight))
    _report(found, given)


def _report(found: dict[str, list[Any]], given: argparse.Namespace) -> None:
    ideal = given.in_flight / given.latency
    print(f"{given.episodes} episodes x {len(ASKS)} criteria, {given.latency * 1000:g} ms, {given.in_flight} in flight, "
          f"medians of {given.rounds}; ideal {ideal:.0f}/s")  # fmt: skip
    base = statistics.median(wall for wall, _, _ in found["bare aiohttp"])
    for name, each in found.items():
        wall, used = statistics.median(w for w, _, _ in each), statistics.median(c for _, c, _ in each)
        right = min(r for _, _, r in each)
        rate = given.episodes / wall
        print(f"{name:14} wall {wall:6.2f} s  {rate:6.0f}/s  {base / wall:5.2f} of bare  {used / given.episodes * 1000:5.2f} CPU s per "
              f"1,000 episodes  {right} right")  # fmt: skip


def _profile(url: str, given: argparse.Namespace) -> None:
    profiler = cProfile.Profile()
    profiler.enable()
    asyncio.run(ours(url, given.episodes, given.in_flight))
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(45)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--profile", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
