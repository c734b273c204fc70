"""`estimate`: one verb, and what it says where little can be said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.estimating import Sample, estimate
from calibration.estimating.estimate import Method
from tests.calibration.estimating.samples import labelled, randomly, samples
from tests.calibration.labelled import audit_pairs
from tests.calibration.panels import simulate

METHODS: list[Method] = ["auto", "ppi++", "bayes", "wilson"]


@randomly
@given(samples() | samples(graded=True), st.sampled_from(METHODS))
def test_intervals_hold_their_value_and_stay_inside(sample: Sample, method: Method) -> None:
    found = estimate(sample, method=method)
    assert found.value is not None
    if int(sample.labelled_groups.sum()) > 1:
        assert 0 <= found.low <= found.value <= found.high <= 1
    else:
        assert found.low is found.high is None
        assert found.why == "all labels are of one task, which tells nothing of others"


@randomly
@given(samples(weighted=False), st.sampled_from(METHODS))
def test_equal_chances_are_as_good_as_unknown_ones(sample: Sample, method: Method) -> None:
    known = Sample.of(sample.judged, sample.truth, tasks=sample.tasks, inclusion=np.full(len(sample), 0.3))
    a, b = estimate(sample, method=method), estimate(known, method=method)
    assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), abs=1e-9)


@randomly
@given(samples(), st.randoms())
def test_the_order_of_episodes_does_not_matter(sample: Sample, random) -> None:
    order = list(range(len(sample)))
    random.shuffle(order)
    other = Sample.of(
        sample.judged[order], sample.truth[order], tasks=sample.tasks[order], inclusion=sample.inclusion[order]
    )
    a, b = estimate(sample), estimate(other)
    assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), abs=1e-9)


def test_the_uncorrected_number_and_the_labels_alone_stand_beside_it() -> None:
    found = estimate(labelled(simulate("corr", 1000, np.random.default_rng(0)), 100))
    assert found.method == "ppi_wilson"
    assert found.naive == pytest.approx(0.58, abs=0.05)
    assert found.labels_only.n == found.labelled == found.tasks == 100
    assert found.judged == 1000
    assert found.high - found.low < 0.9 * (found.labels_only.high - found.labels_only.low)
    assert found.warnings == ()


def test_without_labels_only_the_judges_word_is_left() -> None:
    found = estimate(Sample.of([0.2, 0.8], [np.nan, np.nan]))
    assert (found.value, found.low, found.naive, found.labelled) == (None, None, 0.5, 0)
    assert "there are no labels" in found.why
    assert estimate(Sample.of([], [])).naive is None


def test_few_labels_and_few_failures_are_said() -> None:
    few = estimate(Sample.of([0.5] * 30, [1.0] * 12 + [np.nan] * 18))
    assert "only 12 labels" in few.warnings[0]
    rare = estimate(Sample.of([0.5] * 80, [1.0] * 48 + [0.0] * 2 + [np.nan] * 30))
    assert rare.warnings == (
        "only 2 of 50 labels are of the rarer outcome: how much the judges know of it can't be seen yet",
    )


def test_labels_without_a_known_chance_are_a_random_sample_of_their_own() -> None:
    """Ten of 100 chosen at random before chances were kept, and ten more with a chance of .1: all weigh the same."""
    truth, chance = np.full(100, np.nan), np.full(100, np.nan)
    truth[:20], chance[10:20] = [1.0, 0.0] * 10, 0.1
    found = estimate(Sample.of(np.full(100, 0.5), truth, inclusion=chance), method="wilson")
    assert found.value == pytest.approx(0.5)
    assert any("10 of 20 labels have no inclusion probability" in w for w in found.warnings)


def test_rollouts_of_a_task_are_not_independent() -> None:
    panel = simulate("corr", 800, np.random.default_rng(1), rollouts=8, intraclass=0.6)
    together = estimate(labelled(panel, 160))
    apart = estimate(labelled(panel._replace(tasks=np.arange(800)), 160))
    assert (together.tasks, apart.tasks) == (20, 160)
    assert together.high - together.low > 1.3 * (apart.high - apart.low)


def test_recorded_judges_are_corrected_to_the_recorded_outcomes() -> None:
    """Four judge prompts pass 80% of 114 retail episodes, of which 60% were solved; thirty labels at random tell so."""
    pairs = list(audit_pairs("retail"))
    judged, solved = np.array([p.item.pooled for p in pairs]), np.array([p.truth for p in pairs])
    rng, held = np.random.default_rng(0), []
    for _ in range(100):
        hidden = np.full(len(pairs), np.nan)
        asked = rng.choice(len(pairs), 30, replace=False)
        hidden[asked] = solved[asked]
        found = estimate(Sample.of(judged, hidden))
        held.append(found.low <= solved.mean() <= found.high)
    assert found.naive > solved.mean() + 0.15
    assert np.mean(held) > 0.9
