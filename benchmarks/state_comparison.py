"""Comparing whole states with their goals, against reading the same states with ``json.loads``.

    python -m benchmarks.state_comparison [--episodes 1000] [--rows 10000]

Each episode's initial, final and goal state are read from text of their own, so that nothing is shared between them; then
the same with the states given as a base and changes. Run it with nothing else running.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from judge.state import Options, State, compare, read_goal, read_state

BAR = 3.0


def database(rows: int, rng: random.Random) -> dict[str, Any]:
    """A shop: orders (a list, with nested lines and a boolean), customers (by key) and an empty table."""
    orders = [
        {
            "id": number,
            "customer": f"C-{rng.randrange(rows)}",
            "status": rng.choice(["open", "paid", "closed"]),
            "total": round(rng.random() * 500, 2),
            "created_at": "2025-05-01T10:00:00Z",
            "note": None,
            "gift": number % 2 == 0,
            "lines": [{"sku": f"S{number % 77}", "qty": number % 5}],
        }
        for number in range(rows // 2)
    ]
    customers = {f"C-{n}": {"name": f"Name {n}", "city": "Oslo", "credit": n % 100} for n in range(rows - rows // 2)}
    return {"orders": orders, "customers": customers, "refunds": []}


def episode(base: dict[str, Any], wrong: bool) -> tuple[str, str, str]:
    """Initial, final and goal state as text: an order closed and a refund made, and in half of them another order spoiled."""
    initial = json.dumps(base)
    refund = {"id": 1, "order": base["orders"][7]["id"], "amount": 48.0}
    base["orders"][7]["status"], status = "refunded", base["orders"][7]["status"]
    base["refunds"].append(refund)
    goal = json.dumps(base)
    base["orders"][9]["total"], total = (0 if wrong else base["orders"][9]["total"]), base["orders"][9]["total"]
    final = json.dumps(base)
    base["orders"][9]["total"], base["orders"][7]["status"] = total, status
    base["refunds"].clear()
    return initial, final, goal


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds that a piece of work takes, and what it gives."""
    start = time.perf_counter()
    outcome = work()
    return time.perf_counter() - start, outcome


def whole_states(texts: list[tuple[str, str, str]], episodes: int, options: Options) -> Iterator[tuple[float, float]]:
    """Seconds of ``json.loads`` and of the comparison, an episode at a time."""
    for number in range(episodes):
        reading, values = timed(lambda n=number: [json.loads(text) for text in texts[n % len(texts)]])
        comparing, comparison = timed(lambda v=values: compare(*map(State.of, v), options))
        if comparison.match == bool(number % 2):
            raise SystemExit(f"episode {number}: wrong verdict {comparison.match}")
        yield reading, comparing


def patched_states(base: dict[str, Any], episodes: int, options: Options) -> float:
    """Seconds for an episode whose final state and goal are changes to one base."""
    initial = State.of(base)
    patch = [{"op": "replace", "path": "/orders/7/status", "value": "refunded"}]
    given = {"$base": "initial_state", "$patch": patch}

    def one() -> bool:
        return compare(initial, read_state(given, initial=initial), read_goal(given, initial=initial), options).match

    spent, right = timed(lambda: all(one() for _ in range(episodes)))
    if not right:
        raise SystemExit("a patched state does not match itself")
    return spent / episodes


def main() -> None:
    """Print the figures and whether the bar is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=10_000)
    given = parser.parse_args()
    base = database(given.rows, random.Random(7))
    texts = [episode(base, wrong) for wrong in (False, True)]
    settings = {
        "strict": Options(),
        "loose": Options.from_args(
            {"ignore": ["*.created_at"], "keys": {"orders": ["id"]}, "numeric": ["orders.total"]}
        ),
    }
    for name, options in settings.items():
        seconds = list(whole_states(texts, given.episodes, options))
        reading, comparing = (sum(column) for column in zip(*seconds, strict=True))
        ratio = comparing / reading
        print(
            f"{name}: {given.episodes} episodes x 3 states x {given.rows} rows: json.loads {reading:.2f} s, "
            f"compare {comparing:.2f} s, ratio {ratio:.2f} (bar {BAR}: {'met' if ratio <= BAR else 'MISSED'})"
        )
        micro = patched_states(base, given.episodes, options) * 1e6
        print(f"{name}: base and changes, read and compared: {micro:.0f} µs an episode")


if __name__ == "__main__":
    main()
