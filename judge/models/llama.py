"""A llama.cpp server inside this process: started when first needed, shared by all who ask for the same weights.

It is spoken to over loopback HTTP rather than by its handle, because it stops work on a question whose connection closes,
and a handle can't be let go of in the middle of a call.
"""

from __future__ import annotations

import asyncio
import ctypes
import math
import os
import secrets
import threading
import weakref
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import aiohttp

from judge.errors import JudgeError

_BATCH = 128
"""Tokens read between two looks at whether anybody still waits (three seconds); larger ones were not faster on CPUs."""

_RANKING = {"temperature": 0, "logprobs": True, "top_logprobs": 20}
"""The likeliest next tokens, among which are those that say true or false."""


@dataclass(frozen=True)
class Answer:
    """What the model thinks of one statement: the probability of the words for true and for false, and the tokens read."""

    true: float
    false: float
    tokens: int
    cached: int

    @property
    def mass(self) -> float:
        """How much of the probability went to true or false at all, in [0, 1]."""
        return self.true + self.false


@dataclass(frozen=True)
class Settings:
    """What is loaded and how: the file, the window in tokens, and the threads that compute (None: one for each idle core)."""

    weights: Path
    name: str
    window: int
    threads: int | None


class LlamaServer:
    """A running server. It stops, and frees its memory, when nobody holds it any more or the process ends.

    Raises JudgeError `bad_endpoint` where it can't start: too little memory, a file that isn't a model. `first_process` is
    the id of the first process in this line of forks that started one, None if none did.
    """

    first_process: ClassVar[int | None] = None

    def __init__(self, settings: Settings) -> None:
        _check_memory(settings)
        self._turn = threading.Lock()
        self._read: tuple[str, str] | None = None
        self._secret = secrets.token_urlsafe(32)
        engine = _start(settings, self._secret)
        LlamaServer.first_process = LlamaServer.first_process or os.getpid()
        self.address: str = engine.listening_address
        self.settings = settings
        weakref.finalize(self, _stop, [engine], os.getpid())

    async def judge(self, system: str, evidence: str, statements: Sequence[str]) -> list[Answer]:
        """How likely true, and how likely false, is the next word after the evidence and each statement in turn.

        An answer depends on the system message, the evidence and its statement alone: not on what was asked before, nor on
        what is still cached. (It would, by some hundredths: the same tokens in another batch round differently. So all
        statements follow the same reading of the evidence.) Raises JudgeError.
        """
        async with self._one_at_a_time():
            return [await self._judge_one(system, evidence, statement) for statement in statements]

    @asynccontextmanager
    async def _one_at_a_time(self) -> AsyncIterator[None]:
        """Whatever loop or thread they come from, the statements about one evidence are not parted by others."""
        while not self._turn.acquire(blocking=False):  # noqa: ASYNC110 - an asyncio.Event belongs to one loop
            await asyncio.sleep(0.02)
        try:
            yield
        finally:
            self._turn.release()

    async def _judge_one(self, system: str, evidence: str, statement: str) -> Answer:
        was_read = self._read == (system, evidence)
        self._read = None
        await self._post(system, evidence, {"max_tokens": 0, "cache_prompt": was_read})
        given = await self._post(system, evidence + statement, {"max_tokens": 1, "cache_prompt": True, **_RANKING})
        self._read = (system, evidence)
        return _answer(given, was_read=was_read)

    async def _post(self, system: str, user: str, options: dict[str, Any]) -> dict[str, Any]:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        headers = {"Authorization": f"Bearer {self._secret}"}
        no_limit = aiohttp.ClientTimeout(total=None)
        try:
            async with (
                aiohttp.ClientSession(headers=headers, timeout=no_limit) as session,
                session.post(f"{self.address}/v1/chat/completions", json={"messages": messages, **options}) as response,
            ):
                given: dict[str, Any] = await response.json()
        except aiohttp.ClientError as error:
            raise JudgeError(
                "connection", f"the embedded model {self.settings.name} did not answer: {error}"
            ) from error
        if response.status != 200:
            raise _refusal(self.settings, given)
        return given


def _start(settings: Settings, secret: str) -> Any:
    import xllamacpp  # type: ignore[import-untyped]  # it has no types

    params = xllamacpp.CommonParams()
    params.model.path = str(settings.weights)
    params.model_alias = {settings.name}
    params.n_ctx = settings.window
    params.n_batch = params.n_ubatch = _BATCH
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings.threads or _idle_cores()
    params.cache_ram_mib = 0  # else up to 8 GB of old prompts are kept
    params.port = 0
    params.api_keys = [secret]  # other users of this machine, and pages in its browser, can reach the port
    params.verbosity = -1
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise JudgeError(
            "bad_endpoint",
            f"the embedded model {settings.name} could not be loaded from {settings.weights} ({error}); "
            "free some memory, or delete the file and run `judge models pull` again",
        ) from error


def _idle_cores() -> int:
    """The cores this process may use that had nothing to do in the last minute, at least one.

    The engine's threads wait for each other by spinning: one that has to share its core slows all of them many times over.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return max(1, round(cores - busy))


def _stop(engine: list[Any], pid: int) -> None:
    """Joins the server's threads, which takes at most the time for one batch."""
    if os.getpid() != pid or LlamaServer.first_process != pid:
        _forget(engine[0])
    engine.clear()


def _forget(engine: Any) -> None:
    """Leaves a server alone for ever in a forked child, where the parent's threads don't exist and joining them never ends.

    The child's own server shares one of them with the parent's. Nor may the engine's clean-up at the exit of the process
    run, which waits for it too: so the exit handler that is added last, and thus run first, when Python itself has finished,
    ends the process with its status.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(engine))
    system = ctypes.CDLL(None)
    if hasattr(system, "on_exit"):
        system.on_exit(system._exit, None)


def _check_memory(settings: Settings) -> None:
    """A clear sentence is better than the kernel ending the whole run. Silent where the system doesn't say what is free."""
    try:
        lines = Path("/proc/meminfo").read_text("utf-8").splitlines()
    except OSError:
        return
    free = next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")), None)
    needed = 2 * settings.weights.stat().st_size  # measured with a window of 8,192 tokens: 1.9 times
    if free is not None and free < needed:
        raise JudgeError(
            "bad_endpoint",
            f"the embedded model {settings.name} needs about {needed / 1e9:.1f} GB of memory and {free / 1e9:.1f} GB are free",
        )


def _refusal(settings: Settings, given: dict[str, Any]) -> JudgeError:
    error = given.get("error", {})
    if error.get("type") == "exceed_context_size_error":
        return JudgeError(
            "context_length",
            f"the prompt has {error.get('n_prompt_tokens')} tokens and the embedded model {settings.name} reads "
            f"{settings.window}; show it less evidence, or give the judge a larger `window`",
        )
    return JudgeError("provider_error", f"the embedded model {settings.name} said: {error.get('message', given)}")


def _answer(given: dict[str, Any], *, was_read: bool) -> Answer:
    content = (given["choices"][0].get("logprobs") or {}).get("content") or [{"top_logprobs": []}]
    mass = {"true": 0.0, "false": 0.0}
    for token in content[0]["top_logprobs"]:
        word = token["token"].strip().casefold()
        if word in mass:
            mass[word] += math.exp(token["logprob"])
    usage = given["usage"]
    # The first statement finds its evidence cached only because it has just been read for it.
    cached = usage["prompt_tokens_details"]["cached_tokens"] if was_read else 0
    return Answer(true=mass["true"], false=mass["false"], tokens=usage["prompt_tokens"], cached=cached)


class Running:
    """The servers of one process, each kept only while somebody holds it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._servers: weakref.WeakValueDictionary[Settings, LlamaServer] = weakref.WeakValueDictionary()

    def server(self, settings: Settings) -> LlamaServer:
        """The server with these settings, started if it isn't running. Takes seconds then: call it in a thread."""
        with self._lock:
            server = self._servers.get(settings)
            if server is None:
                server = self._servers[settings] = LlamaServer(settings)
            return server


@cache
def running_in(_pid: int) -> Running:
    """The servers of the process with that id: a forked child starts its own, since threads don't survive a fork."""
    return Running()
