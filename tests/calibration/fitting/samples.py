"""Samples for the tests of fitting."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibration.fitting.samples import Sample
from tests.calibration.panels import Panel, simulate

JUDGES = ("j1", "j2", "j3", "j4", "j5")


def drawn(n: int, *, design: str = "corr", seed: int = 1, **more: Any) -> Panel:
    """A simulated panel of five judges."""
    return simulate(design, n, np.random.default_rng(seed), **more)


def sample_of(panel: Panel, **more: Any) -> Sample:
    """The panel as a sample without covariates."""
    n, judges = panel.values.shape
    given = {
        "values": panel.values, "truth": panel.truth, "tasks": np.asarray(panel.tasks), "weights": np.ones(n),
        "covariates": np.empty((n, 0)), "judges": JUDGES[:judges], **more,
    }  # fmt: skip
    return Sample(**given)
