"""A judge that is a Python function: for tests, and for those who have their own way to a model."""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, cast

from judge.errors import InputError, JudgeError
from judge.models.cleaning import NOTE, clean
from judge.models.exchange import Prompt, Reply, Usage
from judge.models.outcomes import FinalError

Answer = str | Reply
Function = Callable[..., Answer | Awaitable[Answer]]


class Scripted:
    """A Model that answers with what `function(prompt)` gives: text or a Reply, at once or awaited.

    `function` is a callable, or a string `pkg.mod:function`. It may raise JudgeError. If it has a parameter `sample`,
    it is told which repeat is asked. A function that is not async runs in a thread, several at once, so it must bear that. What
    it raises is a failure of this judge. It is free of charge.
    """

    concurrency: int | None = None
    offline = True

    def __init__(self, function: Function | str, *, reference: str | None = None) -> None:
        self._function = load(function) if isinstance(function, str) else function
        named = function if isinstance(function, str) else getattr(function, "__qualname__", type(function).__name__)
        self.reference = reference or f"scripted/{named}"
        self.identity: Mapping[str, Any] = {"reference": self.reference}
        self._takes_sample = "sample" in inspect.signature(self._function).parameters

    async def ask(self, prompt: Prompt, *, timeout: float | None, sample: int = 0) -> Reply:
        """What the function says. Raises JudgeError("timeout") if an async function takes longer than `timeout`."""
        try:
            given = await asyncio.wait_for(self._answer(prompt, sample), timeout)
        except TimeoutError:
            raise JudgeError("timeout", f"{self.reference} did not answer within {timeout:g} s") from None
        except JudgeError:
            raise
        # The function is anybody's code: what it raises is this judge's failure, and must end neither the run nor its record.
        except Exception as error:
            raise FinalError("provider_error", f"{self.reference} raised {type(error).__name__}: {error}") from error
        reply = Reply(text=given, usage=Usage(usd=0.0)) if isinstance(given, str) else given
        if reply is None:
            raise JudgeError("empty", f"{self.reference} returned None, expected the reply's text")
        if not isinstance(reply, Reply):
            raise FinalError(
                "provider_error", f"{self.reference} returned {type(given).__name__}, expected text or a Reply"
            )
        return _cleaned(reply)

    async def _answer(self, prompt: Prompt, sample: int) -> Answer | None:
        """What the function gives. One that is not async runs in a thread, so that it holds nobody up."""
        more = {"sample": sample} if self._takes_sample else {}
        if inspect.iscoroutinefunction(self._function):
            return cast("Answer | None", await self._function(prompt, **more))
        given = await asyncio.to_thread(self._function, prompt, **more)
        return await given if inspect.isawaitable(given) else given

    async def close(self) -> None:
        """Nothing to let go of."""


def _cleaned(reply: Reply) -> Reply:
    text, changed = clean(reply.text or "")
    return replace(reply, text=text, notes=(*reply.notes, NOTE)) if changed else reply


def load(path: str) -> Function:
    """The function at `pkg.mod:function`. Raises InputError that says which part is not there."""
    module_name, _, name = path.partition(":")
    if not module_name or not name:
        raise InputError(f"scripted judge {path!r}: expected pkg.mod:function")
    try:
        module = sys.modules.get(module_name) or _from_here(module_name)
    except ImportError as error:
        hint = "it is looked up in the current folder and among the installed packages"
        raise InputError(f"scripted judge {path!r}: can't import {module_name}: {error}; {hint}") from None
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise InputError(f"scripted judge {path!r}: {module_name} has no function {name!r}")
    return cast("Function", found)


def _from_here(module_name: str) -> Any:
    """The module, looked up in the current folder too, as `python -m` does."""
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        return import_module(module_name)
    finally:
        sys.path.remove(here)
