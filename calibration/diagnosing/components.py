"""Where the variance of a panel's values lies, and how dependable more or fewer such judges would be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.diagnosing.severity import additive
from calibration.diagnosing.sheets import Sheet
from calibration.items import Floats

PANELS = (1, 3, 5)


class Components(NamedTuple):
    """Variances between episodes, between judges, and of the rest; none is below 0."""

    episode: float
    judge: float
    rest: float

    def shares(self) -> tuple[float, float, float]:
        """Each as a share of the whole."""
        whole = sum(self)
        return self.episode / whole, self.judge / whole, self.rest / whole

    def dependability(self, judges: int) -> tuple[float, float]:
        """The relative (G) and absolute (Phi) coefficient of the mean of so many judges (Shavelson and Webb, 1991)."""
        relative = self.episode + self.rest / judges
        absolute = self.episode + (self.judge + self.rest) / judges
        return (self.episode / relative if relative else 0.0), (self.episode / absolute if absolute else 0.0)


def components(sheet: Sheet) -> Components | None:
    """By the method of moments, fitting constants where judges are missing on some items (Henderson, 1953, method 3).

    Where nothing is missing this is (MS_i - MS_e) / m, (MS_j - MS_e) / n and MS_e. None if nothing is left to estimate the
    rest from, or nothing varies.
    """
    known, values = sheet.present, np.where(sheet.present, sheet.values, 0.0)
    by_item, by_judge, cells = known.sum(axis=1), known.sum(axis=0), int(known.sum())
    items, judges = int((by_item > 0).sum()), int((by_judge > 0).sum())
    fit = additive(sheet, np.ones((1, len(values))))
    explained, rank = float(fit.explained[0]), int(fit.rank[0])
    spare = cells - items - rank
    if spare <= 0 or cells == judges or not rank:
        return None
    middle = values.sum() ** 2 / cells
    between_items = _between(values.sum(axis=1), by_item) - middle
    between_judges = _between(values.sum(axis=0), by_judge) - middle
    left = max(0.0, (values**2).sum() - middle - between_items - explained)
    rest = left / spare
    judge = (explained - rank * rest) / (cells - items)
    episode = (between_items + explained - between_judges - (items + rank - judges) * rest) / (cells - judges)
    found = Components(max(0.0, float(episode)), max(0.0, float(judge)), float(rest))
    return found if sum(found) > 0 else None


def _between(sums: Floats, counts: NDArray[np.int64]) -> float:
    return float((sums[counts > 0] ** 2 / counts[counts > 0]).sum())
