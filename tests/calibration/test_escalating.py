"""Escalation: a threshold only where labels can keep its promise, and words where they can't."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.calibration import Escalation
from calibration.errors import CalibrationError
from calibration.escalating import Stage, cascade, escalation


def episodes(n: int, rng: np.random.Generator, *, rollouts: int = 1, correlation: float = 0.0):
    """Confidences that mean what they say: those at or above x agree in (1 + x) / 2; agreement is correlated within tasks."""
    from scipy.special import ndtri

    tasks = np.arange(n) // rollouts
    confidence = rng.uniform(0.5, 1.0, n)
    shared = rng.standard_normal(tasks.max() + 1)[tasks]
    luck = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * rng.standard_normal(n)
    return confidence, ndtri(confidence) > luck, tasks


def broken(found: Escalation) -> bool:
    return found.threshold is not None and (1 + found.threshold) / 2 < found.target


@pytest.mark.parametrize(("n", "target"), [(50, 0.8), (100, 0.85), (200, 0.9)])
def test_the_promise_is_kept_in_all_but_a_tenth_of_calibrations(n: int, target: float) -> None:
    rng = np.random.default_rng(n)
    found = [escalation(*episodes(n, rng)[:2], target=target) for _ in range(100)]
    assert np.mean([broken(one) for one in found]) <= 0.1
    assert any(one.threshold is not None for one in found)


def test_rollouts_of_a_task_don_t_pass_for_independent_labels() -> None:
    rng = np.random.default_rng(4)
    by_task = ignoring = 0
    for _ in range(60):
        confidence, agrees, tasks = episodes(400, rng, rollouts=8, correlation=0.8)
        by_task += broken(escalation(confidence, agrees, tasks=tasks, target=0.8))
        ignoring += broken(escalation(confidence, agrees, target=0.8))
    assert by_task / 60 <= 0.1 < ignoring / 60


def test_more_is_accepted_than_by_three_starts_at_a_third_of_delta() -> None:
    from benchmarks.threshold_rules import multi_start

    rng = np.random.default_rng(6)
    ours = theirs = 0.0
    for _ in range(60):
        confidence, agrees, _ = episodes(100, rng)
        ours += escalation(confidence, agrees, target=0.8).coverage or 0.0
        order = np.argsort(-confidence)
        theirs += (multi_start(confidence[order], agrees[order], 0.8, 0.1) or 0) / 100
    assert ours > theirs


def test_what_lies_above_the_threshold_stands_and_what_lies_below_escalates() -> None:
    confidence, agrees, _ = episodes(400, np.random.default_rng(1))
    found = escalation(confidence, agrees, target=0.8)
    assert found.threshold is not None
    standing = [found.escalates(float(p)) is False for p in confidence]
    assert np.mean(standing) == pytest.approx(found.coverage)
    assert [found.escalates(float(1 - p)) is False for p in confidence if 1 - (1 - p) == p] == [
        stands for p, stands in zip(confidence, standing, strict=True) if 1 - (1 - p) == p
    ]
    assert found.agreement is not None
    assert found.agreement.value == pytest.approx(agrees[standing].mean())
    assert Escalation.model_validate_json(found.model_dump_json()) == found


def test_confidences_that_tie_are_accepted_together_or_not_at_all() -> None:
    found = escalation([0.9] * 30 + [0.6] * 30, [True] * 30 + [True, False] * 15, target=0.85)
    assert (found.threshold, found.coverage) == (0.9, 0.5)
    assert escalation([0.9] * 60, [True] * 30 + [True, False] * 15, target=0.85).threshold is None


def test_a_judge_that_is_always_right_needs_no_second_look() -> None:
    found = escalation(np.linspace(0.6, 0.99, 60), np.ones(60), target=0.9)
    assert (found.coverage, found.threshold, found.why) == (1.0, 0.6, "")


@pytest.mark.parametrize(
    ("n", "rollouts", "words"),
    [
        (10, 1, "10 labels can't certify 85% agreement: it takes at least 15 labelled episodes without a disagreement"),
        (80, 8, "80 labels of 10 tasks can't certify 85% agreement: it takes at least 15 tasks with labelled episodes"),
    ],
    ids=["episodes", "tasks"],
)
def test_too_few_labels_give_no_threshold_and_say_how_many_it_takes(n: int, rollouts: int, words: str) -> None:
    found = escalation(np.full(n, 0.99), np.ones(n), tasks=np.arange(n) // rollouts)
    assert found.threshold is None
    assert found.escalates(0.99) is None
    assert words in found.why
    assert (found.n, found.tasks) == (n, n // rollouts)


def test_labels_that_fall_short_say_what_they_show_and_what_it_takes() -> None:
    """17 of 18 are above the target, but so few don't prove it."""
    found = escalation(np.linspace(0.9, 0.99, 18), np.arange(18) != 9, target=0.85)
    assert found.threshold is None
    assert "it takes about" in found.why
    assert "labels like these, or more" in found.why


def test_a_judge_below_the_target_is_told_that_more_labels_won_t_help() -> None:
    rng = np.random.default_rng(3)
    found = escalation(rng.uniform(0.5, 1, 300), rng.random(300) < 0.6, target=0.9)
    assert found.threshold is None
    assert "more labels alone would not help" in found.why


def test_without_labels_there_is_no_threshold() -> None:
    found = escalation([], [])
    assert (found.threshold, found.n, found.curve) == (None, 0, ())
    assert "0 labels can't certify" in found.why


def test_the_curve_rises_in_coverage_and_shows_the_threshold() -> None:
    confidence, agrees, _ = episodes(300, np.random.default_rng(5))
    found = escalation(confidence, agrees, target=0.8)
    thresholds, coverage, agreement, low = zip(*found.curve, strict=True)
    assert list(coverage) == sorted(coverage)
    assert coverage[-1] == 1.0
    assert list(thresholds) == sorted(thresholds, reverse=True)
    assert all(a >= b for a, b in zip(agreement, low, strict=True))
    row = found.curve[thresholds.index(found.threshold)]
    assert row[1] == found.coverage
    assert row[3] >= found.target


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_the_order_of_episodes_does_not_matter(seed: int, random) -> None:
    confidence, agrees, tasks = episodes(120, np.random.default_rng(seed), rollouts=2, correlation=0.3)
    order = list(range(120))
    random.shuffle(order)
    one = escalation(confidence, agrees, tasks=tasks, target=0.8)
    other = escalation(confidence[order], agrees[order], tasks=[f"t{tasks[i]}" for i in order], target=0.8)
    assert (one.threshold, one.coverage) == (other.threshold, other.coverage)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 119))
def test_where_testing_starts_does_not_depend_on_agreement(seed: int, place: int) -> None:
    """So one more agreement can only let more grades stand."""
    confidence, agrees, _ = episodes(120, np.random.default_rng(seed))
    better = agrees.copy()
    better[place] = True
    before = escalation(confidence, agrees, target=0.8).coverage or 0.0
    assert (escalation(confidence, better, target=0.8).coverage or 0.0) >= before


def test_labels_of_a_thinner_sample_weigh_more() -> None:
    confidence, agrees, _ = episodes(400, np.random.default_rng(8))
    weights = np.where(confidence > 0.75, 1.0, 3.0)
    plain, weighed = (escalation(confidence, agrees, weights=w, target=0.8) for w in (None, weights))
    assert weighed.coverage is not None
    assert plain.coverage is not None
    assert weighed.coverage < plain.coverage


@pytest.mark.parametrize(
    ("arguments", "more", "words"),
    [
        (([0.9], [True, False]), {}, "1 confidences, 2 agreements"),
        (([1.2], [True]), {}, "1.2 is no confidence"),
        (([float("nan")], [True]), {}, "nan is no confidence"),
        (([0.9], [True]), {"target": 1.0}, "target 1.0"),
        (([0.9], [True]), {"delta": 0.0}, "delta 0.0"),
    ],
    ids=["length", "range", "nan", "target", "delta"],
)
def test_what_can_t_be_used_is_named(arguments, more, words) -> None:
    with pytest.raises(CalibrationError, match=words):
        escalation(*arguments, **more)


def test_a_cascade_splits_delta_and_shows_each_stage_what_the_one_before_passes_on() -> None:
    rng = np.random.default_rng(9)
    confidence, agrees, _ = episodes(600, rng)
    stronger = np.where(rng.random(600) < 0.95, 0.95, np.nan)
    first, second = cascade([Stage(confidence, agrees), Stage(stronger, rng.random(600) < 0.95)], target=0.85)
    assert (first.delta, second.delta) == (0.05, 0.05)
    assert first.threshold is not None
    assert first == escalation(confidence, agrees, target=0.85, delta=0.05)
    passed_on = confidence < first.threshold
    assert second.n == int((passed_on & ~np.isnan(stronger)).sum())
    assert second.threshold == 0.95


def test_a_stage_without_a_threshold_passes_everything_on() -> None:
    rng = np.random.default_rng(9)
    first, second = cascade([Stage(np.full(50, 0.9), rng.random(50) < 0.5), Stage(np.full(50, 0.99), np.ones(50))])
    assert first.threshold is None
    assert (second.n, second.coverage) == (50, 1.0)


def test_a_cascade_keeps_its_promise_as_a_whole() -> None:
    rng, failed = np.random.default_rng(10), 0
    for _ in range(50):
        weak, right, _ = episodes(300, rng)
        strong, better, _ = episodes(300, rng)
        found = cascade([Stage(weak, right), Stage(np.sqrt(strong), better)], target=0.85)
        failed += broken(found[0]) or (
            found[1].threshold is not None and (1 + found[1].threshold ** 2) / 2 < found[1].target
        )
    assert failed / 50 <= 0.1
