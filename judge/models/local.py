"""The embedded judge: a small model in this process that needs no key and no network."""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
import math
import os
import time
from collections.abc import Mapping
from typing import Any

from judge.errors import InputError, JudgeError
from judge.models import weights
from judge.models.exchange import Prompt, Reply, Usage
from judge.models.llama import Answer, LlamaServer, Settings, running_in
from judge.models.statements import SYSTEM, WORDING, cleaned, distribution, statements
from rubrics.criterion import Criterion

_LEAST_MASS = 0.5
"""Below this probability of saying true or false at all, the model was not answering the question."""


class LocalModel:
    """A judge that reads its verdicts from the probability of one word and writes nothing.

    `name` is one of weights.known(); `window` is the longest prompt in tokens; `threads` (None: one for each core that is
    idle when the model is loaded) changes no answer. Raises InputError where the engine or the weights are missing, with
    what to run.
    """

    concurrency: int | None = 1  # statements about one episode must follow each other for their prefix to stay cached
    offline = False

    def __init__(self, name: str = "qwen2.5-coder-1.5b", *, window: int = 8192, threads: int | None = None) -> None:
        pinned = weights.named(name)
        path = weights.installed(name)
        if importlib.util.find_spec("xllamacpp") is None:
            raise InputError(f"local/{name} needs xllamacpp; install it with `pip install 'rubric-judge[local]'`")
        if path is None:
            raise InputError(f"the weights of local/{name} are not here; run `judge models pull {name}`")
        self.reference = f"local/{name}"
        self._settings = Settings(weights=path, name=name, window=window, threads=threads)
        self._server: LlamaServer | None = None
        self.identity: Mapping[str, Any] = {
            "reference": self.reference,
            "weights": pinned.sha256,
            "engine": f"xllamacpp {importlib.metadata.version('xllamacpp')}",
            "window": window,
            "wording": WORDING,
        }

    async def ask(self, prompt: Prompt, *, timeout: float | None, sample: int = 0) -> Reply:  # noqa: ARG002
        """Judges every criterion of the prompt by its evidence. A criterion that the model didn't answer is left out.

        Every `sample` is the same. Raises JudgeError: `context_length` for a prompt longer than the window, `timeout`,
        `bad_endpoint` where the model can't be loaded.
        """
        begun = time.monotonic()
        try:
            async with asyncio.timeout(timeout):
                answers = await self._answers(prompt)
        except TimeoutError:
            raise JudgeError("timeout", f"{self.reference} took longer than {timeout:g} s") from None
        return reply_of(self._settings.name, prompt, answers, time.monotonic() - begun)

    async def close(self) -> None:
        """Lets go of the server, which stops and frees its memory when no other judge uses it."""
        self._server = None

    async def _answers(self, prompt: Prompt) -> dict[str, list[Answer]]:
        server = await self._started()
        asked = {criterion.id: statements(criterion) for criterion in prompt.criteria}
        every = [text for texts in asked.values() for text in texts]
        answers = iter(await server.judge(SYSTEM, cleaned(prompt.evidence), every))
        return {name: [next(answers) for _ in texts] for name, texts in asked.items()}

    async def _started(self) -> LlamaServer:
        running = running_in(os.getpid())
        self._server = await asyncio.to_thread(running.server, self._settings)
        return self._server


def reply_of(name: str, prompt: Prompt, answers: Mapping[str, list[Answer]], seconds: float) -> Reply:
    """The reply that the answers to each criterion's statements make, without the criteria that were not answered."""
    every = [answer for asked in answers.values() for answer in asked]
    usage = Usage(
        input_tokens=sum(answer.tokens for answer in every),
        cached_tokens=sum(answer.cached for answer in every),
        output_tokens=len(every),
        usd=0.0,
    )
    answered = (criterion for criterion in prompt.criteria if _is_answered(answers[criterion.id]))
    probabilities = {criterion.id: _levels(criterion, answers[criterion.id]) for criterion in answered}
    return Reply(
        text=None, model=name, usage=usage, seconds=seconds, probabilities=probabilities, notes=_notes(answers)
    )


def _is_answered(answers: list[Answer]) -> bool:
    return all(answer.mass >= _LEAST_MASS for answer in answers)


def _levels(criterion: Criterion, answers: list[Answer]) -> dict[str, float]:
    return distribution(criterion, [answer.true / answer.mass for answer in answers])


def _notes(answers: Mapping[str, list[Answer]]) -> tuple[str, ...]:
    """How much of the probability the answers had; a low one means that the model was out of its depth."""
    least = {criterion: min(answer.mass for answer in asked) for criterion, asked in answers.items()}
    return tuple(f"answer mass {criterion}: {math.floor(mass * 1000) / 1000}" for criterion, mass in least.items())
