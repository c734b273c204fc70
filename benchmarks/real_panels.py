"""A calibrated panel against its best single judge, its majority and its mean, on public sets with recorded judges and people.

    RUBRIC_JUDGE_SHARED=FOLDER python -m benchmarks.real_panels [--repeats 50] [--set pandalm] [-o TABLE.md]

Each repeat takes half of the groups (queries, tasks, instructions), fits on n labels drawn from them, and scores all items of the
other half. The best single judge is picked on the same labels. "Within" is pairwise accuracy within groups: how often, of two
items of one group with different truth, the better one gets the higher value, ties counting a half: what a trainer that compares
siblings uses. Beside each figure of the calibrated panel stands its difference to the best of the others with half of two 95%
intervals. The first is over repeats (corrected resampled t), and WORSE marks one that lies wholly on the wrong side. The second is over
groups, and "(by groups)" marks that: stricter, since it averages over labelled sets and asks only whether these groups are
typical. "Signal found" is how often the fit said that there is any.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.panel_scores import FIGURES, Board, Places
from calibration.fitting import FitSettings, Fitted, fit_arrays
from calibration.fitting.predicting import probabilities
from calibration.items import Floats
from tests.calibration.recorded_panels import RECORDED, RecordedPanel

LABELS = (50, 100, 200)
LEFT = 40
CALIBRATED, SINGLE, MAJORITY, MEAN, BASE = "calibrated", "best single", "majority", "mean", "base rate"
OTHERS = (SINGLE, MAJORITY, MEAN)


class Split(NamedTuple):
    """Places of the labelled items and of those to score."""

    labelled: Places
    scored: Places


def split(panel: RecordedPanel, n: int, rng: np.random.Generator) -> Split:
    """Half of the groups, or as many as hold n items, of which n items are labelled; all items of the others are scored."""
    order = rng.permutation(panel.groups.max() + 1)
    held = np.cumsum(np.bincount(panel.groups)[order])
    count = max(len(order) // 2, int(np.searchsorted(held, n)) + 1)
    inside = np.isin(panel.groups, order[:count])
    return Split(rng.choice(np.flatnonzero(inside), n, replace=False), np.flatnonzero(~inside))


def single(values: Floats, truth: Floats, new: Floats) -> Floats:
    """The values of the judge with the most labels right."""
    settled = truth != 0.5
    right = np.where(values == 0.5, 0.5, (values > 0.5) == (truth > 0.5)[:, None])[settled].mean(axis=0)
    return np.asarray(new[:, int(right.argmax())])


def majority(values: Floats, truth: Floats, new: Floats) -> Floats:
    """1, 0, or a half where as many judges lie on either side."""
    del values, truth
    return np.asarray(np.sign(np.sign(new - 0.5).sum(axis=1)) / 2 + 0.5)


def mean(values: Floats, truth: Floats, new: Floats) -> Floats:
    """The mean value as it is."""
    del values, truth
    return np.asarray(new.mean(axis=1))


def base_rate(values: Floats, truth: Floats, new: Floats) -> Floats:
    """The labels' mean for every item."""
    del values
    return np.full(len(new), truth.mean())


PLAIN: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    SINGLE: single,
    MAJORITY: majority,
    MEAN: mean,
    BASE: base_rate,
}


def calibrated(panel: RecordedPanel, labelled: Places) -> Fitted:
    """What `calibration.fit` makes of the labels."""
    tasks = panel.groups[labelled]
    return fit_arrays(panel.values[labelled], panel.truth[labelled], tasks=tasks, settings=FitSettings(resamples=0))


def measure(panel: RecordedPanel, n: int, repeats: int) -> str:
    """One row of the table."""
    board, signals, shares = Board(panel), 0, []
    for seed in range(repeats):
        labelled, scored = split(panel, n, np.random.default_rng((7, seed)))
        fitted = calibrated(panel, labelled)
        signals += bool(fitted.heldout is not None and fitted.heldout.signal)
        shares.append(np.unique(panel.groups[scored]).size / np.unique(panel.groups[labelled]).size)
        board.add(CALIBRATED, probabilities(fitted.map, panel.values[scored], list(fitted.map.weights)), scored)
        for name, method in PLAIN.items():
            board.add(name, method(panel.values[labelled], panel.truth[labelled], panel.values[scored]), scored)
    base = board.mean(BASE, "brier")
    cells = " | ".join(cell(board, figure, float(np.mean(shares))) for figure in FIGURES)
    return f"| {panel.name} | {n} | {signals / repeats:.0%} | {base:.4f} | {cells} |"


def cell(board: Board, figure: str, share: float) -> str:
    """Two table cells: the means of all methods, and the difference to the best of the others."""
    if not board.repeats[CALIBRATED, figure]:
        return "one item a group | "
    less, digits = figure == "brier", 4 if figure == "brier" else 3
    best = (min if less else max)(OTHERS, key=lambda name: board.mean(name, figure))
    apart = board.difference(CALIBRATED, best, figure=figure, share=share)
    against = apart.mean if less else -apart.mean
    marks = (" WORSE" if against > apart.over_repeats else "") + (" (by groups)" if against > apart.over_groups else "")
    others = " ".join(f"{board.mean(name, figure):.{digits}f}" for name in OTHERS)
    return (
        f"**{board.mean(CALIBRATED, figure):.{digits}f}** ({others}) | {apart.mean:+.{digits}f} ± "
        f"{apart.over_repeats:.{digits}f}, ± {apart.over_groups:.{digits}f}{marks}"
    )


HEAD = (
    "| set | n | signal found | Brier of the base rate | Brier (single, majority, mean) | to the best | accuracy (...) "
    "| to the best | within groups (...) | to the best |\n" + "|---" * 10 + "|"
)


def main() -> None:
    """Print the table row by row, and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=50, help="splits for each set and number of labels")
    parser.add_argument("--set", action="append", choices=list(RECORDED), help="only these sets")
    parser.add_argument("-o", "--output", type=Path, help="write the table here too")
    given = parser.parse_args()
    told = [f"`python -m benchmarks.real_panels --repeats {given.repeats}`", "", HEAD]
    print("\n".join(told), flush=True)
    for name in given.set or RECORDED:
        panel = RECORDED[name]()
        for n in LABELS:
            if n + LEFT <= len(panel.truth):
                told.append(measure(panel, n, given.repeats))
                print(told[-1], flush=True)
    if given.output:
        given.output.write_text("\n".join(told) + "\n")


if __name__ == "__main__":
    main()
