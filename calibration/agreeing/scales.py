"""The scale that items share, so that they can stand in one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from calibration.agreeing.tables import Floats, levels_of
from calibration.label import OVERALL_LEVELS

Scale = Mapping[str, float]
MOST_LEVELS = 20


def rising(scale: Scale) -> dict[str, float]:
    """The levels from worst to best."""
    return dict(sorted(scale.items(), key=lambda level: level[1]))


def commonest(scales: Iterable[Scale | None]) -> dict[str, float] | None:
    """The scale that most have, in rising order; None where none is known."""
    kinds: list[Scale] = []
    counts: Counter[int] = Counter()
    for scale in filter(None, scales):
        if scale not in kinds:
            kinds.append(scale)
        counts[kinds.index(scale)] += 1
    return rising(kinds[counts.most_common(1)[0][0]]) if kinds else None


def observed(*columns: Floats) -> dict[str, float]:
    """A scale of the values that occur, named by their numbers; where they are too many, whether they lie above a half."""
    values = levels_of(*columns)
    return (
        {f"{value:g}": float(value) for value in values} if 0 < values.size <= MOST_LEVELS else rising(OVERALL_LEVELS)
    )


def of_all(scales: Sequence[dict[str, float]]) -> dict[str, float]:
    """One scale for items of several criteria: theirs, if it is the same, else whether a value lies above a half."""
    return scales[0] if scales and all(scale == scales[0] for scale in scales) else rising(OVERALL_LEVELS)
