"""Dawid and Skene's model."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.errors import CalibrationError
from calibration.fitting.truth_inference import dawid_skene

ANSWERS = (
    "0000 0000 0001 1111 1111 0000 1111 0000 0100 1111 1100 1111 1011 1111 1100 "
    "0100 0101 0100 0000 1001 1101 1001 0000 1100 1011 1100 1101 0000 1000 1100"
)
ONES = {3, 4, 6, 9, 11, 12, 13, 24}
BETWEEN = {19: 0.499179, 21: 0.499179, 20: 0.721386, 26: 0.721386}
"""What crowd-kit 1.4.2 gives for these answers: `DawidSkene(n_iter=5000, tol=1e-12).fit(...).probas_`."""


def test_posteriors_are_those_of_crowd_kit() -> None:
    answers = np.array([[int(digit) for digit in row] for row in ANSWERS.split()])
    expected = [1.0 if item in ONES else BETWEEN.get(item, 0.0) for item in range(30)]
    found = dawid_skene(answers, smoothing=1e-12)
    np.testing.assert_allclose(found.posterior[:, 1], expected, atol=1e-5)
    np.testing.assert_allclose(found.prior, [0.651962, 0.348038], atol=1e-5)


def test_one_step_by_hand_where_gold_is_all_there_is() -> None:
    """Two items of each class known: the confusion is their counts, and the fifth item's posterior is Bayes' rule."""
    answers = np.array([[1, 1], [1, 0], [0, 0], [0, 1], [1, -1]])
    gold = np.array([1, 1, 0, 0, -1])
    found = dawid_skene(answers, gold=gold, smoothing=0.5)
    share = float(found.posterior[4, 1])
    yes = (2 + share + 0.5) / (2 + share + 1)
    false_yes = (0 + (1 - share) + 0.5) / (2 + (1 - share) + 1)
    odds = (2 + share) / (2 + 1 - share) * yes / false_yes
    assert share == pytest.approx(odds / (1 + odds), abs=1e-6)
    np.testing.assert_array_equal(found.posterior[:4, 1], [1, 1, 0, 0])


def test_gold_turns_a_majority_that_errs() -> None:
    rng = np.random.default_rng(0)
    truth = (np.arange(300) % 2).astype(np.int64)
    wrong = np.where(rng.random((300, 2)) < 0.8, 1 - truth[:, None], truth[:, None])
    right = np.where(rng.random((300, 1)) < 0.9, truth[:, None], 1 - truth[:, None])
    answers = np.concatenate([wrong, right], axis=1)
    gold = np.where(np.arange(300) < 40, truth, -1)
    alone, led = dawid_skene(answers), dawid_skene(answers, gold=gold)
    agree = [float(((f.posterior[40:, 1] > 0.5) == truth[40:]).mean()) for f in (alone, led)]
    assert agree[0] < 0.4
    assert agree[1] > 0.8


def test_ordinal_answers_have_a_confusion_of_all_levels() -> None:
    rng, confusion = np.random.default_rng(1), np.array([[0.8, 0.15, 0.05], [0.1, 0.8, 0.1], [0.05, 0.15, 0.8]])
    truth = rng.integers(0, 3, 3000)
    answers = (rng.random((3000, 3, 1)) > confusion.cumsum(axis=1)[truth][:, None, :]).sum(axis=2)
    found = dawid_skene(answers, 3)
    for matrix in found.confusion:
        np.testing.assert_allclose(matrix, confusion, atol=0.06)
    np.testing.assert_allclose(found.confusion.sum(axis=2), 1.0)


def test_a_judge_that_never_answered_changes_nothing() -> None:
    answers = np.array([[1, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1]])
    silent = np.column_stack([answers, np.full(4, -1)])
    np.testing.assert_allclose(dawid_skene(silent).posterior, dawid_skene(answers).posterior)


def test_an_answer_that_is_no_class_is_refused() -> None:
    with pytest.raises(CalibrationError, match="answers run from 0 to 2, expected 0 to 1"):
        dawid_skene(np.array([[0, 2]]))
