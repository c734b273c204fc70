"""Work side by side, results in order, memory bounded."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class InOrder(Generic[Item, Result]):
    """Runs `work` on lists of items, side by side, and gives the results in the order of the items.

    At most `busy` items are in work, and at most `held` are in work or done and waiting for one before them: so one that is
    late holds up reading only when very many are done behind it.
    """

    def __init__(
        self, work: Callable[[list[Item]], Coroutine[Any, Any, list[Result]]], *, busy: int, held: int
    ) -> None:
        self._work = work
        self._most_busy = busy
        self._most_held = max(held, busy)
        self._window: deque[tuple[int, asyncio.Task[list[Result]]]] = deque()
        self._busy = 0
        self._held = 0
        self._freed = asyncio.Event()

    async def run(self, groups: Iterable[list[Item]]) -> AsyncGenerator[Result, None]:
        """Each result as soon as all before it are there. What is still in work when the caller leaves is cancelled."""
        try:
            for group in groups:
                while self._head_is_done() or not self._has_room():
                    async for result in self._advance():
                        yield result
                self._start(group)
            while self._window:
                async for result in self._give():
                    yield result
        finally:
            for _, task in self._window:
                task.cancel()
            await asyncio.gather(*(task for _, task in self._window), return_exceptions=True)

    def _head_is_done(self) -> bool:
        return bool(self._window) and self._window[0][1].done()

    def _has_room(self) -> bool:
        return self._busy < self._most_busy and self._held < self._most_held

    def _start(self, group: list[Item]) -> None:
        size = len(group)
        task = asyncio.create_task(self._work(group))
        task.add_done_callback(lambda _: self._finished(size))
        self._window.append((size, task))
        self._busy += size
        self._held += size

    def _finished(self, size: int) -> None:
        self._busy -= size
        self._freed.set()

    async def _advance(self) -> AsyncIterator[Result]:
        """Give what is ready; if nothing is, wait for the first place to become free."""
        if self._head_is_done() or self._held >= self._most_held:
            async for result in self._give():
                yield result
            return
        self._freed.clear()
        await self._freed.wait()

    async def _give(self) -> AsyncIterator[Result]:
        size, task = self._window[0]
        for result in await task:
            yield result
        self._window.popleft()
        self._held -= size
