"""A second request for a straggler: the first answer counts, both are paid."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace

from judge.models.exchange import Reply
from judge.models.limiting import Limiter

LEAST_SEEN = 20
QUANTILE = 0.95

Ask = Callable[[], Coroutine[None, None, Reply]]


class Hedge:
    """Sends a call a second time when it takes longer than 95 of 100 did, if a slot is free for it."""

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter
        self._seconds: deque[float] = deque(maxlen=200)

    @property
    def patience(self) -> float | None:
        """Seconds after which a call is a straggler; None until enough calls were seen."""
        if len(self._seconds) < LEAST_SEEN:
            return None
        return sorted(self._seconds)[int(QUANTILE * len(self._seconds))]

    async def ask(self, ask: Ask) -> Reply:
        """The first answer."""
        started = time.monotonic()
        reply = await self._asked(ask)
        self._seconds.append(time.monotonic() - started)
        return reply

    async def _asked(self, ask: Ask) -> Reply:
        patience = self.patience
        if patience is None:
            return await ask()
        first = _started(ask)
        calls = [first]
        try:
            done, _ = await asyncio.wait(calls, timeout=patience)
            if done or not self._limiter.take():
                return await first
            try:
                calls.append(_started(ask))
                return _both_paid(await _first_answer(calls))
            finally:
                self._limiter.release()
        finally:
            for call in calls:
                call.cancel()


async def _first_answer(calls: Sequence[asyncio.Task[Reply]]) -> Reply:
    """The first that is an answer; the last failure if none is."""
    pending: set[asyncio.Task[Reply]] = set(calls)
    while True:
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        answers = [call for call in done if call.exception() is None]
        if answers:
            return answers[0].result()
        if not pending:
            return done.pop().result()


def _started(ask: Ask) -> asyncio.Task[Reply]:
    call = asyncio.get_running_loop().create_task(ask())
    # Nobody may be left to hear of the slower one's failure.
    call.add_done_callback(lambda done: None if done.cancelled() else done.exception())
    return call


def _both_paid(reply: Reply) -> Reply:
    # The slower one read the same prompt and is cut off while it writes: it is counted as if it had cost the same.
    return replace(reply, usage=reply.usage + reply.usage, notes=(*reply.notes, "asked twice: the first took too long"))
