"""Retries, waiting, deadlines, limits and the bill, each through a real server."""

from __future__ import annotations

import asyncio
import random
import time

import pytest

from judge.errors import JudgeError
from judge.models.budget import Budget
from judge.models.calling import Caller
from judge.models.exchange import Reply, Usage
from judge.models.scripted import Scripted
from tests.judge.models.asking import (
    VERDICTS,
    called,
    calls,
    each_client,
    failure_of,
    model_at,
    prompt,
    reply_of,
)
from tests.provider import Provider
from tests.provider.faults import rate_limited, rate_limited_until, status


@each_client
async def test_retry_after_in_seconds_is_waited_out(vendor: str, client: str) -> None:
    async with Provider([rate_limited(0.6)]) as provider:
        [outcome] = await called(model_at(provider, vendor, client))
    assert reply_of(outcome).text == VERDICTS
    assert provider.count == 2
    assert provider.requests[1].at - provider.requests[0].at >= 0.6


async def test_retry_after_as_a_date_is_waited_out() -> None:
    async with Provider([rate_limited_until(2)]) as provider:
        [outcome] = await called(model_at(provider))
    assert reply_of(outcome).text == VERDICTS
    assert 0.9 <= provider.requests[1].at - provider.requests[0].at <= 2.7


async def test_retry_after_in_milliseconds_is_waited_out() -> None:
    async with Provider([rate_limited(None, retry_after_ms="300")]) as provider:
        await called(model_at(provider))
    assert 0.3 <= provider.requests[1].at - provider.requests[0].at < 1


@each_client
async def test_a_wait_longer_than_the_deadline_is_told_at_once(vendor: str, client: str) -> None:
    async with Provider(rule=rate_limited(300)) as provider:
        started = time.monotonic()
        [outcome] = await called(model_at(provider, vendor, client), within=20)
    error = failure_of(outcome)
    assert (error.kind, provider.count) == ("rate_limited", 1)
    assert "wait of 300 s (Retry-After)" in error.message
    assert time.monotonic() - started < 5


async def test_without_a_deadline_nobody_waits_for_half_an_hour() -> None:
    async with Provider(rule=rate_limited(1800)) as provider:
        [outcome] = await called(model_at(provider))
    assert (failure_of(outcome).kind, provider.count) == ("rate_limited", 1)


@each_client
@pytest.mark.parametrize("fault", ["529", "500", "503", "408", "dropped", "dropped_midway", "stream_error"])
async def test_a_passing_fault_is_tried_again(vendor: str, client: str, fault: str) -> None:
    params = {"stream": True} if fault == "stream_error" else {}
    async with Provider([fault]) as provider:
        [outcome] = await called(model_at(provider, vendor, client, params=params))
    assert reply_of(outcome).text == VERDICTS
    assert provider.count == 2


async def test_a_persistent_error_is_tried_exactly_as_often_as_allowed() -> None:
    async with Provider(rule="500") as provider:
        [outcome] = await called(model_at(provider), attempts=3)
    error = failure_of(outcome)
    assert (error.kind, provider.count) == ("provider_error", 3)
    assert "after 3 attempts" in error.message


@pytest.mark.parametrize("fault", ["quota", "bad_key", "no_model", "html"])
async def test_a_lasting_fault_is_asked_once_and_the_judge_never_again(fault: str) -> None:
    async with Provider(rule=fault) as provider:
        caller = Caller(model_at(provider))
        first = failure_of((await calls(caller))[0])
        rest = [failure_of(each) for each in await calls(caller, times=50)]
        await caller.close()
    assert provider.count == 1
    assert caller.lasting is not None
    assert {error.kind for error in rest} == {first.kind}
    assert "not asked any more" in rest[0].message


async def test_calls_that_wait_for_a_slot_hear_of_a_lasting_fault() -> None:
    async with Provider(rule="quota", latency=0.05) as provider:
        await called(model_at(provider), times=40, concurrency=4)
    assert provider.count <= 4


@pytest.mark.parametrize("fault", ["overlong", "filter", "refused", "final", "empty"])
async def test_what_the_next_attempt_would_meet_again_is_not_tried_again(fault: str) -> None:
    async with Provider(rule=fault) as provider:
        [outcome] = await called(model_at(provider, structured="none"))
    assert isinstance(outcome, JudgeError)
    assert provider.count == 1


@each_client
async def test_a_call_that_never_returns_ends_at_the_deadline(vendor: str, client: str) -> None:
    async with Provider(rule="hang") as provider:
        started = time.monotonic()
        [outcome] = await called(model_at(provider, vendor, client), within=0.7)
    assert failure_of(outcome).kind == "timeout"
    assert time.monotonic() - started < 1.5


async def test_each_attempt_has_its_own_timeout() -> None:
    async with Provider(["hang"]) as provider:
        [outcome] = await called(model_at(provider), timeout=0.3)
    assert reply_of(outcome).text == VERDICTS
    assert provider.count == 2


async def test_a_slot_is_free_while_its_call_waits() -> None:
    async with Provider([rate_limited(1)]) as provider:
        caller = Caller(model_at(provider), concurrency=1)
        slow = asyncio.create_task(caller.call(prompt()))
        await asyncio.sleep(0.2)
        started = time.monotonic()
        await caller.call(prompt())
        assert time.monotonic() - started < 0.5
        assert (await slow).text == VERDICTS
        await caller.close()


async def test_a_cut_reply_is_asked_once_more_with_a_larger_budget() -> None:
    async with Provider(["thoughts_only"]) as provider:
        [outcome] = await called(model_at(provider, max_output_tokens=500))
    reply = reply_of(outcome)
    assert [request.body["max_tokens"] for request in provider.requests] == [500, 2000]
    assert reply.usage.calls == 2
    assert "cut at its limit of tokens: asked again with more room" in reply.notes
    async with Provider(rule="length") as provider:
        [outcome] = await called(model_at(provider, max_output_tokens=500))
    assert (failure_of(outcome).kind, provider.count) == ("truncated", 2)


async def test_waits_differ_so_that_workers_do_not_come_back_together() -> None:
    async with Provider(["429"] * 32) as provider:
        outcomes = await called(model_at(provider), times=32)
    assert all(reply_of(outcome).text for outcome in outcomes)
    returns = [request.at for request in provider.requests[32:]]
    assert max(returns) - min(returns) > 0.1


async def test_fewer_calls_are_in_flight_after_many_429s() -> None:
    async with Provider(["429"] * 32, latency=0.02) as provider:
        caller = Caller(model_at(provider), concurrency=32)
        await calls(caller, times=32)
        await caller.close()
    assert caller.limiter.limit < 32
    assert caller.limiter.in_flight == 0


async def test_a_few_429s_slow_nobody_down() -> None:
    async with Provider(rates={"429": 0.08}, seed=3) as provider:
        caller = Caller(model_at(provider), concurrency=16)
        outcomes = await calls(caller, times=150)
        await caller.close()
    assert all(reply_of(outcome).text for outcome in outcomes)
    assert caller.limiter.limit == 16


async def test_no_more_calls_than_allowed_are_in_flight() -> None:
    async with Provider(latency=0.02) as provider:
        await called(model_at(provider), times=50, concurrency=7)
    assert provider.most_in_flight == 7


async def test_an_outage_is_met_with_few_requests() -> None:
    async with Provider(rule=status(503)) as provider:
        outcomes = await called(model_at(provider), times=200, within=1.5, concurrency=40)
    assert {failure_of(outcome).kind for outcome in outcomes} == {"provider_error"}
    assert provider.count <= 90


async def test_after_an_outage_the_judge_is_asked_again() -> None:
    async with Provider(["500"] * 40) as provider:
        outcomes = await called(model_at(provider), times=40, concurrency=40)
    assert all(reply_of(outcome).text for outcome in outcomes)


async def test_a_cancelled_call_gives_its_slot_back() -> None:
    async with Provider(rule="hang") as provider:
        caller = Caller(model_at(provider), concurrency=2)
        tasks = [asyncio.create_task(caller.call(prompt())) for _ in range(5)]
        await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert caller.limiter.in_flight == 0
        await caller.close()


async def test_no_slot_before_the_deadline_is_a_timeout() -> None:
    async with Provider(rule="hang") as provider:
        outcomes = await called(model_at(provider), times=3, within=0.3, concurrency=1)
    assert [failure_of(outcome).kind for outcome in outcomes] == ["timeout"] * 3


PRICE = {"input": 1.0, "cached_input": 0.1, "output": 10.0}


async def test_the_bill_counts_failed_calls_too() -> None:
    async with Provider(["length", "429"]) as provider:
        caller = Caller(model_at(provider, price=PRICE), rng=random.Random(1))
        [outcome] = await calls(caller)
        await caller.close()
    reply = reply_of(outcome)
    assert caller.bill.calls == reply.usage.calls == 2
    assert reply.usage.usd == pytest.approx(caller.bill.usd)
    assert caller.bill.usd > 0


async def test_a_spent_budget_stops_the_calls_and_says_what_was_spent() -> None:
    budget = Budget(0.001)
    async with Provider() as provider:
        outcomes = await called(
            model_at(provider, price={"input": 30, "output": 30}), times=50, budget=budget, concurrency=1
        )
    kinds = [outcome.kind for outcome in outcomes if isinstance(outcome, JudgeError)]
    assert set(kinds) == {"budget"}
    assert provider.count == 50 - len(kinds) < 50
    assert budget.bill.usd >= 0.001


async def test_calls_of_unknown_price_are_counted_as_such() -> None:
    async with Provider() as provider:
        caller = Caller(model_at(provider))
        outcomes = await calls(caller, times=3)
        await caller.close()
    assert reply_of(outcomes[0]).usage.usd is None
    assert caller.bill.said() == "at least $0.0000 (3 calls of unknown price)"


async def test_a_straggler_is_asked_twice_and_both_are_paid() -> None:
    first = True

    async def slow_once(_prompt: object) -> Reply:
        nonlocal first
        hang, first = first and len(seen) >= 30, first and len(seen) < 30
        seen.append(1)
        await asyncio.sleep(5 if hang else 0.001)
        return Reply("{}", usage=Usage(10, 0, 1, 0.5))

    seen: list[int] = []
    caller = Caller(Scripted(slow_once), hedge=True)
    await calls(caller, times=30)
    started = time.monotonic()
    reply = await caller.call(prompt())
    assert time.monotonic() - started < 2
    assert (reply.usage.calls, reply.usage.usd) == (2, 1.0)
    assert caller.limiter.in_flight == 0


async def test_hedged_calls_fail_as_others_do() -> None:
    def broken(_prompt: object) -> str:
        raise JudgeError("judge_refused", "no")

    outcomes = await called(Scripted(broken), hedge=True, times=30)
    assert {failure_of(outcome).kind for outcome in outcomes} == {"judge_refused"}
