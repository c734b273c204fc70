"""A state check that lies: a recorded run in which most tasks that it passes required nothing, and the agent did little."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rubrics
from calibration.audit_queue import queue_for_audit
from calibration.oracles.facts import CUT_OFF, goal_is_empty, state_passes
from calibration.state_auditing import audit_state
from calibration.state_truth import state_labels, state_truth
from judge.engine import Engine
from judge.options import Options
from judge.reading import read_episodes
from judge.record import GradeRecord
from tests.shared import shared
from tests.taubench import rows, write_tau2

RUN = "qwen25_7b_airline"
SAID = {"name": "says", "words": "{{ communicate }}", "in": "any_reply"}
REWARDED: list[dict[str, Any]] = [
    {"id": "right_state", "check": {"name": "state"}, "gate": True},
    {"id": "communicated", "check": SAID, "gate": True, "applies_if": "context.communicate"},
    {"id": "ended", "check": {"name": "outcome", "of": "terminated"}, "gate": True},
]
ASSERTIONS = {"id": "assertions", "check": {"name": "outcome", "of": "metadata.assertions"}, "gate": True}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tau2(RUN, tmp_path_factory.mktemp("tau2"))


def checked(run: Path, criteria: list[dict[str, Any]]) -> list[GradeRecord]:
    engine, rubric = Engine(), rubrics.load({"id": "airline", "pass_mark": 1.0, "criteria": criteria})
    return [engine.check(e, rubric) for e in read_episodes(run, on_bad=lambda bad: pytest.fail(bad.message))]


@pytest.fixture(scope="module")
def rewarded(run: Path) -> list[GradeRecord]:
    return checked(run, REWARDED)


@pytest.fixture(scope="module")
def hybrid(run: Path) -> list[GradeRecord]:
    return checked(run, [*REWARDED, ASSERTIONS])


def test_state_check_and_reward_basis_reproduce_9_passes_of_50(run: Path, rewarded: list[GradeRecord]) -> None:
    paid = {row["episode_id"]: row["reward"] == 1.0 for row in rows(run)}
    assert {record.episode_id: record.passed for record in rewarded} == paid
    assert (len(rewarded), sum(paid.values())) == (50, 9)


def test_all_nine_are_among_the_twenty_whose_goal_requires_nothing(rewarded: list[GradeRecord]) -> None:
    empty = [record for record in rewarded if goal_is_empty(record)]
    assert len(empty) == 20
    assert {r.episode_id for r in rewarded if r.passed} <= {r.episode_id for r in empty}


def test_the_audit_lists_exactly_the_six_whose_assertions_failed(run: Path, hybrid: list[GradeRecord]) -> None:
    failed = {row["episode_id"] for row in rows(run) if row["reward"] == 1.0 and row["metadata"]["assertions"] is False}
    audit = audit_state(hybrid)
    assert len(failed) == 6
    assert {one.episode for one in audit.gamed} == failed
    assert {(one.kind, one.detail, one.empty_goal) for one in audit.gamed} == {
        ("state passes, second opinion fails", "the goal requires nothing", True)
    }
    assert all("metadata.assertions" in one.reason for one in audit.gamed)


def test_state_and_assertions_as_gates_pass_three(hybrid: list[GradeRecord]) -> None:
    assert sum(record.passed is True for record in hybrid) == 3


def test_runs_that_were_cut_off_are_counted_and_not_listed(hybrid: list[GradeRecord]) -> None:
    idle = [record for record in hybrid if CUT_OFF in record.flags and state_passes(record)]
    assert len(idle) == 3
    assert not {record.episode_id for record in idle} & {one.episode for one in audit_state(hybrid).gamed}
    assert any("10 episodes were cut off" in warning for warning in audit_state(hybrid).warnings)


@pytest.mark.parametrize("graded", ["rewarded", "hybrid"])
def test_empty_goals_are_no_free_truth_unless_something_is_to_be_said(
    graded: str, request: pytest.FixtureRequest, run: Path
) -> None:
    """Recorded assertions do not count: most of them say what the agent must not do."""
    records = request.getfixturevalue(graded)
    to_be_said = {row["episode_id"] for row in rows(run) if row["context"]["communicate"]}
    empty = {record.episode_id for record in records if goal_is_empty(record)}
    truth = state_truth(records)
    assert set(truth.empty_goals) == empty - to_be_said
    assert {label.episode for label in truth.labels} == {r.episode_id for r in records} - (empty - to_be_said)
    assert len(truth.empty_goals) == 19


def test_agreements_are_queued_beside_disagreements_at_known_rates(hybrid: list[GradeRecord]) -> None:
    queue = queue_for_audit(hybrid, 16, np.random.default_rng(3))
    rates = {one.stratum: one.inclusion for one in queue}
    assert len({one.episode for one in queue}) == 16
    assert rates["state passes, others fail"] > rates["state passes, others pass"] > 0
    assert rates["state fails, others pass"] > rates["state fails, others fail"] > 0
    assert sum(1 / one.inclusion for one in queue) == pytest.approx(40)


async def test_recorded_verdicts_on_each_assertion_say_the_same(run: Path, tmp_path: Path) -> None:
    """The other way to bring assertions: a rubric in each episode, with one judged gate for each, and a recorded judge."""
    episodes, verdicts = _with_assertions(run)
    path = run.parent / "with_rubrics.jsonl"
    path.write_text("".join(json.dumps(episode) + "\n" for episode in episodes))
    (tmp_path / "recorded.jsonl").write_text("".join(json.dumps(row) + "\n" for row in verdicts))
    async with Engine("recorded/recorded.jsonl", base_dir=tmp_path, options=Options(behind_gates=True)) as engine:
        records = [record async for record in engine.grade_many(read_episodes(path))]
    audit = audit_state(records)
    assert sum(record.passed is True for record in records) == 3
    assert [(one.kind, one.empty_goal) for one in audit.gamed] == [("state passes, panel fails", True)] * 6
    assert audit.state_hidden is None
    assert any("not known whether judges saw" in warning for warning in audit.warnings)
    assert audit_state(records, hidden=True).state_hidden is True
    assert {row.shown for row in audit_state(records, hidden=True).judges} == {False}
    assert {label.level for label in state_labels(records)} == {"fail"}


def _with_assertions(run: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    said = {row["episode_id"]: row["nl_assertions"] or [] for row in rows(shared(f"data/tau2_episodes/{RUN}.jsonl"))}
    episodes, verdicts = [], []
    for episode in rows(run):
        asked = [
            {"id": f"a{n}", "ask": a["assertion"], "gate": True} for n, a in enumerate(said[episode["episode_id"]])
        ]
        criteria = [*REWARDED, *(asked or [{"id": "a0", "ask": "Did the agent do as it should?", "gate": True}])]
        episodes.append({**episode, "rubric": {"id": "airline", "pass_mark": 1.0, "criteria": criteria}})
        verdicts += [
            {"episode_id": episode["episode_id"], "judge": "assertions", "criterion": f"a{n}",
             "verdicts": [{"id": f"a{n}", "level": "yes" if a["met"] else "no", "reason": a["justification"]}]}
            for n, a in enumerate(said[episode["episode_id"]])
        ]  # fmt: skip
    return episodes, verdicts
