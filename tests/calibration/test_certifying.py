"""What labels can prove about agreement: exact for independent episodes, honest for clustered ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc

from calibration.certifying import Accepted, Ranked, accepted_to_certify, disagreements_allowed, least_accepted


def ranked(agrees, tasks=None, weights=None) -> Ranked:
    return Ranked.of(np.full(len(agrees), 0.9), agrees, tasks=tasks, weights=weights)


@pytest.mark.parametrize(
    ("target", "delta", "expected"),
    [(0.80, 0.1, 11), (0.85, 0.1, 15), (0.90, 0.1, 22), (0.95, 0.1, 45),
     (0.80, 0.05, 14), (0.85, 0.05, 19), (0.90, 0.05, 29), (0.95, 0.05, 59)],
)  # fmt: skip
def test_the_fewest_accepted_episodes_follow_from_target_and_delta(target, delta, expected) -> None:
    assert least_accepted(target, delta) == expected
    assert disagreements_allowed([expected - 1, expected], target, delta).tolist() == [-1, 0]


@pytest.mark.parametrize(
    ("agreement", "least", "most"), [(0.98, 20, 28), (0.96, 33, 45), (0.95, 48, 62), (0.93, 120, 160)]
)
def test_even_odds_to_certify_90_percent_take_more_the_nearer_agreement_is(agreement, least, most) -> None:
    accepted = accepted_to_certify(agreement, 0.9, 0.1)
    assert accepted is not None
    assert least <= accepted <= most


def test_what_is_below_the_target_is_never_certified() -> None:
    assert accepted_to_certify(0.9, 0.9, 0.1) is None
    assert accepted_to_certify(0.9001, 0.9, 0.1) is None


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 300), st.sampled_from([0.5, 0.8, 0.85, 0.9, 0.95]), st.floats(0.005, 0.3))
def test_disagreements_allowed_are_the_most_that_pass(n, target, level) -> None:
    (allowed,) = disagreements_allowed([n], target, level)
    passing = [r for r in range(n) if betainc(n - r, r + 1, target) <= level]
    assert allowed == max(passing, default=-1)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_with_one_episode_a_task_bounds_are_those_of_clopper_and_pearson(agrees) -> None:
    from scipy.stats import binomtest

    found = ranked(agrees).accepted(len(agrees))
    exact = binomtest(sum(agrees), len(agrees)).proportion_ci(0.95, "exact")
    assert found.worth == pytest.approx(len(agrees))
    assert found.interval() == pytest.approx((exact.low, exact.high), abs=1e-9)
    assert found.p_value(0.8) == pytest.approx(binomtest(sum(agrees), len(agrees), 0.8, "greater").pvalue, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.booleans(), min_size=2, max_size=30), st.integers(2, 8))
def test_rollouts_that_repeat_each_other_are_worth_no_more_than_their_tasks(outcomes, rollouts) -> None:
    agrees, tasks = np.repeat(outcomes, rollouts), np.repeat(np.arange(len(outcomes)), rollouts)
    found = ranked(agrees, tasks).accepted(len(agrees))
    assert found.worth <= len(outcomes) + 1e-9
    assert found.tasks == len(outcomes)


def test_few_tasks_without_a_failure_are_worth_no_more_than_their_number() -> None:
    tasks = np.repeat(np.arange(10), 8)
    assert ranked(np.ones(80), tasks).accepted(80).worth < 10


def test_failures_that_fall_anywhere_make_rollouts_worth_more_than_tasks() -> None:
    rng = np.random.default_rng(0)
    found = ranked(rng.random(800) < 0.8, np.repeat(np.arange(100), 8)).accepted(800)
    assert 300 < found.worth <= 800


def test_the_scale_of_weights_does_not_matter_and_uneven_ones_cost() -> None:
    agrees, uneven = np.arange(40) % 5 > 0, 1.0 + (np.arange(40) % 2) * 3
    alike, doubled = (ranked(agrees, weights=np.full(40, w)).accepted(40) for w in (1.0, 2.0))
    assert alike == pytest.approx(doubled)
    assert ranked(agrees, weights=uneven).accepted(40).worth < 40


@pytest.mark.parametrize("correlation", [0.05, 0.3, 0.9])
def test_a_bound_by_task_holds_where_rollouts_are_alike(correlation) -> None:
    """Beta-binomial agreement of just the target: it is certified in at most delta of repeats."""
    rng, target, tasks = np.random.default_rng(2), 0.85, 25
    shape = (1 / correlation - 1) * np.array([target, 1 - target])
    passed = ignoring = 0
    for _ in range(300):
        sizes = rng.integers(1, 9, tasks)
        task = np.repeat(np.arange(tasks), sizes)
        agrees = rng.random(len(task)) < rng.beta(*shape, tasks)[task]
        passed += ranked(agrees, task).accepted(len(task)).p_value(target) <= 0.1
        ignoring += Accepted(len(task), tasks, float(agrees.mean()), len(task)).p_value(target) <= 0.1
    assert passed / 300 <= 0.1
    if correlation > 0.2:
        assert ignoring / 300 > 0.12
