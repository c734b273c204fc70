"""A model behind an HTTP endpoint: a vendor's dialect over a transport, with what was learned of the endpoint."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from judge.errors import JudgeError
from judge.judges import Judge
from judge.models.cleaning import NOTE, clean
from judge.models.dialects import Dialect, Settings, ended_early
from judge.models.encoding import decoder
from judge.models.exchange import Prompt, Reply, Usage
from judge.models.learning import Learned
from judge.models.outcomes import Source, error_of, not_an_answer, told
from judge.models.prices import Tariff
from judge.models.streaming import events_of

MOST_LESSONS = 8
"""How many refusals of one request may teach something before it counts as failed."""

_NO_LESSON = ("context_length", "quota", "content_filter", "auth")


class Response(NamedTuple):
    """An HTTP response: header names in small letters, the body as it came."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport(Protocol):
    """What carries requests: our wire client, or a vendor's SDK."""

    async def send(self, path: str, payload: dict[str, Any], timeout: float | None) -> Response:
        """One request, one response, whatever its status. Raises JudgeError: timeout, connection or bad_endpoint."""
        ...

    async def close(self) -> None:
        """Let go of the running loop's connections."""
        ...


class Remote:
    """A Model at an endpoint. One attempt a call, but for requests that the endpoint refuses and that can be put otherwise."""

    concurrency: int | None = None
    offline = False

    def __init__(
        self,
        judge: Judge,
        dialect: Dialect,
        transport: Transport,
        *,
        source: Source,
        settings: Settings,
        tariff: Tariff,
    ) -> None:
        self.reference = str(judge.reference)
        self.endpoint = source.base_url
        self._dialect = dialect
        self._transport = transport
        self._source = source
        self._settings = settings
        self._tariff = tariff
        self._learned = dialect.learned(judge)
        self._decode = decoder()
        self.identity: Mapping[str, Any] = {
            "reference": self.reference, "endpoint": source.base_url, "path": dialect.path, "params": dict(settings.params),
            "limit": settings.limit, "structured": judge.structured, "logprobs": judge.logprobs,
        }  # fmt: skip

    @property
    def learned(self) -> Learned:
        """What this endpoint was found not to take."""
        return self._learned

    def wider(self) -> Remote | None:
        """The same model with four times the room for a reply; None if the endpoint allows no more."""
        limit = 4 * (self._settings.limit or 4096)
        if self._learned.most_output is not None and (self._settings.limit or 0) >= self._learned.most_output:
            return None
        twin = object.__new__(Remote)
        twin.__dict__.update(self.__dict__)
        twin._settings = replace(self._settings, limit=limit, streams=self._settings.streams or limit > 21_000)
        return twin

    async def ask(self, prompt: Prompt, *, timeout: float | None, sample: int = 0) -> Reply:
        """The reply, with notes of what was given up to get it. Raises JudgeError."""
        started = time.monotonic()
        prompt, cleaned = _cleaned(prompt)
        try:
            reply = await self._asked(prompt, sample, None if timeout is None else started + timeout)
        except JudgeError as error:
            plain = await self._without_form(prompt, sample, error, None if timeout is None else started + timeout)
            if plain is None:
                raise
            reply = plain
        return _finished(reply, cleaned, self._learned.notes, time.monotonic() - started)

    async def close(self) -> None:
        """Let go of the running loop's connections."""
        await self._transport.close()

    async def _without_form(
        self, prompt: Prompt, sample: int, error: JudgeError, deadline: float | None
    ) -> Reply | None:
        """The answer to the same prompt without a schema, where a structured request came back empty; else None."""
        if error.kind != "empty" or prompt.schema is None or self._learned.rung == "none":
            return None
        reply = await self._asked(replace(prompt, schema=None), sample, deadline)
        self._learned.note_empty()
        first = error.usage if isinstance(error.usage, Usage) else Usage()
        note = "the structured reply was empty: asked again as plain text"
        return replace(reply, usage=first + reply.usage, notes=(*reply.notes, note))

    async def _asked(self, prompt: Prompt, sample: int, deadline: float | None) -> Reply:
        for _ in range(MOST_LESSONS):
            version, settings = self._learned.version, self._settings_of(sample)
            payload = self._dialect.payload(prompt, settings, self._learned)
            response = await self._transport.send(self._dialect.path, payload, _left(deadline))
            if response.status == 200:
                return self._understood(response, prompt)
            if not self._taught(response, payload, version):
                break
        raise error_of(self._source, response.status, response.headers, response.body)

    def _settings_of(self, sample: int) -> Settings:
        # A judge with a fixed seed still gives another answer for each sample of one prompt.
        seed = self._settings.params.get("seed")
        if not sample or not isinstance(seed, int):
            return self._settings
        return replace(self._settings, params={**self._settings.params, "seed": seed + sample})

    def _taught(self, response: Response, payload: dict[str, Any], version: int) -> bool:
        if response.status not in (400, 404, 422, 501):
            return False
        kind = error_of(self._source, 400, {}, response.body).kind
        if kind in _NO_LESSON:
            return False
        # Another call may have learned it while this one was under way.
        return self._learned.version != version or (
            response.status in (400, 422) and self._learned.learn(told(response.body), payload)
        )

    def _understood(self, response: Response, prompt: Prompt) -> Reply:
        try:
            return self._read(response, prompt)
        except (AttributeError, TypeError, KeyError, IndexError, ValueError, OverflowError) as error:
            # Servers that copy a vendor's format put lists, numbers or nothing where it has objects, in any place.
            said = self._source.shown(f"{type(error).__name__}: {error}")
            raise JudgeError(
                "provider_error", f"{self.reference}: the response has an unknown shape ({said})"
            ) from error

    def _read(self, response: Response, prompt: Prompt) -> Reply:
        if response.headers.get("content-type", "").startswith("text/event-stream"):
            body = self._dialect.assemble(events_of(response.body, self._source))
            if body is None:
                raise ended_early(self._source)
        else:
            body = self._object(response.body)
        reply = self._dialect.read(body, prompt, self._source, self._tariff)
        if prompt.schema is not None and self._learned.rung != "none":
            self._learned.note_filled()
        return reply

    def _object(self, body: bytes) -> dict[str, Any]:
        try:
            content = self._decode(body)
        except (ValueError, RecursionError):
            raise not_an_answer(self._source, body) from None
        if not isinstance(content, dict):
            raise not_an_answer(self._source, body)
        return content


def _left(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.001, deadline - time.monotonic())


def _cleaned(prompt: Prompt) -> tuple[Prompt, bool]:
    if prompt.system.isascii() and prompt.evidence.isascii() and prompt.questions.isascii():
        return prompt, False
    parts = [clean(text) for text in (prompt.system, prompt.evidence, prompt.questions)]
    if not any(changed for _, changed in parts):
        return prompt, False
    return replace(prompt, system=parts[0][0], evidence=parts[1][0], questions=parts[2][0]), True


def _finished(reply: Reply, cleaned: bool, learned: tuple[str, ...], seconds: float) -> Reply:
    text, changed = clean(reply.text) if reply.text is not None else (None, False)
    notes = (*reply.notes, *learned, *((NOTE,) if changed or cleaned else ()))
    return Reply(
        text=text, finish=reply.finish, model=reply.model, usage=reply.usage, seconds=seconds,
        probabilities=reply.probabilities, notes=notes,
    )  # fmt: skip
