"""Labels of the whole episode: which are in use, and those that labels of every criterion add up to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from calibration.calibration import RewardRule, Truth
from calibration.errors import CalibrationError
from calibration.items import Item, LeftOut, Pair, Pairing
from calibration.label import PERSON, Label
from calibration.pairing import CLOSED
from calibration.records import RecordLike
from calibration.state_truth import state_labels

DERIVED = "person:derived"
EPSILON = 1e-9


def labels_in_use(
    records: Sequence[RecordLike], labels: Iterable[Label], truth: Truth, reward: RewardRule
) -> list[Label]:
    """People's labels, the state checks' verdicts, or both, where a person's stands before the check's.

    A state check that is a gate of the reward is no truth about the whole: it would be asked about itself.
    """
    people = list(labels)
    if truth == "people":
        return people
    from_state = list(state_labels(records))
    if reward.state == "feature" and any(label.criterion is None for label in from_state):
        raise CalibrationError(
            "the state check can't be the truth and a feature of the reward at once; calibrate against people, or use it as a gate"
        )
    from_state = [label for label in from_state if label.criterion is not None or not _gated(records, label)]
    if truth == "state":
        return from_state
    said = {(label.episode, label.criterion) for label in people}
    return [*people, *(label for label in from_state if (label.episode, label.criterion) not in said)]


def _gated(records: Sequence[RecordLike], label: Label) -> bool:
    rubrics = {record.episode_id: record.rubric for record in records}
    return any(reference.gate and not reference.judged for reference in rubrics[label.episode].criteria.values())


def with_wholes(records: Sequence[RecordLike], pairing: Pairing, *, gate: bool) -> Pairing:
    """The pairing with pairs for whole episodes: labelled as such or, where none is, added up from labels of their criteria.

    Only people's answers are added up: those of a state check that is a gate would be asked about themselves. The sum is that
    of the rubric; with a pass mark the truth is whether it is reached. Where a gate closes the reward to 0, there is nothing to
    learn about a closed episode, so it is left out.
    """
    if not any(p.item.criterion is None for p in pairing.pairs):
        derived = sorted(_derived(records, pairing), key=lambda p: p.item.episode)
        pairing = replace(pairing, pairs=(*pairing.pairs, *derived))
    closed = [p for p in pairing.pairs if gate and p.item.criterion is None and p.item.closed]
    if not closed:
        return pairing
    kept = tuple(p for p in pairing.pairs if not (p.item.criterion is None and p.item.closed))
    left = LeftOut(CLOSED, tuple(p.item.episode for p in closed))
    return replace(pairing, pairs=kept, left_out=(*pairing.left_out, left))


def _derived(records: Sequence[RecordLike], pairing: Pairing) -> Iterator[Pair]:
    wholes = {item.episode: item for item in pairing.items if item.criterion is None}
    by_episode: dict[str, dict[str, Pair]] = defaultdict(dict)
    for p in pairing.pairs:
        if p.item.criterion is not None and any(rater.startswith(PERSON) for rater in p.raters):
            by_episode[p.item.episode][p.item.criterion] = p
    for record in records:
        said = by_episode.get(record.episode_id, {})
        truth = _added_up(record, said)
        if truth is not None and wholes[record.episode_id].judges:
            yield _whole(wholes[record.episode_id], truth, next(iter(said.values())))


def _whole(item: Item, truth: float, like: Pair) -> Pair:
    return Pair(item, truth, {DERIVED: truth}, (), like.inclusion, like.stratum)


def _added_up(record: RecordLike, said: Mapping[str, Pair]) -> float | None:
    """What the rubric makes of people's answers and the checks' values; None where one is missing."""
    total = earning = 0.0
    for criterion, reference in record.rubric.criteria.items():
        if not reference.weight or criterion in record.not_applicable:
            continue
        if reference.judged and criterion not in said:
            return None
        value = said[criterion].truth if reference.judged else record.values.get(criterion)
        if value is None:
            return None
        total += reference.weight * value
        earning += max(0.0, reference.weight)
    if not earning or not said:
        return None
    score = min(1.0, max(0.0, total / earning))
    mark = record.rubric.pass_mark
    return score if mark is None else float(score >= mark - EPSILON)
