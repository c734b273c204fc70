"""Prompts, judges and failures for the tests of models."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from judge.errors import JudgeError
from judge.judges import Judge
from judge.models.calling import Caller
from judge.models.catalogue import connect
from judge.models.exchange import Model, Prompt, Reply
from judge.prompting import schema_for
from rubrics.criterion import Criterion, Level
from tests.provider import Provider

CLIENTS = [("openai", "wire"), ("openai", "sdk"), ("anthropic", "wire"), ("anthropic", "sdk")]
VERDICTS = '{"verdicts": [{"id": "amount", "quotes": [], "reason": "As asked.", "level": "yes"}]}'

each_client = pytest.mark.parametrize(("vendor", "client"), CLIENTS, ids=[f"{v}-{c}" for v, c in CLIENTS])


def criterion(name: str, *levels: str, **more: Any) -> Criterion:
    """A criterion with that id, on these levels (no and yes if none are given)."""
    if levels:
        more["levels"] = [Level(name=each, value=at / (len(levels) - 1)) for at, each in enumerate(levels)]
    return Criterion(id=name, ask=f"Is {name} right?", **more)


def prompt(*criteria: Criterion | str, evidence: str = "The refund was made.\n", schema: bool = True) -> Prompt:
    """A prompt about these criteria (amount if none are given), in the words that the provider understands."""
    asked = tuple(criterion(c) if isinstance(c, str) else c for c in criteria) or (criterion("amount"),)
    lines = "".join(f"{c.id} [{' | '.join(level.name for level in c.levels)}] {c.ask}\n" for c in asked)
    return Prompt(
        "You grade work.", evidence, f"\nCriteria:\n{lines}", asked, "e1", schema_for(asked) if schema else None
    )


def judge_at(provider: Provider, vendor: str = "openai", client: str = "wire", **more: Any) -> Judge:
    """A judge whose model lives at the provider."""
    return Judge.model_validate(
        {"name": "x", "model": f"{vendor}/judge-x", "base_url": provider.url, "client": client, **more}
    )


def model_at(provider: Provider, vendor: str = "openai", client: str = "wire", **more: Any) -> Model:
    """The model of such a judge."""
    return connect(judge_at(provider, vendor, client, **more))


async def asked(model: Model, *criteria: Criterion | str, timeout: float = 10, **more: Any) -> Reply:
    """What the model answers to one attempt; its connections are closed afterwards."""
    try:
        return await model.ask(prompt(*criteria, **more), timeout=timeout)
    finally:
        await model.close()


async def failed(model: Model, *criteria: Criterion | str, timeout: float = 10, **more: Any) -> JudgeError:
    """How one attempt fails."""
    with pytest.raises(JudgeError) as caught:
        await asked(model, *criteria, timeout=timeout, **more)
    return caught.value


async def called(model: Model, *, within: float | None = None, times: int = 1, **more: Any) -> list[Reply | JudgeError]:
    """What so many calls at once bring, through a Caller; `within` is the deadline in seconds from now."""
    caller = Caller(model, **more)
    try:
        return await calls(caller, within=within, times=times)
    finally:
        await caller.close()


async def calls(caller: Caller, *, within: float | None = None, times: int = 1) -> list[Reply | JudgeError]:
    """The same through a Caller that is already there."""

    async def one() -> Reply | JudgeError:
        try:
            return await caller.call(prompt(), deadline=None if within is None else time.monotonic() + within)
        except JudgeError as error:
            return error

    return await asyncio.gather(*(one() for _ in range(times)))


def failure_of(outcome: Reply | JudgeError) -> JudgeError:
    """The outcome, which must be a failure."""
    assert isinstance(outcome, JudgeError), outcome
    return outcome


def reply_of(outcome: Reply | JudgeError) -> Reply:
    """The outcome, which must be a reply."""
    assert isinstance(outcome, Reply), outcome
    return outcome
