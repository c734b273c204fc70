"""A map where there are no labels, or a handful: Dawid and Skene's model as a weighted vote, held to what panels are worth.

A last resort, badged `label_free`: on simulated panels and on public sets the plain mean is as good or better nearly everywhere.
What it shows beside a map is how each judge stands to the panel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from calibration.errors import CalibrationError
from calibration.fitting.samples import Ints
from calibration.fitting.truth_inference import MISSING, dawid_skene
from calibration.items import Floats, Item, Pair, matrix_of, tasks_of
from calibration.maps import LinearMap

RUNG = "dawid_skene"
VOTES = 2.0
"""How many independent votes a panel of judge models is worth: 1.5 to 3.1 of 6 on five public sets."""
SMOOTHING = 1.0
SUREST = 0.99


class LabelFree(NamedTuple):
    """The `map`, and for each judge its rate of saying yes where the model takes the truth to be yes, and no where no."""

    map: LinearMap
    rates: dict[str, tuple[float, float]]
    warnings: tuple[str, ...]


def fit_label_free(
    items: Sequence[Item], judges: Sequence[str], *, pairs: Sequence[Pair] = (), key: str = "overall"
) -> LabelFree:
    """The map from the judges' votes on `items` (values cut at a half, none at a half exactly); labels in `pairs` stand fixed.

    Its logits are those of the model times 2 / judges, since judges err together. Raises CalibrationError without any item.
    """
    if not items or not judges:
        raise CalibrationError(f"{key}: no item that a judge answered; grade some episodes first")
    votes = _votes(matrix_of(items, judges))
    said = {(pair.item.episode, pair.item.criterion): pair.truth for pair in pairs if pair.truth != 0.5}
    gold = np.array([int(t > 0.5) if (t := said.get((i.episode, i.criterion))) is not None else MISSING for i in items])
    found = dawid_skene(votes, gold=gold, smoothing=SMOOTHING)
    confusion = np.clip(found.confusion, 1.0 - SUREST, SUREST)
    yes, no = (np.log(confusion[:, 1, answer] / confusion[:, 0, answer]) for answer in (1, 0))
    trust = min(1.0, VOTES / len(judges))
    prior = np.clip(found.prior[1], 1.0 - SUREST, SUREST)
    fitted = LinearMap(
        rung=RUNG, intercept=float(np.log(prior / (1.0 - prior)) + trust * no.sum()),
        weights=dict(zip(judges, (trust * (yes - no)).tolist(), strict=True)),
        n=len(said), tasks=int(np.unique(tasks_of(items)).size),
    )  # fmt: skip
    rates = {judge: (float(rows[1, 1]), float(rows[0, 0])) for judge, rows in zip(judges, found.confusion, strict=True)}
    told = f"{key}: fitted to {len(items)} items with {len(said)} labels by what the judges have in common; errors that they "
    return LabelFree(fitted, rates, (told + "share count as truth. Label 15 items or more",))


def _votes(values: Floats) -> Ints:
    votes = np.where(values > 0.5, 1, 0)
    return np.asarray(np.where(np.isnan(values) | (values == 0.5), MISSING, votes), dtype=np.int64)
