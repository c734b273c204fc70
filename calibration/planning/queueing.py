"""Which episodes to label next, each with the probability with which it was chosen."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.estimating.samples import DEBUG
from calibration.items import Item, Pairing
from calibration.planning.wishes import Queueing
from calibration.results import Queued

SCORES = ("low score", "middle score", "high score")
STATE = {True: "state passes", False: "state fails", None: ""}


def queue_of(pairing: Pairing, size: int, how: Queueing, rng: np.random.Generator) -> tuple[Queued, ...]:
    """`size` episodes without a label (all, if there are fewer), in random order; for `debug` the most doubtful first.

    A task without a label comes before a second label of any: rounds of one rollout a task, taken at random, the last round a
    random part of the tasks in proportion to strata of score and state. Inclusion probabilities are those of this choice,
    among the episodes it was open to; a queue that is left half done still serves, as its order is random.
    """
    open_ = open_items(pairing, how)
    if how.kind == "debug":
        return tuple(_doubtful(open_, size))
    strata = strata_of([i for i in pairing.items if i.criterion == how.criterion], how)
    drawn = _Draw.of(open_, labelled_tasks(pairing, how.criterion), rng).take(size, strata)
    twice = set(rng.permutation(len(drawn))[: math.ceil(how.double * len(drawn))].tolist())
    shuffled = [drawn[i] for i in rng.permutation(len(drawn))]
    return tuple(q.model_copy(update={"raters": 2}) if i in twice else q for i, q in enumerate(shuffled))


def open_items(pairing: Pairing, how: Queueing) -> list[Item]:
    """Graded items that nobody has looked at yet; those behind a closed gate only where `state` asks about it."""
    seen = {(p.item.episode, p.item.criterion) for p in pairing.pairs}
    passed_over = {name for left in pairing.left_out for name in left.ids}
    return [
        item
        for item in pairing.items
        if item.criterion == how.criterion
        and (item.episode, item.criterion) not in seen
        and _name(item) not in passed_over
        and (item.pooled is not None or item.closed)
        and (how.state is not None or not (item.closed and item.criterion is None))
    ]


def _name(item: Item) -> str:
    return item.episode if item.criterion is None else f"{item.episode}/{item.criterion}"


def labelled_tasks(pairing: Pairing, criterion: str | None) -> Counter[str]:
    """How many labels each task has."""
    return Counter(p.item.task for p in pairing.pairs if p.item.criterion == criterion)


def strata_of(items: Sequence[Item], how: Queueing) -> dict[str, str]:
    """The stratum of each episode: the third of the scores that it lies in, and what its state check says."""
    scores = [_score(item) for item in items]
    cuts = np.quantile(scores, [1 / 3, 2 / 3]) if scores else np.zeros(2)
    thirds = np.searchsorted(cuts, scores, side="left")
    names = [
        [SCORES[third], STATE[how.state.get(item.episode) if how.state else None]]
        for item, third in zip(items, thirds, strict=True)
    ]
    return {item.episode: ", ".join(filter(None, name)) for item, name in zip(items, names, strict=True)}


def _score(item: Item) -> float:
    return 0.0 if item.pooled is None else item.pooled


@dataclass(frozen=True)
class _Draw:
    """Rollouts without a label by task, in random order, and how many labels each task has."""

    waiting: Mapping[str, list[Item]]
    labels: Counter[str]
    rng: np.random.Generator

    @classmethod
    def of(cls, items: Sequence[Item], labels: Counter[str], rng: np.random.Generator) -> _Draw:
        waiting: dict[str, list[Item]] = defaultdict(list)
        for i in rng.permutation(len(items)):
            waiting[items[i].task].append(items[i])
        return cls(waiting, labels, rng)

    def take(self, size: int, strata: Mapping[str, str]) -> list[Queued]:
        """The episodes of the whole rounds, then of the part of a round that is left."""
        rounds: Counter[str] = Counter()
        chosen: list[Item] = []
        while (left := size - len(chosen)) > 0 and (candidates := self._candidates(rounds)):
            if len(candidates) > left:
                part, chances = self._part(candidates, left, strata)
                tasks = {item.task for item in candidates}
                return [self._queued(i, rounds, chances if i.task in tasks else {}, strata) for i in (*chosen, *part)]
            chosen += candidates
            rounds.update(item.task for item in candidates)
        return [self._queued(item, rounds, {}, strata) for item in chosen]

    def _candidates(self, rounds: Counter[str]) -> list[Item]:
        """The next rollout of each task that has the fewest labels, among tasks with a rollout left."""
        depth = {t: self.labels[t] + rounds[t] for t, items in self.waiting.items() if rounds[t] < len(items)}
        least = min(depth.values(), default=0)
        return [self.waiting[task][rounds[task]] for task, labels in depth.items() if labels == least]

    def _part(
        self, candidates: Sequence[Item], size: int, strata: Mapping[str, str]
    ) -> tuple[list[Item], dict[str, float]]:
        """A random part in proportion to strata, and the chance of a candidate of each; "" stands for any other stratum."""
        members: dict[str, list[Item]] = defaultdict(list)
        for item in candidates:
            members[strata[item.episode]].append(item)
        if size < len(members):
            members = {"": list(candidates)}
        counts = shares({name: len(items) for name, items in members.items()}, size)
        part = [members[name][i] for name, k in counts.items() for i in self.rng.permutation(len(members[name]))[:k]]
        chances = {name: k / len(members[name]) for name, k in counts.items()}
        return part, {"": size / len(candidates), **chances}

    def _queued(
        self, item: Item, rounds: Counter[str], chances: Mapping[str, float], strata: Mapping[str, str]
    ) -> Queued:
        stratum = strata[item.episode]
        last = chances.get(stratum, chances.get("", 0.0))
        label = self.labels[item.task] + self.waiting[item.task].index(item) + 1
        return Queued(
            episode=item.episode, inclusion=min(1.0, (rounds[item.task] + last) / len(self.waiting[item.task])), stratum=stratum,
            why="its task has no label yet" if label == 1 else f"label {label} of its task",
        )  # fmt: skip


def shares(sizes: Mapping[str, int], n: int) -> dict[str, int]:
    """`n` split over strata in proportion to their sizes, at least one of each (the largest remainders first)."""
    whole = sum(sizes.values())
    counts = {name: min(size, max(1, n * size // whole)) for name, size in sizes.items()}
    while sum(counts.values()) < n:
        name = max((k for k in sizes if counts[k] < sizes[k]), key=lambda k: n * sizes[k] / whole - counts[k])
        counts[name] += 1
    while sum(counts.values()) > n:
        name = max((k for k in sizes if counts[k] > 1), key=lambda k: counts[k] - n * sizes[k] / whole)
        counts[name] -= 1
    return counts


def _doubtful(items: Sequence[Item], size: int) -> Iterator[Queued]:
    """Where judges differ most comes first, then where the panel is nearest to a half."""
    ranked = sorted(items, key=lambda item: (-_spread(item), abs(_score(item) - 0.5)))
    for item in ranked[:size]:
        said = ", ".join(f"{judge} {value:.2f}" for judge, value in item.judges.items())
        why = f"judges differ ({said})" if _spread(item) > 0 else f"the panel wavers ({_score(item):.2f})"
        yield Queued(
            episode=item.episode,
            inclusion=None,
            stratum=DEBUG,
            why=f"{why}; to find faults in the rubric, never for estimates",
        )


def _spread(item: Item) -> float:
    return max(item.judges.values()) - min(item.judges.values()) if item.judges else 0.0
