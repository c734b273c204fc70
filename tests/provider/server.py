"""The server: a bare asyncio protocol, so that it is never the slower side of a benchmark."""

from __future__ import annotations

import asyncio
import random
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

from tests.provider import answers
from tests.provider.faults import FAULTS, Fault
from tests.provider.plans import Plan, response, stream
from tests.provider.requests import Request

Latency = Callable[[random.Random], float]


class Provider:
    """A provider on a free port of this machine: `async with Provider(...) as provider: provider.url`.

    `script` holds faults (or their names in FAULTS; None for a right answer) for the first requests, in order; `rule` looks
    at every later request; `rates` are shares of requests that meet a fault, drawn with `seed`. `answer` writes the text of
    right answers. `latency` is in seconds, a number or a function that draws one. `with Provider(...)` without `async` runs
    it in a thread of its own.
    """

    def __init__(
        self,
        script: Iterable[Fault | str | None] = (),
        *,
        rule: Fault | str | None = None,
        rates: Mapping[str, float] | None = None,
        answer: answers.Answer = answers.verdicts,
        latency: float | Latency = 0.0,
        seed: int = 0,
        record: bool = True,
    ) -> None:
        self.requests: list[Request] = []
        self.count = 0
        self.in_flight = 0
        self.most_in_flight = 0
        self.lines_made = 0
        self.port = 0
        self._script = deque(_fault(each) for each in script)
        self._rule = _fault(rule)
        self._rates = {name: (FAULTS[name], share) for name, share in (rates or {}).items()}
        self._answer = answer
        self._latency = latency
        self._rng = random.Random(seed)
        self._record = record
        self._remembered: dict[bytes, Plan] = {}
        self._lines: set[_Line] = set()
        self._server: asyncio.Server | None = None
        self._thread: tuple[asyncio.AbstractEventLoop, threading.Thread] | None = None

    @property
    def host(self) -> str:
        """Where it listens, as http://127.0.0.1:PORT; Anthropic's client takes this as its base URL."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """The base URL with /v1, as OpenAI's client takes it."""
        return f"{self.host}/v1"

    async def start(self, port: int = 0) -> None:
        """Listen on 127.0.0.1; port 0 takes a free one."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Line(self, loop), "127.0.0.1", port, backlog=4096)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Cut all lines and stop listening."""
        if self._server is not None:
            self._server.close()
        for line in list(self._lines):
            line.cut()
        await asyncio.sleep(0)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.stop()

    def __enter__(self) -> Self:
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()
        asyncio.run_coroutine_threadsafe(self.start(), loop).result()
        self._thread = (loop, thread)
        return self

    def __exit__(self, *_error: object) -> None:
        assert self._thread is not None
        loop, thread = self._thread
        asyncio.run_coroutine_threadsafe(self.stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def plan(self, request: Request) -> Plan:
        """What to do with a request: a fault if one is due, else a right answer."""
        self.count += 1
        if self._record:
            self.requests.append(request)
        fault = self._script.popleft() if self._script else (self._rule or self._drawn())
        planned = fault(request) if fault is not None else None
        request.answered = "fault" if planned is not None else "right"
        if planned is not None:
            return planned
        if self._record or self._answer is not answers.verdicts:
            return self._right(request)
        return self._remember(request)

    def delay(self) -> float:
        """How long this answer takes, in seconds."""
        return self._latency if isinstance(self._latency, (int, float)) else self._latency(self._rng)

    def _drawn(self) -> Fault | None:
        if not self._rates:
            return None
        at = self._rng.random()
        for fault, share in self._rates.values():
            if at < share:
                return fault
            at -= share
        return None

    def _remember(self, request: Request) -> Plan:
        # A benchmark asks the same criteria of thousands of episodes: right answers differ by criteria and answer key
        # alone, and nobody looks at the requests. The tokens are those of the first.
        raw = request.raw
        at = raw.find(b"answer-key:")
        key = request.path.encode() + raw[max(0, raw.rfind(b"Criteria:")) :] + (raw[at : at + 400] if at >= 0 else b"")
        if (plan := self._remembered.get(key)) is None:
            if len(self._remembered) > 4096:
                self._remembered.clear()
            plan = self._remembered[key] = self._right(request)
        return plan

    def _right(self, request: Request) -> Plan:
        path = request.path.split("?")[0]
        if path.endswith("/chat/completions"):
            body = answers.completion(request, self._answer(request))
            return stream(answers.completion_events(body)) if request.streams else Plan((response(200, body),))
        if path.endswith("/messages"):
            body = answers.message(request, self._answer(request))
            return stream(answers.message_events(body)) if request.streams else Plan((response(200, body),))
        if path.endswith("/decisions"):
            return Plan((response(200, answers.decision(request)),))
        if path.endswith("/models"):
            return Plan((response(200, answers.models()),))
        return Plan((response(404, {"error": {"message": f"no route {path}", "type": "not_found"}}),))


def _fault(given: Fault | str | None) -> Fault | None:
    return FAULTS[given] if isinstance(given, str) else given


class _Line(asyncio.Protocol):
    """One connection: requests one after the other, each answered in full before the next."""

    def __init__(self, provider: Provider, loop: asyncio.AbstractEventLoop) -> None:
        self._provider = provider
        self._loop = loop
        self._buffer = b""
        self._busy = False
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._provider._lines.add(self)
        self._provider.lines_made += 1

    def connection_lost(self, exc: Exception | None) -> None:
        self._provider._lines.discard(self)
        self._done()

    def cut(self) -> None:
        """Hang up at once."""
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._buffer = self._buffer + data if self._buffer else data
        if not self._busy:
            self._next()

    def _next(self) -> None:
        at = self._buffer.find(b"\r\n\r\n")
        if at < 0:
            return
        head = self._buffer[:at]
        end = at + 4 + _length(head)
        if len(self._buffer) < end:
            return
        request = Request(head, self._buffer[at + 4 : end], self._loop.time())
        self._buffer = self._buffer[end:]
        self._begin(request)

    def _begin(self, request: Request) -> None:
        provider = self._provider
        self._busy = True
        provider.in_flight += 1
        provider.most_in_flight = max(provider.most_in_flight, provider.in_flight)
        plan = provider.plan(request)
        if delay := provider.delay():
            self._loop.call_later(delay, self._send, plan, 0)
        else:
            self._send(plan, 0)

    def _send(self, plan: Plan, at: int) -> None:
        if self._transport.is_closing():
            return
        if at < len(plan.parts):
            self._transport.write(plan.parts[at])
            if plan.pause and at + 1 < len(plan.parts):
                self._loop.call_later(plan.pause, self._send, plan, at + 1)
                return
            if at + 1 < len(plan.parts):
                self._send(plan, at + 1)
                return
        if plan.hangs_up:
            self._transport.close()
        elif not plan.silent:
            self._done()
            self._next()

    def _done(self) -> None:
        if self._busy:
            self._busy = False
            self._provider.in_flight -= 1


def _length(head: bytes) -> int:
    lower = head.lower()
    at = lower.find(b"content-length:")
    if at < 0:
        return 0
    end = lower.find(b"\r\n", at)
    return int(lower[at + 15 : end if end > 0 else None])
