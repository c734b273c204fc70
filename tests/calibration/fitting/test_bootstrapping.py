"""Bootstrap samples draw whole tasks."""

from __future__ import annotations

import numpy as np

from calibration.fitting.bootstrapping import resampled_counts


def test_items_of_a_task_come_together_and_tasks_as_often_as_there_are() -> None:
    tasks = np.array([3, 3, 7, 9, 9, 9])
    counts = resampled_counts(tasks, 400, np.random.default_rng(0))
    assert counts.shape == (400, 6)
    assert (counts[:, 0] == counts[:, 1]).all()
    assert (counts[:, 3] == counts[:, 5]).all()
    assert (counts[:, [0, 2, 3]].sum(axis=1) == 3).all()
    np.testing.assert_allclose(counts[:, [0, 2, 3]].mean(axis=0), 1.0, atol=0.1)


def test_the_same_seed_draws_the_same_samples() -> None:
    one, two = (resampled_counts(np.arange(9), 5, np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_array_equal(one, two)
