"""Do the 95% intervals of pass rates hold what they say, and are they no wider than labels alone would give?

    python -m benchmarks.intervals [--repeats 2000] [-o FILE]

Simulated episodes with a known truth, 1,000 of them judged and a few labelled, estimated by `calibration.estimating.estimate` as it
comes (`auto`): five judges with a shared confounder (corr), and one judge of TPR .93 and TNR .75. A cell passes if its coverage is
not significantly below 93% (one-sided binomial test at 5%), no interval leaves [0, 1], and the mean width is at most that of
Wilson's interval on the labels alone plus 2%; with corr, a rate of .6 and 100 labels or more, it must be 15% narrower.

With 8 rollouts of each of 10 to 25 labelled tasks (the 1,000 are 125 tasks), Wilson's interval on so many labels misses the rate far
too often, as rollouts of a task are not independent. There the width is held to Wilson's at the number of labels that they are
worth, estimated from them alone; that at the true number, which nobody knows, stands beside it.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibration.estimating import Sample, difference, estimate
from calibration.estimating.intervals import wilson
from calibration.estimating.prediction_powered import ppi_plus_plus
from tests.calibration.panels import Panel, binary_judge, latent_correlation, outcome_correlation, simulate

EPISODES, ROLLOUTS = 1000, 8
RATES, LABELS, TASKS, CORRELATIONS = (0.5, 0.6, 0.9, 0.97), (20, 30, 50, 100, 200), (10, 15, 25), (0.2, 0.4, 0.6)
KINDS = {"corr": "five judges (corr)", "one": "one judge (TPR .93, TNR .75)"}
FLOOR, WIDER, NARROWER = 0.93, 1.02, 0.85
CONTRASTED = 400
CONTRASTS = ("Wilson", "naive", "PPI++", "Bayes", "Rogan-Gladen")


class Setting(NamedTuple):
    """Which judges, the pass rate, and how alike rollouts of a task are (`latent`: in quality, `outcome`: in passing)."""

    kind: str
    rate: float
    rollouts: int = 1
    latent: float = 0.0
    outcome: float = 0.0

    def panel(self, rng: np.random.Generator) -> Panel:
        """Fresh episodes."""
        about: dict[str, Any] = {"rate": self.rate, "rollouts": self.rollouts, "intraclass": self.latent}
        if self.kind == "corr":
            return simulate("corr", EPISODES, rng, **about)
        return binary_judge(EPISODES, rng=rng, **about)


class Cell(NamedTuple):
    """What the repeats came to, by method: coverage, mean width, and the share of intervals that leave [0, 1]."""

    setting: Setting
    n: int
    repeats: int
    covered: dict[str, float]
    width: dict[str, float]
    outside: dict[str, float]

    @property
    def ratio(self) -> float:
        """The width over that of the labels alone."""
        return self.width["auto"] / self.width["labels"]

    @property
    def passes(self) -> bool:
        """Whether the cell holds the bar."""
        s = self.setting
        informed = s.kind == "corr" and s.rate == 0.6 and self.n >= 100 and s.rollouts == 1
        return self.holds("auto") and not self.outside["auto"] and self.ratio <= (NARROWER if informed else WIDER)

    def holds(self, method: str) -> bool:
        """Whether coverage is not significantly below 93%."""
        return self.covered[method] >= FLOOR - 1.645 * (FLOOR * (1 - FLOOR) / self.repeats) ** 0.5


def labelled(panel: Panel, n: int) -> Sample:
    """The sample with the truth of the first `n` episodes."""
    truth = np.where(np.arange(EPISODES) < n, panel.truth, np.nan)
    judges = panel.values if panel.values.shape[1] > 1 else None
    return Sample.of(panel.values.mean(axis=1), truth, tasks=panel.tasks, judges=judges)


def intervals_of(sample: Sample, setting: Setting, *, contrast: bool) -> Iterator[tuple[str, float, float]]:
    """The interval of each method by name."""
    found = estimate(sample)
    yield "auto", found.low, found.high
    yield "labels", found.labels_only.low, found.labels_only.high
    yield "Wilson", *wilson(sample.rate, sample.labelled)
    if setting.rollouts > 1:
        worth = sample.labelled / (1 + (setting.rollouts - 1) * setting.outcome)
        yield "true worth", *wilson(sample.rate, worth)
    if contrast:
        error = 1.96 * float(sample.judged.std()) / len(sample) ** 0.5
        yield "naive", found.naive - error, found.naive + error
        yield "PPI++", *ppi_plus_plus(sample, sample.judged).interval
        bayes = estimate(sample, method="bayes")
        yield "Bayes", bayes.low, bayes.high
        yield from _rogan_gladen(sample)


def _rogan_gladen(sample: Sample) -> Iterator[tuple[str, float, float]]:
    try:
        found = estimate(sample, collected="by_class")
    except ValueError:
        return
    yield "Rogan-Gladen", found.low, found.high


def cells_of(setting: Setting, counts: Sequence[int], repeats: int) -> list[Cell]:
    """All cells of one setting, on the same episodes."""
    rng = np.random.default_rng(0)
    found: dict[int, dict[str, list[tuple[float, float]]]] = {n: defaultdict(list) for n in counts}
    for repeat in range(repeats):
        panel, contrast = setting.panel(rng), setting.rollouts == 1 and repeat < CONTRASTED
        for n in counts:
            sample = labelled(panel, n * setting.rollouts)
            for name, low, high in intervals_of(sample, setting, contrast=contrast):
                found[n][name].append((low, high))
    return [_cell(setting, n, repeats, {k: np.array(v) for k, v in found[n].items()}) for n in counts]


def _cell(setting: Setting, n: int, repeats: int, bounds: dict[str, Any]) -> Cell:
    covered = {k: float(((b[:, 0] <= setting.rate) & (setting.rate <= b[:, 1])).mean()) for k, b in bounds.items()}
    width = {k: float((b[:, 1] - b[:, 0]).mean()) for k, b in bounds.items()}
    outside = {k: float(((b[:, 0] < 0) | (b[:, 1] > 1)).mean()) for k, b in bounds.items()}
    return Cell(setting, n, repeats, covered, width, outside)


class Duel(NamedTuple):
    """Two policies: their pass rates, how many labels each has, and whether they worked on the same tasks."""

    rates: tuple[float, float]
    labels: int
    same: bool

    def samples(self, rng: np.random.Generator) -> tuple[Sample, Sample]:
        """One episode a task. On the same tasks, qualities of the two have a correlation of .5 and the same tasks are labelled."""
        if not self.same:
            a, b = (labelled(simulate("corr", EPISODES, rng, rate=rate), self.labels) for rate in self.rates)
            return a, Sample.of(b.judged, b.truth, tasks=b.tasks + EPISODES, judges=b.judges)
        seed, made = int(rng.integers(2**32)), []
        for turn, rate in enumerate(self.rates):
            both = simulate("corr", 2 * EPISODES, np.random.default_rng(seed), rate=rate, rollouts=2, intraclass=0.5)
            made.append(labelled(Panel(*(column[turn::2] for column in both)), self.labels))
        return made[0], made[1]


class Compared(NamedTuple):
    """What the repeats came to; `alone` is the width of squaring and adding Wilson's intervals of the labels."""

    duel: Duel
    covered: float
    width: float
    alone: float
    naive: float


def compared(duel: Duel, repeats: int) -> Compared:
    """Coverage and mean width of the difference of two policies, and the error of the judges' own difference."""
    rng, truth = np.random.default_rng(0), duel.rates[0] - duel.rates[1]
    found = []
    for _ in range(repeats):
        a, b = duel.samples(rng)
        d = difference(a, b)
        found.append((d.low <= truth <= d.high, d.high - d.low, _newcombe(a, b), d.naive - truth))
    return Compared(duel, *(float(x) for x in np.array(found, dtype=float).mean(axis=0)))


def _newcombe(a: Sample, b: Sample) -> float:
    (la, ha), (lb, hb) = wilson(a.rate, a.labelled), wilson(b.rate, b.labelled)
    return float(np.hypot(a.rate - la, hb - b.rate) + np.hypot(ha - a.rate, b.rate - lb))


SINGLE = [Setting(kind, rate) for kind in KINDS for rate in RATES]
QUALITY = [
    Setting(kind, rate, ROLLOUTS, r, outcome_correlation(rate, r)) for kind in KINDS for rate in RATES for r in CORRELATIONS
]  # fmt: skip
OUTCOME = [
    Setting(kind, rate, ROLLOUTS, latent_correlation(rate, r), r) for kind in KINDS for rate in RATES for r in CORRELATIONS
]  # fmt: skip
DUELS = [
    Duel(rates, n, same)
    for rates in ((0.6, 0.7), (0.6, 0.6), (0.9, 0.97), (0.97, 0.97)) for n in (30, 100) for same in (True, False)
]  # fmt: skip


def main() -> None:
    """Print the grids as Markdown, or write them to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=2000, help="simulations of each cell (default 2000)")
    parser.add_argument("-o", "--output", type=Path, help="write the tables to this Markdown file")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    given = parser.parse_args()
    start = time.perf_counter()
    text = "\n".join(report(given.repeats, given.jobs)) + "\n"
    print(text)
    print(f"{time.perf_counter() - start:.0f} s")
    if given.output:
        given.output.parent.mkdir(parents=True, exist_ok=True)
        given.output.write_text(text, encoding="utf-8")


def report(repeats: int, jobs: int) -> Iterator[str]:
    """The tables, a line at a time."""
    with ProcessPoolExecutor(jobs) as pool:
        runs = {
            title: [pool.submit(cells_of, setting, counts, repeats) for setting in settings]
            for title, settings, counts in (
                ("single", SINGLE, LABELS), ("quality", QUALITY, TASKS), ("outcome", OUTCOME, TASKS)
            )
        }  # fmt: skip
        duels = [pool.submit(compared, duel, max(1, repeats // 2)) for duel in DUELS]
        single, quality, outcome = ([cell for run in runs[title] for cell in run.result()] for title in runs)
        yield f"# Intervals of pass rates: `python -m benchmarks.intervals --repeats {repeats}`\n"
        yield from summary(single, quality, outcome)
        yield "\n## One episode a task, 1,000 judged\n"
        yield from single_table(single)
        yield f"\n## Other ways, on the first {min(repeats, CONTRASTED)} repeats: coverage (width over Wilson's)\n"
        yield from contrast_table(single)
        yield "\n## 8 rollouts a task, correlation of the quality\n"
        yield from clustered_table(quality)
        yield "\n## 8 rollouts a task, correlation of the outcome\n"
        yield from clustered_table(outcome)
        yield "\n## The difference of two policies (corr)\n"
        yield from duel_table([duel.result() for duel in duels], max(1, repeats // 2))


def summary(*grids: Sequence[Cell]) -> Iterator[str]:
    """One line for each grid."""
    yield (
        "| grid | cells that pass | least coverage | largest width over labels alone | over the true worth: mean, largest "
        "| outside [0, 1] |"
    )
    yield "|---|---|---|---|---|---|"
    for name, cells in zip(("one episode a task", "rollouts, by quality", "rollouts, by outcome"), grids, strict=True):
        passed = sum(cell.passes for cell in cells)
        least, widest = min(c.covered["auto"] for c in cells), max(c.ratio for c in cells)
        outside = sum(c.outside["auto"] for c in cells)
        worth = [c.width["auto"] / c.width.get("true worth", c.width["Wilson"]) for c in cells]
        true = f"{np.mean(worth):.3f}, {max(worth):.3f}"
        yield f"| {name} | {passed} of {len(cells)} | {least:.3f} | {widest:.3f} | {true} | {outside:.0%} |"


def single_table(cells: Sequence[Cell]) -> Iterator[str]:
    """Coverage and width by judge, rate and labels."""
    yield "| judges | rate | labels | coverage | width | Wilson on labels: coverage | width | ratio | |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for c in cells:
        yield (
            f"| {KINDS[c.setting.kind]} | {c.setting.rate} | {c.n} | {c.covered['auto']:.3f} | {c.width['auto']:.3f} "
            f"| {c.covered['labels']:.3f} | {c.width['labels']:.3f} | {c.ratio:.3f} | {_mark(c)} |"
        )


def contrast_table(cells: Sequence[Cell]) -> Iterator[str]:
    """The same cells by other methods; in bold, coverage below the bar."""
    yield "| judges | rate | labels | " + " | ".join(CONTRASTS[1:]) + " | PPI++ outside [0, 1] |"
    yield "|---|---|---|" + "---|" * len(CONTRASTS)
    for c in cells:
        shown = " | ".join(_contrast(c, name) for name in CONTRASTS[1:])
        yield f"| {KINDS[c.setting.kind]} | {c.setting.rate} | {c.n} | {shown} | {c.outside['PPI++']:.0%} |"


def _contrast(cell: Cell, name: str) -> str:
    if name not in cell.covered:
        return "–"
    few = min(cell.repeats, CONTRASTED)
    bold = "**" if cell.covered[name] < FLOOR - 1.645 * (FLOOR * (1 - FLOOR) / few) ** 0.5 else ""
    return f"{bold}{cell.covered[name]:.3f}{bold} ({cell.width[name] / cell.width['Wilson']:.2f})"


def clustered_table(cells: Sequence[Cell]) -> Iterator[str]:
    """Coverage and width by judge, correlation, rate and labelled tasks."""
    yield (
        "| judges | correlation: quality | outcome | rate | tasks | coverage | width | ratio to labels alone | to the true worth "
        "| Wilson on all labels: coverage | |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for c in cells:
        s = c.setting
        yield (
            f"| {KINDS[s.kind]} | {s.latent:.2f} | {s.outcome:.2f} | {s.rate} | {c.n} | {c.covered['auto']:.3f} "
            f"| {c.width['auto']:.3f} | {c.ratio:.3f} | {c.width['auto'] / c.width['true worth']:.3f} "
            f"| {c.covered['Wilson']:.3f} | {_mark(c)} |"
        )


def duel_table(rows: Iterable[Compared], repeats: int) -> Iterator[str]:
    """Coverage of differences."""
    yield f"{repeats} repeats; width over that of the labels alone (Newcombe's interval, as if unpaired).\n"
    yield "| rates | labels each | tasks | coverage | width | ratio | error of the judges' own |"
    yield "|---|---|---|---|---|---|---|"
    for r in rows:
        tasks = "the same" if r.duel.same else "others"
        yield (
            f"| {r.duel.rates[0]} − {r.duel.rates[1]} | {r.duel.labels} | {tasks} | {r.covered:.3f} | {r.width:.3f} "
            f"| {r.width / r.alone:.3f} | {r.naive:+.3f} |"
        )


def _mark(cell: Cell) -> str:
    return "pass" if cell.passes else "**FAIL**"


if __name__ == "__main__":
    main()
