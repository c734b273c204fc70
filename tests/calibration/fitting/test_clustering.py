"""Means by task, and what clustering costs."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.fitting.clustering import design_effect, intraclass_correlation, mean_by_task


def test_with_a_task_for_every_item_the_error_is_the_usual_one() -> None:
    values = np.random.default_rng(0).uniform(size=50)
    mean = mean_by_task(values, np.arange(50), np.ones(50))
    assert mean.value == pytest.approx(values.mean())
    assert mean.error == pytest.approx(values.std(ddof=1) / np.sqrt(50))


def test_copies_of_an_item_add_nothing() -> None:
    values = np.random.default_rng(0).uniform(size=20)
    once, often = (mean_by_task(np.repeat(values, k), np.repeat(np.arange(20), k), np.ones(20 * k)) for k in (1, 8))
    assert often.error == pytest.approx(once.error)
    assert design_effect(np.repeat(values, 8), np.repeat(np.arange(20), 8)) == pytest.approx(8.0)


def test_one_task_has_no_error() -> None:
    assert mean_by_task(np.ones(4), np.zeros(4, dtype=int), np.ones(4)).error is None


@pytest.mark.parametrize("correlation", [0.0, 0.2, 0.6])
def test_the_intraclass_correlation_is_found(correlation: float) -> None:
    rng, tasks = np.random.default_rng(1), np.arange(6400) // 8
    shared = rng.standard_normal(800)[tasks]
    values = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * rng.standard_normal(6400)
    assert intraclass_correlation(values, tasks) == pytest.approx(correlation, abs=0.04)
    assert design_effect(values, tasks) == pytest.approx(1 + 7 * correlation, abs=0.3)


@pytest.mark.parametrize("tasks", [np.arange(5), np.zeros(5, dtype=int)], ids=["all apart", "all one"])
def test_it_is_0_where_it_cannot_be_told(tasks: np.ndarray) -> None:
    assert intraclass_correlation(np.arange(5.0), tasks) == 0.0
    assert intraclass_correlation(np.ones(6), np.arange(6) // 2) == 0.0
