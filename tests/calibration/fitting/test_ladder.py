"""The ladder by number of labels, who may take the default's place, and what is warned of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from calibration.errors import CalibrationError
from calibration.fitting import FitSettings, fit_arrays, fit_question, probabilities
from calibration.items import Pair
from calibration.maps import LinearMap
from tests.calibration.fitting.samples import JUDGES, drawn
from tests.calibration.labelled import pairs_from
from tests.calibration.recorded_panels import dialogues

QUICK = FitSettings(resamples=0)


@pytest.mark.parametrize(
    ("n", "rung", "tried"),
    [
        (14, "mean", ["mean"]),
        (15, "weighted_platt", ["mean", "weighted_platt"]),
        (99, "weighted_platt", ["mean", "weighted_platt"]),
        (100, "ridge", ["mean", "ridge", "beta", "venn_abers"]),
        (500, "ridge", ["mean", "ridge", "beta", "venn_abers", "isotonic"]),
    ],
)
def test_the_rung_goes_by_the_number_of_labels_and_losers_are_listed(n: int, rung: str, tried: list[str]) -> None:
    panel = drawn(n)
    fitted = fit_arrays(panel.values, panel.truth, settings=QUICK)
    assert fitted.map.rung == rung
    assert [candidate.rung for candidate in fitted.candidates] == tried
    assert [candidate.rung for candidate in fitted.candidates if candidate.chosen] == [rung]
    for candidate in fitted.candidates:
        assert candidate.error > 0
        assert 0 < candidate.accuracy < 1
        assert candidate.why
    assert fitted.map.n == n


def test_the_plain_mean_is_given_as_it_is_and_said_to_be_uncalibrated() -> None:
    panel = drawn(9)
    fitted = fit_arrays(panel.values, panel.truth)
    np.testing.assert_allclose(probabilities(fitted.map, panel.values, JUDGES), panel.values.mean(axis=1))
    assert "overall: 9 labels: uncalibrated below 15" in fitted.warnings
    assert fitted.heldout is not None
    assert fitted.heldout.brier.value == pytest.approx(((panel.values.mean(axis=1) - panel.truth) ** 2).mean())


def test_a_curve_takes_over_only_where_it_is_clearly_better() -> None:
    """A truth that no slope can follow: yes for panel means in two bands."""
    rng = np.random.default_rng(0)
    values = rng.uniform(size=(900, 1)).repeat(3, axis=1)
    rate = np.where(values[:, 0] < 0.7, 0.25, 0.95)
    fitted = fit_arrays(values, (rng.random(900) < rate).astype(float), settings=FitSettings(resamples=50))
    assert fitted.map.rung in ("isotonic", "venn_abers")
    p = probabilities(fitted.map, np.array([[0.3] * 3, [0.9] * 3]), ["j1", "j2", "j3"])
    np.testing.assert_allclose(p, [0.25, 0.95], atol=0.08)
    at = fitted.map.at({"j1": 0.3, "j2": 0.3, "j3": 0.3}, {})
    assert at is not None
    assert at.low < at.value < at.high
    ridge = next(candidate for candidate in fitted.candidates if candidate.rung == "ridge")
    assert ridge.why.startswith("Brier 0.")
    assert "higher than" in ridge.why


def test_a_measured_confounder_reaches_the_accuracy_of_the_table() -> None:
    """.884 at 100 labels with it; the panel alone has .79. Held as a nuisance it wins nothing."""
    reached, held = [], []
    for seed in range(6):
        panel = drawn(1100, seed=seed)
        covariates, new = panel.confounder[:100, None], panel.confounder[100:, None]
        for nuisances, found in (((), reached), (("c",), held)):
            given_ = FitSettings(covariates=("c",), nuisances=nuisances, resamples=0)
            fitted = fit_arrays(panel.values[:100], panel.truth[:100], covariates=covariates, settings=given_)
            p = probabilities(fitted.map, panel.values[100:], JUDGES, covariates=new, names=("c",))
            found.append(float(((p > 0.5) == panel.truth[100:]).mean()))
    assert np.mean(reached) > 0.88
    assert np.mean(held) < 0.82


def test_below_a_hundred_labels_covariates_come_in_where_they_clearly_help() -> None:
    panel = drawn(80)
    useful, useless = panel.confounder, np.random.default_rng(5).standard_normal(80)
    rungs = [
        fit_arrays(
            panel.values, panel.truth, covariates=x[:, None], settings=FitSettings(covariates=("x",), resamples=0)
        ).map.rung
        for x in (useful, useless)
    ]
    assert rungs == ["ridge", "weighted_platt"]


def test_predictions_are_cross_fitted_and_stand_beside_their_pairs() -> None:
    panel = drawn(40)
    values = panel.values.copy()
    values[[3, 8], 2] = np.nan
    fitted = fit_question(pairs_from(values, panel.truth), JUDGES, settings=QUICK)
    assert np.flatnonzero(np.isnan(fitted.predictions)).tolist() == [3, 8]
    assert fitted.warnings[0] == "overall: 2 labelled items lack an answer of j1 or j2 or j3 or j4 or j5: not used"
    assert fitted.map.n == 38
    known = ~np.isnan(fitted.predictions)
    own = probabilities(fitted.map, values[known], JUDGES)
    assert ((own - panel.truth[known]) ** 2).mean() < ((fitted.predictions[known] - panel.truth[known]) ** 2).mean()


def test_one_task_cannot_be_cross_validated_and_a_few_are_left_out_one_by_one() -> None:
    panel = drawn(30)
    one = fit_arrays(panel.values, panel.truth, tasks=np.zeros(30, dtype=int))
    at = one.map.at(dict.fromkeys(JUDGES, 0.5), {})
    assert at is not None
    assert at.low < at.value - 0.05
    assert one.heldout is None
    assert np.isnan(one.predictions).all()
    assert [candidate.rung for candidate in one.candidates] == ["mean"]
    assert "overall: all labels come from one task: nothing could be cross-validated" in one.warnings
    three = fit_arrays(panel.values, panel.truth, tasks=np.arange(30) % 3, settings=QUICK)
    assert three.heldout is not None
    assert three.heldout.tasks == 3
    assert any("3 tasks only" in warning for warning in three.warnings)


@pytest.mark.parametrize("truth", [np.ones(40), np.zeros(40)], ids=["all pass", "all fail"])
def test_labels_of_one_class_are_said_and_give_no_certainty(truth: np.ndarray) -> None:
    panel = drawn(40)
    fitted = fit_arrays(panel.values, truth)
    assert any("all 40 labels lie" in warning for warning in fitted.warnings)
    p = probabilities(fitted.map, panel.values, JUDGES)
    assert 0.001 < p.min() <= p.max() < 0.999
    at = fitted.map.at(dict(zip(JUDGES, panel.values[0].tolist(), strict=True)), {})
    assert at is not None
    assert at.high - at.low > 0.01


def test_judges_that_separate_the_labels_are_held_back() -> None:
    truth = (np.arange(40) % 2).astype(float)
    fitted = fit_arrays(np.stack([truth, truth * 0.5 + 0.25], axis=1), truth)
    assert any("separate the labels" in warning for warning in fitted.warnings)
    assert isinstance(fitted.map, LinearMap)
    assert sum(fitted.map.weights.values()) < 25
    p = probabilities(fitted.map, np.array([[0.0, 0.25], [1.0, 0.75]]), ["j1", "j2"])
    assert p[0] < 0.1
    assert p[1] > 0.9
    assert p[1] < 0.9999


def test_constant_and_identical_judges_are_named() -> None:
    panel = drawn(50)
    values = np.column_stack([panel.values[:, :2], panel.values[:, 0], np.full(50, 0.75)])
    fitted = fit_arrays(values, panel.truth)
    assert "overall: j1 and j3 gave the same values everywhere: they count as one judge" in fitted.warnings
    assert any(warning.startswith("overall: j4 gave 0.75 to every labelled item") for warning in fitted.warnings)
    assert isinstance(fitted.map, LinearMap)
    assert fitted.map.weights["j1"] == pytest.approx(fitted.map.weights["j3"])


def test_a_judge_that_is_wrong_about_everything_counts_against() -> None:
    panel = drawn(400, design="indep")
    values = np.column_stack([panel.values[:, :3], 1 - panel.values[:, 3]])
    fitted = fit_arrays(values, panel.truth)
    assert any(warning.startswith("overall: j4 counts against") for warning in fitted.warnings)


def test_a_covariate_that_is_not_known_everywhere_is_left_out_and_named() -> None:
    panel = drawn(60)
    covariates = np.stack([panel.confounder, np.where(np.arange(60) == 7, np.nan, 1.0), np.full(60, 3.0)], axis=1)
    given_ = FitSettings(covariates=("c", "gappy", "flat"), resamples=0)
    fitted = fit_arrays(panel.values, panel.truth, covariates=covariates, settings=given_)
    assert "overall: gappy is not known for every labelled item: not used" in fitted.warnings
    assert isinstance(fitted.map, LinearMap)
    assert set(fitted.map.slopes) <= {"c"}


def test_with_a_parent_a_few_labels_suffice() -> None:
    """Eight labels beside a parent of 400 on the same kind of panel, against the plain mean; averaged over ten draws."""
    given_, new = drawn(400, design="bloc", seed=50), drawn(3000, design="bloc", seed=51)
    parent = fit_arrays(given_.values, given_.truth, settings=QUICK).map
    assert isinstance(parent, LinearMap)
    scores = []
    for seed in range(10):
        panel = drawn(8, design="bloc", seed=seed)
        child = fit_arrays(panel.values, panel.truth, settings=FitSettings(parent=parent, resamples=0)).map
        assert child.rung == "weighted_platt"
        scores.append(float(((probabilities(child, new.values, JUDGES) - new.truth) ** 2).mean()))
    of_parent, of_mean = (
        ((p - new.truth) ** 2).mean() for p in (probabilities(parent, new.values, JUDGES), new.values.mean(axis=1))
    )
    assert np.mean(scores) < of_parent + 0.01
    assert np.mean(scores) < of_mean - 0.03


def test_labels_chosen_with_known_probability_count_by_its_inverse() -> None:
    """Failures were labelled four times as often as passes; with the weights the map is unmoved, without it is too strict."""
    panel, new = drawn(6000), drawn(4000, seed=8)
    rng = np.random.default_rng(0)
    inclusion = np.where(panel.truth == 1, 0.1, 0.4)
    chosen = rng.random(6000) < inclusion
    right, naive = (
        fit_question(pairs_from(panel.values[chosen], panel.truth[chosen], inclusion=known), JUDGES, settings=QUICK).map
        for known in (inclusion[chosen], None)
    )
    means = [float(probabilities(each, new.values, JUDGES).mean()) for each in (right, naive)]
    assert means[0] == pytest.approx(new.truth.mean(), abs=0.03)
    assert means[1] < 0.5


def test_help_desk_dialogues_show_no_signal() -> None:
    """llm_rubric_dialogues, satisfaction: the judge is no better than the base rate, and the map says so."""
    panel = dialogues()
    fitted = fit_arrays(panel.values, panel.truth)
    assert fitted.heldout is not None
    assert not fitted.heldout.signal
    assert fitted.heldout.gain.high > 0
    assert fitted.predictions.std() < 0.07


def test_nothing_to_fit_is_an_error_that_names_the_panel() -> None:
    pairs = pairs_from(np.array([[0.5, np.nan]]), [1.0])
    with pytest.raises(CalibrationError, match=r"tone: none of 1 labelled items was answered by all of j1, j2"):
        fit_question(pairs, ("j1", "j2"), settings=FitSettings(key="tone"))
    with pytest.raises(CalibrationError, match="no judge"):
        fit_question(pairs, ())


def test_the_same_seed_gives_the_same_fit() -> None:
    panel = drawn(120)
    one, two = (fit_arrays(panel.values, panel.truth, rng=np.random.default_rng(3)) for _ in range(2))
    assert one.map == two.map
    assert one.candidates == two.candidates


@settings(max_examples=25, deadline=None)
@given(
    values=arrays(float, (24, 2), elements=st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])),
    truth=arrays(float, 24, elements=st.sampled_from([0.0, 0.5, 1.0])),
    order=st.permutations(range(24)),
)
def test_any_labels_give_probabilities_whatever_their_order(
    values: np.ndarray, truth: np.ndarray, order: list[int]
) -> None:
    fitted = fit_arrays(values, truth, settings=QUICK).map
    grid = np.stack(np.meshgrid([0, 0.5, 1.0], [0, 0.5, 1.0]), axis=-1).reshape(-1, 2)
    p = probabilities(fitted, grid, ["j1", "j2"])
    assert np.isfinite(p).all()
    assert p.min() >= 0
    assert p.max() <= 1
    again = probabilities(fit_arrays(values[order], truth[order], settings=QUICK).map, grid, ["j1", "j2"])
    np.testing.assert_allclose(again, p, atol=1e-5)


def _pairs(count: int) -> list[Pair]:
    panel = drawn(count)
    return pairs_from(panel.values, panel.truth)


def test_the_order_of_judges_does_not_matter() -> None:
    one = fit_question(_pairs(60), JUDGES, settings=QUICK).map
    two = fit_question(_pairs(60), tuple(reversed(JUDGES)), settings=QUICK).map
    assert isinstance(one, LinearMap)
    assert isinstance(two, LinearMap)
    assert one.weights == pytest.approx(two.weights)
