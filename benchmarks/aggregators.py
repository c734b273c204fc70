"""Ways to pool five simulated judges into one probability, fitted on few labels and scored on the rest.

    python -m benchmarks.aggregators [--repeats 200] [--panel corr --panel bloc] [-o TABLE.md]

The panels are those of `tests/calibration/panels.py`: in `corr` five judges share a confounder, in `bloc` three weak ones are of
one family. Of 1,000 episodes n are labelled. The default (what `calibration.fit` does at this n) is held to the best of the
reference rows, within .003 in accuracy and in Brier score.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibration.fitting import FitSettings, fit_arrays
from calibration.fitting.curves import isotonic
from calibration.fitting.logistic import Priors, fit_logistic, sigmoids
from calibration.fitting.predicting import probabilities
from calibration.fitting.truth_inference import dawid_skene
from calibration.fitting.weighting import shrunk_weights
from calibration.items import Floats
from calibration.scoring_rules import brier, expected_calibration_error
from tests.calibration.panels import Panel, simulate

EPISODES = 1000
LABELS = (30, 50, 100, 200)
MARGIN = 0.003
PUBLISHED = {
    ("corr", 30): (0.780, 0.154), ("corr", 50): (0.782, 0.151), ("corr", 100): (0.789, 0.145), ("corr", 200): (0.792, 0.142),
    ("bloc", 100): (0.828, None),
}  # fmt: skip
"""Accuracy and Brier score of the best default row in the project's table of methods."""


class Task(NamedTuple):
    """What a method sees: labelled values and truths, and the values to predict; the confounder of both."""

    values: Floats
    truth: Floats
    new: Floats
    confounder: Floats
    new_confounder: Floats


def best_single(task: Task) -> Floats:
    """The judge with the most labels right, its vote as 0 or 1."""
    right = ((task.values > 0.5) == (task.truth > 0.5)[:, None]).mean(axis=0)
    return (task.new[:, int(right.argmax())] > 0.5).astype(float)


def majority(task: Task) -> Floats:
    """The side of most judges."""
    return ((task.new > 0.5).mean(axis=1) > 0.5).astype(float)


def plain_mean(task: Task) -> Floats:
    """The mean value as it is."""
    return np.asarray(task.new.mean(axis=1))


def weighted_platt(task: Task) -> Floats:
    """The reference: weights r / (1 - r^2) shrunk by n / (n + 20), then Platt scaling without a penalty."""
    weights = shrunk_weights(task.values, task.truth, np.ones(len(task.truth)))
    return _ridge((task.values @ weights)[:, None], task.truth, (task.new @ weights)[:, None], strength=1e6)


def ridge(task: Task) -> Floats:
    """The reference: logistic regression on standardised values with C = 0.1."""
    return _ridge(task.values, task.truth, task.new, strength=0.1)


def _ridge(values: Floats, truth: Floats, new: Floats, *, strength: float) -> Floats:
    centre, spread = values.mean(axis=0), values.std(axis=0) + 1e-9
    old, fresh = (np.column_stack([np.ones(len(x)), (x - centre) / spread]) for x in (values, new))
    penalties = np.concatenate([[1e-9], np.full(values.shape[1], 1.0 / strength)])
    fits = fit_logistic(old, truth, np.ones((1, len(truth))), Priors.ridge(penalties))
    return sigmoids(fresh @ fits.coefficients[0, 0])


def mean_isotonic(task: Task) -> Floats:
    """The mean on an isotonic curve."""
    return isotonic(task.values.mean(axis=1), task.truth, np.ones(len(task.truth))).at(task.new.mean(axis=1))


def label_free(task: Task) -> Floats:
    """Dawid and Skene on the votes of all episodes, without labels."""
    votes = (np.concatenate([task.values, task.new]) > 0.5).astype(np.int64)
    return dawid_skene(votes).posterior[len(task.values) :, 1]


def default(task: Task) -> Floats:
    """What `calibration.fit` does."""
    fitted = fit_arrays(task.values, task.truth, settings=FitSettings(resamples=0)).map
    return probabilities(fitted, task.new, list(fitted.weights))


def with_confounder(task: Task) -> Floats:
    """The same with the true confounder as a covariate: what measuring it could win at most."""
    settings = FitSettings(covariates=("confounder",), resamples=0)
    fitted = fit_arrays(task.values, task.truth, covariates=task.confounder[:, None], settings=settings).map
    return probabilities(
        fitted, task.new, list(fitted.weights), covariates=task.new_confounder[:, None], names=("confounder",)
    )


METHODS: dict[str, Callable[[Task], Floats]] = {
    "best single judge": best_single, "majority": majority, "plain mean": plain_mean,
    "shrunk weighted mean + Platt (reference)": weighted_platt, "ridge C=.1 (reference)": ridge, "mean + isotonic": mean_isotonic,
    "Dawid-Skene, no labels": label_free, "**default**": default, "default + measured confounder": with_confounder,
}  # fmt: skip
DEFAULT, REFERENCES = "**default**", ("shrunk weighted mean + Platt (reference)", "ridge C=.1 (reference)")

Figures = dict[tuple[str, int], Floats]


def measure(panel: str, repeats: int) -> Figures:
    """For each method and number of labels the mean accuracy, Brier score and calibration error over the repeats."""
    found: dict[tuple[str, int], list[list[float]]] = {(method, n): [] for method in METHODS for n in LABELS}
    for seed in range(repeats):
        drawn = simulate(panel, EPISODES, np.random.default_rng((0, seed)))
        for n in LABELS:
            truth = drawn.truth[n:]
            for name, method in METHODS.items():
                p = method(_task(drawn, n))
                right = float(((p > 0.5) == (truth > 0.5)).mean())
                found[name, n].append([right, brier(p, truth), expected_calibration_error(p, truth)])
    return {key: np.array(rows).mean(axis=0) for key, rows in found.items()}


def _task(drawn: Panel, n: int) -> Task:
    confounder: Any = drawn.confounder
    return Task(drawn.values[:n], drawn.truth[:n], drawn.values[n:], confounder[:n], confounder[n:])


def bar(panel: str, n: int, figures: Figures) -> tuple[float, float]:
    """The accuracy and Brier score to reach: the table's best default row, or the better of the reference rows where there is
    no such figure."""
    accuracy, score = PUBLISHED.get((panel, n), (None, None))
    measured = [figures[name, n] for name in REFERENCES]
    return (
        max(float(row[0]) for row in measured) if accuracy is None else accuracy,
        min(float(row[1]) for row in measured) if score is None else score,
    )


def table(panel: str, figures: Figures) -> str:
    """The figures in Markdown, with a row that compares the default with its bar."""
    head = [f"| {panel}: accuracy / Brier / ECE | " + " | ".join(f"n={n}" for n in LABELS) + " |", "|---" * 5 + "|"]
    rows = [
        f"| {name} | " + " | ".join("{:.3f} / {:.4f} / {:.3f}".format(*figures[name, n]) for n in LABELS) + " |"
        for name in METHODS
    ]
    bars = [bar(panel, n, figures) for n in LABELS]
    told = " | ".join("{:.3f} / {:.4f}".format(*each) for each in bars)
    reached = " | ".join(
        "PASS" if passes(figures[DEFAULT, n], each) else "FAIL" for n, each in zip(LABELS, bars, strict=True)
    )
    return "\n".join([*head, *rows, f"| bar, within {MARGIN} | {told} |", f"| the default | {reached} |"])


def passes(figures: Floats, reach: tuple[float, float]) -> bool:
    """Whether accuracy and Brier score are within the margin of the bar, or better."""
    return float(figures[0]) >= reach[0] - MARGIN and float(figures[1]) <= reach[1] + MARGIN


def main() -> None:
    """Print the tables, and write them where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=200, help="panels drawn for each design; 20 gives a first look")
    parser.add_argument("--panel", action="append", choices=["corr", "bloc", "indep"], help="by default corr and bloc")
    parser.add_argument("-o", "--output", type=Path, help="write the tables here too")
    given = parser.parse_args()
    command = f"`python -m benchmarks.aggregators --repeats {given.repeats}`: {EPISODES} episodes, n of them labelled."
    told = [command, *(table(panel, measure(panel, given.repeats)) for panel in given.panel or ("corr", "bloc"))]
    print("\n\n".join(told))
    if given.output:
        given.output.write_text("\n\n".join(told) + "\n")


if __name__ == "__main__":
    main()
