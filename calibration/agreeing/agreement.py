"""The agreement of any two raters, per criterion and overall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.agreeing.bootstrap import RESAMPLES
from calibration.agreeing.cautions import cautions_about
from calibration.agreeing.ceiling import POOLED, ceilings_of
from calibration.agreeing.comparing import Columns, compared, confusion_of
from calibration.agreeing.matching import Match, matched, together
from calibration.agreeing.ratings import Key, Ratings, ratings_of_panel, ratings_of_people
from calibration.agreeing.scales import observed
from calibration.agreeing.tables import Floats, renumbered
from calibration.errors import CalibrationError
from calibration.figures import Figure
from calibration.items import Pairing
from calibration.results import Agreement, AgreementTable, Ceiling

MIDWAY = "exactly midway between two levels (only in the correlations)"
DECIMALS = 9
FIGURES = tuple(name for name, field in Agreement.model_fields.items() if field.annotation is Figure)


def agreement(
    first: Ratings | Pairing,
    second: Ratings | None = None,
    *,
    ceilings: Mapping[str | None, Ceiling] | None = None,
    resamples: int = RESAMPLES,
    rng: np.random.Generator | None = None,
) -> AgreementTable:
    """How far `first` agrees with `second`, the truth where one of them is; a pairing alone compares panel and people.

    Items are matched by episode and criterion. Values that are means are put at the nearest level for raw agreement, kappa,
    alpha, AC1, AC2 and the confusion, and taken as they are for correlations. Intervals are 95%, by task: shares by Wilson
    at the effective number of items, J by Newcombe, the others by bootstrap over tasks. Where items came to be rated with
    known unequal probabilities, all figures but the confusion are weighted by their inverse. `ceilings` are the agreement of
    people by criterion, to stand beside. Raises CalibrationError if the two raters have no question in common.
    """
    generator = np.random.default_rng(0) if rng is None else rng
    if isinstance(first, Pairing):
        ceilings = ceilings_of(first.pairs, resamples=resamples, rng=generator) if ceilings is None else ceilings
        second = ratings_of_people(first) if second is None else second
        first = ratings_of_panel(first.items)
    if second is None:
        raise CalibrationError(f"{first.rater} has nobody to be compared with; give the ratings of a second rater")
    comparison = _Comparison(first, second, ceilings or {}, resamples, generator)
    matches = matched(first, second)
    rows = tuple(comparison.row(c, matches[c]) for c in sorted(matches, key=lambda c: c is None))
    criteria = [row for row in rows if row.criterion is not None]
    if len(criteria) < 2:
        return AgreementTable(a=first.rater, b=second.rater, rows=rows)
    pooled = comparison.row(POOLED, together([matches[row.criterion] for row in criteria]))
    return AgreementTable(a=first.rater, b=second.rater, rows=rows, pooled=pooled, macro=_macro(criteria))


@dataclass(frozen=True, slots=True)
class _Comparison:
    first: Ratings
    second: Ratings
    ceilings: Mapping[str | None, Ceiling]
    resamples: int
    rng: np.random.Generator

    def row(self, criterion: str | None, match: Match) -> Agreement:
        columns = self._columns(match)
        a, b = columns.codes
        midway = int(((a < 0) | (b < 0)).sum())
        answered = len(match.keys) + match.unanswered
        tasks = len(set(columns.tasks.tolist()))
        return Agreement(
            a=self.first.rater, b=self.second.rater, criterion=criterion, n=len(match.keys), tasks=tasks,
            levels=tuple(columns.scale), confusion=confusion_of(columns),
            **compared(columns, resamples=self.resamples, rng=self.rng), ceiling=self.ceilings.get(criterion),
            left_out={**match.left_out, **({MIDWAY: midway} if midway else {})},
            coverage=len(match.keys) / answered if answered else None, warnings=cautions_about(columns.b, tasks),
        )  # fmt: skip

    def _columns(self, match: Match) -> Columns:
        a, b = (_values(rater, match.keys) for rater in (self.first, self.second))
        return Columns(a, b, self._tasks(match.keys), self._weights(match.keys), match.scale or observed(a, b))

    def _tasks(self, keys: Sequence[Key]) -> np.ndarray:
        tasks = {**self.first.tasks, **self.second.tasks}
        return renumbered([tasks.get(episode, episode) for episode, _ in keys])

    def _weights(self, keys: Sequence[Key]) -> Floats:
        known = {**self.first.inclusion, **self.second.inclusion}
        return np.array([1.0 / known.get(key, 1.0) for key in keys], dtype=float)


def _values(rater: Ratings, keys: Sequence[Key]) -> Floats:
    return np.round(np.array([rater.values[key] for key in keys], dtype=float), DECIMALS)


def _macro(rows: Sequence[Agreement]) -> dict[str, Figure]:
    found = {name: [v for row in rows if (v := getattr(row, name).value) is not None] for name in FIGURES}
    return {name: Figure(value=float(np.mean(values)), n=len(values)) for name, values in found.items() if values}
