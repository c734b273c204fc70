"""The provider itself: what it answers without being asked to fail."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.judge.models.asking import asked, criterion, model_at
from tests.provider import Provider


async def levels(provider: Provider, **more: Any) -> dict[str, str]:
    """What a judge at the provider says of two criteria."""
    reply = await asked(model_at(provider), "amount", criterion("tone", "cold", "fine", "warm"), **more)
    return {each["id"]: each["level"] for each in json.loads(reply.text or "")["verdicts"]}


@pytest.mark.parametrize("record", [True, False])
@pytest.mark.parametrize("schema", [True, False])
async def test_it_answers_by_the_answer_key_in_the_evidence_or_with_the_top_level(record: bool, schema: bool) -> None:
    async with Provider(record=record) as provider:
        for _ in range(2):
            key = "answer-key: amount=no, tone=fine\n"
            assert await levels(provider, evidence=key, schema=schema) == {"amount": "no", "tone": "fine"}
            assert await levels(provider, schema=schema) == {"amount": "yes", "tone": "warm"}
            assert await levels(provider, evidence="answer-key: tone=cold", schema=schema) == {
                "amount": "yes",
                "tone": "cold",
            }


async def test_a_function_may_write_its_answers() -> None:
    async with Provider(answer=lambda request: f"{len(request.text)}", record=False) as provider:
        short, long = [(await asked(model_at(provider), evidence="x" * n)).text for n in (1, 101)]
    assert int(long or 0) - int(short or 0) == 100


async def test_it_lists_models_and_knows_no_other_route() -> None:
    async with Provider() as provider, aiohttp.ClientSession() as session:
        async with session.get(f"{provider.url}/models") as got:
            assert (await got.json())["data"][0]["id"] == "judge-x"
        async with session.post(f"{provider.url}/images", json={}) as got:
            assert got.status == 404


async def test_the_same_seed_draws_the_same_faults() -> None:
    drawn = []
    for _ in range(2):
        async with (
            Provider(rates={"500": 0.3, "malformed": 0.2}, seed=7) as provider,
            aiohttp.ClientSession() as session,
        ):
            statuses = []
            for _ in range(40):
                async with session.post(f"{provider.url}/chat/completions", json={"messages": []}) as got:
                    statuses.append(got.status)
            drawn.append(statuses)
    assert drawn[0] == drawn[1]
    assert 4 < drawn[0].count(500) < 20


async def test_it_runs_as_a_command_that_prints_its_port() -> None:
    command = [sys.executable, "-m", "tests.provider", "--latency", "0.01", "--spread", "0.5", "--fault", "refused=1"]
    process = subprocess.Popen(command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True)  # noqa: ASYNC220
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        url = f"http://127.0.0.1:{port}/v1/chat/completions"
        async with aiohttp.ClientSession() as session, session.post(url, json={"messages": []}) as got:
            body = await got.json()
        assert body["choices"][0]["message"]["refusal"]
    finally:
        process.kill()
        process.communicate()
