"""How many labels a wish takes."""

from __future__ import annotations

import math

from calibration.maps import Z95

USUAL_SAVING = 1.5
"""How many labels one is worth with the judge's help, where nothing is known yet (AutoEval: Boyeau et al., 2024; the same was
measured on simulated and real panels). More than 2 can't be had from a judge no better than the policy (Dorner et al., 2025)."""


def labels_alone(half_width: float, rate: float) -> int:
    """Random labels for a pass rate near `rate` within plus or minus `half_width`: z² p (1 - p) / h² (Cochran, 1977)."""
    return math.ceil(Z95**2 * rate * (1 - rate) / half_width**2)


def labels_assisted(labels: int, judged: int, explained: float) -> int:
    """The same with a judge that explains so much of the truth's variance, over so many judged episodes (0: no end of them).

    n labels are worth n / (1 - explained (1 - n / judged)) of those alone, as in PPI++.
    """
    left = 1.0 - labels * explained / judged if judged else 1.0
    return labels if left <= 0 else min(labels, math.ceil(labels * (1.0 - explained) / left - 1e-9))


def explained_by(ratio: float, labels: int, judged: int) -> float:
    """The share of the truth's variance that the judge explains, from the variance ratio of an estimate."""
    return min(0.95, max(0.0, (1.0 - ratio) / max(1e-9, 1.0 - labels / judged)))


def labels_clustered(labels: int, tasks: int, intraclass: float) -> int | None:
    """Labels spread evenly over so many tasks that are worth so many independent ones; None if no number of them is.

    With n / tasks labels each the design effect is 1 + (n / tasks - 1) ICC (Kish, 1965).
    """
    if labels <= tasks:
        return labels
    left = 1.0 - labels * intraclass / tasks
    return None if left <= 0 else math.ceil(labels * (1.0 - intraclass) / left - 1e-9)


def labels_for_kappa(half_width: float, kappa: float, rate: float) -> int:
    """Items rated by two for Cohen's kappa near `kappa` within plus or minus `half_width`, both passing a share `rate`.

    By the large-sample error of Cohen (1960): po (1 - po) / (n (1 - pe)²).
    """
    chance = rate**2 + (1 - rate) ** 2
    observed = chance + kappa * (1 - chance)
    return math.ceil(Z95**2 * observed * (1 - observed) / ((1 - chance) * half_width) ** 2)
