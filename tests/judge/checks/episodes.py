"""Small episodes and criteria for the tests of checks."""

from __future__ import annotations

from typing import Any

from judge.checks import Checked, CheckSettings, check
from judge.episode import Episode
from judge.reading import episode_from
from rubrics.criterion import Criterion


def said(*replies: str, **more: Any) -> Episode:
    """An episode in which the agent said these things."""
    messages = [{"role": "assistant", "content": reply} for reply in replies]
    return episode_from({"task_id": "x", "messages": messages, **more})


def did(*steps: Any, **more: Any) -> Episode:
    """An episode of tool calls, each given as a name, a name and arguments, or a whole step."""
    whole = [step if isinstance(step, dict) else {"action": _action(step)} for step in steps]
    return episode_from({"task_id": "x", "steps": whole, **more})


def _action(step: Any) -> dict[str, Any]:
    return {"tool": step} if isinstance(step, str) else {"tool": step[0], "args": step[1]}


def criterion(name: str, *, levels: Any = None, weight: float = 1.0, **args: Any) -> Criterion:
    """A criterion that a check answers; `_in`, `_not` and `_is` stand for the arguments that Python has no names for."""
    args = {key.removeprefix("_"): value for key, value in args.items()}
    given = {
        "id": "c",
        "weight": weight,
        "check": {"name": name, "args": args},
        **({"levels": levels} if levels else {}),
    }
    return Criterion.model_validate(given)


def ask(name: str, episode: Episode, *, settings: CheckSettings | None = None, **args: Any) -> Checked:
    """Let a check answer."""
    return check(episode, criterion(name, **args), settings or CheckSettings())


def value(name: str, episode: Episode, **args: Any) -> float | None:
    """The value of a check's verdict, or None if there is none; a failure is an error of the test."""
    checked = ask(name, episode, **args)
    assert checked.verdict is not None, checked.failure
    return checked.verdict.value


def failure(name: str, episode: Episode, **args: Any) -> tuple[str, str]:
    """Kind and message of a check's failure."""
    checked = ask(name, episode, **args)
    assert checked.verdict is None
    assert checked.failure is not None
    return checked.failure.kind, checked.failure.message
