"""Whole episodes a second on one core, everything on: prompt, call, parse, verify quotes, score, record, ledger.

    python -m benchmarks.engine [--episodes 1000] [--in-flight 64] [--latency 0.05] [--fault 429=0.1 …] [--peer PYTHON] [--profile]

Episodes are in memory before the clock starts. Beside it, in the same run, a bare aiohttp loop with as many calls, and with `--peer`
(an interpreter that has `rubric==2.2.0` and `openai`) the fastest peer. Every transcript carries its answer key, so right and wrong
grades are counted.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import json
import os
import pstats
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import rubrics
from benchmarks.provider import ROOT, busy, cpu, provider
from benchmarks.transcripts import ASKS, score, turns
from judge.cli.running import rest_from_garbage
from judge.engine import Engine
from judge.episode import Action, Episode, Step
from judge.judges import Judge
from judge.options import Options

RUBRIC = rubrics.load(
    {"id": "bench", "criteria": [{"id": f"c{i}", "ask": f"Does the reply {ask}?"} for i, ask in enumerate(ASKS)]}
)


class Measured(NamedTuple):
    """One run: wall and CPU seconds, grades that are right, wrong, and not there."""

    wall: float
    cpu: float
    right: int
    wrong: int = 0
    none: int = 0


def episodes(count: int) -> Iterator[Episode]:
    """Conversations of 11,400 characters, each its own; a step in six is a tool's."""
    for number in range(count):
        steps = [
            Step(t=t, action=Action(tool="lookup", args={"order": number}), observation=text)
            if t % 6 == 3
            else Step(t=t, by="agent" if t % 2 else "user", text=text)
            for t, text in enumerate(turns(number))
        ]
        yield Episode(task_id=f"e{number}", steps=tuple(steps))


async def ours(url: str, given: list[Episode], in_flight: int, batch: int = 8) -> tuple[int, int, int]:
    """Grades everything; returns how many scores are right, wrong and None."""
    judge = Judge(name="x", model="openai/judge-x", base_url=url)
    found = {True: 0, False: 0, None: 0}
    with tempfile.TemporaryDirectory() as folder:
        options = Options(concurrency=in_flight, batch=batch)
        async with Engine([judge], options=options, store=Path(folder) / "ledger.db") as engine:
            async for record in engine.grade_many(given, RUBRIC):
                expected = score(int(record.task_id[1:]))
                found[None if record.score is None else abs(record.score - expected) < 1e-9] += 1
    return found[True], found[False], found[None]


async def bare(url: str, given: list[Episode], in_flight: int, batch: int = 8) -> tuple[int, int, int]:
    """The least that a client must do for as many calls: encode, post, read, decode."""
    import aiohttp

    numbers = iter(range(len(given) * calls_an_episode(batch)))
    transcripts = ["\n".join(turns(number)) for number in range(32)]

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def worker() -> None:
            for number in numbers:
                messages = [{"role": "user", "content": transcripts[number % 32]}]
                data = json.dumps({"model": "judge-x", "messages": messages}).encode()
                headers = {"content-type": "application/json"}
                async with session.post(f"{url}/chat/completions", data=data, headers=headers) as got:
                    json.loads(await got.read())["choices"][0]["message"]["content"]

        await asyncio.gather(*(worker() for _ in range(in_flight)))
    return len(given), 0, 0


Measure = Callable[[str, int, int], Measured]


def calls_an_episode(batch: int) -> int:
    """How many calls all criteria of one episode take."""
    return -(-len(ASKS) // batch)


def in_this_process(run: Callable[..., object], batch: int) -> Measure:
    """Measures a coroutine function here."""

    def measure(url: str, count: int, in_flight: int) -> Measured:
        given = list(episodes(count))
        rest_from_garbage()  # as the command line does
        used, wall = cpu(), time.perf_counter()
        right, wrong, none = asyncio.run(run(url, given, in_flight, batch))  # type: ignore[arg-type, misc]
        return Measured(time.perf_counter() - wall, cpu() - used, right, wrong, none)

    return measure


def peer(python: str) -> Measure:
    """Measures the package `rubric` in a process of its own, on the core of this one."""

    def measure(url: str, count: int, in_flight: int) -> Measured:
        command = [python, "-m", "benchmarks.peer_rubric", url, str(count), str(in_flight)]
        out = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, env={**os.environ})
        found = json.loads(out.stdout)
        return Measured(found["wall"], found["cpu"], found["right"], none=count - found["right"])

    return measure


def main() -> None:
    """Measure and print."""
    given = _options()
    runs: dict[str, Measure] = {
        "bare aiohttp": in_this_process(bare, given.batch),
        "rubric-judge": in_this_process(ours, given.batch),
    }
    if given.fault:
        del runs["bare aiohttp"]
    if given.peer:
        runs["rubric 2.2.0"] = peer(given.peer)
    print(busy(), end="")
    faults = [part for fault in given.fault for part in ("--fault", fault)]
    with provider(
        "--latency", str(given.latency), "--spread", str(given.spread), "--at-most", str(given.at_most), *faults
    ) as url:
        if given.profile:
            _profile(url, given)
            return
        for measure in list(runs.values())[:2]:
            measure(url, 2 * given.in_flight, given.in_flight)
        found: dict[str, list[Measured]] = {name: [] for name in runs}
        for _ in range(given.rounds):
            for name, measure in runs.items():
                found[name].append(measure(url, given.episodes, given.in_flight))
    _report(found, given)


def _report(found: dict[str, list[Measured]], given: argparse.Namespace) -> None:
    faults = f", faults {' '.join(given.fault)}" if given.fault else ""
    calls = calls_an_episode(given.batch) * given.episodes
    print(f"{given.episodes} episodes x {len(ASKS)} criteria in {calls} calls, {given.latency * 1000:g} ms, {given.in_flight} in flight, "
          f"medians of "
          f"{given.rounds}{faults}; ideal {given.in_flight / given.latency:.0f}/s")  # fmt: skip
    base = statistics.median(m.wall for m in next(iter(found.values())))
    for name, each in found.items():
        wall, used = statistics.median(m.wall for m in each), statistics.median(m.cpu for m in each)
        right, wrong, none = min(m.right for m in each), max(m.wrong for m in each), max(m.none for m in each)
        print(f"{name:13} wall {wall:6.2f} s  {calls / wall:6.0f} calls/s  rate {base / wall:5.2f} of the first  "
              f"{used / given.episodes * 1000:5.2f} CPU s per 1,000 episodes  right {right}, wrong {wrong}, none {none}")  # fmt: skip


def _profile(url: str, given: argparse.Namespace) -> None:
    asyncio.run(ours(url, list(episodes(100)), given.in_flight))
    prepared = list(episodes(given.episodes))
    profiler = cProfile.Profile()
    profiler.enable()
    asyncio.run(ours(url, prepared, given.in_flight))
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(45)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.05, help="seconds; with --spread the median")
    parser.add_argument("--spread", type=float, default=0.0, help="sigma of log-normal latencies")
    parser.add_argument("--at-most", type=float, default=1e9, help="the longest latency in seconds")
    parser.add_argument("--fault", action="append", default=[], metavar="NAME=SHARE")
    parser.add_argument("--batch", type=int, default=8, help="criteria in one call; 1: each alone")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer", metavar="PYTHON", help="an interpreter with rubric==2.2.0 and openai")
    parser.add_argument("--profile", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
