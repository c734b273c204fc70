"""What the writers of several formats share: how a person is named, and which labels go to one task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from calibration.label import PERSON, Label


class Task(NamedTuple):
    """What a labelling tool keeps with a task: the episode, its sampling, and whether a judge has seen its labels."""

    episode_id: str
    inclusion_probability: float | None
    stratum: str | None
    used_for: str | None

    @property
    def known(self) -> dict[str, str | float]:
        """What is known of it, by our own names."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def rater_name(label: Label) -> str:
    """The rater as a file names it: a person without `person:` where reading puts it back."""
    name = label.rater.removeprefix(PERSON)
    return label.rater if ":" in name else name


def by_task(labels: Sequence[Label]) -> dict[Task, list[Label]]:
    """Labels by their task. The sampling is a fact of the episode: where a label is silent, another one's word holds."""
    chances: dict[str, float] = {label.episode: label.inclusion for label in labels if label.inclusion is not None}
    strata: dict[str, str] = {label.episode: label.stratum for label in labels if label.stratum is not None}
    found: dict[Task, list[Label]] = defaultdict(list)
    for label in labels:
        inclusion = chances.get(label.episode) if label.inclusion is None else label.inclusion
        stratum = strata.get(label.episode) if label.stratum is None else label.stratum
        found[Task(label.episode, inclusion, stratum, label.used_for)].append(label)
    return found
