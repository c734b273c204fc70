"""The health of a run: groups without signal, what is ungraded and why, dead criteria, length, trends."""

from __future__ import annotations

import gc
import json
import weakref
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rubrics
from calibration.health import health, rows
from calibration.results import StepHealth
from judge.engine import Engine
from judge.reading import read_episodes
from judge.record import GradeRecord
from rubrics.references import CriterionRef, RubricRef
from rubrics.verdict import Failure
from tests.judge.test_refund_group import graded
from tests.taubench import write_airline

YES_NO = {"no": 0.0, "yes": 1.0}
RUBRIC = RubricRef(
    id="r", version="1", fingerprint="f" * 16,
    criteria={
        "right": CriterionRef(fingerprint="a" * 16, weight=0.5, levels=YES_NO),
        "tone": CriterionRef(fingerprint="b" * 16, weight=0.5, levels={"cold": 0.0, "fine": 0.5, "warm": 1.0}),
        "false_claim": CriterionRef(fingerprint="c" * 16, weight=-0.5, levels=YES_NO),
    },
)  # fmt: skip


def record(i: int, score: float | None, **more) -> GradeRecord:
    values = {"right": float(i % 2), "tone": (0.0, 0.5, 1.0)[i % 3], "false_claim": float(i % 2)}
    given_ = {
        "score": score, "low": 0.0, "high": 1.0, "raw": score, "ungated": score, "passed": None, "coverage": 1.0,
        "values": values, "task_id": f"t{i // 4}", "episode_id": f"e{i}", "group_id": f"g{i // 4}", "policy": "p",
        "policy_step": 0, "rubric": RUBRIC, "method": "m" * 16, "covariates": {"reply_chars": 100 + 37 * (i * 7 % 11)}, **more,
    }  # fmt: skip
    return GradeRecord(**given_)


def step(scores, **more) -> StepHealth:
    (found,) = health(record(i, score, **more) for i, score in enumerate(scores))
    return found


def plain(n: int = 80) -> list[float]:
    return [float(x) for x in np.random.default_rng(1).random(n).round(3)]


def failure(kind: str) -> Failure:
    return Failure(kind=kind, message="m")


def test_a_step_with_nothing_wrong_has_no_warnings() -> None:
    found = step(plain())
    assert found.warnings == ()
    assert found.healthy
    assert (found.episodes, found.tasks, found.groups, found.paid) == (80, 20, 20, "score")
    assert found.mean_reward.value == pytest.approx(np.mean(plain()))


def test_groups_that_pay_all_siblings_alike_are_without_signal() -> None:
    scores = [1.0] * 8 + [0.0] * 8 + [None, 0.3, None, None] + [0.2, 0.4, 0.6, 0.8]
    found = step(scores)
    assert found.groups == 6
    assert found.groups_without_signal.value == pytest.approx(5 / 6)
    assert any("83% of 6 groups pay all siblings alike" in warning for warning in found.warnings)


def test_an_episode_without_siblings_is_no_group() -> None:
    found = step(plain(), group_id=None, task_id="t")
    assert found.groups == 1
    (alone,) = health(record(i, s, group_id=f"g{i}") for i, s in enumerate(plain()))
    assert alone.groups == 0
    assert alone.groups_without_signal.why == "there are no groups of siblings"


def test_what_is_ungraded_is_counted_by_the_blame_of_its_first_failure() -> None:
    records = [record(i, 0.5) for i in range(20)]
    records += [record(20, None, failures=(failure("timeout"), failure("below_quorum")))]
    records += [
        record(21, None, failures=(failure("parse_error"),)),
        record(22, None, flags=("tie",), missing=("right",)),
    ]
    records += [record(23, None), record(24, None, missing=("right",))]
    records += [record(25, 0.2, failures=(failure("rate_limited"),))]
    (found,) = health(records)
    assert found.ungraded.value == pytest.approx(5 / 26)
    assert found.by_blame == {"infra": 1, "judge": 1, "nothing_applies": 1, "tie": 1, "unknown": 1}
    assert found.failures == {"infra": 2, "judge": 2}
    assert any("19% of episodes have no grade: 1 for network or provider" in warning for warning in found.warnings)


def test_a_calibrated_grade_that_abstains_is_not_paid_its_score() -> None:
    rewards = [0.1, None, 0.3, 0.4] * 5
    found = step([0.9] * 20, calibration="c" * 16)
    assert found.mean_reward.value is None
    assert "none of 20 episodes is paid anything" in found.warnings
    (paid,) = health(record(i, 0.9, calibration="c" * 16, reward=r) for i, r in enumerate(rewards))
    assert paid.paid == "reward"
    assert paid.mean_reward.value == pytest.approx(0.8 / 3)
    assert paid.escalated.value == 0.25


def test_rewards_beside_plain_scores_and_two_graders_are_warned_of() -> None:
    mixed = [record(i, s, calibration="c" * 16, reward=s) if i % 2 else record(i, s) for i, s in enumerate(plain())]
    (found,) = health(mixed)
    assert found.paid == "both"
    assert any("40 episodes have a calibrated reward and 40 only a score" in w for w in found.warnings)
    (two,) = health(record(i, s, method="mn"[i % 2] * 16) for i, s in enumerate(plain()))
    assert any(f"by 2 graders ({'m' * 16}, {'n' * 16})" in w for w in two.warnings)


def test_criteria_that_all_or_none_earn_are_named_the_penalty_turned_round() -> None:
    records = [
        record(i, s, values={"right": 1.0, "tone": 0.5, "false_claim": 0.0 if i else 1.0})
        for i, s in enumerate(plain())
    ]
    (found,) = health(records)
    assert found.saturated == ("right", "false_claim")
    assert found.dead == ("tone",)
    assert [w for w in found.warnings if "earn all of" in w] == [
        "nearly all episodes earn all of right: it no longer tells them apart"
    ]
    (bad,) = health(r.model_copy(update={"values": {"right": 0.0, "tone": None, "false_claim": 1.0}}) for r in records)
    assert (bad.saturated, bad.dead) == ((), ("right", "false_claim"))
    assert any("nearly no episode earns anything of right, false_claim" in w for w in bad.warnings)


def test_a_criterion_seen_a_few_times_is_neither_saturated_nor_dead() -> None:
    found = step([1.0] * 12)
    assert (found.saturated, found.dead) == ((), ())


@pytest.mark.parametrize("within", [True, False], ids=["within groups", "between groups"])
def test_length_that_is_paid_for_is_warned_of(within) -> None:
    rng = np.random.default_rng(3)
    n = 160
    own, shared = rng.standard_normal(n), np.repeat(rng.standard_normal(n // 4), 4)
    length = np.exp(5 + own + shared)
    paid = np.clip(0.5 + 0.1 * (own if within else shared) + 0.05 * rng.standard_normal(n), 0, 1)
    (found,) = health(record(i, float(paid[i]), covariates={"reply_chars": float(length[i])}) for i in range(n))
    assert found.length_slope.low > 0.02
    assert (found.length_within_groups.low > 0.02) == within
    assert any("longer replies earn more" in w for w in found.warnings)
    assert any("the longer of two siblings" in w for w in found.warnings) == within


def test_slopes_are_those_of_a_regression_of_all_episodes() -> None:
    scores = plain()
    found = step(scores)
    x = np.log1p([100 + 37 * (i * 7 % 11) for i in range(80)])
    expected = np.polyfit(x, scores, 1)[0] * x.std()
    assert found.length_slope.value == pytest.approx(expected)
    by_group = (np.array(v).reshape(20, 4) for v in (x, scores))
    inside_x, inside_y = ((v - v.mean(axis=1, keepdims=True)).ravel() for v in by_group)
    assert found.length_within_groups.value == pytest.approx(inside_x @ inside_y / (inside_x @ inside_x) * x.std())


def test_the_mean_reward_has_its_interval_by_task() -> None:
    scores = [float(i // 8 % 2) for i in range(160)]
    (together,) = health(record(i, s, task_id=f"t{i // 8}") for i, s in enumerate(scores))
    (apart,) = health(record(i, s, task_id=f"t{i}") for i, s in enumerate(scores))
    assert together.mean_reward.high - together.mean_reward.low > 2.5 * (apart.mean_reward.high - apart.mean_reward.low)
    assert step([0.5] * 4).mean_reward.why == "one task gives no interval"


def test_a_reward_that_rises_while_replies_grow_is_warned_of_against_the_first_step() -> None:
    rng = np.random.default_rng(4)

    def at(number: int, *, more: float, longer: float) -> Iterator[GradeRecord]:
        for i in range(160):
            paid, chars = np.clip(rng.normal(0.4 + more, 0.1), 0, 1), 200 * longer * np.exp(rng.normal(0, 0.2))
            yield record(i, float(paid), policy_step=number, covariates={"reply_chars": float(chars)})

    found = health([*at(200, more=0.2, longer=1.6), *at(0, more=0, longer=1), *at(100, more=0.2, longer=1)])
    assert [s.policy_step for s in found] == [0, 100, 200]
    assert [s.healthy for s in found] == [True, True, False]
    (warning,) = found[2].warnings
    assert warning.startswith("since step 0 the mean reward rose from 0.39 to 0.61 while replies grew by 63%")


def test_coverage_that_falls_and_unreadable_episodes_that_rise_are_warned_of() -> None:
    early = [record(i, s, policy_step=1) for i, s in enumerate(plain())]
    late = [record(i, s, policy_step=2) for i, s in enumerate(plain())]
    late[:4] = [r.model_copy(update={"score": None, "values": dict.fromkeys(r.values)}) for r in late[:4]]
    late[20:30] = [r.model_copy(update={"flags": ("forfeited",)}) for r in late[20:30]]
    _, found = health(early + late)
    said = " / ".join(found.warnings)
    assert "since step 1 episodes that judges could not read rose from 0% to 12%" in said
    assert found.coverage.value == pytest.approx(76 / 80)


def test_criteria_behind_a_closed_gate_are_not_missing() -> None:
    found = step(plain(), closed_gates=("right",), values={"right": 0.0, "tone": None})
    assert found.closed.value == 1
    assert found.coverage.value is None


def test_policies_are_apart_and_what_has_no_step_comes_first() -> None:
    records = [
        record(i, 0.5, policy=p, policy_step=s)
        for p, s in (("b", 2), ("a", 1), ("b", None), ("b", 1))
        for i in range(3)
    ]
    assert [(s.policy, s.policy_step) for s in health(records)] == [("a", 1), ("b", None), ("b", 1), ("b", 2)]


def test_no_record_is_kept() -> None:
    alive: list[weakref.ref[GradeRecord]] = []

    def stream() -> Iterator[GradeRecord]:
        for i in range(300):
            made = record(i, 0.5)
            alive.append(weakref.ref(made))
            yield made
            del made
            if i == 250:
                gc.collect()
                assert sum(ref() is not None for ref in alive) <= 2

    assert health(stream())[0].episodes == 300


def test_nothing_gives_nothing() -> None:
    assert health([]) == ()


@given(st.lists(st.sampled_from([None, 0.0, 0.5, 1.0]), min_size=1, max_size=30))
def test_every_share_lies_in_its_interval_and_the_record_is_json(scores) -> None:
    found = step(scores)
    assert StepHealth.model_validate_json(found.model_dump_json()) == found
    for figure in (found.ungraded, found.ties, found.groups_without_signal, found.mean_reward, found.coverage):
        assert figure.value is not None or figure.why
        if figure.low is not None and figure.high is not None:
            assert 0 <= figure.low <= figure.value <= figure.high <= 1


def test_rows_are_words_for_a_table() -> None:
    (row,) = rows(health(record(i, s) for i, s in enumerate(plain())))
    assert (row["policy"], row["step"], row["episodes"], row["ungraded"]) == ("p", "0", "80", "0%")
    assert row["score"].startswith("0.")
    assert all(isinstance(cell, str) for cell in row.values())


async def test_the_sample_group_is_read_as_a_trainer_would() -> None:
    (found,) = health((await graded("refund_group", down=frozenset({"a7"}))).values())
    assert (found.policy, found.policy_step, found.episodes, found.groups) == ("refund-agent", 400, 8, 1)
    assert found.groups_without_signal.value == 0
    assert found.by_blame == {"infra": 1}
    assert found.closed.value == 3 / 8
    assert any("12% of episodes have no grade: 1 for network or provider" in w for w in found.warnings)


@pytest.fixture(scope="module")
def airline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_airline(tmp_path_factory.mktemp("airline"))


def test_half_of_the_airline_tasks_have_the_same_state_in_all_trials(airline: Path) -> None:
    engine = Engine()
    state = rubrics.load({"id": "state", "criteria": [{"id": "right_state", "check": {"name": "state"}, "gate": True}]})
    (found,) = health(engine.check(episode, state) for episode in read_episodes(airline))
    matches = defaultdict(set)
    for row in map(json.loads, airline.read_text().splitlines()):
        matches[row["group_id"]].add(row["metadata"]["db_match"])
    assert (found.episodes, found.groups) == (200, 50)
    assert found.groups_without_signal.value == pytest.approx(sum(len(seen) == 1 for seen in matches.values()) / 50)
    assert found.mean_reward.value == pytest.approx(0.44)
    assert found.mean_reward.high - found.mean_reward.low > 0.2, "200 episodes of 50 tasks are worth about 90"
    assert found.length_slope.high < 0
    assert found.paid == "score"
