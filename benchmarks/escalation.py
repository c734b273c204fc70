"""Is the promise of escalation kept, and how many grades may stand under it?

    python -m benchmarks.escalation [--repeats 1000] [--workers 2] [-o FILE]

Each repeat labels n simulated episodes (five judges with a shared confounder: corr), picks a threshold, and looks up what share of
all episodes lies above it, and whether those really agree with the truth as often as promised (target; delta is .1). Maps from
judges' values to a probability come from `calibration.fitting`: fitted on 200 other labels (`separate`; each map serves ten
repeats) or, as the product does it, on the same labels with cross-fitted confidences (`cross-fitted`). Cells are: share of broken
promises / mean share of grades that stand / share of repeats without a threshold.

Clustered: 8 rollouts a task. `panel`: the same judges, with outcomes of a task correlated by .2 or .6 (the latent correlation is
printed). `agreement`: harder, a calibrated confidence where agreement itself is correlated within tasks, as when a judge errs on
a task and hence on all its rollouts.

It passes if ours breaks its promise in at most delta of the repeats everywhere, and at target 90% lets no fewer grades stand than
multi-start testing did where it was first measured: .01, .08, .14, .41 of them for 50, 100, 200, 500 labels.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.threshold_rules import RULES, one_a_task
from calibration.escalating import escalation
from calibration.fitting import FitSettings, fit_arrays
from calibration.items import Floats
from calibration.maps import LinearMap, Map
from tests.calibration.panels import latent_correlation, simulate

DELTA, POOL, MAP_LABELS = 0.1, 20_000, 200
LABELS, TARGETS = (50, 100, 200, 500), (0.8, 0.85, 0.9)
TASKS, ROLLOUTS = (12, 25, 50), 8
UNTRIED = FitSettings(resamples=0)
BAR = {50: 0.01, 100: 0.08, 200: 0.14, 500: 0.41}
OURS = "ours"


class Drawn(NamedTuple):
    """Labelled episodes, and for any threshold the share of all episodes above it and their true agreement."""

    confidence: Floats
    agrees: Floats
    tasks: Any
    above: Callable[[float], tuple[float, float]]


class Work(NamedTuple):
    """One setting: how episodes come about, how many are labelled, and the target."""

    kind: str
    labels: int
    correlation: float = 0.0

    @property
    def clustered(self) -> bool:
        """True with several rollouts of a task."""
        return self.kind not in ("separate", "cross-fitted")


class Row(NamedTuple):
    """Of one rule in one setting: broken promises, mean coverage, repeats without a threshold."""

    work: Work
    target: float
    rule: str
    broken: float
    coverage: float
    none: float

    @property
    def cell(self) -> str:
        """As it is printed."""
        return f"{self.broken:.3f} / {self.coverage:.2f} / {self.none:.2f}"


def draws(work: Work, repeats: int, rng: np.random.Generator) -> Iterator[Drawn]:
    """Samples of labelled episodes of that setting."""
    draw = {"agreement": agreement, "separate": separate}.get(work.kind, cross_fitted)
    made = 0
    while made < repeats:
        for one in draw(work, rng):
            yield one
            made += 1


def separate(work: Work, rng: np.random.Generator) -> Iterator[Drawn]:
    """Ten samples, with a map fitted on other labels."""
    other, everyone = simulate("corr", MAP_LABELS, rng), simulate("corr", POOL, rng)
    fitted = fit_arrays(other.values, other.truth, settings=UNTRIED, rng=rng).map
    above = _lookup(*_cut(predicted(fitted, everyone.values), everyone.truth))
    for _ in range(10):
        labelled = simulate("corr", work.labels, rng)
        yield Drawn(*_cut(predicted(fitted, labelled.values), labelled.truth), labelled.tasks, above)


def cross_fitted(work: Work, rng: np.random.Generator) -> Iterator[Drawn]:
    """A sample whose confidences are from fits that had not seen its task; grades later are by the map fitted on all of it."""
    about = {"rollouts": ROLLOUTS, "intraclass": work.correlation} if work.clustered else {}
    labelled, everyone = simulate("corr", work.labels, rng, **about), simulate("corr", POOL, rng)
    fitted = fit_arrays(labelled.values, labelled.truth, tasks=labelled.tasks, settings=UNTRIED, rng=rng)
    above = _lookup(*_cut(predicted(fitted.map, everyone.values), everyone.truth))
    yield Drawn(*_cut(fitted.predictions, labelled.truth), labelled.tasks, above)


def predicted(found: Map, values: Floats) -> Floats:
    """The map's probabilities for rows of judges' values."""
    weights = np.array(list(found.weights.values()))
    if isinstance(found, LinearMap):
        return np.asarray(1 / (1 + np.exp(-(found.intercept + values @ weights))))
    return np.interp(values @ weights / weights.sum(), found.points, found.values)


def agreement(work: Work, rng: np.random.Generator) -> Iterator[Drawn]:
    """Agreement happens with exactly the probability of the confidence, and is correlated within tasks."""
    from scipy.special import ndtri

    tasks = np.arange(work.labels) // ROLLOUTS
    confidence = rng.uniform(0.5, 1.0, work.labels)
    shared = rng.standard_normal(tasks.max() + 1)[tasks]
    luck = np.sqrt(work.correlation) * shared + np.sqrt(1 - work.correlation) * rng.standard_normal(work.labels)
    yield Drawn(confidence, (ndtri(confidence) > luck).astype(float), tasks, lambda x: (2 * (1 - x), (1 + x) / 2))


def _cut(p: Floats, truth: Floats) -> tuple[Floats, Floats]:
    return np.maximum(p, 1 - p), ((p >= 0.5) == (truth > 0.5)).astype(float)


def _lookup(confidence: Floats, agrees: Floats) -> Callable[[float], tuple[float, float]]:
    order = np.argsort(confidence)
    ranked, total = confidence[order], np.append(0.0, np.cumsum(agrees[order]))

    def above(threshold: float) -> tuple[float, float]:
        below = int(np.searchsorted(ranked, threshold))
        count = len(ranked) - below
        return count / len(ranked), float((total[-1] - total[below]) / count) if count else 1.0

    return above


def thresholds(
    drawn: Drawn, target: float, rng: np.random.Generator, *, clustered: bool
) -> Iterator[tuple[str, float | None]]:
    """What each rule picks."""
    yield OURS, escalation(drawn.confidence, drawn.agrees, tasks=drawn.tasks, target=target, delta=DELTA).threshold
    if clustered:
        yield "tasks ignored", escalation(drawn.confidence, drawn.agrees, target=target, delta=DELTA).threshold
        alone = one_a_task(drawn.confidence, drawn.agrees, drawn.tasks, rng)
        yield "one episode a task", escalation(*alone, target=target, delta=DELTA).threshold
        return
    order = np.argsort(-drawn.confidence, kind="stable")
    for name, rule in RULES.items():
        count = rule(drawn.confidence[order], drawn.agrees[order], target, DELTA)
        yield name, None if count is None else float(drawn.confidence[order][count - 1])


def run(work: Work, targets: Sequence[float], repeats: int) -> list[Row]:
    """All rules and targets on the same repeats."""
    rng = np.random.default_rng(0)
    found: dict[tuple[float, str], list[tuple[bool, float, bool]]] = {}
    for drawn in draws(work, repeats, rng):
        for target in targets:
            for name, threshold in thresholds(drawn, target, rng, clustered=work.clustered):
                coverage, agreement = (0.0, 1.0) if threshold is None else drawn.above(threshold)
                found.setdefault((target, name), []).append((agreement < target, coverage, threshold is None))
    return [Row(work, target, name, *np.mean(rows, axis=0).tolist()) for (target, name), rows in found.items()]


def settings(clustered: bool) -> list[Work]:
    """Every setting of one table."""
    if not clustered:
        return [Work(kind, n) for kind in ("separate", "cross-fitted") for n in LABELS]
    kinds = [("panel", latent_correlation(0.6, icc)) for icc in (0.2, 0.6)] + [
        ("agreement", icc) for icc in (0.2, 0.6, 0.9)
    ]
    return [Work(kind, tasks * ROLLOUTS, icc) for kind, icc in kinds for tasks in TASKS]


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Markdown lines: settings down, rules across."""
    names = list(dict.fromkeys(row.rule for row in rows))
    yield "| setting | labels | target | " + " | ".join(names) + " |"
    yield "|---|---|---|" + "---|" * len(names)
    cells = {(row.work, row.target, row.rule): row.cell for row in rows}
    for work, target in dict.fromkeys((row.work, row.target) for row in rows):
        setting = (
            f"{work.kind} {work.correlation:.2f}, {work.labels // ROLLOUTS} tasks" if work.clustered else work.kind
        )
        line = " | ".join(cells[work, target, name] for name in names)
        yield f"| {setting} | {work.labels} | {target:.0%} | {line} |"


def verdict(rows: Sequence[Row]) -> Iterator[str]:
    """Lines of what is not met, then PASS or FAIL."""
    ours = [row for row in rows if row.rule == OURS]
    worst = max(row.broken for row in ours)
    failed = [row for row in ours if row.broken > DELTA]
    short = [
        row for row in ours
        if not row.work.clustered and row.target == 0.9 and row.coverage < BAR[row.work.labels]
    ]  # fmt: skip
    for row in (*failed, *short):
        yield f"not met: {row.work.kind}, {row.work.labels} labels, target {row.target:.0%}: {row.cell}"
    yield f"{'FAIL' if failed or short else 'PASS'}: promises broken in at most {worst:.3f} of repeats (bar {DELTA})"


def main() -> None:
    """Measure, print, and write to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=1000, help="calibrations of each setting")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("-o", "--output", type=Path, help="also write the tables here")
    given = parser.parse_args()
    lines, rows = [f"`python -m benchmarks.escalation --repeats {given.repeats}`", ""], []
    with ProcessPoolExecutor(given.workers) as pool:
        for title, clustered in (("Independent episodes", False), ("Clustered episodes, 8 rollouts a task", True)):
            jobs = [pool.submit(run, work, TARGETS, given.repeats) for work in settings(clustered)]
            found = [row for job in jobs for row in job.result()]
            lines += [f"### {title}", "", *table(found), ""]
            rows += found
    lines += list(verdict(rows))
    print("\n".join(lines))
    if given.output:
        given.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
