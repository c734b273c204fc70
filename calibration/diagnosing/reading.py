"""A panel diagnosis in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from calibration.diagnosing.severity import additive
from calibration.diagnosing.sheets import Sheet
from calibration.results import PanelDiagnosis

FEW = 30
ALIKE = 0.95
MOST_NAMED = 8


def reading(found: PanelDiagnosis) -> str:
    """What the panel is worth, in a sentence."""
    judges, effective, worth = len(found.judges), found.effective.value, found.majority.value
    if effective is None or worth is None:
        return f"{judges} judge(s) on {found.n} items: how far they err together is not known, since {found.effective.why}."
    reached = found.independent.value
    beside = "" if reached is None else f", judges as good that erred independently would be in {reached:.0%}"
    return (
        f"{judges} judges are worth about {effective:.1f} independent ones: their vote is right in {worth:.0%} of "
        f"{found.n} labelled items{beside}."
    )


def warnings(found: PanelDiagnosis, sheet: Sheet) -> tuple[str, ...]:
    """What to mind, a sentence each."""
    return (*_about_numbers(found, sheet), *_about_judges(found))


def _about_numbers(found: PanelDiagnosis, sheet: Sheet) -> Iterator[str]:
    if found.n < FEW:
        yield f"{found.n} items are few: figures may move a good deal with more (at least {FEW} are expected)"
    gaps = int((~sheet.present).sum())
    if gaps:
        yield f"{gaps} of {sheet.present.size} answers are missing; figures of two judges are over the items that both answered"
    if len(sheet.judges) - additive(sheet, np.ones((1, len(sheet.values)))).rank[0] > 1:
        yield "some judges share no items with the others: their severity can be compared only among those that do"
    if sheet.truth is not None and (split := int((sheet.truth == 0.5).sum())):
        yield f"{split} items have a truth of exactly a half, which counts neither as a pass nor as a failure"


def _about_judges(found: PanelDiagnosis) -> Iterator[str]:
    names = [judge.judge for judge in found.judges]
    for judge in found.judges:
        if judge.youden.low is not None and judge.youden.low <= 0:
            yield f"{judge.judge} may be no better than chance: TPR + TNR - 1 is {judge.youden.value:.2f}, at least {judge.youden.low:.2f}"
    if idle := [judge.judge for judge in found.judges if judge.adds_nothing]:
        yield f"without any one of {_listed(idle)} the calibrated panel would be as good, as far as {found.n} labels can tell"
    for i, row in enumerate(found.kappa):
        for j in range(i):
            if (kappa := row[j]) is not None and kappa >= ALIKE:
                yield f"{names[j]} and {names[i]} answer almost alike (kappa {kappa:.2f}): one of them would do"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")
