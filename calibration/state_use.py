"""The state check as a gate or as a feature: what each would be worth as a reward, on labelled episodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.baselines import auc
from calibration.diagnosing.rates import rate
from calibration.errors import CalibrationError
from calibration.figures import Figure
from calibration.items import Floats, Pair, matrix_of, tasks_of, truths_of
from calibration.label import PERSON, Label
from calibration.oracles.facts import state_value, weighted_state
from calibration.pairing import pair
from calibration.records import RecordLike
from calibration.results import StateUse

FEWEST = 15
HALF = 0.5
STATE = "state"
MEANS = {
    "check": "the state check alone",
    "mean": "the judges' mean alone",
    "gate_mean": "the judges' mean, 0 where the state is wrong",
    "gate_calibrated": "the judges calibrated on right states, 0 where the state is wrong: for rewards, it can't be gamed",
    "feature": "the state check beside the judges in one calibration: for reports, it can rescue a wrong check",
}


def gate_or_feature(
    records: Iterable[RecordLike], labels: Iterable[Label], *, rng: np.random.Generator | None = None
) -> tuple[StateUse, ...]:
    """Accuracy, area under the curve and Brier score, against people, of each way to use the state check.

    Over the episodes that people labelled as a whole, that have a state verdict, and that all judges of the most frequent panel
    judged: behind closed gates too, else a gate looks better than it is. What is fitted is cross-fitted by task. Raises
    CalibrationError with fewer than 15 such episodes, or where the score that judges make holds the state check already.
    """
    records = list(records)
    checks = {r.episode_id: value for r in records if (value := state_value(r)) is not None}
    _refuse_weighted(records)
    people = [label for label in labels if label.criterion is None and label.rater.startswith(PERSON)]
    pairs = _of_one_panel([p for p in pair(records, people).pairs if p.item.episode in checks])
    if len(pairs) < FEWEST:
        raise CalibrationError(
            f"{len(pairs)} episodes have a person's label, a state verdict and judges' verdicts, expected at least {FEWEST}; label "
            "more, and grade with --behind-gates"
        )
    check = np.array([checks[p.item.episode] for p in pairs])
    values = matrix_of([p.item for p in pairs], pairs[0].item.panel)
    tasks, truth = tasks_of([p.item for p in pairs]), truths_of(pairs)
    found = combined(values, check, truth, tasks=tasks, rng=rng)
    return tuple(_use(name, p, truth, tasks) for name, p in found.items())


def combined(
    values: Floats, check: Floats, truth: Floats, *, tasks: NDArray[np.int64], rng: np.random.Generator | None = None
) -> Mapping[str, Floats]:
    """The probability in [0, 1] that each use gives to each episode: `values` (n, judges), `check` and `truth` (n,).

    What is fitted has not seen the episode's task. NaN stands where nothing could be fitted.
    """
    from calibration.fitting import FitSettings, fit_arrays

    rng = rng or np.random.default_rng(0)
    right, mean = check >= 1, values.mean(axis=1)
    behind = np.zeros(len(truth))
    if right.any():
        settings = FitSettings(resamples=0)
        behind[right] = fit_arrays(
            values[right], truth[right], tasks=tasks[right], settings=settings, rng=rng
        ).predictions
    settings = FitSettings(covariates=(STATE,), resamples=0)
    beside = fit_arrays(values, truth, tasks=tasks, covariates=check[:, None], settings=settings, rng=rng).predictions
    return {"check": check, "mean": mean, "gate_mean": right * mean, "gate_calibrated": behind, "feature": beside}


def _refuse_weighted(records: Sequence[RecordLike]) -> None:
    weighted = next((c for record in records for c in weighted_state(record)), None)
    if weighted is not None:
        raise CalibrationError(
            f"criterion {weighted!r} is a state check with a weight, so that the judges' scores hold it already; give it the weight 0 "
            "and grade again to compare it as a gate and as a feature"
        )


def _of_one_panel(pairs: Sequence[Pair]) -> list[Pair]:
    panels = Counter(p.item.panel for p in pairs)
    most = max(panels, key=lambda panel: (panels[panel], len(panel)), default=())
    return [p for p in pairs if p.item.panel == most]


def _use(name: str, p: Floats, truth: Floats, tasks: NDArray[np.int64]) -> StateUse:
    known = ~np.isnan(p)
    p, truth, tasks = p[known], truth[known], tasks[known]
    each = np.ones(len(p))
    settled = (p != HALF) & (truth != HALF)
    right = np.where(settled, ((p > HALF) == (truth > HALF)).astype(float), HALF)
    return StateUse(
        name=name, reads=MEANS[name], n=len(p), accuracy=rate(right, each, tasks, of="labelled episodes"),
        auc=auc(p, (truth > HALF).astype(float), tasks), brier=_mean_by_task((p - truth) ** 2, tasks),
    )  # fmt: skip


def _mean_by_task(losses: Floats, tasks: NDArray[np.int64]) -> Figure:
    """The mean with a 95% interval by task (t quantile)."""
    from scipy.special import stdtrit

    groups = np.unique(tasks)
    if len(groups) < 2:
        return Figure(value=float(losses.mean()) if len(losses) else None, n=len(losses), why="fewer than two tasks")
    value = float(losses.mean())
    sums = np.bincount(tasks, weights=losses - value)[groups] / len(losses)
    reach = float(stdtrit(len(groups) - 1, 0.975)) * float(np.sqrt((sums**2).sum() * len(groups) / (len(groups) - 1)))
    return Figure(value=value, low=max(0.0, value - reach), high=min(1.0, value + reach), n=len(losses))
