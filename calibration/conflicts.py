"""Raters who contradict themselves: one question, one rater, answers that differ. All are kept; none is the last word."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from calibration.label import OVERALL_LEVELS, Label


class Conflict(NamedTuple):
    """The answers of one rater to one question (`criterion` None: the whole episode) that differ, each once."""

    episode: str
    criterion: str | None
    rater: str
    labels: tuple[Label, ...]

    def __str__(self) -> str:
        question = self.episode if self.criterion is None else f"{self.episode}/{self.criterion}"
        said = [f"{_said(label)!r}{f' ({label.place})' if label.place else ''}" for label in self.labels]
        return f"{question}: {self.rater} said {' and '.join(said)}"


def conflicts(labels: Iterable[Label]) -> list[Conflict]:
    """Every question to which one rater gave answers that differ, in the order of their first answers.

    A level and a value of a criterion can't be compared without its scale, so that they make no conflict here.
    """
    given: dict[tuple[str, str | None, str], list[Label]] = defaultdict(list)
    for label in labels:
        given[label.episode, label.criterion, label.rater].append(label)
    found = []
    for key, said in given.items():
        different: dict[tuple[str, str | float], Label] = {}
        for label in said:
            different.setdefault(_meaning(label), label)
        kinds = [kind for kind, _ in different]
        if len(different) > 1 and len(set(kinds)) < len(kinds):
            found.append(Conflict(*key, tuple(different.values())))
    return found


def _meaning(label: Label) -> tuple[str, str | float]:
    """An answer as one of a kind that can be compared: levels with levels, values with values."""
    if label.level is None:
        return "value", _said(label)
    if label.criterion is None and label.level in OVERALL_LEVELS:
        return "value", OVERALL_LEVELS[label.level]
    return ("value" if label.criterion is None else "level"), label.level


def _said(label: Label) -> str | float:
    return label.level if label.level is not None else float(label.value or 0.0)
