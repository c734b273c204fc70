"""The adaptive limit."""

from __future__ import annotations

import asyncio
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.models.limiting import WINDOW, Limiter


async def _use(limiter: Limiter, *, overloaded: bool) -> None:
    if not limiter.take():
        await limiter.wait(None)
    limiter.note(overloaded=overloaded)
    limiter.release()


async def test_a_quarter_of_the_window_halves_the_limit() -> None:
    limiter = Limiter(64)
    for _ in range(64):
        limiter.take()
    for _ in range(WINDOW // 4 - 1):
        limiter.note(overloaded=True)
    assert limiter.limit == 64
    limiter.note(overloaded=True)
    assert limiter.limit == 32


async def test_it_grows_back_when_calls_succeed() -> None:
    limiter = Limiter(64)
    limiter.limit = 4.0
    for _ in range(600):
        limiter.note(overloaded=False)
    assert limiter.limit == 64


@pytest.mark.parametrize("share", [0.02, 0.05, 0.1])
async def test_rare_overloads_slow_nobody_down_for_long(share: float) -> None:
    rng, limiter, low = random.Random(5), Limiter(64), 0
    for _ in range(5000):
        await _use(limiter, overloaded=rng.random() < share)
        low += limiter.limit < 32
    assert low < 250


async def test_it_never_falls_below_one() -> None:
    limiter = Limiter(8)
    for _ in range(1000):
        await _use(limiter, overloaded=True)
    assert limiter.limit == 1
    await _use(limiter, overloaded=False)


async def test_waiters_come_in_their_order() -> None:
    limiter, order = Limiter(1), []
    limiter.take()

    async def wait(number: int) -> None:
        await limiter.wait(None)
        order.append(number)
        limiter.release()

    tasks = [asyncio.create_task(wait(number)) for number in range(5)]
    await asyncio.sleep(0)
    limiter.release()
    await asyncio.gather(*tasks)
    assert order == [0, 1, 2, 3, 4]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["ok", "cancel", "late"]), st.integers(0, 3)), max_size=40), st.integers(1, 4)
)
def test_slots_are_never_lost_nor_given_twice(plan: list[tuple[str, int]], most: int) -> None:
    limiter, busiest = Limiter(most), 0

    async def one(pause: int) -> None:
        nonlocal busiest
        if not limiter.take():
            await limiter.wait(None)
        busiest = max(busiest, limiter.in_flight)
        try:
            for _ in range(pause):
                await asyncio.sleep(0)
        finally:
            limiter.release()

    async def run() -> None:
        tasks = []
        for kind, pause in plan:
            task = asyncio.create_task(one(pause))
            tasks.append(task)
            if kind == "late":
                await asyncio.sleep(0)
            if kind == "cancel":
                await asyncio.sleep(0)
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(run())
    assert limiter.in_flight == 0
    assert busiest <= most
