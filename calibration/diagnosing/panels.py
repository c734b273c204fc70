"""`diagnose`: a panel against the truth, and `diagnose_unlabelled`: its judges beside each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.agreeing.rates import rates
from calibration.calibration import ANY
from calibration.diagnosing.components import PANELS, components
from calibration.diagnosing.dropping import gains
from calibration.diagnosing.moments import Moments
from calibration.diagnosing.rates import rate
from calibration.diagnosing.reading import reading, warnings
from calibration.diagnosing.severity import additive
from calibration.diagnosing.sheets import Sheet, Statistic, estimate
from calibration.diagnosing.voting import effective_judges, independent_accuracy, mean_correlation, votes_right
from calibration.errors import CalibrationError
from calibration.figures import Figure
from calibration.items import Floats, Item, Pair
from calibration.results import JudgeDiagnosis, PanelDiagnosis

Matrix = tuple[tuple[float | None, ...], ...]
NO_LABELS = "there are no labels"


def diagnose(
    pairs: Sequence[Pair], *, criterion: str | None = None, rng: np.random.Generator | None = None
) -> PanelDiagnosis:
    """The panel on labelled items of one criterion, on episodes as a whole (None), or on all criteria together (`any`).

    Judges may be missing on some items. Intervals are by bootstrap of tasks, those of rates Wilson's. Raises CalibrationError
    if no such item is labelled.
    """
    chosen = [p for p in pairs if p.item.judges and _is_about(p.item, criterion)]
    if not chosen:
        raise _nothing([p.item for p in pairs], criterion, "labelled")
    return _diagnosis(Sheet.of_pairs(chosen), criterion, rng or np.random.default_rng(0))


def diagnose_unlabelled(
    items: Sequence[Item], *, criterion: str | None = None, rng: np.random.Generator | None = None
) -> PanelDiagnosis:
    """What can be said without labels: severity, agreement and variance components; nothing about errors.

    Raises CalibrationError if no such item was judged.
    """
    chosen = [item for item in items if item.judges and _is_about(item, criterion)]
    if not chosen:
        raise _nothing(items, criterion, "judged")
    return _diagnosis(Sheet.of_items(chosen), criterion, rng or np.random.default_rng(0))


def _is_about(item: Item, criterion: str | None) -> bool:
    return item.criterion is not None if criterion == ANY else item.criterion == criterion


def _nothing(items: Sequence[Item], criterion: str | None, what: str) -> CalibrationError:
    wanted = {None: "no episode as a whole is", ANY: "no criterion is"}.get(
        criterion, f"criterion {criterion!r} is not"
    )
    known = sorted({item.criterion or "episodes as a whole" for item in items if item.judges})
    return CalibrationError(f"diagnose: {wanted} {what}; there are {', '.join(known) or 'none'}")


def _diagnosis(sheet: Sheet, criterion: str | None, rng: np.random.Generator) -> PanelDiagnosis:
    once = sheet.weights[None]
    correlation, effective = _together(sheet, rng)
    parts = components(sheet)
    found = PanelDiagnosis(
        criterion=criterion, judges=_judges(sheet, rng), n=len(sheet.values), tasks=len(np.unique(sheet.tasks)),
        error_correlation=() if sheet.truth is None else _matrix(Moments.of(sheet.wrong, once).correlation[0]),
        agreement=_matrix(Moments.of(sheet.passes, once).agreement[0]), kappa=_matrix(Moments.of(sheet.values, once).kappa[0]),
        mean_correlation=correlation, effective=effective,
        majority=_share(sheet, votes_right(sheet)),
        independent=_independent(sheet),
        variance=dict(zip(("episode", "judge", "rest"), parts.shares(), strict=True)) if parts else {},
        dependability={k: parts.dependability(k) for k in sorted({*PANELS, len(sheet.judges)})} if parts else {},
    )  # fmt: skip
    return found.model_copy(update={"reads": reading(found), "warnings": warnings(found, sheet)})


def _together(sheet: Sheet, rng: np.random.Generator) -> tuple[Figure, Figure]:
    judges, n = len(sheet.judges), len(sheet.values)
    if sheet.truth is None or judges < 2:
        why = NO_LABELS if sheet.truth is None else "there is one judge"
        return Figure(value=None, n=n, why=why), Figure(value=None, n=n, why=why)
    correlation = _figure(*map(float, estimate(sheet, mean_correlation, rng)), n=n, why="judges' errors do not vary")
    if correlation.value is None:
        return correlation, correlation
    worth, most, fewest = (
        None if r is None else effective_judges(judges, r)
        for r in (correlation.value, correlation.low, correlation.high)
    )
    return correlation, Figure(value=worth, low=fewest, high=most, n=n)


def _independent(sheet: Sheet) -> Figure:
    if sheet.truth is None:
        return Figure(value=None, n=len(sheet.values), why=NO_LABELS)
    accuracy = independent_accuracy(sheet)
    why = "the truth is a half everywhere" if np.isnan(accuracy) else ""
    return Figure(value=None if why else accuracy, n=len(sheet.values), why=why)


def _judges(sheet: Sheet, rng: np.random.Generator) -> tuple[JudgeDiagnosis, ...]:
    alone = "there is one judge" if len(sheet.judges) < 2 else ""
    severities = _each(sheet, lambda sheet, weights: additive(sheet, weights).offsets, rng, why=alone)
    leniencies = _each(sheet, _above_truth, rng, why=NO_LABELS if sheet.truth is None else "")
    worth, idle = gains(sheet, rng)
    return tuple(
        JudgeDiagnosis(
            judge=judge, n=int(sheet.present[:, j].sum()), severity=severities[j], leniency=leniencies[j], gain=worth[j],
            adds_nothing=idle[j], **_rates(sheet, j),
        )
        for j, judge in enumerate(sheet.judges)
    )  # fmt: skip


def _rates(sheet: Sheet, judge: int) -> dict[str, Figure]:
    if sheet.truth is None:
        return dict.fromkeys(("accuracy", "tpr", "tnr", "youden"), Figure(value=None, why=NO_LABELS))
    found = rates(sheet.passes[:, judge], sheet.truth, tasks=sheet.tasks, weights=sheet.weights)
    return {"accuracy": _share(sheet, 1 - sheet.wrong[:, judge]), **found._asdict()}


def _share(sheet: Sheet, right: Floats) -> Figure:
    """How much of `right` (0, 1, a half for a tie; NaN where that can't be said) is so."""
    if sheet.truth is None:
        return Figure(value=None, n=len(right), why=NO_LABELS)
    return rate(right, sheet.weights, sheet.tasks, of="labels on one side of a half")


def _above_truth(sheet: Sheet, weights: Floats) -> Floats:
    truth = np.zeros(len(sheet.values)) if sheet.truth is None else sheet.truth
    off = np.where(sheet.present, sheet.values - truth[:, None], 0.0)
    total = weights @ sheet.present
    mean: Floats = np.divide(weights @ off, total, out=np.full(total.shape, np.nan), where=total > 0)
    return mean


def _each(sheet: Sheet, statistic: Statistic, rng: np.random.Generator, *, why: str) -> list[Figure]:
    """A figure a judge of a statistic with a number a judge; None with `why` where that says something."""
    counts = sheet.present.sum(axis=0)
    if why:
        return [Figure(value=None, n=int(n), why=why) for n in counts]
    columns = zip(*estimate(sheet, statistic, rng), counts, strict=True)
    return [_figure(value, low, high, n=int(n), why="it answered nothing") for value, low, high, n in columns]


def _figure(value: float, low: float, high: float, *, n: int, why: str) -> Figure:
    if np.isnan(value):
        return Figure(value=None, n=n, why=why)
    ends = [None if np.isnan(end) else float(end) for end in (low, high)]
    return Figure(value=float(value), low=ends[0], high=ends[1], n=n)


def _matrix(table: Floats) -> Matrix:
    return tuple(tuple(None if np.isnan(x) else float(x) for x in row) for row in np.clip(table, -1, 1))
