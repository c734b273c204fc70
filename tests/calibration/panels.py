"""Simulated judge panels with a known truth: the Gaussian latent-quality model that the benchmarks and tests calibrate on.

q, v ~ N(0, 1); y = 1[q > t] with t the (1 - rate) normal quantile; judge j scores 1-5 by cutting
a_j (q - t) + c_j v + e_j N(0, 1) + b_j at -1.5, -.5, .5, 1.5. With several rollouts of a task, part of q is the task's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from judge.record import GradeRecord, Judgement
from rubrics.references import CriterionRef, RubricRef
from rubrics.verdict import Verdict

CUTS = (-1.5, -0.5, 0.5, 1.5)
YES_NO = {"no": 0.0, "yes": 1.0}
STARS = {str(n): (n - 1) / 4 for n in range(1, 6)}


@dataclass(frozen=True)
class Design:
    """The coefficients of a panel's judges."""

    slope: Sequence[float]
    leniency: Sequence[float]
    confounder: Sequence[float]
    noise: Sequence[float]
    family: Sequence[float] = (0, 0, 0, 0, 0)


DESIGNS = {
    "corr": Design((1.2, 1.1, 1.0, 0.9, 0.7), (0.2, 0, 0.5, -0.4, 0.7), (0.75,) * 5, (0.66,) * 5),
    "indep": Design((1.2, 1.1, 1.0, 0.9, 0.7), (0.2, 0, 0.5, -0.4, 0.7), (0,) * 5, (1,) * 5),
    "bloc": Design(
        (1.3, 1.2, 0.45, 0.4, 0.35), (0, -0.2, 0.9, 1, 0.8), (0.4, 0.4, 0.5, 0.5, 0.5), (0.8, 0.8, 0.35, 0.35, 0.35),
        (0, 0, 0.9, 0.9, 0.9),
    ),
}  # fmt: skip


class Panel(NamedTuple):
    """Values in [0, 1] of shape (episodes, judges), the truth 0/1, the confounder, and each episode's task."""

    values: Any
    truth: Any
    confounder: Any
    tasks: Any


def simulate(
    design: str, n: int, rng: np.random.Generator, *, rate: float = 0.6, rollouts: int = 1, intraclass: float = 0.0
) -> Panel:
    """`n` episodes judged by five judges; with `rollouts` > 1, so many in a row share a task, at that correlation of q."""
    d = DESIGNS[design]
    tasks = np.arange(n) // rollouts
    quality = _quality(tasks, intraclass, rng)
    confounder = rng.standard_normal(n)
    family = rng.standard_normal(n)
    threshold = NormalDist().inv_cdf(1 - rate)
    latent = (
        np.outer(quality - threshold, d.slope) + np.outer(confounder, d.confounder) + np.outer(family, d.family)
        + rng.standard_normal((n, 5)) * np.array(d.noise) + np.array(d.leniency)
    )  # fmt: skip
    return Panel(np.searchsorted(CUTS, latent) / 4.0, (quality > threshold).astype(float), confounder, tasks)


def binary_judge(
    n: int, rate: float, rng: np.random.Generator, *, tpr: float = 0.93, tnr: float = 0.75, rollouts: int = 1,
    intraclass: float = 0.0,
) -> Panel:  # fmt: skip
    """One judge that says yes or no; with `rollouts` > 1, so many in a row share a task, at that correlation of q."""
    tasks = np.arange(n) // rollouts
    if rollouts > 1:
        truth = (_quality(tasks, intraclass, rng) > NormalDist().inv_cdf(1 - rate)).astype(float)
    else:
        truth = (rng.random(n) < rate).astype(float)
    yes = np.where(truth == 1, rng.random(n) < tpr, rng.random(n) > tnr)
    return Panel(yes.astype(float)[:, None], truth, np.zeros(n), tasks)


def _quality(tasks: Any, intraclass: float, rng: np.random.Generator) -> Any:
    shared = rng.standard_normal(tasks.max() + 1)[tasks]
    return np.sqrt(intraclass) * shared + np.sqrt(1 - intraclass) * rng.standard_normal(len(tasks))


def outcome_correlation(rate: float, latent: float) -> float:
    """The intra-class correlation of passes and fails of one task, whose q have the correlation `latent`."""
    from scipy.special import ndtr

    threshold = NormalDist().inv_cdf(1 - rate)
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    passes = ndtr((np.sqrt(latent) * nodes - threshold) / np.sqrt(1 - latent))
    return (float(weights @ passes**2 / weights.sum()) - rate**2) / (rate * (1 - rate))


def latent_correlation(rate: float, intraclass: float) -> float:
    """The correlation of q at which passes and fails of one task have the intra-class correlation `intraclass`."""
    from scipy.optimize import brentq

    return float(brentq(lambda r: outcome_correlation(rate, r) - intraclass, 1e-3, 0.999))


def records_of(
    panel: Panel, /, *, criterion: str = "solved", judges: Sequence[str] | None = None, **more: Any
) -> list[GradeRecord]:
    """The panel's values as grade records with one five-star criterion; the confounder stands in `covariates`."""
    names = list(judges or [f"j{n + 1}" for n in range(panel.values.shape[1])])
    rubric = RubricRef(
        id="simulated", version="1", fingerprint="5" * 16, pass_mark=0.5,
        criteria={criterion: CriterionRef(fingerprint="c" * 16, weight=1.0, levels=STARS, tags=("quality",))},
    )  # fmt: skip
    return [
        _record(
            f"e{i}",
            f"t{panel.tasks[i]}",
            rubric,
            criterion,
            dict(zip(names, row, strict=True)),
            panel.confounder[i],
            more,
        )
        for i, row in enumerate(panel.values.tolist())
    ]


def _record(
    episode: str,
    task: str,
    rubric: RubricRef,
    criterion: str,
    values: dict[str, float],
    confounder: float,
    more: dict[str, Any],
) -> GradeRecord:
    mean = sum(values.values()) / len(values)
    judgements = tuple(
        Judgement(judge=j, model=j, score=v, verdicts=(_verdict(criterion, f"judge:{j}", v),))
        for j, v in values.items()
    )
    given = {
        "score": mean, "low": mean, "high": mean, "raw": mean, "ungated": mean, "values": {criterion: mean},
        "passed": mean >= 0.5, "coverage": 1.0, "task_id": task, "episode_id": episode, "rubric": rubric, "method": "m" * 16,
        "panel": tuple(values), "covariates": {"confounder": float(confounder)}, "judgements": judgements,
        "verdicts": (_verdict(criterion, "panel", mean),), **more,
    }  # fmt: skip
    return GradeRecord(**given)


def _verdict(criterion: str, rater: str, value: float) -> Verdict:
    level = str(1 + min(range(5), key=lambda k: abs(k / 4 - value)))
    return Verdict(criterion=criterion, rater=rater, level=level, value=value)


class Hybrid(NamedTuple):
    """A panel whose truth is that the state is right and the customer was told, and a state check that errs at times."""

    values: Any
    check: Any
    truth: Any


def hybrid(
    n: int,
    rng: np.random.Generator,
    *,
    state: float = 0.75,
    told: float = 0.8,
    misses: float = 0.07,
    slips: float = 0.05,
) -> Hybrid:
    """The *corr* panel on truth = state AND communication, at the rates `state` and `told`.

    The check fails a right state at the rate `misses`, and passes a wrong one at the rate `slips`.
    """
    panel = simulate("corr", n, rng, rate=state * told)
    untold = state * (1 - told) / (1 - state * told)
    right = (panel.truth == 1) | (rng.random(n) < untold)
    check = np.where(right, rng.random(n) > misses, rng.random(n) < slips)
    return Hybrid(panel.values, check.astype(float), panel.truth)
