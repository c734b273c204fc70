"""Panel diagnostics: errors together, severity, variance components, what each judge adds."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score

from calibration.diagnosing import diagnose, diagnose_unlabelled
from calibration.diagnosing.components import Components, components
from calibration.diagnosing.moments import Moments
from calibration.diagnosing.rates import rate, youden
from calibration.diagnosing.severity import additive
from calibration.diagnosing.sheets import Sheet
from calibration.diagnosing.voting import effective_judges, independent_vote
from calibration.errors import CalibrationError
from calibration.results import PanelDiagnosis
from tests.calibration.labelled import audit_pairs, items_from, pairs_from, relevance_pairs
from tests.calibration.panels import simulate

NAN = float("nan")
GRID = arrays(float, (12, 3), elements=st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, NAN]))


def sheet_of(values, truth=None) -> Sheet:
    return Sheet.of_items(items_from(values)) if truth is None else Sheet.of_pairs(pairs_from(values, truth))


def once(sheet: Sheet):
    return sheet.weights[None]


def diagnosed(design: str, n: int = 400, **more) -> PanelDiagnosis:
    panel = simulate(design, n, np.random.default_rng(1))
    return diagnose(pairs_from(panel.values, panel.truth, **more))


@pytest.mark.parametrize(
    ("design", "correlation", "effective"), [("corr", 0.37, 2.0), ("indep", 0.107, 3.5), ("bloc", 0.28, 2.4)]
)
def test_simulated_panels_are_worth_what_they_were_measured_to_be(design, correlation, effective) -> None:
    found = diagnosed(design, 3000)
    assert found.mean_correlation.value == pytest.approx(correlation, abs=0.025)
    assert found.effective.value == pytest.approx(effective, abs=0.12)
    assert found.effective.low < found.effective.value < found.effective.high


def test_a_panel_that_errs_together_falls_short_of_an_independent_one() -> None:
    found = diagnosed("corr", 1000)
    assert found.majority.value == pytest.approx(0.764, abs=0.03)
    assert found.independent.value - found.majority.value > 0.05
    assert "5 judges are worth about 2.1 independent ones" in found.reads


def test_the_bloc_adds_nothing_and_the_good_judges_do() -> None:
    found = diagnosed("bloc", 1000)
    assert [judge.adds_nothing for judge in found.judges[:4]] == [False, False, True, True]
    assert all(judge.gain.low > 0.01 for judge in found.judges[:2])
    assert all(judge.gain.high < 0.004 for judge in found.judges[2:])
    assert any("without any one of j3, j4 " in warning for warning in found.warnings)


def test_a_copy_of_a_judge_is_named() -> None:
    panel = simulate("indep", 300, np.random.default_rng(2))
    found = diagnose(pairs_from(panel.values[:, [0, 1, 0]], panel.truth))
    assert found.error_correlation[0][2] == pytest.approx(1)
    assert found.judges[2].adds_nothing
    assert any(warning.startswith("j1 and j3 answer almost alike") for warning in found.warnings)


def test_a_judge_no_better_than_chance_is_named() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(2, size=120).astype(float)
    found = diagnose(pairs_from(np.column_stack([truth, rng.integers(2, size=120)]), truth))
    assert any(warning.startswith("j2 may be no better than chance") for warning in found.warnings)
    assert not any(warning.startswith("j1 may") for warning in found.warnings)


@given(right=st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_the_vote_of_independent_judges_is_the_sum_over_all_outcomes(right) -> None:
    expected = 0.0
    for outcome in product((0, 1), repeat=len(right)):
        votes = sum(outcome) / len(right)
        chance = np.prod(np.where(outcome, right, 1 - np.array(right)))
        expected += chance * (0.5 if votes == 0.5 else votes > 0.5)
    assert independent_vote(np.array(right)) == pytest.approx(expected)


@given(judges=st.integers(1, 40), correlation=st.floats(-1, 1))
def test_effective_judges_lie_between_one_and_all(judges, correlation) -> None:
    assert 1 - 1e-9 <= effective_judges(judges, correlation) <= judges


@given(GRID)
def test_moments_with_gaps_are_those_of_the_rows_that_both_columns_have(table) -> None:
    found = Moments.of(table, np.ones((1, 12)))
    for i, j in ((0, 1), (2, 0)):
        both = ~np.isnan(table[:, i] + table[:, j])
        x, y = table[both, i], table[both, j]
        if both.sum() > 1 and x.std() and y.std():
            assert found.correlation[0, i, j] == pytest.approx(np.corrcoef(x, y)[0, 1])
            levels = [0, 1, 2, 3, 4]
            expected = cohen_kappa_score(x * 4, y * 4, weights="quadratic", labels=levels)
            assert found.kappa[0, i, j] == pytest.approx(expected)


def test_on_two_levels_kappa_is_cohens_and_agreement_raw() -> None:
    rng = np.random.default_rng(4)
    values = rng.integers(2, size=(80, 2)).astype(float)
    found = diagnose(pairs_from(values, rng.integers(2, size=80)))
    assert found.kappa[0][1] == pytest.approx(cohen_kappa_score(*values.T))
    assert found.agreement[0][1] == pytest.approx((values[:, 0] == values[:, 1]).mean())


def test_severity_with_every_judge_there_is_the_distance_of_means() -> None:
    values = simulate("corr", 200, np.random.default_rng(5)).values
    expected = values.mean(axis=0) - values.mean()
    assert additive(sheet_of(values), np.ones((1, 200))).offsets[0] == pytest.approx(expected)
    found = diagnose_unlabelled(items_from(values))
    assert [judge.severity.value for judge in found.judges] == pytest.approx(expected)
    assert all(judge.severity.low < judge.severity.value < judge.severity.high for judge in found.judges)


def test_a_judge_that_saw_only_the_bad_episodes_does_not_seem_severe() -> None:
    rng = np.random.default_rng(6)
    quality = rng.random(600)
    values = np.column_stack([quality * 0.5 + offset for offset in (0.1, 0.2, 0.3)])
    values[quality > 0.4, 2] = NAN
    judges = diagnose_unlabelled(items_from(values)).judges
    assert [judge.severity.value for judge in judges] == pytest.approx([-0.1, 0, 0.1])
    assert np.nanmean(values[:, 2]) - values[:, 0].mean() < 0.1


def test_judges_that_share_no_items_are_centred_among_themselves_and_it_is_said() -> None:
    values = np.full((40, 4), NAN)
    values[:20, :2] = np.random.default_rng(7).random((20, 1)) * 0.5 + [0.1, 0.3]
    values[20:, 2:] = np.random.default_rng(8).random((20, 1)) * 0.5 + [0.4, 0.2]
    found = diagnose_unlabelled(items_from(values))
    assert [judge.severity.value for judge in found.judges] == pytest.approx([-0.1, 0.1, 0.1, -0.1])
    assert any("share no items" in warning for warning in found.warnings)
    assert found.kappa[0][2] is None


def test_variance_components_are_those_of_the_analysis_of_variance() -> None:
    values = simulate("corr", 150, np.random.default_rng(9)).values
    n, m = values.shape
    rows, columns, middle = values.mean(1, keepdims=True), values.mean(0, keepdims=True), values.mean()
    between = m * ((rows - middle) ** 2).sum() / (n - 1)
    judges = n * ((columns - middle) ** 2).sum() / (m - 1)
    rest = ((values - rows - columns + middle) ** 2).sum() / ((n - 1) * (m - 1))
    assert components(sheet_of(values)) == pytest.approx(((between - rest) / m, (judges - rest) / n, rest))


def test_variance_components_are_unbiased_where_judges_are_missing() -> None:
    rng = np.random.default_rng(10)
    found = []
    for _ in range(100):
        values = 0.3 * rng.standard_normal((60, 1)) + 0.2 * rng.standard_normal(6) + 0.4 * rng.standard_normal((60, 6))
        values[rng.random(values.shape) < 0.4] = NAN
        found.append(components(sheet_of(values)))
    assert np.mean(found, axis=0) == pytest.approx([0.09, 0.04, 0.16], abs=0.008)


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ((0.37, 0.28, 0.35), [(0.51, 0.37), (0.76, 0.64), (0.84, 0.74)]),
        ((0.46, 0.13, 0.41), [(0.53, 0.46), (0.77, 0.72), (0.85, 0.81)]),
    ],
    ids=["SummEval", "10k-prompts"],
)
def test_dependability_follows_from_the_components(shares, expected) -> None:
    for judges, pair in zip((1, 3, 5), expected, strict=True):
        assert Components(*shares).dependability(judges) == pytest.approx(pair, abs=0.006)


def test_eight_rollouts_of_a_task_are_not_eight_labels() -> None:
    panel = simulate("corr", 200, np.random.default_rng(11))
    values, truth = np.repeat(panel.values[:25], 8, axis=0), np.repeat(panel.truth[:25], 8)
    alone = diagnose(pairs_from(values, truth)).judges[0]
    together = diagnose(pairs_from(values, truth, tasks=[i // 8 for i in range(200)])).judges[0]
    for figure in ("accuracy", "severity", "leniency", "youden"):
        narrow, wide = getattr(alone, figure), getattr(together, figure)
        assert wide.value == pytest.approx(narrow.value)
        assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_youdens_interval_is_newcombes() -> None:
    """Newcombe (1998): 56/70 - 48/80, method 10."""
    rng = np.arange(80)
    tpr = rate((rng[:70] < 56).astype(float), np.ones(70), rng[:70], of="passes")
    tnr = rate((rng >= 48).astype(float), np.ones(80), rng, of="failures")
    found = youden(tpr, tnr)
    assert (found.low, found.value, found.high) == pytest.approx((0.0524, 0.2, 0.3339), abs=5e-5)


def test_known_inclusion_probabilities_undo_an_uneven_sample() -> None:
    panel = simulate("corr", 2000, np.random.default_rng(12))
    whole = diagnose(pairs_from(panel.values, panel.truth))
    chance = np.where(panel.truth == 1, 0.9, 0.3)
    taken = np.random.default_rng(13).random(2000) < chance
    naive = diagnose(pairs_from(panel.values[taken], panel.truth[taken]))
    weighted = diagnose(pairs_from(panel.values[taken], panel.truth[taken], inclusion=chance[taken]))
    assert abs(naive.judges[3].accuracy.value - whole.judges[3].accuracy.value) > 0.04
    assert weighted.judges[3].accuracy.value == pytest.approx(whole.judges[3].accuracy.value, abs=0.02)
    assert weighted.majority.value == pytest.approx(whole.majority.value, abs=0.02)


def test_gaps_change_no_figure_much_and_are_counted() -> None:
    panel = simulate("corr", 1000, np.random.default_rng(14))
    values = panel.values.copy()
    values[:, 1:][np.random.default_rng(15).random((1000, 4)) < 0.3] = NAN
    full, holed = (diagnose(pairs_from(v, panel.truth)) for v in (panel.values, values))
    assert holed.mean_correlation.value == pytest.approx(full.mean_correlation.value, abs=0.05)
    assert [j.severity.value for j in holed.judges] == pytest.approx([j.severity.value for j in full.judges], abs=0.02)
    assert any(f"{int(np.isnan(values).sum())} of 5000 answers are missing" in w for w in holed.warnings)


def test_without_labels_nothing_is_said_about_errors() -> None:
    found = diagnose_unlabelled(items_from(simulate("corr", 200, np.random.default_rng(16)).values))
    unknown = [found.mean_correlation, found.effective, found.majority, found.independent]
    unknown += [f for j in found.judges for f in (j.accuracy, j.tpr, j.tnr, j.youden, j.leniency, j.gain)]
    assert all(figure.value is None and "label" in figure.why for figure in unknown)
    assert found.error_correlation == ()
    assert {judge.adds_nothing for judge in found.judges} == {None}
    assert sum(found.variance.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("values", "truth"),
    [
        (np.ones((40, 2)), np.ones(40)),
        (np.random.default_rng(1).random((40, 1)), np.arange(40) % 2),
        (np.full((3, 3), 0.5), [0.5, 0.5, 0.5]),
        ([[1.0, NAN]], [1.0]),
        ([[0.0, NAN], [NAN, 1.0]], [1.0, 0.0]),
    ],
    ids=["all alike", "one judge", "all at a half", "one item", "no item shared"],
)
def test_what_is_undefined_is_none_with_a_reason(values, truth) -> None:
    found = diagnose(pairs_from(values, truth))
    assert PanelDiagnosis.model_validate_json(found.model_dump_json()) == found
    figures = [found.mean_correlation, found.effective, found.majority, found.independent]
    figures += [f for j in found.judges for f in (j.accuracy, j.tpr, j.tnr, j.youden, j.severity, j.leniency, j.gain)]
    assert found.effective.value is None
    assert all(figure.why for figure in figures if figure.value is None)


def test_all_labels_of_one_class_leave_the_other_rate_open() -> None:
    judge = diagnose(pairs_from(np.random.default_rng(2).random((40, 2)), np.ones(40))).judges[0]
    assert judge.tpr.value is not None
    assert judge.tnr.value is None
    assert "below a half" in judge.tnr.why
    assert judge.youden.value is None


def test_the_criterion_chooses_the_items_and_an_unknown_one_is_refused() -> None:
    panel = simulate("corr", 60, np.random.default_rng(17))
    pairs = [*pairs_from(panel.values, panel.truth), *pairs_from(panel.values[:40], panel.truth[:40], criterion="tone")]
    assert [diagnose(pairs, criterion=c).n for c in (None, "tone", "any")] == [60, 40, 40]
    with pytest.raises(
        CalibrationError, match="criterion 'amount' is not labelled; there are episodes as a whole, tone"
    ):
        diagnose(pairs, criterion="amount")


def test_the_same_seed_gives_the_same_figures() -> None:
    assert diagnosed("corr", 100) == diagnosed("corr", 100)


@pytest.mark.parametrize(
    ("domain", "accuracies", "majority", "agreement"),
    [
        ("airline", (0.4, 0.44, 0.68, 0.5), 0.44, 0.73),
        ("retail", (0.640, 0.623, 0.614, 0.614), 0.632, 0.746),
    ],
)
def test_four_prompts_of_one_model_are_worth_fewer_than_two_judges(domain, accuracies, majority, agreement) -> None:
    found = diagnose(list(audit_pairs(domain)))
    assert [judge.accuracy.value for judge in found.judges] == pytest.approx(accuracies, abs=5e-4)
    assert found.majority.value == pytest.approx(majority, abs=5e-4)
    assert np.array(found.agreement)[np.triu_indices(4, 1)].mean() == pytest.approx(agreement, abs=5e-4)
    assert 1 < found.effective.value < 2


def test_thirty_three_judges_of_relevance_are_worth_about_two() -> None:
    found = diagnose(list(relevance_pairs(500)), criterion="relevance")
    assert len(found.judges) == 33
    assert 1.7 < found.effective.value < 2.7
    assert any("NISTRetrieval-instruct0 and NISTRetrieval-instruct1 answer almost alike" in w for w in found.warnings)
