"""How many labels a wish takes, and which episodes to label next."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.errors import CalibrationError
from calibration.estimating import Sample, estimate
from calibration.label import Label
from calibration.pairing import pair
from calibration.planning import Queueing, Wish, plan
from calibration.planning.queueing import shares
from calibration.planning.sizes import labels_alone
from tests.calibration.estimating.samples import randomly
from tests.calibration.panels import records_of, simulate


@pytest.mark.parametrize(
    ("half", "rate", "labels"), [(0.1, 0.8, 62), (0.1, 0.5, 97), (0.05, 0.8, 246), (0.05, 0.5, 385)]
)
def test_labels_alone_for_a_precision(half: float, rate: float, labels: int) -> None:
    found = plan(Wish(precision=half, rate=rate))
    assert found.labels_alone == labels
    assert found.labels == int(np.ceil(labels_alone(half, rate) / 1.5 - 1e-9))
    assert found.basis == "usual"
    assert "1.5 times" in found.reads


@pytest.mark.parametrize(
    ("target", "delta", "least"), [(0.8, 0.1, 11), (0.85, 0.1, 15), (0.9, 0.1, 22), (0.95, 0.05, 59)]
)
def test_certifying_takes_so_many_without_a_disagreement(target: float, delta: float, least: int) -> None:
    assert f"at least {least} labelled grades" in plan(Wish(certify=target, delta=delta)).reads


@pytest.mark.parametrize(("labels", "half"), [(30, 0.29), (50, 0.22), (100, 0.16), (200, 0.11)])
def test_labels_for_kappa(labels: int, half: float) -> None:
    found = plan(Wish(kappa=half))
    assert found.labels == pytest.approx(labels, rel=0.05)


def test_a_wish_is_one_thing_that_can_be() -> None:
    for about, what in (
        ({}, "one wish, but none is given"),
        ({"precision": 0.1, "certify": 0.9}, "precision and certify is given"),
        ({"precision": 5}, "precision 5: expected a share between 0 and 1"),
        ({"certify": 0.9, "delta": 0}, "delta 0"),
        ({"precision": 0.1, "rate": 80}, "rate 80"),
    ):
        with pytest.raises(CalibrationError, match=what):
            Wish(**about)
    with pytest.raises(CalibrationError, match="double 20"):
        Queueing(double=20)


def paired(n: int, labelled: int, *, rollouts: int = 1, seed: int = 0):
    panel = simulate("corr", n, np.random.default_rng(seed), rollouts=rollouts, intraclass=0.4)
    truth = ("fail", "pass")
    labels = [Label(episode=f"e{i}", rater="ann", level=truth[int(panel.truth[i])]) for i in range(labelled)]
    return pair(records_of(panel), labels), panel


def test_the_judges_help_is_measured_where_labels_suffice() -> None:
    pairing, panel = paired(600, 100)
    found = plan(Wish(precision=0.05, rate=0.5), pairing)
    assert (found.basis, found.have, found.labels_alone) == ("labels", 100, 385)
    sample = Sample.of(panel.values.mean(axis=1), np.where(np.arange(600) < 300, panel.truth, np.nan))
    reached = estimate(sample)
    assert 0.7 * 300 < found.labels < 385
    assert (reached.high - reached.low) / 2 == pytest.approx(0.05 * (found.labels / 300) ** 0.5, rel=0.25)
    assert len(found.queue) == found.labels - 100


def test_a_precision_that_so_few_tasks_cannot_give_is_none() -> None:
    pairing, _ = paired(160, 0, rollouts=16)
    found = plan(Wish(precision=0.05, rate=0.5), pairing)
    assert found.labels is None
    assert "can't be had from 10 tasks" in found.reads


def test_more_labels_than_graded_episodes_are_said() -> None:
    pairing, _ = paired(50, 0)
    assert "more than the 50 episodes graded" in plan(Wish(precision=0.05, rate=0.5), pairing).reads


def test_agreement_below_the_target_is_no_matter_of_labels() -> None:
    rng = np.random.default_rng(1)
    panel = simulate("corr", 200, rng)
    guessed = panel._replace(truth=(rng.random(200) < 0.5).astype(float))
    labels = [Label(episode=f"e{i}", rater="a", level=("fail", "pass")[int(guessed.truth[i])]) for i in range(120)]
    found = plan(Wish(certify=0.9), pair(records_of(guessed), labels))
    assert found.labels is None
    assert "improve the judges first" in found.reads


def drawn(pairing, size: int, seed: int = 0, **how):
    return plan(Wish(precision=0.1), pairing, queue=Queueing(size=size, **how), rng=np.random.default_rng(seed)).queue


def test_nobody_is_asked_twice_and_a_fifth_by_two_people() -> None:
    pairing, _ = paired(60, 20)
    queue = drawn(pairing, 30)
    assert len({q.episode for q in queue}) == 30
    assert not {q.episode for q in queue} & {f"e{i}" for i in range(20)}
    assert sum(q.raters == 2 for q in queue) == 6


def test_a_queue_longer_than_what_is_left_is_all_of_it() -> None:
    queue = drawn(paired(30, 10)[0], 100)
    assert len(queue) == 20
    assert {q.inclusion for q in queue} == {1.0}


def test_every_task_comes_before_a_second_label_of_any() -> None:
    pairing, panel = paired(80, 8, rollouts=4)
    queue = drawn(pairing, 30)
    task_of = {f"e{i}": int(task) for i, task in enumerate(panel.tasks)}
    counts = Counter({0: 4, 1: 4})
    counts.update(task_of[q.episode] for q in queue)
    assert set(counts.values()) <= {1, 2, 4}
    assert len(counts) == 20
    assert counts[0] == counts[1] == 4


@pytest.mark.parametrize(("rollouts", "size"), [(1, 25), (4, 10), (4, 30), (4, 70)])
def test_episodes_are_chosen_as_often_as_their_inclusion_says(rollouts: int, size: int) -> None:
    """The mean over all episodes of one / inclusion for the chosen is 1, whatever is counted: Horvitz and Thompson."""
    pairing, panel = paired(80, 0, rollouts=rollouts)
    value = panel.values.mean(axis=1)
    sums = []
    for seed in range(150):
        queue = drawn(pairing, size, seed)
        weights = np.array([1 / q.inclusion for q in queue])
        chosen = np.array([int(q.episode[1:]) for q in queue])
        sums.append((weights.sum() / 80, (weights * value[chosen]).sum() / 80))
    assert np.mean(sums, axis=0) == pytest.approx((1.0, value.mean()), rel=0.03)


def test_strata_of_score_and_state_are_all_looked_at() -> None:
    pairing, panel = paired(90, 0)
    state = {f"e{i}": bool(panel.truth[i]) for i in range(90)}
    queue = drawn(pairing, 24, state=state)
    seen = {q.stratum for q in queue}
    assert {"high score, state passes", "low score, state fails"} <= seen
    assert any(name in seen for name in ("high score, state fails", "low score, state passes"))
    assert all(0 < q.inclusion <= 1 for q in queue)


def test_a_queue_for_debugging_is_marked_as_never_for_estimates() -> None:
    pairing, _ = paired(60, 0)
    queue = drawn(pairing, 10, kind="debug")
    assert {(q.inclusion, q.stratum) for q in queue} == {(None, "debug")}
    assert "judges differ" in queue[0].why
    assert queue[0].why.endswith("never for estimates")


def test_episodes_behind_a_closed_gate_are_asked_about_only_where_the_state_is() -> None:
    rows = records_of(simulate("corr", 20, np.random.default_rng(2)))
    rows[:5] = [r.model_copy(update={"closed_gates": ("state",), "score": 0.0}) for r in rows[:5]]
    pairing = pair(rows, [])
    assert len(drawn(pairing, 20)) == 15
    assert len(drawn(pairing, 20, state={f"e{i}": i >= 5 for i in range(20)})) == 20


def test_queues_are_the_same_for_the_same_seed() -> None:
    pairing, _ = paired(60, 0)
    assert drawn(pairing, 10, 7) == drawn(pairing, 10, 7) != drawn(pairing, 10, 8)


@randomly
@given(st.dictionaries(st.text(min_size=1, max_size=3), st.integers(1, 50), min_size=1), st.data())
def test_shares_add_up_and_leave_no_stratum_out(sizes: dict[str, int], data: st.DataObject) -> None:
    n = data.draw(st.integers(len(sizes), sum(sizes.values())))
    found = shares(sizes, n)
    assert sum(found.values()) == n
    assert all(1 <= found[name] <= size for name, size in sizes.items())
