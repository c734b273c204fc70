"""How often does the drift monitor alarm without cause, and how soon does it see a shift?

    python -m benchmarks.drift [--repeats 2000] [-o benchmarks/results/drift.md]

Anchors are judged once a day, with a retest standard deviation on a scale of 0 to 4; after the baseline the judge shifts by so
much, or not at all. False alarms are the share of streams with any alarm, over baseline and later days; the delay is the median
number of passes after the first shifted one. The last rows swing all anchors of a day together, as a provider's good and bad days.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np

from calibration.cusum import H, cumulative, standardised

CHUNK = 50


class Watch(NamedTuple):
    """One setting: how large the shift, how noisy the judge, how many anchors, passes of baseline and days after it."""

    shift: float
    retest: float = 0.35
    anchors: int = 60
    baseline: int = 30
    days: int = 60
    together: float = 0.0
    bar: str = ""


class Seen(NamedTuple):
    """The share of streams with an alarm, and the median delay in passes (infinite where most never alarm)."""

    alarms: float
    delay: float


SETTINGS = (
    Watch(0.0, bar="0.001 to 0.003"),
    Watch(0.0, days=250, bar="0.012"),
    Watch(0.05, bar="19"),
    Watch(0.1, bar="5"),
    Watch(0.2, bar="2"),
    Watch(0.05, anchors=30, days=120, bar="55"),
    Watch(0.1, anchors=30, bar="9"),
    Watch(0.2, anchors=30, bar="3"),
    Watch(0.05, retest=0.15, bar="4"),
    Watch(0.1, retest=0.15, bar="1"),
    Watch(0.2, retest=0.15, bar="0"),
    Watch(0.0, baseline=14, bar="0.01 to 0.02"),
    Watch(0.0, together=0.02),
    Watch(0.0, together=0.05),
    Watch(0.1, together=0.05),
)


def watched(setting: Watch, repeats: int, rng: np.random.Generator) -> Seen:
    """Alarms and delay over so many streams of that setting."""
    alarms, delays = 0, []
    for start in range(0, repeats, CHUNK):
        count = min(CHUNK, repeats - start)
        values = rng.normal(0, setting.retest, (count, setting.baseline + setting.days, setting.anchors))
        values += rng.normal(0, setting.together, (*values.shape[:2], 1))
        values[:, setting.baseline :] += setting.shift
        above = np.maximum(*cumulative(standardised(values, baseline=setting.baseline))) > H
        alarms += int(above.any(axis=1).sum())
        later = above[:, setting.baseline :]
        delays.append(np.where(later.any(axis=1), later.argmax(axis=1), np.inf))
    return Seen(alarms / repeats, float(np.median(np.concatenate(delays))))


def main() -> None:
    """Measure, print, and write to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=2000, help="streams of each setting (default: 2000)")
    parser.add_argument("-o", "--output", type=Path, help="also write the table here")
    given = parser.parse_args()
    lines = [f"`python -m benchmarks.drift --repeats {given.repeats}`", ""]
    lines += [
        "| shift | retest sd | day sd | anchors | baseline | days | alarms | median delay | bar |",
        "|---" * 9 + "|",
    ]
    rng = np.random.default_rng(0)
    for one in SETTINGS:
        seen = watched(one, given.repeats, rng)
        delay = "–" if not one.shift else f"{seen.delay:.0f}"
        about = f"{one.shift:+.2f} | {one.retest} | {one.together} | {one.anchors} | {one.baseline} | {one.days}"
        lines.append(f"| {about} | {seen.alarms:.4f} | {delay} | {one.bar or '–'} |")
    print("\n".join(lines))
    if given.output:
        given.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
