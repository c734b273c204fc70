"""The human ceiling: how far people agree with each other on the items that several of them rated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from calibration.agreeing.bootstrap import RESAMPLES, affordable, imagined_size, resampled
from calibration.agreeing.cautions import FEWEST_ITEMS
from calibration.agreeing.comparing import Statistic, with_interval
from calibration.agreeing.gwet import ac_from
from calibration.agreeing.kappa import kappa_from
from calibration.agreeing.krippendorff import alpha_from
from calibration.agreeing.rates import proportion
from calibration.agreeing.scales import commonest, of_all
from calibration.agreeing.tables import Floats, Ints, pair_tables, placed, renumbered, summed_by
from calibration.agreeing.undefined import NO_PAIRS, one_class
from calibration.agreeing.weights import agreement_weights
from calibration.figures import Figure
from calibration.items import Pair, weights_of
from calibration.results import Ceiling

POOLED = "all criteria"


def ceilings_of(
    pairs: Sequence[Pair], *, resamples: int = RESAMPLES, rng: np.random.Generator | None = None
) -> dict[str | None, Ceiling]:
    """The ceiling of each criterion on which some item has two raters; with several criteria also of `all criteria`."""
    generator = np.random.default_rng(0) if rng is None else rng
    by_criterion: dict[str | None, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if len(pair.raters) >= 2:
            by_criterion[pair.item.criterion].append(pair)
    found = {c: ceiling(group, resamples=resamples, rng=generator) for c, group in by_criterion.items()}
    parts = [group for criterion, group in by_criterion.items() if criterion is not None]
    if len(parts) > 1:
        found[POOLED] = ceiling([pair for group in parts for pair in group], resamples=resamples, rng=generator)
    return found


def ceiling(pairs: Sequence[Pair], *, resamples: int = RESAMPLES, rng: np.random.Generator | None = None) -> Ceiling:
    """How far people agree with each other; its figures are None, with the reason, where no item has two raters.

    Several criteria may stand together: with different scales it counts whether people are on the same side of a half.
    """
    several = [pair for pair in pairs if len(pair.raters) >= 2]
    units = _units(several)
    criteria = {pair.item.criterion for pair in pairs}
    figures = _figures(units, resamples, np.random.default_rng(0) if rng is None else rng)
    n = len(units.counts)
    return Ceiling(
        raters=len({rater for pair in several for rater in pair.raters}), n=n, **figures,
        criterion=criteria.pop() if len(criteria) == 1 else POOLED,
        tasks=len({pair.item.task for pair in several}), conflicts=tuple(filter(None, map(_conflict, several))),
        warnings=(f"only {n} items have two raters: below {FEWEST_ITEMS} the ceiling is rough",) if 0 < n < FEWEST_ITEMS else (),
    )  # fmt: skip


class _Units(NamedTuple):
    """Items with two raters or more: how many chose each level, the item's task and weight."""

    counts: Floats
    tasks: Ints
    weights: Floats
    scale: dict[str, float]


def _units(pairs: Sequence[Pair]) -> _Units:
    by_criterion: dict[str | None, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_criterion[pair.item.criterion].append(pair)
    scales = {c: commonest(pair.item.levels for pair in group) or {} for c, group in by_criterion.items()}
    scale = of_all(list(scales.values()))
    kept = [pair for pair in pairs if pair.item.levels == scales[pair.item.criterion]]
    rated = [(n, value) for n, pair in enumerate(kept) for value in pair.raters.values()]
    codes = placed([value for _, value in rated], np.array(list(scale.values())))
    on = codes >= 0
    which = np.array([n for n, _ in rated], dtype=np.int64)[on]
    counts = np.zeros((len(kept), len(scale)))
    found = summed_by(which, codes[on], len(scale), np.ones(which.size))
    counts[: len(found)] = found
    enough = counts.sum(axis=1) >= 2
    tasks = renumbered([pair.item.task for pair in kept])
    return _Units(counts[enough], tasks[enough], weights_of(kept)[enough], scale)


def _figures(units: _Units, resamples: int, rng: np.random.Generator) -> dict[str, Figure]:
    n = len(units.counts)
    statistics = _statistics(np.array(list(units.scale.values())))
    if not n:
        return dict.fromkeys(("raw", *statistics), Figure(value=None, why=NO_PAIRS))
    shares = pair_tables(units.counts)
    whole, drawn = _features(units, shares, resamples, rng)
    why = one_class(whole[0, 0], list(units.scale))
    same = np.trace(shares, axis1=1, axis2=2)
    return {
        "raw": proportion(same, tasks=units.tasks, weights=units.weights),
        **{name: with_interval(of, whole[0], drawn, n, why) for name, of in statistics.items()},
    }


def _features(units: _Units, shares: Floats, resamples: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Two tables a sample, the units' pairs and their coincidences: of all units (1, 2, k, k) and of each resample."""
    n, k = units.counts.shape
    raters = units.counts.sum(axis=1)[:, None, None]
    both = np.stack((shares, shares * raters), axis=1) * (units.weights / units.weights.mean())[:, None, None, None]
    groups = renumbered(units.tasks)
    by_task = np.zeros((int(groups.max()) + 1, 2 * k * k))
    np.add.at(by_task, groups, both.reshape(n, -1))
    one = np.eye(k * k).reshape(-1, k, k)
    pair = (one + np.swapaxes(one, 1, 2)) / 2 * imagined_size(by_task[:, : k * k])
    imagined = np.stack((pair, 2 * pair), axis=1).reshape(k * k, -1)
    drawn = resampled(by_task, imagined, resamples=affordable(resamples, 2 * k * k), rng=rng)
    return by_task.sum(axis=0).reshape(1, 2, k, k), drawn.reshape(-1, 2, k, k)


def _statistics(levels: Floats) -> dict[str, Statistic]:
    k = levels.size
    quadratic = agreement_weights("quadratic", k)

    def ac2(tables: Floats) -> Floats:
        pairs = tables[..., 0, :, :]
        return ac_from(pairs, pairs.sum(axis=-1) / pairs.sum(axis=(-2, -1))[..., None], quadratic)

    def alpha(tables: Floats) -> Floats:
        return alpha_from(tables[..., 1, :, :], levels, "nominal" if k <= 2 else "ordinal")

    def kappa(tables: Floats) -> Floats:
        return kappa_from(tables[..., 0, :, :], np.eye(k))

    return {"kappa": kappa, "alpha": alpha, "ac2": ac2}


def _conflict(pair: Pair) -> str | None:
    """What each said, where they do not all say the same."""
    if len(set(pair.raters.values())) == 1:
        return None
    names = {value: name for name, value in pair.item.levels.items()}
    said = ", ".join(f"{rater.removeprefix('person:')} {names.get(v, f'{v:g}')}" for rater, v in pair.raters.items())
    where = pair.item.episode if pair.item.criterion is None else f"{pair.item.episode}/{pair.item.criterion}"
    return f"{where}: {said}"
