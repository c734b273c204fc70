"""What is calibrated: one question about one episode, with what every judge said; and the same with the truth beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Item:
    """One criterion of one episode, or the episode as a whole (`criterion` None).

    `judges` holds each judge's value in [0, 1], averaged over its samples: for the whole, the score that the rubric makes of
    that judge alone. `pooled` is the panel's value, None where there is none (`ungraded` then says why). `closed` is True
    where a gate settled by code had closed the score, so that a whole is 0 whatever judges say. `covariates` are numbers
    about the episode such as `reply_chars`.
    """

    episode: str
    task: str
    criterion: str | None
    judges: Mapping[str, float]
    pooled: float | None
    panel: tuple[str, ...]
    covariates: Mapping[str, float]
    levels: Mapping[str, float] = field(default_factory=dict)
    fingerprint: str = ""
    rubric: str = ""
    tags: tuple[str, ...] = ()
    policy: str | None = None
    policy_step: int | None = None
    group: str | None = None
    closed: bool = False
    gated: bool = False
    ungraded: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """An item and the truth about it.

    `truth` is the mean over `raters` (each person's value in [0, 1], or the state check's). `unsettled` are raters who
    looked and could not tell, or said that it does not apply. `inclusion` is the known probability that this episode was
    labelled, None if unknown.
    """

    item: Item
    truth: float
    raters: Mapping[str, float]
    unsettled: tuple[str, ...] = ()
    inclusion: float | None = None
    stratum: str | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Why some records or labels were not used: a sentence, the ids concerned (`EPISODE` or `EPISODE/CRITERION`)."""

    reason: str
    ids: tuple[str, ...]

    @property
    def n(self) -> int:
        """How many."""
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Pairing:
    """Items with their truth, every item there was, and what was left out with the reason.

    `items` are all items asked about, labelled or not, graded or not. `conflicts` are items on which raters disagree.
    """

    pairs: tuple[Pair, ...]
    items: tuple[Item, ...]
    left_out: tuple[LeftOut, ...] = ()
    conflicts: tuple[str, ...] = ()

    @property
    def coverage(self) -> float | None:
        """The share of labelled items that have a grade; None if nothing was labelled."""
        missing = sum(left.n for left in self.left_out if left.reason.startswith("no grade"))
        return len(self.pairs) / (len(self.pairs) + missing) if self.pairs or missing else None


def matrix_of(items: Sequence[Item], judges: Sequence[str]) -> Floats:
    """The judges' values as rows of items and columns of judges; NaN stands where a judge gave none."""
    return np.array([[item.judges.get(judge, np.nan) for judge in judges] for item in items], dtype=float).reshape(
        len(items), len(judges)
    )


def truths_of(pairs: Sequence[Pair]) -> Floats:
    """The truth of each pair, in [0, 1]."""
    return np.array([pair.truth for pair in pairs], dtype=float)


def tasks_of(items: Sequence[Item]) -> NDArray[np.int64]:
    """The task of each item as a number: what bootstraps resample and folds keep together."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(item.task, len(numbers)) for item in items], dtype=np.int64)


def weights_of(pairs: Sequence[Pair]) -> Floats:
    """Each pair's weight, 1 / its inclusion probability scaled to a mean of 1; all 1 where none is known.

    A pair of which it is not known counts as one of those with a mean weight.
    """
    known = [1.0 / pair.inclusion for pair in pairs if pair.inclusion is not None]
    if not known:
        return np.ones(len(pairs))
    usual = sum(known) / len(known)
    raw = np.array([usual if pair.inclusion is None else 1.0 / pair.inclusion for pair in pairs])
    return np.asarray(raw / raw.mean())
