"""What happened: one agent's attempt at one task."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from rubrics.criterion import Noun

Producer = Literal["user", "agent", "tool", "environment"]

# A value that JSON can hold. Not checked level by level: states of ten thousand rows stand in episodes, and what reads them
# says so if they hold anything else.
Json = Any

REPLY_TOOLS = frozenset(
    "reply respond send_reply send_message send_email reply_to_customer message answer final_answer submit say send_chat "
    "post_message add_comment post_comment transfer_note".split()
)
REPLY_ARGUMENTS = ("text", "message", "content", "body", "answer", "reply", "comment", "note")


def json_text(value: Json) -> str:
    """Stable JSON text for a value that is not text: sorted keys, letters as they are, never a Python repr."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


class Action(Noun):
    """A tool and its arguments. `by` is `user` when the simulated user called it, so that it never counts as the agent's."""

    tool: str
    args: dict[str, Json] = Field(default_factory=dict)
    by: Literal["agent", "user"] = "agent"


class Step(Noun):
    """One thing that happened. `t` is its place, unique in the episode, and what a quote names.

    Either somebody said something (`text`, by `by`) or a tool was called (`action`) and gave `observation`; a plain record
    may hold both. `thought` is what the agent wrote to itself: no one else saw it, so it is never a reply. `error` is True
    if the tool reported one. `metadata` is what else the record said of the step: not shown to a judge.
    """

    t: int
    by: Producer = "agent"
    text: str | None = None
    thought: str | None = None
    action: Action | None = None
    observation: Json = None
    error: bool = False
    metadata: dict[str, Json] = Field(default_factory=dict)

    @property
    def reply(self) -> str | None:
        """What this step told the user: the agent's words, or what it passed to a tool that replies; None if nothing."""
        if self.by != "agent":
            return None
        said = self.text
        if self.action is not None and self.action.by == "agent" and self.action.tool in REPLY_TOOLS:
            args = self.action.args
            passed = next((args[name] for name in REPLY_ARGUMENTS if args.get(name) is not None), None)
            said = said if passed is None else passed if isinstance(passed, str) else json_text(passed)
        return said if said is not None and not said.isspace() and said else None


class Artifact(Noun):
    """A file that the agent left: inline `text`, or a `path` relative to the episodes file."""

    name: str
    path: str | None = None
    text: str | None = None
    media_type: str | None = None


class Episode(Noun):
    """One attempt at one task, as environment builders write it down.

    `group_id` joins the siblings of one prompt (as in GRPO); `policy` and `policy_step` say which checkpoint acted. States
    and goals are inline JSON, a path or base and patch (contracts in `judge.state`); None means that it is not known.
    `base_dir` is the folder that paths are relative to.
    """

    task_id: str
    episode_id: str = ""
    group_id: str | None = None
    policy: str | None = None
    policy_step: int | None = None
    trial: int | None = None
    instruction: str = ""
    steps: tuple[Step, ...] = ()
    initial_state: Json = None
    final_state: Json = None
    goal_state: Json = None
    artifacts: tuple[Artifact, ...] = ()
    context: dict[str, Json] = Field(default_factory=dict)
    rubric: Json = None
    reward: Annotated[float | None, Field(allow_inf_nan=False)] = None
    terminated: bool | None = None
    truncated: bool | None = None
    outcome: Json = None
    uses: tuple[str, ...] | None = None
    metadata: dict[str, Json] = Field(default_factory=dict)
    base_dir: Path | None = Field(default=None, exclude=True, repr=False)
    line: int | None = Field(default=None, exclude=True, repr=False)

    @field_validator("task_id", "episode_id", "group_id", "policy", mode="before")
    @classmethod
    def _numbers_are_names(cls, value: object) -> object:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @property
    def id(self) -> str:
        """`episode_id`, or `task_id/TRIAL`, or `task_id`."""
        return self.episode_id or (self.task_id if self.trial is None else f"{self.task_id}/{self.trial}")

    @cached_property
    def names(self) -> dict[str, Any]:
        """What a rubric's `{{ names }}` may use: the context's own names, and `context`, `task_id`, `instruction`."""
        return {"task_id": self.task_id, "instruction": self.instruction, **self.context, "context": self.context}

    def replies(self) -> Iterator[tuple[Step, str]]:
        """Each step that told the user something, with the words, in order."""
        return iter(self._replies)

    @cached_property
    def _replies(self) -> list[tuple[Step, str]]:
        return [(step, text) for step in self.steps if step.by == "agent" and (text := step.reply) is not None]

    @cached_property
    def last_reply(self) -> str | None:
        """The last thing that the agent told the user; None if it never said anything."""
        return self._replies[-1][1] if self._replies else None

    def calls(self, tool: str | None = None) -> Iterator[Step]:
        """The steps in which the agent (never the simulated user) called `tool`, or any tool, in order."""
        return (s for s in self.steps if s.action and s.action.by == "agent" and tool in (None, s.action.tool))
