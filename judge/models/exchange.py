"""What is sent to a judge model and what comes back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

from rubrics.criterion import Criterion
from rubrics.fingerprints import canonical

Finish = Literal["stop", "length", "content_filter", "refusal", "tool_call", "unknown"]


class Schema(dict[str, Any]):
    """A JSON schema that many prompts share; its text is made once."""

    @cached_property
    def text(self) -> str:
        """The schema as canonical JSON."""
        return canonical(self)


def text_hash(text: str) -> str:
    """The SHA-256 of a text in hex. A lone surrogate counts as what it is."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Prompt:
    """The exact words for one call, in the order in which prompt caches like them.

    `system` and `evidence` (fixed text, then the episode) are shared by all calls about one episode; `questions` (the
    criteria, and on a re-ask what was wrong) come last. `schema` is the JSON schema of the reply, None if free text is
    wanted. `criteria` are what is asked, filled in; `evidence_hash` is made from the
    evidence if it is not given (calls about one episode share it); `episode_id` is for judges that look replies up, never shown to a
    model.
    """

    system: str
    evidence: str
    questions: str
    criteria: tuple[Criterion, ...]
    episode_id: str
    schema: Mapping[str, Any] | None = None
    flags: tuple[str, ...] = ()
    evidence_hash: str = ""

    def __post_init__(self) -> None:
        if not self.evidence_hash:
            object.__setattr__(self, "evidence_hash", text_hash(self.evidence))

    @property
    def user(self) -> str:
        """The whole user message."""
        return self.evidence + self.questions

    @cached_property
    def key(self) -> str:
        """The SHA-256 of all that the model sees, in hex."""
        digest = hashlib.sha256(self.evidence_hash.encode())
        schema = self.schema.text if isinstance(self.schema, Schema) else canonical(self.schema) if self.schema else ""
        for part in (self.system, self.questions, schema):
            digest.update(part.encode("utf-8", "surrogatepass") + b"\x00")
        return digest.hexdigest()


Number = TypeVar("Number", int, float)


def _sum(one: Number | None, other: Number | None) -> Number | None:
    return None if one is None or other is None else one + other


@dataclass(frozen=True)
class Usage:
    """Tokens and money of one or more calls. `usd` is None where a price is unknown: never 0 for that reason.

    `input_tokens` counts all tokens read, `cached_tokens` those of them that were billed at the cache's price. Token
    counts are None where the provider gave none.
    """

    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    usd: float | None = None
    calls: int = 1

    def __add__(self, other: Usage) -> Usage:
        """Both together. What one of them does not know, the sum does not know either."""
        return Usage(
            _sum(self.input_tokens, other.input_tokens), _sum(self.cached_tokens, other.cached_tokens),
            _sum(self.output_tokens, other.output_tokens), _sum(self.usd, other.usd), self.calls + other.calls,
        )  # fmt: skip


@dataclass(frozen=True)
class Reply:
    """What a judge model answered: its text (None if it wrote none), why it stopped, and what it cost.

    `probabilities` maps criterion ids to {level name: probability} where the model gives them instead of text. `model`
    is the model that answered, by its own word. `notes` record what was done to get it (a parameter dropped, a schema
    mode).
    """

    text: str | None
    finish: Finish = "stop"
    model: str | None = None
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    probabilities: Mapping[str, Mapping[str, float]] | None = None
    notes: tuple[str, ...] = ()
    cached: bool = False


@runtime_checkable
class Model(Protocol):
    """Anything that answers prompts. One attempt a call: retries, limits and deadlines are the caller's.

    `identity` holds all that can change an answer beside the prompt: reference, endpoint, parameters. `concurrency` is
    how many calls it takes at once (None: as many as the endpoint's limiter allows). `offline` models cost nothing and
    are not kept in the ledger.
    """

    reference: str
    identity: Mapping[str, Any]
    concurrency: int | None
    offline: bool

    async def ask(self, prompt: Prompt, *, timeout: float | None, sample: int = 0) -> Reply:
        """One attempt, within `timeout` seconds. Raises JudgeError. `sample` tells repeats of one prompt apart."""
        ...

    async def close(self) -> None:
        """Let go of connections. May be called more than once."""
        ...
