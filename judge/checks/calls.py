"""Checks `called` and `not_called`: which tools the agent called, with what, how often and in which order."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from judge.checks.finding import Arguments, CheckSettings, Finding, listed, short, yes_or_no
from judge.checks.matching import holds
from judge.episode import Episode, Step


class Times(Arguments):
    """A range for the number of calls; None leaves an end open."""

    min: int | None = Field(None, ge=0)
    max: int | None = Field(None, ge=0)


class Called(Arguments):
    """`tool` (or one of several) with `args`, of which the call may have more; numbers by value.

    `before` and `after` name another tool: only calls before its first call, or after it, count. `times`: exactly so many
    (or `{min, max}`); for `not_called` it takes so many to count as called. `succeeded: true` leaves failed calls out.
    """

    tool: str | tuple[str, ...]
    args: dict[str, Any] = Field(default_factory=dict)
    times: int | Times | None = None
    before: str | None = None
    after: str | None = None
    succeeded: bool = False

    @model_validator(mode="after")
    def _names_tools(self) -> Called:
        if not all(self.tools):
            raise ValueError("`tool` is empty; name a tool")
        if isinstance(self.times, int) and self.times < 0:
            raise ValueError(f"`times` is {self.times}; expected 0 or more")
        return self

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools of which a call counts."""
        return (self.tool,) if isinstance(self.tool, str) else self.tool


def called(episode: Episode, args: Called, _settings: CheckSettings) -> Finding:
    """Whether the agent made such calls."""
    matching = _matching(episode, args)
    return yes_or_no(_often_enough(len(matching), args.times), _reason(episode, args, matching))


def not_called(episode: Episode, args: Called, _settings: CheckSettings) -> Finding:
    """Whether the agent made no such call, or fewer than `times`."""
    matching = _matching(episode, args)
    if isinstance(args.times, Times):
        return yes_or_no(not _often_enough(len(matching), args.times), _reason(episode, args, matching))
    return yes_or_no(len(matching) < max(1, args.times or 1), _reason(episode, args, matching))


def _matching(episode: Episode, args: Called) -> list[Step]:
    calls = list(episode.calls())
    if args.before is not None:
        first = _first(calls, args.before)
        calls = calls if first is None else calls[:first]
    if args.after is not None:
        first = _first(calls, args.after)
        calls = [] if first is None else calls[first + 1 :]
    return [
        step for step in calls
        if step.action and step.action.tool in args.tools and holds(args.args, step.action.args)
        and not (args.succeeded and step.error)
    ]  # fmt: skip


def _first(calls: list[Step], tool: str) -> int | None:
    return next((i for i, step in enumerate(calls) if step.action and step.action.tool == tool), None)


def _often_enough(count: int, times: int | Times | None) -> bool:
    if isinstance(times, Times):
        return (times.min is None or count >= times.min) and (times.max is None or count <= times.max)
    return count >= 1 if times is None else count == times


def _reason(episode: Episode, args: Called, matching: list[Step]) -> str:
    name = " or ".join(args.tools) + (f" with {short(args.args)}" if args.args else "")
    order = "".join(f" {word} {tool}" for word, tool in (("before", args.before), ("after", args.after)) if tool)
    if matching:
        return f"the agent called {name}{order} {_times(len(matching))}, at step {listed([s.t for s in matching])}"
    others = [step for step in episode.calls() if step.action and step.action.tool in args.tools]
    if others:
        last = others[-1]
        args_then = short(last.action.args if last.action else {})
        seen = f"; it called it at step {listed([s.t for s in others])}, last with {args_then}"
    else:
        seen = f"; it called {listed(sorted({s.action.tool for s in episode.calls() if s.action})) or 'nothing'}"
    return f"the agent did not call {name}{order}{seen}"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
