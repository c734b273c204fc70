"""`python -m tests.provider --port 0 --latency 0.05 --fault 429=0.1`: prints its port and serves until it is killed."""

from __future__ import annotations

import argparse
import asyncio
import math
import random

from tests.provider.faults import FAULTS
from tests.provider.server import Latency, Provider


def main() -> None:
    """Serve with the options given."""
    given = _options().parse_args()
    rates = {name: float(share) for name, _, share in (pair.partition("=") for pair in given.fault)}
    latency = _log_normal(given.latency, given.spread, given.at_least, given.at_most) if given.spread else given.latency
    provider = Provider(rates=rates, latency=latency, seed=given.seed, record=False)
    asyncio.run(_serve(provider, given.port))


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.provider", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds; with --spread the median")
    parser.add_argument("--spread", type=float, default=0.0, help="sigma of log-normal latencies; 0 for a fixed one")
    parser.add_argument("--at-most", type=float, default=math.inf, help="the longest latency in seconds")
    parser.add_argument("--at-least", type=float, default=0.0, help="the shortest latency in seconds")
    parser.add_argument("--fault", action="append", default=[], metavar="NAME=SHARE", help=", ".join(FAULTS))
    parser.add_argument("--seed", type=int, default=0)
    return parser


def _log_normal(median: float, spread: float, at_least: float, at_most: float) -> Latency:
    def draw(rng: random.Random) -> float:
        return max(at_least, min(at_most, median * math.exp(rng.gauss(0, spread))))

    return draw


async def _serve(provider: Provider, port: int) -> None:
    await provider.start(port)
    print(provider.port, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    main()
