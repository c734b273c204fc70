"""Judge calls per second on one core: our wire client and Caller beside a bare aiohttp loop, in one run.

    python -m benchmarks.wire_client --calls 2000 --in-flight 64 --latency 0.05

A local provider with fixed latency runs on another core. Ratios say more than absolute figures; a busy machine is named.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import time
from collections.abc import Awaitable, Callable

from benchmarks.provider import cpu, provider
from judge.judges import Judge
from judge.models.calling import Caller
from judge.models.catalogue import connect
from judge.models.exchange import Prompt
from judge.prompting import schema_for
from rubrics.criterion import Criterion

CHARACTERS = 11_400
Measured = tuple[float, float]
Run = Callable[[str, int, int], Awaitable[None]]


CRITERIA = tuple(Criterion(id=f"criterion_{i}", ask=f"Does the reply do what rule {i} asks?") for i in range(5))
QUESTIONS = "\nCriteria:\n" + "".join(f"{c.id} [no | yes] {c.ask}\n" for c in CRITERIA)
EVIDENCE = "".join(f"[{i}] agent said: the refund of 48.00 was made.\n" for i in range(400))
SYSTEM = "You grade work.\n" * 60


def prompt_of(number: int) -> Prompt:
    """A prompt of 11,400 characters about five criteria, another for each number."""
    evidence = f"EPISODE {number}\n{EVIDENCE}"[: CHARACTERS - len(QUESTIONS) - len(SYSTEM)]
    return Prompt(SYSTEM, evidence, QUESTIONS, CRITERIA, f"e{number}", schema_for(CRITERIA))


async def bare(url: str, calls: int, in_flight: int) -> None:
    """The least that a client must do: encode, post, read, decode."""
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def one(number: int) -> None:
            prompt = prompt_of(number)
            messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
            data = json.dumps({"model": "judge-x", "messages": messages}).encode()
            headers = {"content-type": "application/json"}
            async with session.post(f"{url}/chat/completions", data=data, headers=headers) as got:
                body = json.loads(await got.read())
            assert body["choices"][0]["message"]["content"]

        await _all(one, calls, in_flight)


def ours(client: str) -> Run:
    """Our client, wire or sdk, behind the Caller."""

    async def run(url: str, calls: int, in_flight: int) -> None:
        judge = Judge.model_validate({"name": "x", "model": "openai/judge-x", "base_url": url, "client": client})
        caller = Caller(connect(judge), concurrency=in_flight)

        async def one(number: int) -> None:
            reply = await caller.call(prompt_of(number))
            assert reply.text

        await _all(one, calls, in_flight)
        await caller.close()

    return run


async def _all(one: Callable[[int], Awaitable[None]], calls: int, in_flight: int) -> None:
    numbers = iter(range(calls))

    async def worker() -> None:
        for number in numbers:
            await one(number)

    await asyncio.gather(*(worker() for _ in range(in_flight)))


def measure(run: Run, url: str, calls: int, in_flight: int) -> Measured:
    """Calls a second, and CPU seconds for 1,000 calls."""
    asyncio.run(run(url, 4 * in_flight, in_flight))
    used, wall = cpu(), time.perf_counter()
    asyncio.run(run(url, calls, in_flight))
    return calls / (time.perf_counter() - wall), (cpu() - used) / calls * 1000


def main() -> None:
    """Measure and print."""
    given = _options().parse_args()
    runs: dict[str, Run] = {"bare aiohttp": bare, "wire": ours("wire")} | (
        {"openai sdk": ours("sdk")} if given.sdk else {}
    )
    load = os.getloadavg()[0]
    with provider("--latency", str(given.latency)) as url:
        found: dict[str, list[Measured]] = {name: [] for name in runs}
        for _ in range(given.rounds):
            for name, run in runs.items():
                found[name].append(measure(run, url, given.calls, given.in_flight))
    print(
        f"{given.calls} calls, {given.in_flight} in flight, {given.latency * 1000:g} ms, medians of {given.rounds} rounds"
    )
    if load > 0.5:
        print(f"the machine was busy (load {load:.1f}): trust the ratios only")
    rates = {name: statistics.median(rate for rate, _ in each) for name, each in found.items()}
    for name, each in found.items():
        cpu, share = statistics.median(cpu for _, cpu in each), rates[name] / rates["bare aiohttp"]
        print(f"{name:14} {rates[name]:7.0f} calls/s  {share:5.2f} of bare  {cpu:.2f} CPU s for 1,000 calls")


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sdk", action="store_true", help="measure the openai package too")
    return parser


if __name__ == "__main__":
    main()
