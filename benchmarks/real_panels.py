"""A calibrated panel against its best single judge, its majority and its mean, on public sets with recorded judges and people.

    RUBRIC_JUDGE_SHARED=FOLDER python -m benchmarks.real_panels [--repeats 50] [--set pandalm] [-o TABLE.md]

Each repeat takes half of the groups (queries, tasks, instructions), fits on n labels drawn from them, and scores all items of the
other half. The best single judge is picked on the same labels. "Within" is pairwise accuracy within groups: how often, of two
items of one group with different truth, the better one gets the higher value, ties counting a half: what a trainer that compares
siblings uses. Beside each figure of the calibrated panel stands its difference to the best of the others with a 95%
interval; WORSE marks one that lies wholly on the wrong side. "Signal found" is how often the fit said that there is any.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.fitting import FitSettings, Fitted, fit_arrays
from calibration.fitting.predicting import probabilities
from calibration.items import Floats
from tests.calibration.recorded_panels import RECORDED, RecordedPanel

Places = NDArray[np.int64]

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


class Scores(NamedTuple):
    """Of one method in one repeat; `within` is None where no two scored items of a group differ."""

    brier: float
    accuracy: float
    within: float | None


def score(panel: RecordedPanel, p: Floats, scored: Places, pairs: Pairs) -> Scores:
    """The three figures of probabilities `p` for the scored items."""
    truth = panel.truth[scored]
    right = np.where(p == 0.5, 0.5, (p > 0.5) == (truth > 0.5))[truth != 0.5]
    whole = np.full(len(panel.truth), np.nan)
    whole[scored] = p
    order = np.sign(whole[pairs.better] - whole[pairs.worse])
    known = order[~np.isnan(order)]
    return Scores(
        float(((p - truth) ** 2).mean()), float(right.mean()), float(known.mean() / 2 + 0.5) if known.size else None
    )


class Difference(NamedTuple):
    """The calibrated panel's mean less that of another method, and half of its 95% interval."""

    mean: float
    reach: float


def difference(mine: Floats, other: Floats, share: float) -> Difference:
    """The paired difference over repeats by the corrected resampled t (Nadeau and Bengio, 2003): repeats overlap, so their
    variance is multiplied by 1 / repeats + `share`, the number of scored groups to that of labelled ones."""
    from scipy.special import stdtrit

    apart = mine - other
    error = float(apart.std(ddof=1)) * (1 / len(apart) + share) ** 0.5
    return Difference(float(apart.mean()), float(stdtrit(len(apart) - 1, 0.975)) * error)


def cell(found: dict[str, list[Scores]], figure: str, share: float) -> str:
    """Two table cells: the means of all methods, and the difference to the best of the others."""
    columns = {name: [getattr(scores, figure) for scores in rows] for name, rows in found.items()}
    if any(value is None for value in columns[CALIBRATED]):
        return "one item a group | "
    values = {name: np.array(column, dtype=float) for name, column in columns.items()}
    less = figure == "brier"
    best = (min if less else max)(OTHERS, key=lambda name: values[name].mean())
    apart = difference(values[CALIBRATED], values[best], share)
    worse = apart.mean - apart.reach > 0 if less else apart.mean + apart.reach < 0
    digits = 4 if less else 3
    others = " ".join(f"{values[name].mean():.{digits}f}" for name in OTHERS)
    told = (
        f"**{values[CALIBRATED].mean():.{digits}f}** ({others}) | {apart.mean:+.{digits}f} ± {apart.reach:.{digits}f}"
    )
    return told + (" WORSE" if worse else "")


class Pairs(NamedTuple):
    """Places of items of one group of which one is better in truth."""

    better: Places
    worse: Places


def pairs_of(panel: RecordedPanel) -> Pairs:
    """All pairs of items that share a group and differ in truth."""
    order = np.argsort(panel.groups, kind="stable")
    better, worse = [], []
    for inside in np.split(order, np.flatnonzero(np.diff(panel.groups[order])) + 1):
        high, low = np.nonzero(panel.truth[inside][:, None] > panel.truth[inside][None])
        better.append(inside[high])
        worse.append(inside[low])
    return Pairs(np.concatenate(better), np.concatenate(worse))


def measure(panel: RecordedPanel, n: int, repeats: int) -> str:
    """One row of the table."""
    found: dict[str, list[Scores]] = defaultdict(list)
    pairs, signals, shares = pairs_of(panel), 0, []
    for seed in range(repeats):
        labelled, scored = split(panel, n, np.random.default_rng((7, seed)))
        fitted = calibrated(panel, labelled)
        signals += bool(fitted.heldout is not None and fitted.heldout.signal)
        shares.append(np.unique(panel.groups[scored]).size / np.unique(panel.groups[labelled]).size)
        mine = probabilities(fitted.map, panel.values[scored], list(fitted.map.weights))
        found[CALIBRATED].append(score(panel, mine, scored, pairs))
        for name, method in PLAIN.items():
            p = method(panel.values[labelled], panel.truth[labelled], panel.values[scored])
            found[name].append(score(panel, p, scored, pairs))
    base = float(np.mean([scores.brier for scores in found[BASE]]))
    cells = " | ".join(cell(found, figure, float(np.mean(shares))) for figure in Scores._fields)
    return f"| {panel.name} | {n} | {signals / repeats:.0%} | {base:.4f} | {cells} |"


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
