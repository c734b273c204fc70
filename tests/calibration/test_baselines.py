"""Trivial predictors, areas under the curve, pairs within tasks and the correlation within tasks, against their definitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.baselines import auc, intraclass, pairwise, same_outcome, task_mean, trivial_predictors, worth
from tests.calibration.refunds import CREDIT, REFUND, STATE, episode, graded, rubric

scored = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.booleans(), st.integers(0, 5)), min_size=2, max_size=40
)


def columns(rows):
    scores, truth, tasks = zip(*rows, strict=True)
    return np.array(scores), np.array(truth, dtype=float), np.unique(tasks, return_inverse=True)[1]


@given(scored)
def test_the_area_is_the_share_of_pairs_ranked_right(rows) -> None:
    scores, truth, tasks = columns(rows)
    figure = auc(scores, truth, tasks)
    pairs = [(p, q) for p in scores[truth == 1] for q in scores[truth == 0]]
    if not pairs:
        assert (figure.value, bool(figure.why)) == (None, True)
        return
    assert figure.value == pytest.approx(np.mean([(p > q) + (p == q) / 2 for p, q in pairs]))
    assert 0 <= figure.low <= figure.value <= figure.high <= 1


@given(scored)
def test_pairs_are_only_of_one_task(rows) -> None:
    scores, truth, tasks = columns(rows)
    figure = pairwise(scores, truth, tasks)
    wins = [
        0.5 if scores[i] == scores[j] else float((scores[i] > scores[j]) == (truth[i] > truth[j]))
        for i, j in combinations(range(len(rows)), 2)
        if tasks[i] == tasks[j] and truth[i] != truth[j]
    ]
    assert figure.n == len(wins)
    assert figure.value == (pytest.approx(np.mean(wins)) if wins else None)
    assert wins or figure.why


@given(scored)
def test_no_rising_calibration_changes_the_ranking_within_tasks(rows) -> None:
    scores, truth, tasks = columns(rows)
    assert pairwise(scores, truth, tasks) == pairwise(1 / (1 + np.exp(-8 * scores)), truth, tasks)


def test_scores_that_are_not_known_are_left_out() -> None:
    scores, truth, tasks = np.array([0.9, np.nan, 0.1, 0.4]), np.array([1.0, 0, 0, 1]), np.array([0, 0, 0, 1])
    assert (auc(scores, truth, tasks).n, pairwise(scores, truth, tasks).n) == (3, 1)


def test_a_perfect_ranking_of_few_tasks_has_a_wide_interval() -> None:
    truth = np.array([1.0, 0, 1, 0, 1, 0])
    figure = pairwise(truth, truth, np.array([0, 0, 1, 1, 2, 2]))
    assert (figure.value, figure.high) == (1.0, 1.0)
    assert figure.low < 0.5


def test_the_correlation_within_tasks_is_that_of_the_analysis_of_variance() -> None:
    rng = np.random.default_rng(5)
    table = rng.normal(size=(30, 1)) + rng.normal(size=(30, 4))
    between = 4 * table.mean(axis=1).var(ddof=1)
    within = table.var(axis=1, ddof=1).mean()
    figure = intraclass(table.ravel(), np.repeat(np.arange(30), 4))
    assert figure.value == pytest.approx((between - within) / (between + 3 * within))
    assert figure.low < figure.value < figure.high


@pytest.mark.parametrize(
    ("truth", "tasks"), [([1.0, 0.0, 1.0], [0, 1, 2]), ([1.0] * 4, [0, 0, 1, 1])], ids=["no repeats", "one outcome"]
)
def test_an_undefined_correlation_says_why(truth: list[float], tasks: list[int]) -> None:
    figure = intraclass(np.array(truth), np.array(tasks))
    assert (figure.value, bool(figure.why)) == (None, True)


def test_two_hundred_episodes_of_fifty_tasks_at_a_correlation_of_point_four_are_worth_ninety() -> None:
    assert worth(200, 50, 0.4) == pytest.approx(200 / 2.2)
    assert worth(200, 50, -0.1) == 200


def test_the_task_mean_leaves_the_episode_itself_out() -> None:
    means = task_mean(np.array([1.0, 0.0, 1.0, 1.0]), np.array([0, 0, 0, 1]))
    assert means[:3].tolist() == [0.5, 1.0, 0.5]
    assert np.isnan(means[3])


def test_tasks_with_one_outcome_are_counted_among_those_with_several_episodes() -> None:
    assert same_outcome(np.array([1.0, 1, 0, 1, 0, 0, 1]), np.array([0, 0, 1, 1, 2, 2, 3])) == (2, 3)


def test_trivial_predictors_are_read_off_the_records() -> None:
    records = graded(
        [episode("idle"), episode("right", did=[REFUND]), episode("unknown", did=[CREDIT], goal=None)], rubric(STATE)
    )
    found = trivial_predictors(records, np.array([0.0, 1.0, 0.0]), np.array([0, 1, 2]))
    assert found["did_nothing"][:2].tolist() == [1.0, 0.0]
    assert np.isnan(found["did_nothing"][2])
    assert found["reply_chars"].tolist() == [21.0] * 3
    assert set(found) == {"did_nothing", "reply_chars", "steps", "task_mean"}


def clustered(tasks: int, rng: np.random.Generator):
    """Eight rollouts of each task, their quality correlated at .4, seen through noise."""
    quality = np.sqrt(0.4) * np.repeat(rng.standard_normal(tasks), 8) + np.sqrt(0.6) * rng.standard_normal(8 * tasks)
    return quality + rng.standard_normal(8 * tasks), (quality > 0).astype(float), np.repeat(np.arange(tasks), 8)


@pytest.mark.parametrize("figure", [auc, pairwise])
def test_intervals_hold_when_rollouts_of_a_task_are_alike(figure) -> None:
    rng = np.random.default_rng(11)
    truth = figure(*clustered(3000, rng)).value
    found = [figure(*clustered(25, rng)) for _ in range(300)]
    assert np.mean([one.low <= truth <= one.high for one in found]) > 0.92
