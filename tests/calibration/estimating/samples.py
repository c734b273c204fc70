"""Samples to estimate from, simulated and by hypothesis."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from calibration.estimating import Sample
from tests.calibration.panels import Panel

randomly = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def labelled(panel: Panel, n: int, **about: Any) -> Sample:
    """The panel's mean as judged values, with the truth of the first `n` episodes."""
    truth = np.where(np.arange(len(panel.truth)) < n, panel.truth, np.nan)
    return Sample.of(panel.values.mean(axis=1), truth, tasks=panel.tasks, **about)


@st.composite
def samples(
    draw: st.DrawFn, *, clustered: bool | None = None, graded: bool = False, weighted: bool | None = None
) -> Sample:
    """Anything that can come: few or many labels, all alike or not, one episode a task or several, known inclusions or not."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, size = draw(st.integers(2, 40)), draw(st.integers(0, 80))
    whole = n + size
    rate = draw(st.sampled_from([0.0, 0.03, 0.3, 0.5, 0.9, 0.97, 1.0]))
    truth = (rng.random(whole) < rate).astype(float)
    if graded:
        truth = np.round((truth + rng.random(whole)) / 2, 2)
    judged = np.clip(truth * draw(st.floats(-1, 1)) + rng.random(whole) * draw(st.sampled_from([0.0, 0.5, 1.0])), 0, 1)
    if draw(st.booleans()):
        judged = np.round(judged)
    several = draw(st.booleans()) if clustered is None else clustered
    tasks = np.arange(whole) // 3 if several else np.arange(whole)
    known = draw(st.booleans()) if weighted is None else weighted
    chance = rng.uniform(0.05, 1.0, whole) if known else np.full(whole, np.nan)
    hidden = np.where(np.arange(whole) < n, truth, np.nan)
    return Sample.of(judged, hidden, tasks=tasks, inclusion=chance)
