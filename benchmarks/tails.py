"""Heavy tails: how long the slowest of 512 episodes takes when single calls take 1 to 30 seconds.

    python -m benchmarks.tails [--episodes 512] [--in-flight 512] [--hedge]

Latencies are log-normal (median 4 s, sigma 0.8, at least 1 and at most 30). The bar: p99 of whole episodes within 1.3 times the
slowest single call.
"""

from __future__ import annotations

import argparse
import asyncio
import time

from benchmarks.engine import RUBRIC, episodes
from benchmarks.provider import busy, provider
from judge.engine import Engine
from judge.judges import Judge
from judge.options import Options

SLOWEST = 30.0


async def run(url: str, given: argparse.Namespace) -> tuple[list[float], float, int]:
    """Seconds of each episode from the start of the run, the wall, and the calls paid."""
    judge = Judge(name="x", model="openai/judge-x", base_url=url)
    options = Options(concurrency=given.in_flight, window=given.episodes, hedge=given.hedge)
    async with Engine([judge], options=options) as engine:
        start, calls, seconds = time.perf_counter(), 0, []

        async def one(episode: object) -> None:
            nonlocal calls
            record = await engine.grade(episode, RUBRIC)  # type: ignore[arg-type]
            seconds.append(time.perf_counter() - start)
            calls += record.cost.calls

        await asyncio.gather(*(one(episode) for episode in episodes(given.episodes)))
        return sorted(seconds), time.perf_counter() - start, calls


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=512)
    parser.add_argument("--in-flight", type=int, default=512)
    parser.add_argument("--hedge", action="store_true")
    given = parser.parse_args()
    print(busy(), end="")
    with provider("--latency", "4", "--spread", "0.8", "--at-least", "1", "--at-most", str(SLOWEST)) as url:
        seconds, wall, calls = asyncio.run(run(url, given))
    p50, p99 = (seconds[int(share * (len(seconds) - 1))] for share in (0.5, 0.99))
    print(f"{given.episodes} episodes, {given.in_flight} in flight, {calls} calls{' (hedged)' if given.hedge else ''}: median {p50:.1f} s, "
          f"p99 {p99:.1f} s, all {wall:.1f} s; slowest single call at most {SLOWEST:g} s: p99 is {p99 / SLOWEST:.2f} of it")  # fmt: skip


if __name__ == "__main__":
    main()
