"""What happened: one agent's attempt at one task."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, field_validator

from rubrics.criterion import Noun

Producer = Literal["user", "agent", "tool", "environment"]

REPLY_TOOLS = frozenset(
    "reply respond send_reply send_message send_email reply_to_customer message answer final_answer submit say send_chat "
    "post_message add_comment post_comment transfer_note".split()
)
REPLY_ARGUMENTS = ("text", "message", "content", "body", "answer", "reply", "comment", "note")


class Action(Noun):
    """A tool and its arguments. `by` is `user` when the simulated user called it, so that it never counts as the agent's."""

    tool: str
    args: dict[str, JsonValue] = {}
    by: Literal["agent", "user"] = "agent"


class Step(Noun):
    """One thing that happened. `t` is its place, unique in the episode, and what a quote names.

    Either somebody said something (`text`, by `by`) or a tool was called (`action`) and gave `observation`; a plain record
    may hold both. `thought` is what the agent wrote to itself: no one else saw it, so it is never a reply.
    """

    t: int
    by: Producer = "agent"
    text: str | None = None
    thought: str | None = None
    action: Action | None = None
    observation: JsonValue = None
    error: bool = False

    @property
    def reply(self) -> str | None:
        """What this step told the user: the agent's words, or the text that it passed to a tool that replies."""
        if self.by != "agent":
            return None
        if self.action is None:
            return self.text
        if self.action.by == "agent" and self.action.tool in REPLY_TOOLS:
            return next((a for name in REPLY_ARGUMENTS if isinstance(a := self.action.args.get(name), str)), self.text)
        return self.text


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
    initial_state: JsonValue = None
    final_state: JsonValue = None
    goal_state: JsonValue = None
    artifacts: tuple[Artifact, ...] = ()
    context: dict[str, JsonValue] = {}
    rubric: JsonValue = None
    reward: Annotated[float | None, Field(allow_inf_nan=False)] = None
    terminated: bool | None = None
    truncated: bool | None = None
    outcome: JsonValue = None
    uses: tuple[str, ...] | None = None
    metadata: dict[str, JsonValue] = {}
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
        return ((step, text) for step in self.steps if (text := step.reply) is not None)

    @cached_property
    def last_reply(self) -> str | None:
        """The last thing that the agent told the user; None if it never said anything."""
        return next((text for _, text in reversed(list(self.replies()))), None)

    def calls(self, tool: str | None = None) -> Iterator[Step]:
        """The steps in which the agent (never the simulated user) called `tool`, or any tool, in order."""
        return (s for s in self.steps if s.action and s.action.by == "agent" and tool in (None, s.action.tool))
