"""How many calls an endpoint gets at once: fewer when it has too much to do, more again when it has not."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque

from judge.errors import JudgeError

WINDOW = 64
TOO_MANY = WINDOW // 4
"""Of the calls seen last, a quarter must have met an overload before there is a reason to slow down."""


class _Turn:
    """A waiter's place in the queue. `given` is True once the slot is its own, whether it has heard of it or not."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.come: asyncio.Future[None] = loop.create_future()
        self.given = False
        self._loop = loop

    def give(self) -> bool:
        """Hand the slot over. False if the waiter is gone."""
        if self.come.done() or self._loop.is_closed():
            return False
        self.given = True
        if asyncio._get_running_loop() is self._loop:
            self._tell()
        else:
            self._loop.call_soon_threadsafe(self._tell)
        return True

    def _tell(self) -> None:
        if not self.come.done():
            self.come.set_result(None)


class Limiter:
    """At most `most` calls in flight, adapted to what the endpoint bears; usable from several event loops and threads."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        self.in_flight = 0
        self._lock = threading.Lock()
        self._waiting: deque[_Turn] = deque()
        self._seen: deque[bool] = deque(maxlen=WINDOW)
        self._overloads = 0

    def take(self) -> bool:
        """Take a slot if one is free and nobody waits for it."""
        with self._lock:
            if self.in_flight >= int(self.limit) or self._waiting:
                return False
            self.in_flight += 1
            return True

    async def wait(self, deadline: float | None) -> None:
        """Wait for a slot and take it. Raises JudgeError("timeout") at the deadline, a time of time.monotonic()."""
        turn = _Turn(asyncio.get_running_loop())
        with self._lock:
            self._waiting.append(turn)
        self._wake()
        try:
            async with asyncio.timeout(None if deadline is None else max(0.0, deadline - time.monotonic())):
                await turn.come
        except TimeoutError:
            self._leave(turn)
            raise JudgeError("timeout", f"no call was free before the deadline ({self.in_flight} in flight)") from None
        except asyncio.CancelledError:
            self._leave(turn)
            raise

    def _leave(self, turn: _Turn) -> None:
        with self._lock:
            if turn.given:
                self.in_flight -= 1
            elif turn in self._waiting:
                self._waiting.remove(turn)
        self._wake()

    def release(self) -> None:
        """Give the slot back."""
        with self._lock:
            self.in_flight -= 1
        if self._waiting:
            self._wake()

    def _wake(self) -> None:
        with self._lock:
            while self._waiting and self.in_flight < int(self.limit):
                if self._waiting.popleft().give():
                    self.in_flight += 1

    def note(self, *, overloaded: bool) -> None:
        """Learn from a call's end: halve the limit when a quarter of the last calls were too many, else let it grow."""
        if not overloaded and not self._overloads and self.limit >= self.most:
            self._seen.append(False)
            return
        with self._lock:
            if len(self._seen) == WINDOW and self._seen[0]:
                self._overloads -= 1
            self._seen.append(overloaded)
            self._overloads += overloaded
            if overloaded and self._overloads >= TOO_MANY:
                self.limit = max(1.0, min(self.limit, self.in_flight) / 2)
                self._forget()
            elif not overloaded:
                self.limit = min(float(self.most), self.limit + max(1.0, self.limit / 8) / self.limit)

    def _forget(self) -> None:
        # The next judgement is made on calls that began under the new limit.
        self._seen.clear()
        self._overloads = 0
