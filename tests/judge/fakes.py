"""Models for tests: they answer what a function says, count what they were asked, and are kept in the ledger like real ones."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

from judge.errors import JudgeError
from judge.models.exchange import Prompt, Reply, Usage

Answers = Mapping[str, Any] | Callable[[Prompt], str]


def reply_of(levels: Mapping[str, Any], prompt: Prompt) -> str:
    """A correct reply that gives each criterion asked its level of `levels`; those not in it are left out."""
    verdicts = [
        {"id": c.id, "quotes": [], "reason": f"about {c.id}", "level": levels[c.id]}
        for c in prompt.criteria
        if c.id in levels
    ]
    return json.dumps({"verdicts": verdicts})


class Fake:
    """A model that answers with levels by criterion, or with what a function of the prompt gives; it may raise JudgeError."""

    concurrency: int | None = None
    offline = False

    def __init__(self, answers: Answers, name: str = "fake", *, seconds: float = 0.0, usd: float | None = 0.01) -> None:
        self.reference = f"scripted/{name}"
        self.identity: Mapping[str, Any] = {"reference": self.reference}
        self.prompts: list[Prompt] = []
        self._answers = answers
        self._seconds = seconds
        self._usd = usd

    async def ask(self, prompt: Prompt, *, timeout: float | None, sample: int = 0) -> Reply:
        self.prompts.append(prompt)
        if timeout is not None and self._seconds > timeout:
            await asyncio.sleep(timeout)
            raise JudgeError("timeout", f"{self.reference} did not answer within {timeout:g} s")
        await asyncio.sleep(self._seconds)
        text = self._answers(prompt) if callable(self._answers) else reply_of(self._answers, prompt)
        return Reply(
            text=text, model="fake-1", usage=Usage(input_tokens=100, cached_tokens=20, output_tokens=10, usd=self._usd)
        )

    async def close(self) -> None:
        """Nothing to let go of."""

    @property
    def asked(self) -> int:
        """How many calls came."""
        return len(self.prompts)
