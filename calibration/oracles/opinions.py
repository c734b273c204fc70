"""What each source says of one episode as a whole: the state check, people, the panel, and the rubric's other settled criteria."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from calibration.items import Pair
from calibration.label import OVERALL_LEVELS, PERSON, Label
from calibration.oracles.facts import (
    CUT_OFF,
    EPSILON,
    STATE_RATER,
    check_name,
    goal_is_empty,
    state_criteria,
    state_passes,
)
from calibration.pairing import items_of, pair
from calibration.records import RecordLike

OUTCOME = "outcome"
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Opinions:
    """One episode with a state verdict, and who says what of it.

    `panel` is the score in [0, 1] that the judged criteria alone make, `panel_passes` whether it reaches the pass mark with all
    judged gates open; `people` is the mean of their labels. `others` says of each gate that code settles and each recorded outcome,
    the state check apart, whether it holds. `empty_goal`: the goal requires nothing. `cut_off`: the agent never finished.
    """

    record: RecordLike
    state: bool
    empty_goal: bool
    cut_off: bool
    panel: float | None
    panel_passes: bool | None
    people: float | None
    others: Mapping[str, bool]

    @property
    def people_pass(self) -> bool | None:
        """What most people say; None if nobody looked or they are split evenly."""
        return None if self.people is None or self.people == HALF else self.people > HALF

    @property
    def failing(self) -> tuple[str, ...]:
        """The other settled criteria that do not hold."""
        return tuple(criterion for criterion, holds in self.others.items() if not holds)

    @property
    def second(self) -> bool | None:
        """Whether every other opinion but people's passes it; None if there is none."""
        known = [*self.others.values(), *([] if self.panel_passes is None else [self.panel_passes])]
        return all(known) if known else None


def opinions(records: Sequence[RecordLike], labels: Iterable[Label] = ()) -> list[Opinions]:
    """The opinions on each episode that has a state verdict, in the order of the records."""
    labels = list(labels)
    people = {p.item.episode: p.truth for p in people_on_wholes(records, labels)} if labels else {}
    return [found for record in records if (found := _opinions(record, people.get(record.episode_id))) is not None]


def people_on_wholes(records: Sequence[RecordLike], labels: Iterable[Label]) -> tuple[Pair, ...]:
    """People's labels of whole episodes that have a state verdict, paired with it: its value stands in the judges' place."""
    values = {record.episode_id: state_passes(record) for record in records}
    items = [
        replace(
            item, judges={STATE_RATER: float(passes)}, pooled=float(passes), panel=(STATE_RATER,), levels=OVERALL_LEVELS
        )
        for item in items_of(records)
        if item.criterion is None and (passes := values[item.episode]) is not None
    ]
    wholes = [label for label in labels if label.criterion is None and label.rater.startswith(PERSON)]
    return pair((), wholes, items=items).pairs


def _opinions(record: RecordLike, people: float | None) -> Opinions | None:
    passes = state_passes(record)
    if passes is None:
        return None
    panel = judged_score(record)
    return Opinions(
        record=record, state=passes, empty_goal=bool(goal_is_empty(record)), cut_off=CUT_OFF in record.flags, panel=panel,
        panel_passes=None if panel is None else _reaches(record, panel), people=people, others=dict(_others(record)),
    )  # fmt: skip


def judged_score(record: RecordLike) -> float | None:
    """The score in [0, 1] that the judged criteria alone make, all gates open; None if one has no verdict or there are none.

    The state check and other code have no part in it, whatever their weight.
    """
    references = record.rubric.criteria
    judged = {c: r for c, r in references.items() if r.judged and c not in record.not_applicable}
    settled = {v.criterion for v in record.verdicts} | {f.criterion for f in record.failures if f.blame == "episode"}
    if not judged or any(c in record.missing or c not in settled for c in judged):
        return None
    earning = sum(r.weight for r in judged.values() if r.weight > 0)
    if not earning:
        return 1.0 if all(r.gate for r in judged.values()) else None
    if not any(r.weight for r in references.values() if not r.judged):
        return record.ungated
    values = {c: record.values.get(c) for c in judged}
    if any(value is None for value in values.values()):
        return None
    total = sum(r.weight * (values[c] or 0.0) for c, r in judged.items())
    return min(1.0, max(0.0, total / earning))


def _reaches(record: RecordLike, score: float) -> bool:
    mark = HALF if record.rubric.pass_mark is None else record.rubric.pass_mark
    judged = {c for c, reference in record.rubric.criteria.items() if reference.judged}
    return score >= mark - EPSILON and not judged & set(record.closed_gates)


def _others(record: RecordLike) -> Iterator[tuple[str, bool]]:
    states = state_criteria(record)
    for criterion, reference in record.rubric.criteria.items():
        value = record.values.get(criterion)
        if reference.judged or criterion in states or value is None:
            continue
        if reference.gate:
            yield criterion, criterion not in record.closed_gates
        elif check_name(reference) == OUTCOME:
            yield criterion, value >= 1 - EPSILON
