"""Whether a judge gives one value again and again where people use the whole scale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from calibration.diagnosing.sheets import Sheet, estimate
from calibration.figures import Figure
from calibration.items import Floats, Pair
from calibration.results import Bias

CLUSTERING = "clustering"
UNIT = "share of the commonest value, above people's"
FEWEST = 20


def clustering(pairs: Sequence[Pair], rng: np.random.Generator) -> Iterator[Bias]:
    """For each judge how much larger the share of its commonest value is than people's, on the scale most used.

    Over labelled criteria; values between two levels count for the nearer. `details` holds both shares, both entropies in bits,
    and `distance`: the earth mover's between the two histograms, in values from 0 to 1. The interval is by bootstrap of tasks.
    """
    scales = Counter(_scale(pair) for pair in pairs if pair.item.criterion is not None and len(pair.item.levels) > 1)
    if not scales:
        return
    scale = max(scales, key=lambda levels: (len(levels) > 2, scales[levels]))
    chosen = [pair for pair in pairs if pair.item.criterion is not None and _scale(pair) == scale]
    sheet = Sheet.of_pairs(chosen)
    if len(chosen) >= FEWEST:
        people = _people(chosen, np.array(scale))
        for judge in range(len(sheet.judges)):
            yield _bias(sheet, judge, people, np.array(scale), rng)


def _scale(pair: Pair) -> tuple[float, ...]:
    return tuple(sorted(set(pair.item.levels.values())))


def _shares(values: Floats, scale: Floats) -> Floats:
    """A row for each value: 1 at the nearest level; all 0 where there is no value."""
    known = ~np.isnan(values)
    nearest = np.abs(np.where(known, values, 0.0)[:, None] - scale).argmin(axis=1)
    return np.asarray(np.eye(len(scale))[nearest] * known[:, None])


def _people(pairs: Sequence[Pair], scale: Floats) -> Floats:
    """For each item the share of its raters that chose each level."""
    return np.array([_shares(np.array(list(pair.raters.values())), scale).mean(axis=0) for pair in pairs])


def _bias(sheet: Sheet, judge: int, people: Floats, scale: Floats, rng: np.random.Generator) -> Bias:
    given = _shares(sheet.values[:, judge], scale)
    beside = people * (given.sum(axis=1, keepdims=True) > 0)
    value, low, high = estimate(sheet, lambda _, weights: _modal(weights @ given) - _modal(weights @ beside), rng)
    ours, theirs = (_histogram(sheet.weights @ rows) for rows in (given, beside))
    figure = Figure(value=float(value), low=float(low), high=float(high), n=int(given.sum()))
    details = {
        "modal_share": float(ours.max()), "people_modal_share": float(theirs.max()),
        "modal_value": float(scale[ours.argmax()]), "people_modal_value": float(scale[theirs.argmax()]),
        "entropy": _entropy(ours), "people_entropy": _entropy(theirs),
        "distance": float(np.abs(np.cumsum(ours - theirs)[:-1]) @ np.diff(scale)),
    }  # fmt: skip
    name = sheet.judges[judge]
    return Bias(
        name=CLUSTERING, judge=name, slope=figure, unit=UNIT, details=details, flagged=bool(low > 0),
        reads=f"{name} gives {details['modal_value']:.2g} in {ours.max():.0%} of its answers; people's commonest value, "
        f"{details['people_modal_value']:.2g}, is {theirs.max():.0%} of theirs",
    )  # fmt: skip


def _histogram(counts: Floats) -> Floats:
    return np.asarray(counts / counts.sum())


def _modal(counts: Floats) -> Floats:
    total = counts.sum(axis=1)
    return np.asarray(np.divide(counts.max(axis=1), total, out=np.full(len(total), np.nan), where=total > 0))


def _entropy(shares: Floats) -> float:
    some = shares[shares > 0]
    return max(0.0, float(-(some * np.log2(some)).sum()))
