"""Do the 95% intervals of agreement hold what they say?

    python -m benchmarks.agreement [--repeats 400]

Simulated pairs of raters whose true agreement is known: two latent normal values with a correlation, cut at the same places, with
part of each shared by the rollouts of a task. Beside `calibration.agreeing` stands the plain percentile bootstrap of kappa over
tasks, which fails where few disagree, one class is rare, or tasks are few.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

from calibration.agreeing.comparing import Columns, compared
from calibration.agreeing.kappa import cohen_kappa, kappa_from
from calibration.agreeing.tables import summed_by

SHOWN = ("raw", "kappa", "weighted_kappa", "alpha", "ac1", "youden", "spearman")
RESAMPLES = 400
TRUTH = 200_000


class Setting(NamedTuple):
    """How many tasks of how many rollouts, how alike those are, how well raters agree, and where their scale is cut."""

    tasks: int
    rollouts: int
    intraclass: float
    correlation: float
    cuts: tuple[float, ...]

    def draw(self, tasks: int, rng: np.random.Generator) -> Columns:
        """Two raters' values on fresh items."""
        first, noise = (self._latent(tasks, rng) for _ in range(2))
        second = self.correlation * first + np.sqrt(1 - self.correlation**2) * noise
        top = len(self.cuts)
        a, b = (np.searchsorted(self.cuts, latent) / top for latent in (first, second))
        return Columns(
            a, b, np.repeat(np.arange(tasks), self.rollouts), np.ones(a.size), {str(n): n / top for n in range(top + 1)}
        )

    def _latent(self, tasks: int, rng: np.random.Generator) -> np.ndarray:
        shared = np.repeat(rng.standard_normal(tasks), self.rollouts)
        own = rng.standard_normal(tasks * self.rollouts)
        return np.sqrt(self.intraclass) * shared + np.sqrt(1 - self.intraclass) * own


EVEN, RARE, FIVE = (0.0,), (-1.28,), (-1.5, -0.5, 0.5, 1.5)
SETTINGS = [
    *(Setting(n, 1, 0.0, r, cuts) for cuts in (EVEN, RARE, FIVE) for r in (0.8, 0.98) for n in (30, 100)),
    *(Setting(tasks, 8, 0.4, r, cuts) for cuts in (EVEN, RARE) for r in (0.8, 0.98) for tasks in (10, 25)),
]


def plain(columns: Columns, rng: np.random.Generator) -> tuple[float, float]:
    """The percentile bootstrap of kappa over tasks, with nothing added."""
    k = len(columns.scale)
    a, b = columns.codes
    by_task = summed_by(columns.tasks, a * k + b, k * k, columns.weights)
    drawn = rng.multinomial(len(by_task), np.full(len(by_task), 1 / len(by_task)), size=RESAMPLES) @ by_task
    kappas = kappa_from(drawn.reshape(-1, k, k), np.eye(k))
    low, high = np.nanquantile(kappas, (0.025, 0.975)) if not np.isnan(kappas).all() else (np.nan, np.nan)
    return float(low), float(high)


def covered(setting: Setting, repeats: int, rng: np.random.Generator) -> dict[str, float]:
    """For each figure the share of intervals that hold the true value, where it is defined."""
    true = compared(setting.draw(TRUTH // setting.rollouts, rng), resamples=200, rng=rng)
    held: dict[str, list[bool]] = {name: [] for name in (*SHOWN, "plain")}
    for _ in range(repeats):
        columns = setting.draw(setting.tasks, rng)
        found = compared(columns, resamples=RESAMPLES, rng=rng)
        for name in SHOWN:
            figure, value = found[name], true[name].value
            if figure.low is not None and figure.high is not None and value is not None:
                held[name].append(figure.low <= value <= figure.high)
        if cohen_kappa(columns.a, columns.b).value is not None:
            low, high = plain(columns, rng)
            held["plain"].append(low - 1e-9 <= (true["kappa"].value or 0) <= high + 1e-9)
    return {"true kappa": true["kappa"].value or 0.0, **{name: float(np.mean(found)) for name, found in held.items()}}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=400, help="samples of each setting (default: 400)")
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    print("| levels | rarest | tasks x rollouts | true kappa | " + " | ".join(SHOWN) + " | plain bootstrap of kappa |")
    print("|---" * (len(SHOWN) + 5) + "|")
    for setting in SETTINGS:
        found = covered(setting, given.repeats, rng)
        rarest = {EVEN: ".50", RARE: ".10", FIVE: ".07"}[setting.cuts]
        cells = [f"{found[name]:.3f}" for name in (*SHOWN, "plain")]
        items = f"{setting.tasks} x {setting.rollouts}"
        print(
            f"| {len(setting.cuts) + 1} | {rarest} | {items} | {found['true kappa']:.2f} | " + " | ".join(cells) + " |",
            flush=True,
        )


if __name__ == "__main__":
    main()
