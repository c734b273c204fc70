"""What one rater said, whoever it is: a judge, the panel, a person, or all people together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from calibration.items import Item, Pairing
from calibration.label import OVERALL_LEVELS, Label

Key = tuple[str, str | None]
Scale = Mapping[str, float]

PANEL, PEOPLE = "panel", "people"
COULD_NOT_TELL = "could not tell, or said that it does not apply"
TWICE = "gave different answers to the same question"
NO_SCALE = "the scale is not known: give the rubric, or the grades"
OFF_SCALE = "level not on the scale"
USED = "marked as used for tuning or as an example"
NO_GRADE = "no grade"
TWO_LEVELS = ({"no": 0.0, "yes": 1.0}, OVERALL_LEVELS)


@dataclass(frozen=True, slots=True)
class Ratings:
    """One rater's values in [0, 1] by episode and criterion (None: the episode as a whole).

    `scales` gives the levels of each question, where they are known. `tasks` is the task of each episode; one without is its
    own. `without` are questions that the rater was asked and that have no value, with the reason. `inclusion` is the known
    probability with which an item came to be rated, where that is not the same for all.
    """

    rater: str
    values: Mapping[Key, float]
    scales: Mapping[Key, Scale] = field(default_factory=dict)
    tasks: Mapping[str, str] = field(default_factory=dict)
    without: Mapping[Key, str] = field(default_factory=dict)
    inclusion: Mapping[Key, float] = field(default_factory=dict)


def ratings_of_panel(items: Sequence[Item]) -> Ratings:
    """What the panel said of each item; of the whole 0 where a gate settled by code had closed it, as its grade says."""
    return _of_items(PANEL, items, {_key(i): 0.0 if i.closed and i.criterion is None else i.pooled for i in items})


def ratings_of_judge(items: Sequence[Item], judge: str) -> Ratings:
    """What one judge of the panel said of each item, gates left aside."""
    return _of_items(f"judge:{judge}", items, {_key(i): i.judges.get(judge) for i in items})


def ratings_of_people(pairing: Pairing) -> Ratings:
    """What people said of each item: the mean over them."""
    return _of_pairs(PEOPLE, pairing, {_key(p.item): p.truth for p in pairing.pairs})


def ratings_of_person(pairing: Pairing, person: str) -> Ratings:
    """What one person said, by the rater's name as labels have it, such as `person:ann`."""
    return _of_pairs(person, pairing, {_key(p.item): p.raters[person] for p in pairing.pairs if person in p.raters})


def ratings_of_labels(
    labels: Iterable[Label],
    *,
    person: str | None = None,
    rater: str | None = None,
    scales: Mapping[str | None, Scale] | None = None,
    tasks: Mapping[str, str] | None = None,
) -> Ratings:
    """What labels say that stand alone: the mean over people, or one person's own; `rater` is what to call them.

    `scales` gives the levels of each criterion; by default those that `scales_of` finds. Two files are compared on one scale:
    give for both what it finds in the labels of the two together.
    """
    given = [label for label in labels if person in (None, label.rater)]
    known = scales_of(given) if scales is None else scales
    said: dict[Key, dict[str, set[float | None]]] = defaultdict(lambda: defaultdict(set))
    without: dict[Key, str] = {}
    for label in given:
        key, value = (label.episode, label.criterion), _value(label, known.get(label.criterion))
        if isinstance(value, str):
            without[key] = value
        else:
            said[key][label.rater].add(value)
    consistent = {
        key: [v for found in raters.values() if len(found) == 1 for v in found] for key, raters in said.items()
    }
    values = {key: [v for v in found if v is not None] for key, found in consistent.items()}
    without |= {key: COULD_NOT_TELL if consistent[key] else TWICE for key, found in values.items() if not found}
    means = {key: sum(found) / len(found) for key, found in values.items() if found}
    return Ratings(
        rater or person or PEOPLE, means, {key: known[key[1]] for key in means if key[1] in known}, tasks or {},
        {key: why for key, why in without.items() if key not in means}, _inclusion(given),
    )  # fmt: skip


def scales_of(labels: Iterable[Label]) -> dict[str | None, Scale]:
    """The scale of each criterion whose levels speak for themselves: pass/fail, yes/no, or numbers, evenly spaced."""
    names: dict[str | None, set[str]] = defaultdict(set)
    for label in labels:
        if label.level is not None and label.settled:
            names[label.criterion].add(label.level)
    found = {criterion: _scale(levels) for criterion, levels in names.items()}
    return {criterion: scale for criterion, scale in found.items() if scale is not None}


def _scale(levels: set[str]) -> Scale | None:
    for two in TWO_LEVELS:
        if levels <= set(two):
            return two
    try:
        numbers = {level: float(level) for level in levels}
    except ValueError:
        return None
    low, high = min(numbers.values()), max(numbers.values())
    if low == high:
        return None
    return {level: (n - low) / (high - low) for level, n in sorted(numbers.items(), key=lambda item: item[1])}


def _value(label: Label, scale: Scale | None) -> float | str | None:
    """The label's value; None where the person could not tell; a reason where it can't be read."""
    if label.used_for is not None:
        return USED
    if not label.settled:
        return None
    if label.level is None:
        return label.value
    if scale is None:
        return NO_SCALE
    return scale.get(label.level, OFF_SCALE)


def _of_items(rater: str, items: Sequence[Item], values: Mapping[Key, float | None]) -> Ratings:
    return Ratings(
        rater,
        {key: value for key, value in values.items() if value is not None},
        {_key(i): i.levels for i in items},
        {i.episode: i.task for i in items},
        {_key(i): f"{NO_GRADE}: {i.ungraded}" for i in items if i.ungraded},
    )


def _of_pairs(rater: str, pairing: Pairing, values: Mapping[Key, float]) -> Ratings:
    criteria = {i.criterion for i in pairing.items}
    unsettled = {_key(p.item): COULD_NOT_TELL for p in pairing.pairs if rater in p.unsettled}
    left = {_key_in(said, criteria): out.reason for out in pairing.left_out for said in out.ids}
    return Ratings(
        rater,
        values,
        {_key(p.item): p.item.levels for p in pairing.pairs},
        {i.episode: i.task for i in pairing.items},
        {key: why for key, why in {**left, **unsettled}.items() if key not in values},
        {_key(p.item): p.inclusion for p in pairing.pairs if p.inclusion is not None},
    )


def _inclusion(labels: Sequence[Label]) -> dict[Key, float]:
    return {(x.episode, x.criterion): x.inclusion for x in labels if x.inclusion is not None}


def _key(item: Item) -> Key:
    return item.episode, item.criterion


def _key_in(said: str, criteria: set[str | None]) -> Key:
    """The episode and criterion that a reason for leaving out names: `EPISODE` or `EPISODE/CRITERION`, and perhaps words."""
    name = said.split(": ", 1)[0].split(" (", 1)[0]
    episode, slash, criterion = name.rpartition("/")
    return (episode, criterion) if slash and criterion in criteria else (name, None)
