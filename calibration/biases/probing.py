"""`biases`: every leaning that the records at hand can show, held against people; and the same between judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from calibration.biases.clustering import clustering
from calibration.biases.excesses import PANEL, Excess, Signs, of_items, of_pairs
from calibration.biases.families import OWN, models_of, own_family
from calibration.biases.positions import Places, option_order, places_of, position
from calibration.biases.slopes import LENGTH_BIAS, LEVEL, slopes
from calibration.calibration import ANY
from calibration.figures import Figure
from calibration.items import Item, Pair
from calibration.records import RecordLike
from calibration.regression import false_discoveries
from calibration.results import Bias


@dataclass(frozen=True)
class _Known:
    """What records tell beside the items: the models that answered, the order of answers, which criteria are penalties."""

    models: Mapping[str, str] = field(default_factory=dict)
    places: Places = field(default_factory=dict)
    signs: Signs = field(default_factory=dict)
    families: Mapping[str, str] | None = None


def biases(
    pairs: Sequence[Pair], records: Sequence[RecordLike] | None = None, *, families: Mapping[str, str] | None = None,
    rng: np.random.Generator | None = None,
) -> tuple[Bias, ...]:  # fmt: skip
    """What each judge, and the panel, gives more than people do: by length and other covariates, own family, place in the call.

    Episodes as a whole and criteria (all together, compared within each) are looked at apart. `records` tell which models
    answered, in which order, and which criteria are penalties; without them the judges' names stand for their models and there
    is no place. `families` names the family of a model or policy whose name does not show it. A leaning that can't be known
    has no value and says why. `flagged` holds over all that are given together.
    """
    episodes = {pair.item.episode for pair in pairs}
    known = _known(records and [record for record in records if record.episode_id in episodes], families)
    found: list[Bias] = []
    for criterion, chosen in _apart(pairs):
        for excess in of_pairs(chosen, known.signs):
            found += _about(excess, known, criterion)
    found += _unknowable(found, [pair.item for pair in pairs])
    found += [b.model_copy(update={"criterion": ANY}) for b in clustering(pairs, rng or np.random.default_rng(0))]
    return _flagged(found)


def biases_unlabelled(
    items: Sequence[Item], records: Sequence[RecordLike] | None = None, *, families: Mapping[str, str] | None = None
) -> tuple[Bias, ...]:
    """The same without labels: what each judge gives more than the mean of the others. Nothing where there is one judge."""
    known = _known(records, families)
    found: list[Bias] = []
    for criterion, chosen in (
        (None, [item for item in items if item.criterion is None]),
        (ANY, [item for item in items if item.criterion is not None]),
    ):
        for excess in of_items(chosen, known.signs):
            found += _about(excess, known, criterion)
    return _flagged(found)


def _known(records: Sequence[RecordLike] | None, families: Mapping[str, str] | None) -> _Known:
    if records is None:
        return _Known(families=families)
    rubrics = {record.rubric.fingerprint: record.rubric for record in records}
    signs = {(r.id, name): -1.0 for r in rubrics.values() for name, c in r.criteria.items() if c.weight < 0}
    return _Known(models_of(records), places_of(records), signs, families)


def _apart(pairs: Sequence[Pair]) -> Iterator[tuple[str | None, list[Pair]]]:
    for criterion in (None, ANY):
        chosen = [p for p in pairs if (p.item.criterion is None) == (criterion is None) and p.item.judges]
        if chosen:
            yield criterion, chosen


def _about(excess: Excess, known: _Known, criterion: str | None) -> Iterator[Bias]:
    found = [*slopes(excess), *own_family(excess, known.models, known.families)]
    if criterion == ANY and (placed := position(excess, known.places)) is not None:
        found.append(placed)
    yield from (bias.model_copy(update={"criterion": criterion}) for bias in found)


def _unknowable(found: Sequence[Bias], items: Sequence[Item]) -> Iterator[Bias]:
    """What was looked for and can't be seen in these records."""
    if items and not any(bias.name == LENGTH_BIAS for bias in found):
        why = "no record says how long its reply is, or all are of one length"
        yield Bias(name=LENGTH_BIAS, judge=PANEL, slope=Figure(value=None, n=len(items), why=why))
    if items and not any(bias.name == OWN for bias in found):
        why = (
            "no judge is of a policy's family"
            if any(item.policy for item in items)
            else "no record names its policy, so that its family is not known"
        )
        yield Bias(
            name=OWN, judge=PANEL, slope=Figure(value=None, n=len(items), why=why), unit="being by its own family"
        )
    if any(item.criterion is not None for item in items):
        yield option_order(PANEL, len(items)).model_copy(update={"criterion": ANY})


def _flagged(found: Sequence[Bias]) -> tuple[Bias, ...]:
    """With the flags; one that would count if it were looked at alone says that it was not."""
    flags = false_discoveries([bias.p_value for bias in found])
    looked = sum(bias.p_value is not None for bias in found)
    return tuple(
        bias.model_copy(update={"flagged": True})
        if flag
        else bias.model_copy(
            update={"reads": f"{bias.reads}; as one of {looked} leanings looked at, this may be chance"}
        )
        if bias.p_value is not None and bias.p_value < LEVEL
        else bias
        for bias, flag in zip(found, flags, strict=True)
    )
