"""Whether a criterion fares better for standing early or late in its call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from calibration.biases.excesses import PANEL, Excess
from calibration.figures import Figure
from calibration.records import RecordLike
from calibration.regression import clustered
from calibration.results import Bias

POSITION, OPTION_ORDER = "position", "option_order"
UNIT = "place further back"

Places = Mapping[tuple[str, str, str], int]
"""By episode, criterion and judge: the place, from 0."""


def places_of(records: Iterable[RecordLike]) -> dict[tuple[str, str, str], int]:
    """The place at which each judge answered each criterion.

    A record does not hold the order of the questions, but a judgement's verdicts stand in that order. Repeats of a judge,
    averaged, have lost it and give no place.
    """
    return {
        (record.episode_id, verdict.criterion, judgement.judge): place
        for record in records
        for judgement in record.judgements
        if not any(note.endswith(" samples") for note in judgement.notes)
        for place, verdict in enumerate(judgement.verdicts)
    }


def position(excess: Excess, places: Places) -> Bias | None:
    """The slope of the judge's excess on the place, within each criterion; None for the panel, which has no place.

    Where each criterion is always asked at the same place, place and criterion can't be told apart.
    """
    if excess.judge == PANEL:
        return None
    found = np.array(
        [places.get((i.episode, i.criterion or "", excess.judge), np.nan) for i in excess.items], dtype=float
    )
    known = excess.among(~np.isnan(found))
    x = known.within_criteria(found[~np.isnan(found)])
    if not len(x) or np.abs(x).max() < 1e-9:
        why = "each criterion is asked at one place only; grade again with another `seed`, which orders them anew"
        return _unknown(excess, POSITION, why if len(x) else "no record says in what order it was asked")
    y = known.within_criteria(known.values)
    fit = clustered(np.column_stack([np.ones(len(x)), x]), y, known.tasks, known.weights)
    if fit is None:
        return _unknown(excess, POSITION, "too few tasks in which a criterion's place varies")
    figure, p = fit.contrast(np.array([0.0, 1.0]))
    return Bias(name=POSITION, judge=excess.judge, unit=UNIT, slope=figure, p_value=p, reads=_reads(excess, figure))


def option_order(judge: str, n: int) -> Bias:
    """Why nothing can be said about the order of a criterion's levels."""
    return Bias(
        name=OPTION_ORDER, judge=judge, unit="levels reversed",
        slope=Figure(value=None, n=n, why="judges are always shown the levels from worst to best"),
    )  # fmt: skip


def _unknown(excess: Excess, name: str, why: str) -> Bias:
    return Bias(name=name, judge=excess.judge, unit=UNIT, slope=Figure(value=None, n=len(excess.values), why=why))


def _reads(excess: Excess, slope: Figure) -> str:
    value = slope.value or 0.0
    said = f"{excess.judge} gives a criterion {abs(value):.3f} {'more' if value >= 0 else 'less'} for each place further back"
    if slope.low is None or slope.high is None or slope.low <= 0 <= slope.high:
        return f"{said}, which may be chance ({slope.low or 0:+.3f} to {slope.high or 0:+.3f})"
    return f"{said} in the call than {excess.against}: the order of the questions moves its answers"
