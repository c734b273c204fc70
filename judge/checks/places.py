"""Where a text check looks: the last reply, every reply, or a file that the agent left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from judge.artifacts import ArtifactError, MissingReaderError, text_of
from judge.checks.finding import Finding, listed
from judge.episode import Artifact, Episode
from judge.state.errors import StateUnavailable

Place = Annotated[str, Field(pattern=r"^(last_reply|any_reply|artifact:.+)$")]
ARTIFACT = "artifact:"


@dataclass(frozen=True)
class Texts:
    """The texts at a place, and its name for a sentence. Without texts, `absence` says what is not there."""

    texts: tuple[str, ...]
    name: str
    absence: str = ""

    @property
    def whole(self) -> str:
        """All of it in one text."""
        return "\n\n".join(self.texts)


def texts_at(episode: Episode, place: str) -> Texts | Finding:
    """The texts at `place`; a Finding where nobody can look there."""
    if place.startswith(ARTIFACT):
        return _text_of_artifact(episode, place.removeprefix(ARTIFACT))
    replies = tuple(text for _, text in episode.replies())
    if place == "last_reply":
        return Texts(replies[-1:], "the last reply", "" if replies else "the agent sent no reply")
    return Texts(replies, "the replies", "" if replies else "the agent sent no reply")


def _text_of_artifact(episode: Episode, name: str) -> Texts | Finding:
    found = artifact_named(episode, name)
    if isinstance(found, Finding):
        return found
    if isinstance(found, str):
        return Texts((), f"file {name}", found)
    try:
        return Texts((text_of(found, episode.base_dir),), f"file {name}")
    except (ArtifactError, MissingReaderError) as error:
        return Finding(None, str(error), kind=error.kind)
    except StateUnavailable as error:
        return Finding(None, str(error), kind="state_unavailable")


def artifact_named(episode: Episode, name: str) -> Artifact | str | Finding:
    """The artifact of that name; a sentence if the agent left none; a Finding if the record does not say what it left."""
    for artifact in episode.artifacts:
        if name in (artifact.name, artifact.path):
            return artifact
    if "artifacts" not in episode.model_fields_set:
        reason = (
            f"the record does not say which files the agent left (it has no `artifacts`), so {name} can't be looked at"
        )
        return Finding(None, reason, kind="state_unavailable")
    left = listed([a.name for a in episode.artifacts])
    return f"the agent left no file {name}; it left {left or 'none'}"
