"""The questions of a fit: which labelled items each map is fitted on, and how they are made ready for it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from calibration.calibration import ANY, OVERALL, TAG
from calibration.fitting.raters import adjusted_truths, severities
from calibration.items import Pair
from calibration.wholes import DERIVED

TWO = 2


def questions_of(pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    """The pairs of every map there could be. A criterion's id stands for the question that most of its labels are about."""
    found: dict[str, list[Pair]] = defaultdict(list)
    contents: dict[str, Counter[str]] = defaultdict(Counter)
    pairs = list(pairs)
    for p in pairs:
        if p.item.criterion is not None:
            contents[p.item.criterion][p.item.fingerprint] += 1
    for p in pairs:
        criterion = p.item.criterion
        if criterion is None:
            found[OVERALL].append(p)
            continue
        found[ANY].append(p)
        for tag in p.item.tags:
            found[TAG + tag].append(p)
        if p.item.fingerprint == contents[criterion].most_common(1)[0][0]:
            found[criterion].append(p)
    return found


def without_severity(pairs: Sequence[Pair]) -> tuple[dict[str, float], list[Pair]]:
    """How lenient (+) each person is, and the pairs with that taken off: where several people labelled, not all of them
    everything, on a scale of more than two levels."""
    scaled = [p for p in pairs if len(p.item.levels) > TWO and DERIVED not in p.raters]
    people = {rater for p in scaled for rater in p.raters}
    if len(people) < TWO or all(len(p.raters) == len(people) for p in scaled):
        return {}, list(pairs)
    offsets = severities(scaled)
    truths = {id(p): float(t) for p, t in zip(scaled, adjusted_truths(scaled, offsets), strict=True)}
    return offsets, [replace(p, truth=truths[id(p)]) if id(p) in truths else p for p in pairs]


def restricted(pair_: Pair, panel: tuple[str, ...]) -> Pair | None:
    """The pair as this panel would have answered it; None if one of its judges gave no value."""
    judges = pair_.item.judges
    if any(judge not in judges for judge in panel):
        return None
    if len(judges) == len(panel):
        return pair_
    return replace(pair_, item=replace(pair_.item, judges={judge: judges[judge] for judge in panel}, panel=panel))


def is_criterion(key: str) -> bool:
    """Whether a map's key is the id of a criterion."""
    return key not in (ANY, OVERALL) and not key.startswith(TAG)
