"""Two raters' values on the same items, and every figure of agreement between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from calibration.agreeing.bootstrap import RESAMPLES, affordable, imagined_size, percentiles, resampled
from calibration.agreeing.correlations import (
    grouped,
    kendall,
    kendall_from,
    pearson,
    pearson_from,
    spearman,
    spearman_from,
)
from calibration.agreeing.gwet import ac_from
from calibration.agreeing.kappa import kappa_from
from calibration.agreeing.krippendorff import Measurement, alpha_from
from calibration.agreeing.rates import HALF, Bools, proportion, rates
from calibration.agreeing.tables import Floats, Ints, contingency, placed, renumbered, summed_by
from calibration.agreeing.undefined import NO_ITEMS, figure, one_class
from calibration.agreeing.weights import agreement_weights
from calibration.figures import Figure

GROUPS = 12
UNSTABLE = "no interval: most resamples of the tasks have one class only"
Statistic = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class Columns:
    """Two raters' values on the same items, with each item's task and weight, and the levels of the scale by name.

    `scale` is in rising order of its values.
    """

    a: Floats
    b: Floats
    tasks: Ints
    weights: Floats
    scale: Mapping[str, float]

    @property
    def levels(self) -> Floats:
        """The values of the levels, rising."""
        return np.array(list(self.scale.values()), dtype=float)

    @property
    def codes(self) -> tuple[Ints, Ints]:
        """Both raters' values at their nearest levels, -1 for exactly midway."""
        return placed(self.a, self.levels), placed(self.b, self.levels)


def confusion_of(columns: Columns) -> tuple[tuple[int, ...], ...]:
    """How many items have each level from `a` (rows) and from `b` (columns)."""
    table = contingency(*columns.codes, len(columns.scale))
    return tuple(tuple(int(n) for n in row) for row in table)


def compared(
    columns: Columns, *, resamples: int = RESAMPLES, rng: np.random.Generator | None = None
) -> dict[str, Figure]:
    """Every figure of an `Agreement` by its name, with intervals by task."""
    generator = np.random.default_rng(0) if rng is None else rng
    a, b = columns.codes
    levels = columns.levels
    on = (a >= 0) & (b >= 0)
    tables = _Tables.of(columns, (a, b), (levels, levels), resamples, generator)
    on_levels = on.all() and np.allclose(levels[a], columns.a) and np.allclose(levels[b], columns.b)
    values = tables if on_levels else _grouped_tables(columns, resamples, generator)
    return {
        **_shares(columns, a == b, on), **_chance_corrected(columns, tables), **_correlations(columns, values)
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Tables:
    """The table (r, c) of all items, those of the resamples (…, r, c), and the values that rows and columns stand for."""

    whole: Floats
    drawn: Floats
    rows: Floats
    across: Floats
    n: int

    @classmethod
    def of(
        cls, columns: Columns, codes: tuple[Ints, Ints], values: tuple[Floats, Floats], resamples: int,
        rng: np.random.Generator,
    ) -> _Tables:  # fmt: skip
        (a, b), (rows, across) = codes, values
        on = (a >= 0) & (b >= 0)
        shape = (rows.size, across.size)
        if not on.any():
            return cls(np.zeros(shape), np.zeros((0, *shape)), rows, across, 0)
        weights = columns.weights[on] / columns.weights[on].mean()
        cells = a[on] * across.size + b[on]
        by_task = summed_by(renumbered(columns.tasks[on]), cells, rows.size * across.size, weights)
        imagined = np.eye(by_task.shape[1]) * imagined_size(by_task)
        drawn = resampled(by_task, imagined, resamples=affordable(resamples, by_task.shape[1]), rng=rng)
        return cls(by_task.sum(axis=0).reshape(shape), drawn.reshape(-1, *shape), rows, across, int(on.sum()))


def _grouped_tables(columns: Columns, resamples: int, rng: np.random.Generator) -> _Tables:
    """Tables of the values as they are; where they take over twelve forms, in twelve groups of about equal size."""
    (a, rows), (b, across) = (grouped(values, GROUPS) for values in (columns.a, columns.b))
    return _Tables.of(columns, (a, b), (rows, across), resamples, rng)


def _shares(columns: Columns, same: Bools, on: Bools) -> dict[str, Figure]:
    def share(hits: Bools, which: Bools) -> Figure:
        return proportion(hits[which], tasks=columns.tasks[which], weights=columns.weights[which])

    both = rates(columns.a, columns.b, tasks=columns.tasks, weights=columns.weights)
    return {
        "raw": share(same, on),
        "rate_a": share(columns.a > HALF, columns.a != HALF),
        "rate_b": share(columns.b > HALF, columns.b != HALF),
        **both._asdict(),
    }


def _chance_corrected(columns: Columns, tables: _Tables) -> dict[str, Figure]:
    statistics = level_statistics(columns.levels)
    why = one_class(tables.whole, list(columns.scale)) if tables.n else NO_ITEMS
    if not tables.n or len(columns.scale) < 2:
        return dict.fromkeys(statistics, Figure(value=None, n=tables.n, why=why))
    return {name: with_interval(of, tables.whole, tables.drawn, tables.n, why) for name, of in statistics.items()}


def level_statistics(levels: Floats) -> dict[str, Statistic]:
    """The chance-corrected figures of tables (…, k, k) of two raters, by name."""
    k = levels.size
    quadratic = agreement_weights("quadratic", k)
    scale: Measurement = "nominal" if k <= 2 else "ordinal"

    def alpha(tables: Floats, measurement: Measurement) -> Floats:
        return alpha_from(tables + np.swapaxes(tables, -1, -2), levels, measurement)

    def ac(tables: Floats, weights: Floats) -> Floats:
        both = tables.sum(axis=-1) + tables.sum(axis=-2)
        return ac_from(tables, both / both.sum(axis=-1, keepdims=True), weights)

    return {
        "kappa": partial(kappa_from, weights=np.eye(k)),
        "weighted_kappa": partial(kappa_from, weights=quadratic),
        "alpha": partial(alpha, measurement=scale),
        "alpha_nominal": partial(alpha, measurement="nominal"),
        "alpha_interval": partial(alpha, measurement="interval"),
        "ac1": partial(ac, weights=np.eye(k)),
        "ac2": partial(ac, weights=quadratic),
    }


def with_interval(statistic: Statistic, whole: Floats, drawn: Floats, n: int, why: str) -> Figure:
    """The statistic of the whole table with its interval over the drawn ones; None and `why` where it is undefined."""
    value = float(statistic(whole))
    if np.isnan(value):
        return figure(None, n, why)
    return bounded(value, statistic(drawn), n)


def bounded(value: float, draws: Floats, n: int) -> Figure:
    """The value with the interval of its draws, in [-1, 1]."""
    interval = percentiles(draws, value)
    if interval is None:
        return Figure(value=value, n=n, why=UNSTABLE)
    low, high = interval
    return Figure(value=value, low=max(-1.0, low), high=min(1.0, high), n=n)


def _correlations(columns: Columns, tables: _Tables) -> dict[str, Figure]:
    """The exact values; their intervals are those of the tables, moved to them."""
    statistics: dict[str, tuple[Callable[..., Figure], Statistic]] = {
        "pearson": (pearson, partial(pearson_from, rows=tables.rows, columns=tables.across)),
        "spearman": (spearman, spearman_from),
        "kendall": (kendall, kendall_from),
    }
    found = {name: exact(columns.a, columns.b, weights=columns.weights) for name, (exact, _) in statistics.items()}
    return {
        name: f if f.value is None else bounded(f.value, of(tables.drawn) + f.value - float(of(tables.whole)), f.n)
        for (name, f), (_, of) in zip(found.items(), statistics.values(), strict=True)
    }
