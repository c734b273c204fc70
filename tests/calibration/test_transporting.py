"""The transport audit: does a calibration hold for a policy that it was not fitted on?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.transport import rejections
from calibration.errors import CalibrationError
from calibration.items import LeftOut, Pair, Pairing
from calibration.results import Transport
from calibration.transporting import holm, transport
from tests.calibration.labelled import pairs_from


def audited(pairs: Iterable[Pair], predicted: Any, **more: Any) -> tuple[Transport, ...]:
    pairs = tuple(pairs)
    known = {(p.item.episode, p.item.criterion): float(x) for p, x in zip(pairs, predicted, strict=True)}
    return transport(Pairing(pairs, tuple(p.item for p in pairs)), known, **more)


def labelled(truth: Any, **more: Any) -> list[Pair]:
    return pairs_from(np.full((len(truth), 1), 0.5), truth, **more)


HALF = np.tile([0.0, 1.0], 30)


def test_probabilities_that_are_right_on_average_hold() -> None:
    (found,) = audited(labelled(HALF), np.full(60, 0.5))
    assert found.holds is True
    assert found.residual.value == pytest.approx(0)
    assert (found.n, found.tasks, found.failures) == (60, 60, 30)
    assert "No fault seen" in found.reads


def test_rewards_that_are_too_high_do_not_hold_and_the_sentence_says_by_how_much() -> None:
    (found,) = audited(labelled(HALF, policies=["b"] * 60), np.full(60, 0.8))
    assert found.holds is False
    assert found.residual.value == pytest.approx(-0.3)
    assert found.reads.startswith("Rewards of policy b are 0.30 too high on average (0.17 to 0.43; 60 fresh labels)")
    assert "fit again" in found.reads


def test_rewards_that_are_too_low_are_named_so() -> None:
    (found,) = audited(labelled(HALF), np.full(60, 0.2))
    assert found.holds is False
    assert "0.30 too low" in found.reads


def test_nineteen_labels_are_too_few_however_far_off() -> None:
    (found,) = audited(labelled(HALF[:19]), np.full(19, 0.99))
    assert found.holds is None
    assert "19 fresh labels can't say" in found.reads


def test_many_rollouts_of_few_tasks_are_too_few() -> None:
    (found,) = audited(labelled(HALF, tasks=[i % 4 for i in range(60)]), np.full(60, 0.9))
    assert found.holds is None
    assert "at least 5 tasks" in found.reads


def test_rollouts_of_one_task_do_not_count_as_independent() -> None:
    truth = np.repeat([0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0], 8)
    (apart,) = audited(labelled(truth), np.full(64, 0.5))
    (together,) = audited(labelled(truth, tasks=[i // 8 for i in range(64)]), np.full(64, 0.5))
    assert apart.holds is False
    assert together.holds is True
    assert (together.tasks, together.n) == (8, 64)


def test_each_policy_is_judged_by_its_own_labels() -> None:
    pairs = labelled(np.tile(HALF, 2), policies=["a"] * 60 + ["b"] * 60)
    first, second = audited(pairs, np.repeat([0.5, 0.8], 60))
    assert [(first.policy, first.holds), (second.policy, second.holds)] == [("a", True), ("b", False)]


def test_few_failures_leave_open_whether_failures_are_recognised() -> None:
    truth = np.array([1.0] * 54 + [0.0] * 6)
    (found,) = audited(labelled(truth), np.full(60, 0.9))
    assert found.holds is True
    assert found.failures == 6
    assert "Only 6 of these labels are failures" in found.reads


def test_a_lean_on_length_is_found_where_the_mean_is_right() -> None:
    length = np.linspace(3, 9, 60)
    truth = (length < 6).astype(float)
    (found,) = audited(labelled(truth, covariates={"log_reply_chars": length}), np.full(60, 0.5))
    assert found.residual.value == pytest.approx(0)
    assert found.leans == ("log_reply_chars",)
    assert found.holds is True
    assert "Longer replies are rated too high" in found.reads


def test_several_checkpoints_of_one_policy_are_adjusted_for_being_several_and_other_policies_are_not() -> None:
    pairs = labelled(np.tile(HALF, 3))
    pairs = [replace(p, item=replace(p.item, policy="a", policy_step=i // 60)) for i, p in enumerate(pairs)]
    (alone, *_) = audited(pairs[:60], np.full(60, 0.62))
    first, second, third = audited(pairs, np.repeat([0.62, 0.5, 0.5], 60))
    assert [first.policy_step, second.policy_step, third.policy_step] == [0, 1, 2]
    assert alone.p_value is not None
    assert first.p_value == pytest.approx(3 * alone.p_value)


def test_criteria_are_tested_together_where_no_whole_is_labelled() -> None:
    (found,) = audited(labelled(HALF, criterion="tone"), np.full(60, 0.5))
    assert found.criterion == "any"
    assert "probabilities of the criteria" in found.reads


def test_criteria_are_left_aside_where_wholes_are_labelled() -> None:
    (found,) = audited([*labelled(HALF), *labelled(HALF, criterion="tone")], np.repeat([0.5, 0.9], 60))
    assert (found.criterion, found.n, found.holds) == (None, 60, True)


def test_labels_count_by_the_inverse_of_their_chance() -> None:
    pairs = labelled(HALF, inclusion=np.tile([1.0, 0.25], 30))
    (found,) = audited(pairs, np.full(60, 0.8))
    assert found.residual.value == pytest.approx(0)
    assert found.holds is True


def test_a_label_without_a_reward_is_counted_not_guessed() -> None:
    pairs = tuple(labelled(HALF))
    found = transport(Pairing(pairs, ()), {(p.item.episode, None): 0.5 for p in pairs[:50]})
    assert (found[0].n, found[0].left_out) == (50, 10)


def test_no_label_that_meets_a_grade_is_said_with_the_reason() -> None:
    with pytest.raises(
        CalibrationError, match="no fresh label meets a grade: 1 no grade record of this episode \\(e9\\)"
    ):
        transport(Pairing((), (), (LeftOut("no grade record of this episode", ("e9",)),)), {})


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holms_p_values_keep_the_order_and_lie_between_the_plain_and_bonferronis(p_values: list[float]) -> None:
    adjusted = holm(list(p_values))
    for plain, found in zip(p_values, adjusted, strict=True):
        assert found is not None
        assert plain <= found <= min(1.0, plain * len(p_values))
    order = np.argsort(p_values, kind="stable")
    assert all(adjusted[a] <= adjusted[b] for a, b in pairwise(order))


def test_holms_p_values_equal_a_worked_example() -> None:
    assert holm([0.01, 0.04, None, 0.03]) == pytest.approx([0.03, 0.06, None, 0.06])


def test_sixty_fresh_labels_see_a_better_and_a_gaming_policy_and_rarely_cry_wolf() -> None:
    found = rejections(6, np.random.default_rng(0), labels=(60,), audits=15)
    assert found["same", 60] <= 0.2
    assert found["better", 60] >= 0.5
    assert found["exploits", 60] >= 0.65
