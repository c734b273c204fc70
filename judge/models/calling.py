"""Calling a model until it answers: the one owner of retries, waiting, deadlines and limits."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import replace
from typing import Protocol, runtime_checkable

import tenacity

from judge.errors import JudgeError
from judge.models.breaking import Breaker
from judge.models.budget import Bill, Budget
from judge.models.exchange import Model, Prompt, Reply, Usage
from judge.models.hedging import Hedge
from judge.models.limiting import Limiter
from judge.models.outcomes import OverloadError

ATTEMPTS = 6
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
LONGEST_ASKED_WAIT = 300.0
"""Without a deadline, a provider that asks for a longer wait than this is not waited for."""


@runtime_checkable
class Widening(Protocol):
    """A model that can be given more room for its reply."""

    def wider(self) -> Model | None:
        """The same model with a larger limit of output tokens; None if there is none larger."""
        ...


class Caller:
    """A model with everything around it that makes calls come back: retries, limits, a breaker, a budget, a bill.

    `concurrency` is the most calls in flight, `timeout` the seconds an attempt may take, `attempts` the most requests for
    one prompt. With `hedge`, a straggler is asked a second time and the first answer counts; both are paid. `bill` is
    what all calls cost, failed ones too.
    """

    def __init__(
        self,
        model: Model,
        *,
        concurrency: int = 64,
        timeout: float = 120.0,
        attempts: int = ATTEMPTS,
        hedge: bool = False,
        budget: Budget | None = None,
        rng: random.Random | None = None,
    ) -> None:
        self.model = model
        self.timeout = timeout
        self.attempts = attempts
        self.budget = budget or Budget()
        self.bill = Bill()
        self.limiter = Limiter(min(concurrency, model.concurrency or concurrency))
        self._breaker = Breaker()
        self._hedge = Hedge(self.limiter) if hedge else None
        self._rng = rng or random.Random()
        # A scripted model has no endpoint that needs a rest.
        self._first_wait = 0.01 if model.offline else FIRST_WAIT

    @property
    def lasting(self) -> JudgeError | None:
        """The fault that no retry cures, None as long as there is none."""
        return self._breaker.lasting

    async def call(self, prompt: Prompt, *, deadline: float | None = None, sample: int = 0) -> Reply:
        """The model's reply, before `deadline` (a time of time.monotonic(); None: as many attempts as allowed).

        Raises JudgeError: its message says after how many attempts, its usage what they cost.
        """
        ask = _Asking(self, self.model, prompt, deadline, sample)
        try:
            reply = await self._answered(ask)
        except JudgeError as error:
            if error.kind != "truncated":
                raise
            reply = await self._with_more_room(ask)
        return reply if ask.lost is None else replace(reply, usage=ask.lost + reply.usage)

    async def close(self) -> None:
        """Let the model go of its connections."""
        await self.model.close()

    async def _answered(self, ask: _Asking) -> Reply:
        try:
            return await ask.once()
        except JudgeError as error:
            if not error.passing:
                raise _told(error, ask) from error.__cause__
            return await self._retried(ask, error)

    async def _with_more_room(self, ask: _Asking) -> Reply:
        wide = self.model.wider() if isinstance(self.model, Widening) else None
        ask.model = wide or ask.model
        reply = await self._answered(ask)
        note = "cut at its limit of tokens: asked again with more room" if wide else "cut: asked again"
        return replace(reply, notes=(*reply.notes, note))

    async def _retried(self, ask: _Asking, error: JudgeError) -> Reply:
        # Only a call that failed pays for tenacity's machinery: its first attempt is the failure at hand.
        first: list[JudgeError] = [error]

        async def attempt() -> Reply:
            if first:
                raise first.pop()
            return await ask.once()

        passing = tenacity.retry_if_exception(lambda met: isinstance(met, JudgeError) and met.passing)
        retrying = tenacity.AsyncRetrying(
            retry=passing, wait=self._wait, stop=ask.given_up, sleep=asyncio.sleep, reraise=True
        )
        try:
            return await retrying(attempt)
        except JudgeError as last:
            raise _told(last, ask) from last.__cause__

    def _wait(self, state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, JudgeError) else None
        if asked is not None:
            # Those who were told the same second must not come back in the same moment.
            return asked + self._rng.uniform(0.0, min(5.0, 0.1 + asked / 4))
        backoff: float = self._first_wait * 2 ** (state.attempt_number - 1)
        return self._rng.uniform(0.5, 1.0) * min(LONGEST_WAIT, backoff)

    async def attempt(self, model: Model, prompt: Prompt, deadline: float | None, sample: int) -> Reply:
        """One request in its slot. Raises JudgeError."""
        await self._enter(deadline)
        try:
            reply = await self._asked(model, prompt, deadline, sample)
        except JudgeError as error:
            self._note_failure(error)
            raise
        except BaseException:
            self._breaker.note_nothing()
            raise
        finally:
            self.limiter.release()
        self._breaker.note_answer()
        self.limiter.note(overloaded=False)
        self._pay(reply.usage)
        return reply

    async def _enter(self, deadline: float | None) -> None:
        self.budget.check()
        self._breaker.check()
        if self.limiter.take():
            return
        try:
            await self.limiter.wait(deadline)
        finally:
            self._breaker.note_nothing()
        try:
            # Much can have happened while it waited.
            self.budget.check()
            self._breaker.check()
        except JudgeError:
            self.limiter.release()
            raise

    async def _asked(self, model: Model, prompt: Prompt, deadline: float | None, sample: int) -> Reply:
        timeout = self.timeout
        if deadline is not None:
            timeout = min(timeout, deadline - time.monotonic())
            if timeout <= 0:
                raise JudgeError("timeout", f"{model.reference}: the deadline passed before the call could begin")
        if self._hedge is None:
            return await model.ask(prompt, timeout=timeout, sample=sample)
        return await self._hedge.ask(lambda: model.ask(prompt, timeout=timeout, sample=sample))

    def _note_failure(self, error: JudgeError) -> None:
        self._breaker.note_failure(error)
        self.limiter.note(overloaded=error.kind == "rate_limited" or isinstance(error, OverloadError))
        if isinstance(error.usage, Usage):
            self._pay(error.usage)

    def _pay(self, usage: Usage) -> None:
        self.budget.spend(usage)
        self.bill.add(usage)


class _Asking:
    """One prompt on its way: how many requests it has had, and what those that failed cost."""

    def __init__(self, caller: Caller, model: Model, prompt: Prompt, deadline: float | None, sample: int) -> None:
        self.model = model
        self.requests = 0
        self.lost: Usage | None = None
        self.deadline = deadline
        self.gave_up: str | None = None
        self._caller = caller
        self._prompt = prompt
        self._sample = sample

    async def once(self) -> Reply:
        """One attempt."""
        self.requests += 1
        try:
            return await self._caller.attempt(self.model, self._prompt, self.deadline, self._sample)
        except JudgeError as error:
            if isinstance(error.usage, Usage):
                self.lost = error.usage if self.lost is None else self.lost + error.usage
            raise

    def given_up(self, state: tenacity.RetryCallState) -> bool:
        """True after the last attempt allowed, or if the next wait would end too late."""
        if self.requests >= self._caller.attempts:
            return True
        left = LONGEST_ASKED_WAIT * 1.1 if self.deadline is None else self.deadline - time.monotonic()
        if state.upcoming_sleep < left:
            return False
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, JudgeError) else None
        wait = "the next attempt would come too late"
        if asked is not None:
            wait = f"the provider asks for a wait of {asked:.4g} s (Retry-After)"
        room = "the most without a deadline is" if self.deadline is None else "the deadline leaves"
        self.gave_up = f"{wait}, {room} {max(0.0, left):.3g} s"
        return True


def _told(error: JudgeError, ask: _Asking) -> JudgeError:
    """The same failure, with the history that led to it."""
    # The message is for people: it tells all that was tried.
    history = [f"after {ask.requests} attempts"] if ask.requests > 1 else []
    history += [ask.gave_up] if ask.gave_up else []
    if history:
        error.message = f"{error.message} ({'; '.join(history)})"
        error.args = (error.message,)
    error.usage = ask.lost if ask.lost is not None else error.usage
    return error
