"""Check `python`: a function of the user's own, run only where the user allows it."""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable
from typing import Any

from pydantic import Field

from judge.checks.finding import Arguments, CheckSettings, Finding
from judge.episode import Episode


class Python(Arguments):
    """`function`: `pkg.mod:name`, called with the episode; it gives a number in [0, 1], true or false, or None: can't tell."""

    function: str = Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$")


def python(episode: Episode, args: Python, settings: CheckSettings) -> Finding:
    """Call the function. What it raises is a failure of the check, told apart from the agent's."""
    if not settings.allow_code:
        reason = f"the check `python` would run {args.function}; allow it with --allow-code if you trust the rubric"
        return Finding(None, reason, kind="check_error")
    given = imported(args.function)(episode)
    if inspect.isawaitable(given):
        if inspect.iscoroutine(given):
            given.close()
        return Finding(None, f"{args.function} is async; give a plain function", kind="check_error")
    if given is None:
        return Finding(None, f"{args.function} could not tell")
    if isinstance(given, bool | int | float) and math.isfinite(given) and 0 <= given <= 1:
        return Finding(float(given), f"{args.function} gave {float(given):g}")
    reason = f"{args.function} gave {given!r:.80}, expected a number from 0 to 1, a truth value or None"
    return Finding(None, reason, kind="check_error")


def imported(reference: str) -> Callable[[Episode], Any]:
    """The function that `pkg.mod:name` names. Raises ValueError if there is none."""
    module_name, _, name = reference.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"can't import {reference}: {error}") from None
    if not callable(found):
        raise ValueError(f"{reference} is no function")
    return found  # type: ignore[no-any-return]  # its result is checked where it is called
