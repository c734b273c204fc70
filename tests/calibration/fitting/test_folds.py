"""Folds keep tasks together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.fitting.folds import grouped_folds, training_counts


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=5, max_size=60), st.integers(0, 9))
def test_no_task_is_split_and_every_item_is_held_out_once_a_repeat(tasks: list[int], seed: int) -> None:
    numbers = np.array(tasks)
    folds = grouped_folds(numbers, np.random.default_rng(seed))
    if np.unique(numbers).size < 2:
        assert folds is None
        return
    assert folds is not None
    for repeat in folds:
        for task in set(tasks):
            assert len(set(repeat[numbers == task])) == 1
    counts, rows = training_counts(folds)
    held = np.take_along_axis(counts, rows, axis=0)
    assert (held == 0).all()
    assert (counts == 0).sum() == folds.size


def test_five_folds_are_about_equal_and_repeats_differ() -> None:
    folds = grouped_folds(np.arange(100), np.random.default_rng(0))
    assert folds is not None
    assert folds.shape == (5, 100)
    assert all((np.bincount(repeat) == 20).all() for repeat in folds)
    assert (folds[0] != folds[1]).any()


def test_a_large_task_stands_alone_in_its_fold() -> None:
    tasks = np.array([0] * 40 + list(range(1, 11)) * 4)
    folds = grouped_folds(tasks, np.random.default_rng(0))
    assert folds is not None
    assert all((repeat[40:] == repeat[0]).sum() <= 8 for repeat in folds)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_few_tasks_are_left_out_one_by_one(count: int) -> None:
    tasks = np.arange(30) % count
    folds = grouped_folds(tasks, np.random.default_rng(0))
    assert folds is not None
    assert folds.shape == (1, 30)
    assert len(set(folds[0])) == count


def test_many_items_are_folded_fewer_times() -> None:
    assert [len(grouped_folds(np.arange(n), np.random.default_rng(0))) for n in (500, 501, 2001)] == [5, 2, 1]
