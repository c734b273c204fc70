"""Does the audit see that a calibration no longer holds, and how often does it cry wolf?

    python -m benchmarks.transport [--repeats 600] [-o FILE]

Five simulated judges with a shared confounder (corr) are calibrated on 200 labels of a policy that succeeds half the time. Then
30 or 60 fresh labels of another policy are tested: of the same one, of a better one (which succeeds at a rate of .8), and of one
that has learnt to exploit the confounder (one standard deviation more of it at the same rate). The bar is what was measured
for a t-test of the mean residual of a logistic stack: about 5% false alarms (the fit's own error adds some), and its power.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from calibration.fitting import FitSettings, fit_arrays
from calibration.items import Item, Pair, Pairing
from calibration.maps import Map
from calibration.transporting import transport
from tests.calibration.panels import CUTS, DESIGNS, Panel, simulate

FITTED_ON = 200
BAR = {
    ("same", 30): 0.08,
    ("same", 60): 0.08,
    ("better", 30): 0.44,
    ("better", 60): 0.6,
    ("exploits", 30): 0.6,
    ("exploits", 60): 0.8,
}


class Policy(NamedTuple):
    """How often it succeeds, and how much more of the confounder its episodes have, in standard deviations."""

    name: str
    rate: float
    shift: float


POLICIES = (Policy("same", 0.5, 0.0), Policy("better", 0.8, 0.0), Policy("exploits", 0.5, 1.0))


def episodes(policy: Policy, n: int, rng: np.random.Generator) -> Panel:
    """Fresh episodes of a policy, judged by the same panel. Success is still a quality above 0: the bar does not move."""
    from scipy.special import ndtri

    design = DESIGNS["corr"]
    quality = rng.standard_normal(n) + ndtri(policy.rate)
    confounder = rng.standard_normal(n) + policy.shift
    latent = (
        np.outer(quality, design.slope) + np.outer(confounder, design.confounder)
        + rng.standard_normal((n, 5)) * np.array(design.noise) + np.array(design.leniency)
    )  # fmt: skip
    return Panel(np.searchsorted(CUTS, latent) / 4.0, (quality > 0).astype(float), confounder, np.arange(n))


def rejects(fitted: Map, panel: Panel) -> bool:
    """Whether the audit finds that the fitted map does not hold on these labels."""
    names = [f"j{j + 1}" for j in range(panel.values.shape[1])]
    pairs: list[Pair] = []
    predictions: dict[tuple[str, str | None], float] = {}
    for i, row in enumerate(panel.values.tolist()):
        judges = dict(zip(names, row, strict=True))
        pairs.append(Pair(Item(f"e{i}", f"t{i}", None, judges, None, tuple(names), {}), float(panel.truth[i]), {}))
        found = fitted.at(judges, {})
        if found is not None:
            predictions[f"e{i}", None] = found.value
    (audit,) = transport(Pairing(tuple(pairs), ()), predictions)
    return audit.holds is False


def rejections(
    repeats: int, rng: np.random.Generator, *, labels: Sequence[int] = (30, 60), audits: int = 1
) -> dict[tuple[str, int], float]:
    """The share of audits that reject, for each policy and number of fresh labels; a calibration serves so many audits."""
    hits: Counter[tuple[str, int]] = Counter()
    for _ in range(repeats):
        old = simulate("corr", FITTED_ON, rng, rate=0.5)
        fitted = fit_arrays(old.values, old.truth, settings=FitSettings(resamples=0), rng=rng).map
        for policy in POLICIES:
            for n in labels:
                hits[policy.name, n] += sum(rejects(fitted, episodes(policy, n, rng)) for _ in range(audits))
    return {(policy.name, n): hits[policy.name, n] / (repeats * audits) for policy in POLICIES for n in labels}


def main() -> None:
    """Measure, print, and write to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--repeats", type=int, default=600, help="calibrations, each audited for every row (default: 600)"
    )
    parser.add_argument("-o", "--output", type=Path, help="also write the table here")
    given = parser.parse_args()
    lines = [f"`python -m benchmarks.transport --repeats {given.repeats}`", ""]
    lines += ["| policy | fresh labels | rejected | bar |", "|---|---|---|---|"]
    for (name, n), share in rejections(given.repeats, np.random.default_rng(0)).items():
        lines.append(
            f"| {name} | {n} | {share:.3f} | {'at most' if name == 'same' else 'at least'} {BAR[name, n]:.2f} |"
        )
    print("\n".join(lines))
    if given.output:
        given.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
