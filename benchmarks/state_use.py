"""The state check as a gate and as a feature, on the simulated hybrid: `python -m benchmarks.state_use`.

The check fails 7% of right states and passes 5% of wrong ones; the truth is state and communication. Each repeat fits on n labels,
cross-fitted, and measures on the same episodes.
"""

from __future__ import annotations

import argparse

import numpy as np

from calibration.baselines import auc
from calibration.state_use import combined
from tests.calibration.panels import hybrid

KNOWN = {
    "check": (0.806, 0.770, 0.194), "mean": (0.783, 0.854, 0.153), "gate_mean": (0.839, 0.904, 0.127),
    "gate_calibrated": (0.842, 0.904, 0.125), "feature": (0.840, 0.919, 0.113),
}  # fmt: skip
"""Accuracy, area under the curve and Brier score as they were measured with 100 labels, of which `mean` was rescaled."""


def main() -> None:
    """Run it and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=40, help="simulated sets of labels (40)")
    parser.add_argument("--labels", type=int, default=100, help="labels in each (100)")
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in KNOWN}
    tasks = np.arange(args.labels)
    for _ in range(args.repeats):
        made = hybrid(args.labels, rng)
        for name, p in combined(made.values, made.check, made.truth, tasks=tasks, rng=rng).items():
            right = float(((p > 0.5) == (made.truth > 0.5)).mean())
            area = auc(p, made.truth, tasks).value or 0.0
            found[name].append((right, area, float(((p - made.truth) ** 2).mean())))
    print("| use of the state check | accuracy | AUC | Brier | reference |\n|---|---|---|---|---|")
    for name, rows in found.items():
        means = " | ".join(f"{mean:.3f}" for mean in np.mean(rows, axis=0))
        print(f"| {name} | {means} | {' / '.join(f'{known:.3f}' for known in KNOWN[name])} |")


if __name__ == "__main__":
    main()
