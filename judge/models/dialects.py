"""How a vendor's requests are written and its answers read: what both clients, wire and SDK, share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from judge.errors import InputError, JudgeError
from judge.judges import Judge
from judge.models.exchange import Prompt, Reply, Usage
from judge.models.learning import Learned
from judge.models.outcomes import Source
from judge.models.prices import Tariff

TOOL = "submit_verdicts"
TOOL_MEANS = "Hand in the verdicts on all criteria that were asked."


@dataclass(frozen=True)
class Settings:
    """What of a judge stands in its requests. `limit` is the most tokens that a reply may have, None for no limit sent."""

    model: str
    params: Mapping[str, Any]
    limit: int | None
    streams: bool
    logprobs: bool


class Dialect(Protocol):
    """One vendor's format. `path` is where requests go, relative to the base URL."""

    path: str

    def learned(self, judge: Judge) -> Learned:
        """What is taken for granted of an endpoint at first."""
        ...

    def payload(self, prompt: Prompt, settings: Settings, learned: Learned) -> dict[str, Any]:
        """The request's body."""
        ...

    def read(self, body: dict[str, Any], prompt: Prompt, source: Source, tariff: Tariff) -> Reply:
        """The reply in a response. Raises JudgeError where there is none that can be used."""
        ...

    def assemble(self, events: Iterator[dict[str, Any]]) -> dict[str, Any] | None:
        """The response that a stream's events add up to; None if the stream ended before its answer did."""
        ...


RESERVED = ("model", "messages", "input", "questions", "system", "stream_options", "n")


def settings_of(judge: Judge, *, default_limit: int | None = None, streams_above: int | None = None) -> Settings:
    """The settings of a judge for its requests. Raises InputError for a parameter that is not the user's to set."""
    params = dict(judge.params)
    if taken := [key for key in RESERVED if key in params]:
        raise InputError(f"judge {judge.name!r}: params.{taken[0]} can't be set: it is written for each call")
    streams = params.pop("stream", False) is True
    limits = [params.pop(key) for key in ("max_tokens", "max_completion_tokens") if key in params]
    limit = judge.max_output_tokens or next((each for each in limits if isinstance(each, int)), default_limit)
    if streams_above is not None and limit is not None and limit > streams_above:
        streams = True
    return Settings(judge.reference.name, params, limit, streams, judge.logprobs)


def refused(source: Source, text: str, usage: Usage) -> JudgeError:
    """The failure of a judge that declines."""
    return JudgeError("judge_refused", f"{source.reference} refused: {source.shown(text)}", usage=usage, raw=text)


def cut(source: Source, text: str, usage: Usage) -> JudgeError:
    """The failure of a reply that hit its limit of tokens."""
    message = f"{source.reference}: the reply was cut at its limit of tokens, after {len(text)} characters"
    return JudgeError("truncated", message, usage=usage, raw=text)


def ended_early(source: Source) -> JudgeError:
    """The failure of a stream that stops in the middle without saying so."""
    return JudgeError("truncated", f"{source.reference}: the stream ended before the reply did")


def empty(source: Source, why: str, usage: Usage | None = None) -> JudgeError:
    """The failure of a response without any text."""
    return JudgeError("empty", f"{source.reference}: the reply is empty ({why})", usage=usage, raw="")


class Kept:
    """Something made of a schema, made once: schemas are shared by all calls about the same criteria."""

    def __init__(self, make: Callable[[Mapping[str, Any]], dict[str, Any]], most: int = 256) -> None:
        self._make = make
        self._most = most
        self._made: dict[int, tuple[Mapping[str, Any], dict[str, Any]]] = {}

    def of(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """What was made of this very object."""
        held = self._made.get(id(schema))
        if held is not None and held[0] is schema:
            return held[1]
        if len(self._made) >= self._most:
            self._made.clear()
        made = self._make(schema)
        self._made[id(schema)] = (schema, made)
        return made
