"""One record, as environment builders, agents' frameworks and benchmarks write it, read as an Episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import ValidationError

from judge.episode import Episode
from judge.errors import EpisodeError, InputError
from judge.reading.content import words_of
from judge.reading.messages import Transcript, read_messages
from judge.reading.steps import read_steps

FIELDS = frozenset(Episode.model_fields) - {"base_dir", "line"}
KNOWN = FIELDS | {"messages", "traj", "trajectory", "prompt", "completion", "response", "reply", "final_reply"}
_CHATS = ("messages", "traj", "trajectory", "conversation", "conversations")
_SINGLE = ("completion", "response", "final_reply", "reply")
_ENDED = frozenset({"user_stop", "agent_stop", "completed", "done"})
_CUT = frozenset(
    {"max_steps", "max_turns", "timeout", "too_many_errors", "agent_error", "user_error", "infrastructure_error"}
)


@dataclass(frozen=True)
class Origin:
    """Where a record stood: the folder that its paths are relative to, its line, and a name for a record without ids."""

    base_dir: Path | None = None
    line: int | None = None
    name: str = "episode"


def episode_from(record: Any, origin: Origin = Origin()) -> Episode:
    """The episode that a record holds, whatever its shape. Raises EpisodeError that says what is wrong and where.

    What is known by no name is kept in `metadata`. `episode_id` is always set: as given, else from the task and the trial.
    """
    if isinstance(record, list):
        record = {"messages": record}
    if not isinstance(record, dict):
        raise EpisodeError(f'is {type(record).__name__}, expected a record such as {{"task_id": …, "steps": […]}}')
    fields = {key: value for key, value in record.items() if key in FIELDS and value is not None}
    beside = {key: value for key, value in record.items() if key not in FIELDS}
    if "traj" in beside and _crashed(beside.get("info")):
        _mark_crashed(fields, beside)
    _read_transcript(fields, beside)
    _read_ending(fields, beside)
    _name(fields, beside, origin)
    _keep(fields, beside)
    return _validated(fields, origin)


def as_episode(source: Episode | Mapping[str, Any]) -> Episode:
    """An Episode as it is, or the one that a plain record holds. Raises EpisodeError; InputError for anything else."""
    if isinstance(source, Episode):
        return source
    if not isinstance(source, Mapping):
        what = f"{type(source).__name__} {str(source)[:60]!r}"
        raise InputError(
            f"an episode is an Episode or a mapping, got {what}; read files with judge.read_episodes(path)"
        )
    return episode_from(dict(source))


def _read_transcript(fields: dict[str, Any], beside: dict[str, Any]) -> None:
    chat = next((key for key in _CHATS if isinstance(beside.get(key), list)), None)
    if "steps" in fields:
        if not isinstance(fields["steps"], list):
            raise EpisodeError(f"`steps` is {type(fields['steps']).__name__}, expected a list")
        fields["steps"] = read_steps(fields["steps"])
    elif chat is not None:
        _use(read_messages(beside.pop(chat)), fields, beside)
    elif any(beside.get(key) is not None for key in _SINGLE):
        _read_single(fields, beside)
    else:
        raise EpisodeError('has neither `steps` nor `messages`; an agent that did nothing has "steps": []')


def _read_single(fields: dict[str, Any], beside: dict[str, Any]) -> None:
    """A record of one turn: a prompt (text or messages) and what was answered (text or messages)."""
    key = next(key for key in _SINGLE if beside.get(key) is not None)
    answer, prompt = beside.pop(key), beside.get("prompt")
    messages = beside.pop("prompt") if isinstance(prompt, list) else []
    if isinstance(prompt, str) and "instruction" not in fields:
        fields["instruction"] = beside.pop("prompt")
    is_chat = isinstance(answer, list) and all(isinstance(item, dict) and "role" in item for item in answer)
    _use(
        read_messages([*messages, *(answer if is_chat else [{"role": "assistant", "content": answer}])]), fields, beside
    )


def _use(transcript: Transcript, fields: dict[str, Any], beside: dict[str, Any]) -> None:
    fields["steps"] = transcript.steps
    if not transcript.system:
        return
    policy = "\n\n".join(transcript.system)
    context = fields.setdefault("context", {})
    if isinstance(context, dict) and "policy" not in context:
        fields["context"] = {**context, "policy": policy}
    elif isinstance(context, dict) and words_of(context["policy"]) != policy:
        beside.setdefault("system", policy)


def _read_ending(fields: dict[str, Any], beside: dict[str, Any]) -> None:
    """The task's words, the reward and how it ended, where benchmarks say so by other names."""
    info = beside.get("info")
    if isinstance(info, dict) and isinstance(info.get("task"), dict):
        instruction = info["task"].get("instruction")
        if isinstance(instruction, str):
            fields.setdefault("instruction", instruction)
    reward_info = beside.get("reward_info")
    if isinstance(reward_info, dict) and isinstance(reward_info.get("reward"), int | float):
        fields.setdefault("reward", reward_info["reward"])
    ended = beside.get("termination", beside.get("termination_reason"))
    if isinstance(ended, str) and "terminated" not in fields and "truncated" not in fields:
        if ended in _ENDED:
            fields.update(terminated=True, truncated=False)
        elif ended in _CUT:
            fields.update(terminated=False, truncated=True)


def _crashed(info: Any) -> bool:
    """Whether a tau-bench row was never judged by its environment: it holds an error, or no reward was worked out."""
    return not isinstance(info, dict) or "error" in info or info.get("reward_info") is None


def _mark_crashed(fields: dict[str, Any], beside: dict[str, Any]) -> None:
    fields.update(truncated=True, terminated=False)
    if "reward" in fields:
        # The harness writes 0 for what it could not run. That is no result of the agent's, so it is kept, but not as a reward.
        beside["recorded_reward"] = fields.pop("reward")


def _name(fields: dict[str, Any], beside: dict[str, Any], origin: Origin) -> None:
    """Give the record its ids: a record without a task is its own task."""
    named = beside.get("id", beside.get("instance_id", beside.get("prompt_id")))
    if not isinstance(named, str | int) or isinstance(named, bool) or named == "":
        named = None
    if "task_id" not in fields:
        own = fields.get("episode_id") or named
        fields["task_id"] = origin.name if own is None else own
    if not fields.get("episode_id"):
        trial = fields.get("trial")
        fields["episode_id"] = fields["task_id"] if trial is None else f"{fields['task_id']}/{trial}"


def _keep(fields: dict[str, Any], beside: dict[str, Any]) -> None:
    """Keep what has no field of its own in `metadata`; where both hold a name, the record's stands under `record.NAME`."""
    if not beside:
        return
    metadata = fields.get("metadata", {})
    if isinstance(metadata, dict):
        moved = {(f"record.{key}" if key in metadata else key): value for key, value in beside.items()}
        fields["metadata"] = {**moved, **metadata}


def _validated(fields: dict[str, Any], origin: Origin) -> Episode:
    uses = fields.get("uses")
    if isinstance(uses, str):
        fields["uses"] = (uses,)
    if "artifacts" in fields:
        fields["artifacts"] = _artifacts(fields["artifacts"])
    fields["base_dir"], fields["line"] = origin.base_dir, origin.line
    try:
        return Episode.model_validate(fields)
    except ValidationError as error:
        raise EpisodeError(_sentences(error)) from None


def _artifacts(given: Any) -> Any:
    """Artifacts in their short spellings: a path alone, or a mapping of names to texts."""
    if isinstance(given, dict):
        return [{"name": name, "text": text} for name, text in given.items()]
    if not isinstance(given, list):
        return given
    return [{"name": PurePosixPath(item).name, "path": item} if isinstance(item, str) else item for item in given]


def _sentences(error: ValidationError) -> str:
    problems = error.errors(include_url=False)
    lines = []
    for problem in problems[:3]:
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in problem["loc"]).removeprefix(
            "."
        )
        given = problem.get("input")
        shown = f", got {given!r}"[:80] if not isinstance(given, Mapping | list) else f", got {type(given).__name__}"
        lines.append(f"{place or 'record'}: {problem['msg'].removeprefix('Value error, ')}{shown}")
    return "; ".join(lines) + (f"; and {len(problems) - 3} more" if len(problems) > 3 else "")
