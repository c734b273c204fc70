"""One model in several event loops, threads and processes."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import warnings

import pytest

from judge.errors import JudgeError
from judge.models.calling import Caller
from tests.judge.models.asking import VERDICTS, each_client, model_at, prompt
from tests.provider import Provider


@each_client
def test_a_model_serves_several_asyncio_runs_and_a_thread(vendor: str, client: str) -> None:
    with Provider() as provider:
        caller = Caller(model_at(provider, vendor, client))
        texts: list[str | None] = []

        def once() -> None:
            texts.append(asyncio.run(caller.call(prompt())).text)

        for _ in range(3):
            once()
        thread = threading.Thread(target=once)
        thread.start()
        thread.join()
    assert texts == [VERDICTS] * 4


def test_nothing_is_left_open_when_a_loop_ends() -> None:
    with Provider() as provider, warnings.catch_warnings():
        warnings.simplefilter("error")
        model = model_at(provider)
        for _ in range(3):
            asyncio.run(model.ask(prompt(), timeout=5))
        del model
        gc.collect()


def test_one_loop_keeps_its_connections() -> None:
    async def twice() -> None:
        for _ in range(2):
            await model.ask(prompt(), timeout=5)

    with Provider() as provider:
        model = model_at(provider)
        asyncio.run(twice())
        assert provider.count == 2
        assert provider.lines_made == 1


def test_two_threads_share_one_limit() -> None:
    with Provider(latency=0.03) as provider:
        caller = Caller(model_at(provider), concurrency=3)

        async def many() -> None:
            await asyncio.gather(*(caller.call(prompt()) for _ in range(20)))

        threads = [threading.Thread(target=asyncio.run, args=(many(),)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert provider.count == 40
        assert provider.most_in_flight <= 3
        assert caller.limiter.in_flight == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_worker_opens_connections_of_its_own() -> None:
    with Provider() as provider:
        model = model_at(provider)

        async def parent() -> int:
            await model.ask(prompt(), timeout=5)
            child = os.fork()
            if child == 0:
                os._exit(_asked_in_child(model))
            _, status = os.waitpid(child, 0)  # noqa: ASYNC222 - the loop must stand still while the child speaks
            await model.ask(prompt(), timeout=5)
            return status

        assert asyncio.run(parent()) == 0
        assert provider.lines_made == 2


def _asked_in_child(model: object) -> int:
    answers: list[str | None] = []

    def run() -> None:
        # A thread has no running loop; the child has inherited the parent's.
        try:
            answers.append(asyncio.run(model.ask(prompt(), timeout=5)).text)  # type: ignore[attr-defined]
        except JudgeError:
            answers.append(None)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return 0 if answers == [VERDICTS] else 1
