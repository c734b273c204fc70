"""From an episode to what judges are shown of it: its state changes and its artifacts, as text."""

from __future__ import annotations

from collections.abc import Mapping

from judge.artifacts import text_of
from judge.episode import Episode
from judge.errors import JudgeError
from judge.evidence import as_text
from judge.prompting import Exhibit
from judge.state import StateCache, StateUnavailable, diff, read_state
from judge.state.values import Json

VERBS = {"add": "added", "del": "removed", "set": "changed"}
MAX_VALUE = 600


def exhibit_of(episode: Episode, states: StateCache, *, artifacts: bool = True) -> Exhibit:
    """The episode as an exhibit. The goal is never in it; files are read only if a criterion may see them."""
    texts, absent = _texts(episode) if artifacts else ({}, None)
    return Exhibit(episode, changes=changed(episode, states), artifact_texts=texts, absent=absent)


def changed(episode: Episode, states: StateCache) -> list[str] | None:
    """What the episode changed in the state, a line each: path, what was and what is. None if a state is not known."""
    if episode.initial_state is None or episode.final_state is None:
        return None
    try:
        before = read_state(episode.initial_state, base_dir=episode.base_dir, cache=states)
        after = read_state(episode.final_state, base_dir=episode.base_dir, initial=before, cache=states)
    except StateUnavailable:
        return None  # the check that needs the state says so; judges are told that none is known
    return [_line(*change) for change in diff(before, after)]


def _line(op: Json, path: Json, old: Json, new: Json) -> str:
    sides = [_short(value) for value in (old, new)]
    if op == "set":
        return f"{path} changed from {sides[0]} to {sides[1]}"
    return f"{path} {VERBS[str(op)]}: {sides[1] if op == 'add' else sides[0]}"


def _short(value: Json) -> str:
    text = as_text(value) if not isinstance(value, str) else f'"{value}"'
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]} (… {len(text) - MAX_VALUE} characters left out …)"


def _texts(episode: Episode) -> tuple[Mapping[str, str], JudgeError | None]:
    """The text of each file, and why one can't be looked at at all."""
    texts: dict[str, str] = {}
    absent: JudgeError | None = None
    for artifact in episode.artifacts:
        try:
            texts[artifact.name] = text_of(artifact, episode.base_dir)
        except JudgeError as error:
            if error.blame == "episode":
                # What the agent left can't be opened: the judge is told so, since a broken file is a fact about the work.
                texts[artifact.name] = f"(this file can't be read: {error.message})"
            else:
                absent = error
    return texts, absent
