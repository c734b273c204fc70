"""Figures on items that a fit had not seen."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.fitting.folds import grouped_folds
from calibration.fitting.rungs import PlainMean
from calibration.fitting.stacking import Stack
from calibration.fitting.validation import cross_validated, held_out, scores_of
from tests.calibration.fitting.samples import drawn, sample_of


def test_an_items_own_label_has_no_part_in_its_prediction() -> None:
    """Turning the labels of one fold changes the predictions of the other folds, and not its own."""
    panel = drawn(60)
    folds = np.arange(60)[None] % 5
    turned = panel._replace(truth=np.where(folds[0] == 3, 1 - panel.truth, panel.truth))
    samples = [sample_of(each) for each in (panel, turned)]
    first, second = (cross_validated(Stack(s, "weighted_platt"), s, folds).predictions for s in samples)
    own = folds[0] == 3
    np.testing.assert_allclose(first[own], second[own], atol=0.01)
    assert np.abs(first[~own] - second[~own]).max() > 0.05


def test_a_judge_of_pure_noise_shows_no_signal_and_predicts_the_base_rate() -> None:
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        sample = sample_of(
            drawn(60), values=rng.integers(0, 5, (60, 5)) / 4, truth=(rng.random(60) < 0.7).astype(float)
        )
        folds = grouped_folds(sample.tasks, rng)
        assert folds is not None
        found.append(held_out("overall", sample, cross_validated(Stack(sample, "x"), sample, folds)))
    assert sum(each.signal for each in found) <= 1
    assert np.mean([each.brier.value - each.reference_brier for each in found]) < 0.015


def test_a_good_panel_shows_signal() -> None:
    for seed in range(5):
        sample = sample_of(drawn(100, seed=seed))
        folds = grouped_folds(sample.tasks, np.random.default_rng(0))
        assert folds is not None
        held = held_out("overall", sample, cross_validated(Stack(sample, "x"), sample, folds))
        assert held.signal
        assert held.gain.value == pytest.approx(held.reference_brier - held.brier.value)
        assert held.youden.low > 0.2


def test_few_labels_of_a_good_panel_mostly_suffice_to_show_signal() -> None:
    """Where the gain's own interval is still too wide, agreement beyond chance that pays in Brier score is enough."""
    shown, by_gain = 0, 0
    for seed in range(20):
        sample = sample_of(drawn(25, seed=seed))
        folds = grouped_folds(sample.tasks, np.random.default_rng(0))
        assert folds is not None
        held = held_out("overall", sample, cross_validated(Stack(sample, "x"), sample, folds))
        shown, by_gain = shown + held.signal, by_gain + (held.gain.low > 0)
    assert shown >= 15
    assert by_gain < shown


def test_clustered_items_give_wider_intervals() -> None:
    panel = drawn(200, rollouts=8, intraclass=0.6)
    together, apart = sample_of(panel), sample_of(panel, tasks=np.arange(200))
    widths = []
    for sample in (together, apart):
        held = held_out("overall", sample, scores_of(PlainMean(sample).predictions(np.ones((1, 200))), sample))
        widths.append(held.brier.high - held.brier.low)
    assert widths[0] > 1.2 * widths[1]


def test_what_cannot_be_said_is_none_with_a_reason() -> None:
    sample = sample_of(drawn(20), truth=np.full(20, 0.5), tasks=np.zeros(20, dtype=int))
    held = held_out("overall", sample, scores_of(sample.mean[None], sample))
    assert held.accuracy.value is None
    assert held.accuracy.why == "every truth lies at exactly a half"
    assert held.youden.value is None
    assert held.brier.low is None
    assert held.brier.why == "no interval: all items come from one task"
    assert not held.signal


def test_a_probability_of_a_half_is_half_a_hit() -> None:
    sample = sample_of(drawn(2), truth=np.array([1.0, 0.0]))
    assert scores_of(np.array([[0.5, 0.2]]), sample).hits.tolist() == [0.5, 1.0]
