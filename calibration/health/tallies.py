"""What is kept of the grade records of one policy step: counts and sums, never the records."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from calibration.records import RecordLike
from rubrics.references import CriterionRef

LENGTH = "reply_chars"


@dataclass(slots=True)
class Siblings:
    """Sums over what a group's episodes were paid (y) and the logarithms of their replies' lengths (x), where both are known."""

    episodes: int = 0
    paid: int = 0
    least: float = math.inf
    most: float = -math.inf
    n: int = 0
    x: float = 0.0
    xx: float = 0.0
    y: float = 0.0
    xy: float = 0.0

    def add(self, paid: float | None, length: float | None) -> None:
        """Count one more sibling."""
        self.episodes += 1
        if paid is None:
            return
        self.paid += 1
        self.least, self.most = min(self.least, paid), max(self.most, paid)
        if length is not None:
            self.n += 1
            self.x, self.xx = self.x + length, self.xx + length * length
            self.y, self.xy = self.y + paid, self.xy + length * paid


@dataclass(slots=True)
class Uses:
    """How the values of one criterion lie on its scale. `best` and `worst` are for the agent: turned round for a penalty.

    `earns` is False for penalties and gates, which do their work even if they never strike.
    """

    best: float
    worst: float
    earns: bool
    n: int = 0
    at_best: int = 0
    at_worst: int = 0
    least: float = math.inf
    most: float = -math.inf

    @classmethod
    def of(cls, criterion: CriterionRef) -> Uses:
        """An empty count for the criterion's scale."""
        ends = (min(criterion.levels.values()), max(criterion.levels.values()))
        best, worst = reversed(ends) if criterion.weight >= 0 else ends
        return cls(best, worst, earns=criterion.weight > 0 and not criterion.gate)

    def add(self, value: float) -> None:
        """Count one more value."""
        self.n += 1
        self.at_best += value == self.best
        self.at_worst += value == self.worst
        self.least, self.most = min(self.least, value), max(self.most, value)


@dataclass
class Sums:
    """A mean by task: the number of values and their sum in each."""

    by_task: dict[str, tuple[int, float]] = field(default_factory=dict)

    def add(self, task: str, value: float | None) -> None:
        """Count one more value; None counts for nothing."""
        if value is not None:
            n, total = self.by_task.get(task, (0, 0.0))
            self.by_task[task] = (n + 1, total + value)


@dataclass
class Tally:
    """One policy step so far. `flags` count episodes; `graders` are the methods, `calibrations` the ids, that were seen."""

    episodes: int = 0
    tasks: set[str] = field(default_factory=set)
    flags: Counter[str] = field(default_factory=Counter)
    blames: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    paid: Counter[str] = field(default_factory=Counter)
    groups: defaultdict[str, Siblings] = field(default_factory=lambda: defaultdict(Siblings))
    rewards: Sums = field(default_factory=Sums)
    lengths: Sums = field(default_factory=Sums)
    coverage: Sums = field(default_factory=Sums)
    criteria: dict[str, Uses] = field(default_factory=dict)
    graders: set[str] = field(default_factory=set)
    calibrations: set[str] = field(default_factory=set)

    def add(self, record: RecordLike) -> None:
        """Count one more record."""
        self.episodes += 1
        self.tasks.add(record.task_id)
        paid, length = self._paid(record), length_of(record.covariates)
        self.groups[record.group_id or record.task_id].add(paid, length)
        self.rewards.add(record.task_id, paid)
        self.lengths.add(record.task_id, length)
        self.coverage.add(record.task_id, share_answered(record))
        self.graders.add(record.method)
        self._count_states(record)
        for name, value in record.values.items():
            if value is not None and name in record.rubric.criteria:
                self._uses(name, record.rubric.criteria[name]).add(value)

    def _paid(self, record: RecordLike) -> float | None:
        """The reward where a calibration gives it, else the score: a grade that abstains is not paid its score."""
        kind, value = ("score", record.score) if record.calibration is None else ("reward", record.reward)
        if record.calibration is not None:
            self.calibrations.add(record.calibration)
        if value is not None:
            self.paid[kind] += 1
        return value

    def _count_states(self, record: RecordLike) -> None:
        self.flags["tie"] += "tie" in record.flags
        self.flags["forfeited"] += "forfeited" in record.flags
        self.flags["closed"] += bool(record.closed_gates)
        self.flags["escalated"] += record.calibration is not None and record.score is not None and record.reward is None
        self.failures.update({failure.blame for failure in record.failures})
        if record.score is None:
            self.blames[_blame(record)] += 1

    def _uses(self, name: str, criterion: CriterionRef) -> Uses:
        if name not in self.criteria:
            self.criteria[name] = Uses.of(criterion)
        return self.criteria[name]


def length_of(covariates: Mapping[str, object]) -> float | None:
    """The logarithm of one more than the reply's characters; None where they are not known."""
    characters = covariates.get(LENGTH)
    return math.log1p(characters) if isinstance(characters, int | float) and characters >= 0 else None


def share_answered(record: RecordLike) -> float | None:
    """The share of the criteria that apply which have a verdict; None where none applies, or a closed gate ended the asking."""
    if record.closed_gates:
        return None
    asked = [name for name in record.values if name not in record.not_applicable]
    return sum(record.values[name] is not None for name in asked) / len(asked) if asked else None


def _blame(record: RecordLike) -> str:
    if record.failures:
        return record.failures[0].blame
    if "tie" in record.flags:
        return "tie"
    return "unknown" if record.missing else "nothing_applies"


def tally(records: Iterable[RecordLike]) -> dict[tuple[str | None, int | None], Tally]:
    """One tally for each policy and step, in one pass."""
    found: defaultdict[tuple[str | None, int | None], Tally] = defaultdict(Tally)
    for record in records:
        found[record.policy, record.policy_step].add(record)
    return dict(found)
