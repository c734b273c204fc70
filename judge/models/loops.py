"""Things that belong to one event loop, such as connections: opened when first wanted, closed before the loop is."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerLoop(Generic[T]):
    """One `T` for each event loop, in whichever thread that runs, and none of a parent process.

    So one model serves several `asyncio.run` calls, threads and forked workers, and never meets a closed loop.
    """

    def __init__(self, open_one: Callable[[], T], close_one: Callable[[T], Awaitable[None]]) -> None:
        self._open = open_one
        self._close = close_one
        self._held: dict[asyncio.AbstractEventLoop, tuple[T, AsyncGenerator[None]]] = {}
        self._orphans: list[object] = []
        self._pid = os.getpid()

    async def get(self) -> T:
        """The one of the running loop."""
        held = self._held.get(asyncio.get_running_loop())
        if held is not None and self._pid == os.getpid():
            return held[0]
        return await self._opened()

    async def _opened(self) -> T:
        if self._pid != os.getpid():
            # Sockets inherited by a fork are the parent's: they are kept untouched, since closing would speak on them.
            self._orphans, self._held, self._pid = [*self._orphans, self._held], {}, os.getpid()
        for loop in [loop for loop in list(self._held) if loop.is_closed()]:
            self._held.pop(loop, None)
        loop, one = asyncio.get_running_loop(), self._open()
        guard = self._guard(loop, one)
        self._held[loop] = (one, guard)
        await anext(guard)
        return one

    async def _guard(self, loop: asyncio.AbstractEventLoop, one: T) -> AsyncGenerator[None]:
        # asyncio.run closes generators that were left open before it closes the loop: the place to let go in time.
        try:
            yield
        finally:
            if self._held.get(loop, (None,))[0] is one:
                del self._held[loop]
            await self._close(one)

    async def close(self) -> None:
        """Close the one of the running loop. Those of other loops are closed with their loops."""
        held = self._held.get(asyncio.get_running_loop())
        if held is not None:
            await held[1].aclose()
