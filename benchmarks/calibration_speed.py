"""How long fitting and reporting take, and importing: `python -m benchmarks.calibration_speed [--episodes N …] [--repeats K]`.

Simulated episodes (the `corr` panel of the tests), each judged by five judges on ten criteria and labelled on every one by one person:
200 episodes have 2,000 labels, 2,000 have 20,000. Timed are `fit`, `report` and writing the page, in seconds by the clock and of
CPU, the least of the repeats. Bars: fit and report under 10 s on 2,000 labels; `import calibration` under 0.5 s, the median of five
fresh interpreters.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from benchmarks.provider import ROOT
from calibration.calibrating import fit
from calibration.label import Label
from calibration.reporting import report
from calibration.reports import to_html
from judge.record import GradeRecord, Judgement
from rubrics.references import CriterionRef, RubricRef
from rubrics.verdict import Verdict
from tests.calibration.panels import STARS, Panel, simulate

CRITERIA = tuple(f"c{n}" for n in range(1, 11))
LEVEL_OF = {value: name for name, value in STARS.items()}
RUBRIC = RubricRef(
    id="simulated", version="1", fingerprint="5" * 16,
    criteria={c: CriterionRef(fingerprint=c.ljust(16, "0"), weight=0.1, levels=STARS, tags=("quality",)) for c in CRITERIA},
)  # fmt: skip
IMPORTS = (
    "import calibration",
    "from calibration.calibrating import fit",
    "from calibration.applying import apply",
    "from calibration.reporting import report",
    "from calibration.health import health",
)
BAR, IMPORT_BAR = 10.0, 0.5


class Seconds(NamedTuple):
    """By the clock, and of CPU."""

    clock: float
    cpu: float


def graded(episodes: int, rng: np.random.Generator) -> tuple[list[GradeRecord], list[Label]]:
    """The records, four rollouts a task, and a label for each of their criteria."""
    panels = [simulate("corr", episodes, rng, rollouts=4, intraclass=0.3) for _ in CRITERIA]
    lengths = np.exp(6 + 0.5 * panels[0].confounder)
    records = [_record(i, panels, int(lengths[i])) for i in range(episodes)]
    labels = [
        Label(episode=f"e{i}", criterion=criterion, rater="person:a", level="5" if panel.truth[i] else "1")
        for criterion, panel in zip(CRITERIA, panels, strict=True)
        for i in range(episodes)
    ]
    return records, labels


def _record(i: int, panels: list[Panel], length: int) -> GradeRecord:
    table = np.array([panel.values[i] for panel in panels])
    score = float(table.mean())
    judgements = tuple(
        Judgement(
            judge=f"j{j + 1}", model=f"m{j + 1}", score=float(column.mean()),
            verdicts=tuple(_verdict(c, f"judge:j{j + 1}", float(v)) for c, v in zip(CRITERIA, column, strict=True)),
        )
        for j, column in enumerate(table.T)
    )  # fmt: skip
    means = dict(zip(CRITERIA, table.mean(axis=1).tolist(), strict=True))
    return GradeRecord(
        score=score, low=score, high=score, raw=score, ungated=score, values=means, passed=None, coverage=1.0,
        task_id=f"t{panels[0].tasks[i]}", episode_id=f"e{i}", group_id=f"g{panels[0].tasks[i]}", policy="p", rubric=RUBRIC,
        method="m" * 16, panel=tuple(j.judge for j in judgements), covariates={"reply_chars": length, "steps": length % 9},
        judgements=judgements, verdicts=tuple(_verdict(c, "panel", v) for c, v in means.items()),
    )  # fmt: skip


def _verdict(criterion: str, rater: str, value: float) -> Verdict:
    return Verdict(criterion=criterion, rater=rater, level=LEVEL_OF[round(value * 4) / 4], value=value)


def timed(work: Callable[[], Any]) -> tuple[Seconds, Any]:
    """How long it took, and what it gave."""
    clock, cpu = time.perf_counter(), time.process_time()
    made = work()
    return Seconds(time.perf_counter() - clock, time.process_time() - cpu), made


def phases(episodes: int, seed: int) -> dict[str, Seconds]:
    """One run of everything."""
    records, labels = graded(episodes, np.random.default_rng(seed))
    spent: dict[str, Seconds] = {}
    spent["fit"], calibration = timed(lambda: fit(records, labels))
    spent["report"], findings = timed(lambda: report(records, labels, calibration))
    spent["page"], _ = timed(lambda: to_html(findings))
    spent["all"] = Seconds(*(sum(column) for column in zip(*spent.values(), strict=True)))
    return spent


def import_seconds(statement: str, times: int = 5) -> float:
    """The median seconds that a statement takes in fresh interpreters, by their own clock."""
    code = f"import time; start = time.perf_counter(); {statement}; print(time.perf_counter() - start)"
    runs = [
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
        for _ in range(times)
    ]
    return statistics.median(float(run.stdout) for run in runs)


def table(episodes: list[int], repeats: int) -> Iterator[str]:
    """The lines of both tables."""
    yield "| labels | what | seconds | CPU seconds |\n|---|---|---|---|"
    whole: dict[int, Seconds] = {}
    for count in episodes:
        runs = [phases(count, seed) for seed in range(repeats)]
        for name in runs[0]:
            clock, cpu = (min(run[name][k] for run in runs) for k in (0, 1))
            yield f"| {count * len(CRITERIA):,} | {name} | {clock:.2f} | {cpu:.2f} |"
        whole[count * len(CRITERIA)] = min(run["all"] for run in runs)
    if (spent_on := whole.get(2000)) is not None:
        yield (
            f"\n2,000 labels x 5 judges x 10 criteria: {spent_on.clock:.2f} s by the clock, {spent_on.cpu:.2f} s of CPU "
            f"(bar {BAR:g} s by the clock, with nothing else running: {_verdict_on(spent_on.clock, BAR)})"
        )
    yield "\n| import | seconds |\n|---|---|"
    spent = {statement: import_seconds(statement) for statement in IMPORTS}
    yield from (f"| `{statement}` | {seconds:.2f} |" for statement, seconds in spent.items())
    yield f"\n`{IMPORTS[0]}`: {spent[IMPORTS[0]]:.2f} s (bar {IMPORT_BAR} s: {_verdict_on(spent[IMPORTS[0]], IMPORT_BAR)})"


def _verdict_on(seconds: float, bar: float) -> str:
    return "met" if seconds < bar else "not met"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, nargs="+", default=[200, 2000], help="labelled episodes (200 2000)")
    parser.add_argument("--repeats", type=int, default=3, help="runs, of which the quickest counts (3)")
    given = parser.parse_args()
    for line in table(given.episodes, given.repeats):
        print(line, flush=True)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
