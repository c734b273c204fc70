"""The smooth model: a plain mean before any label, stacking after many, held back by what labels are worth."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.fitting.bootstrapping import resampled_counts
from calibration.fitting.logistic import Priors, fit_logistic, sigmoids
from calibration.fitting.predicting import probabilities
from calibration.fitting.stacking import Stack
from calibration.maps import LinearMap
from tests.calibration.fitting.samples import drawn, sample_of

RNG = np.random.default_rng(0)


def test_two_labels_leave_the_mean_about_as_it_is() -> None:
    sample = sample_of(drawn(2))
    fitted = Stack(sample, "weighted_platt").map(np.empty((0, 2)), RNG)
    grid = np.linspace(0, 1, 5)
    p = probabilities(fitted, np.tile(grid[:, None], 5), sample.judges)
    np.testing.assert_allclose(p, grid, atol=0.12)


def test_many_labels_give_the_regression_without_a_prior() -> None:
    panel = drawn(6000, design="bloc")
    sample = sample_of(panel)
    fitted = Stack(sample, "ridge").map(np.empty((0, 6000)), RNG)
    columns = np.column_stack([np.ones(6000), panel.values])
    free = fit_logistic(columns, panel.truth, np.ones((1, 6000)), Priors.ridge(np.full(6, 1e-9))).coefficients[0, 0]
    np.testing.assert_allclose([fitted.intercept, *fitted.weights.values()], free, atol=0.2)


def test_parameters_are_in_the_units_of_what_was_given() -> None:
    panel = drawn(300)
    confounder = 1000.0 + 200.0 * panel.confounder
    sample = sample_of(panel, covariates=confounder[:, None], names=("chars",))
    stack = Stack(sample, "ridge")
    fitted = stack.map(np.empty((0, 300)), RNG)
    p = probabilities(fitted, panel.values, sample.judges, covariates=confounder[:, None], names=("chars",))
    np.testing.assert_allclose(p, sigmoids(stack.columns @ stack.whole.coefficients[0]), atol=1e-9)
    one = fitted.at(dict(zip(sample.judges, panel.values[7].tolist(), strict=True)), {"chars": float(confounder[7])})
    assert one is not None
    assert one.value == pytest.approx(p[7])


def test_a_judge_on_another_scale_of_covariates_changes_nothing() -> None:
    panel = drawn(120)
    small, large = (
        Stack(sample_of(panel, covariates=(panel.confounder * by)[:, None], names=("x",)), "ridge")
        for by in (1e-3, 1e6)
    )
    np.testing.assert_allclose(small.whole.coefficients, large.whole.coefficients, atol=1e-6)


def test_repeated_rollouts_count_for_less() -> None:
    apart, together = drawn(160), drawn(160, rollouts=8, intraclass=0.6)
    assert Stack(sample_of(apart), "ridge").worth == pytest.approx(1.0)
    assert Stack(sample_of(together), "ridge").worth < 0.6


def test_eight_copies_of_each_item_are_one() -> None:
    panel = drawn(40)
    eightfold = sample_of(
        panel._replace(
            values=np.repeat(panel.values, 8, axis=0),
            truth=np.repeat(panel.truth, 8),
            tasks=np.repeat(np.arange(40), 8),
        )
    )
    once = Stack(sample_of(panel), "x").whole.coefficients
    np.testing.assert_allclose(Stack(eightfold, "x").whole.coefficients, once, atol=0.05)


def test_weights_count_only_by_their_proportions_and_unequal_ones_for_less() -> None:
    panel, weights = drawn(100), np.random.default_rng(0).uniform(0.1, 3, 100)
    weights /= weights.mean()
    stack = Stack(sample_of(panel, weights=weights), "x")
    assert stack.worth == pytest.approx(100 / (weights**2).sum())


def test_a_nuisance_stands_at_its_median_and_predictions_do_not_depend_on_it() -> None:
    panel = drawn(150)
    sample = sample_of(panel, covariates=panel.confounder[:, None], names=("confounder",))
    fitted = Stack(sample, "ridge", ("confounder",)).map(np.empty((0, 150)), RNG)
    assert fitted.references == {"confounder": pytest.approx(np.median(panel.confounder))}
    assert abs(fitted.slopes["confounder"]) > 0.5
    judges = dict(zip(sample.judges, panel.values[0].tolist(), strict=True))
    assert fitted.at(judges, {"confounder": -3.0}) == fitted.at(judges, {"confounder": 3.0}) == fitted.at(judges, {})


def test_a_parent_is_what_few_labels_stay_with_and_many_leave() -> None:
    parent = LinearMap(
        rung="ridge", intercept=1.0, weights={"j1": 4.0, "j2": 0.0, "j3": -1.0, "j4": 0.0, "j5": 0.5},
        slopes={"reply_chars": 0.002}, references={"reply_chars": 500.0},
    )  # fmt: skip
    apart = []
    for n in (4, 4000):
        fitted = Stack(sample_of(drawn(n)), "weighted_platt", parent=parent).map(np.empty((0, n)), RNG)
        apart.append(abs(fitted.weights["j1"] - 4.0) + abs(fitted.intercept - 2.0))
    assert apart[0] < 0.4 * apart[1]


def test_intervals_cover_what_much_data_would_say() -> None:
    """Of the logits of 200 items, in 12 calibrations on 60 labels."""
    large = sample_of(drawn(6000, seed=99))
    true = Stack(large, "x").map(np.empty((0, 6000)), RNG)
    columns = np.column_stack([np.ones(200), large.values[:200]])
    right = columns @ np.array([true.intercept, *true.weights.values()])
    covered = []
    for seed in range(12):
        sample, rng = sample_of(drawn(60, seed=seed)), np.random.default_rng(seed)
        fitted = Stack(sample, "x").map(resampled_counts(sample.tasks, 200, rng), rng)
        errors = np.sqrt(np.einsum("np,pq,nq->n", columns, np.array(fitted.covariance), columns))
        logits = columns @ np.array([fitted.intercept, *fitted.weights.values()])
        covered.append(np.mean(np.abs(logits - right) < 1.96 * errors))
    assert np.mean(covered) > 0.85


def test_without_resamples_the_map_has_no_covariance() -> None:
    assert Stack(sample_of(drawn(30)), "x").map(np.empty((0, 30)), RNG).covariance == ()


def test_refits_on_the_items_as_they_are_give_the_fit_itself() -> None:
    stack = Stack(sample_of(drawn(80)), "x")
    np.testing.assert_allclose(
        stack.refit(np.ones((2, 80))).coefficients, np.tile(stack.whole.coefficients, (2, 1)), atol=0.02
    )
