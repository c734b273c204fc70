"""Auditing a state check: suspect goals and gamed outcomes, judges against the database, and what any fool could predict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rubrics
from calibration.agreeing import agreement, ratings_of_judge, ratings_of_people
from calibration.audit_queue import queue_for_audit
from calibration.baselines import auc, intraclass, same_outcome
from calibration.errors import CalibrationError
from calibration.items import Pair, Pairing
from calibration.label import Label
from calibration.oracles.against import against_state
from calibration.oracles.facts import did_nothing
from calibration.pairing import pair
from calibration.results import AgainstState, StateAudit
from calibration.state_auditing import audit_state
from judge.engine import Engine
from judge.reading import read_episodes
from judge.record import GradeRecord
from tests.calibration.refunds import CREDIT, REFUND, REFUNDED, STATE, episode, graded, rubric
from tests.realsets import judge_audit
from tests.shared import shared
from tests.taubench import rows, write_airline

KIND = {"id": "kind", "ask": "Is the reply kind?", "evidence": ["transcript"]}
ALL_WELL = {"j": {"refunded": "yes", "kind": "yes"}}


def said(by: str, **levels: str) -> list[Label]:
    return [Label(episode=name, rater=by, level=level) for name, level in levels.items()]


def kinds(audit: StateAudit) -> dict[str, str]:
    return {one.episode: one.kind for one in (*audit.suspect_goals, *audit.gamed)}


def against(audit: StateAudit, judge: str, criterion: str | None, *, shown: bool | None = False) -> AgainstState:
    return next(a for a in audit.judges if (a.judge, a.criterion, a.shown) == (judge, criterion, shown))


def test_a_goal_that_omits_a_side_effect_is_suspect_and_its_diff_is_shown() -> None:
    """G33: people and panel pass four episodes that the state check fails."""
    records = graded(
        [episode(f"e{n}", did=[REFUND, CREDIT]) for n in range(4)], rubric(STATE, REFUNDED, KIND), ALL_WELL
    )
    audit = audit_state(records, said("ann", e0="pass", e1="pass", e2="pass", e3="pass"))
    assert kinds(audit) == {f"e{n}": "state fails, panel and people pass" for n in range(4)}
    assert audit.suspect_goals[0].detail == "collateral: credits/c1/amount (was 0, is 10, wanted 0)"
    assert not audit.gamed


@pytest.mark.parametrize(
    ("did", "panel", "people", "kind"),
    [
        ([REFUND], "yes", "fail", "state passes, people fail"),
        ([REFUND], "yes", None, None),
        ([REFUND], "no", None, "state passes, panel fails"),
        ([REFUND], "no", "pass", None),
        ([], "yes", None, "state fails, panel passes, no person has looked"),
        ([], "no", "pass", "state fails, people pass"),
        ([], "yes", "fail", None),
        ([], "no", None, None),
    ],
)  # fmt: skip
def test_people_outrank_the_panel_and_the_panel_speaks_where_no_person_has_looked(
    did: list[Any], panel: str, people: str | None, kind: str | None
) -> None:
    records = graded([episode("e", did=did)], rubric(STATE, KIND), {"j": {"kind": panel}})
    audit = audit_state(records, said("ann", e=people) if people else ())
    assert kinds(audit) == ({"e": kind} if kind else {})


def test_people_who_are_split_settle_nothing() -> None:
    records = graded([episode("e", did=[REFUND])], rubric(STATE, KIND), {"j": {"kind": "yes"}})
    assert not kinds(audit_state(records, [*said("ann", e="pass"), *said("ben", e="fail")]))


def test_a_gamed_episode_says_what_passed_and_why_the_others_fail() -> None:
    records = graded([episode("e", did=[REFUND])], rubric(STATE, KIND), {"j": {"kind": "no"}})
    found = audit_state(records).gamed[0]
    assert (found.detail, found.reason, found.empty_goal) == ("the one required change made", "kind: about kind", False)


def test_the_weight_of_the_state_check_does_not_count_as_the_panels_opinion() -> None:
    """Else a right state would vote for itself."""
    weighted = {**STATE, "gate": False, "weight": 9}
    records = graded([episode("e", did=[REFUND])], rubric(weighted, KIND), {"j": {"kind": "no"}})
    assert records[0].score == 0.9
    assert kinds(audit_state(records)) == {"e": "state passes, panel fails"}


def test_judges_are_told_apart_by_whether_the_state_was_hidden_from_them() -> None:
    """A judge that sees the database agrees with it, whatever it is worth without."""
    seeing = {**REFUNDED, "id": "seen", "evidence": ["transcript", "state"]}
    episodes = [episode(f"e{n}", did=[REFUND] if n % 2 else []) for n in range(60)]
    levels = {f"e{n}": {"seen": "yes" if n % 2 else "no", "refunded": "yes"} for n in range(60)}
    audit = audit_state(graded(episodes, rubric(STATE, REFUNDED, seeing), {"j": levels}))
    shown, hidden = against(audit, "j", "seen", shown=True), against(audit, "j", "refunded")
    assert (shown.tpr.value, shown.tnr.value) == (1.0, 1.0)
    assert (hidden.tpr.value, hidden.tnr.value, hidden.youden.value, hidden.failures) == (1.0, 0.0, 0.0, 30)
    assert audit.state_hidden is False
    assert any("agreement with the state check is no evidence" in warning for warning in audit.warnings)


def test_the_agreement_of_panel_and_state_check_is_measured_with_gates_open_and_the_state_hidden() -> None:
    """Behind the state's own gate the panel would agree with it by construction."""
    seeing = {**REFUNDED, "id": "seen", "evidence": ["transcript", "state"]}
    episodes = [episode(f"e{n}", did=[REFUND] if n % 2 else []) for n in range(40)]
    levels = {f"e{n}": {"refunded": "yes", "seen": "yes" if n % 2 else "no"} for n in range(40)}
    audit = audit_state(graded(episodes, rubric(STATE, REFUNDED), {"j": levels}))
    assert audit.agreement is not None
    assert (audit.agreement.raw.value, audit.agreement.kappa.value) == (0.5, 0.0)
    both = audit_state(graded(episodes, rubric(STATE, REFUNDED, seeing), {"j": levels}))
    assert [row.criterion for row in both.shadowed] == ["refunded"]


def test_with_the_state_hidden_the_audit_counts() -> None:
    audit = audit_state(graded([episode("e", did=[REFUND])], rubric(STATE, REFUNDED), ALL_WELL))
    assert audit.state_hidden is True
    assert not any("no evidence" in warning for warning in audit.warnings)


def test_fewer_than_twenty_failures_of_a_checkpoint_are_told() -> None:
    episodes = [episode(f"a{n}", policy="p", policy_step=1) for n in range(20)]
    episodes += [episode(f"b{n}", did=[REFUND], policy="p", policy_step=2) for n in range(20)]
    audit = audit_state(graded(episodes, rubric(STATE, KIND), {"j": {"kind": "yes"}}))
    told = [warning for warning in audit.warnings if "fail the state check" in warning]
    assert len(told) == 1
    assert told[0].startswith("only 0 of 20 episodes of p at step 2")


def test_a_judge_that_is_the_policy_is_told() -> None:
    records = graded([episode("e", did=[REFUND], policy="openai/fake-1")], rubric(STATE, KIND), {"j": {"kind": "yes"}})
    assert any("judge j is the model that acted (fake-1)" in warning for warning in audit_state(records).warnings)


def test_episodes_that_no_state_check_can_decide_are_counted() -> None:
    episodes = [episode("known", did=[REFUND]), episode("unknown", goal=None)]
    audit = audit_state(graded(episodes, rubric(STATE, KIND), {"j": {"kind": "yes"}}))
    assert audit.n == 1
    assert any(warning.startswith("1 of 2 episodes have no state verdict") for warning in audit.warnings)


def test_judges_that_were_not_asked_behind_a_closed_gate_are_told() -> None:
    record = Engine().check(episode("e"), rubric(STATE, KIND))
    skipped = record.model_copy(update={"missing": (), "skipped": ("kind",)})
    assert any("--behind-gates" in warning for warning in audit_state([skipped]).warnings)


def test_nothing_to_audit_is_an_audit_of_nothing() -> None:
    audit = audit_state(graded([episode("e", goal=None)], rubric(STATE, KIND), {"j": {"kind": "yes"}}))
    assert (audit.n, audit.baselines, audit.pass_rate) == (0, {}, None)


def test_inclusion_probabilities_undo_the_favour_for_disagreements() -> None:
    """Settling what was queued, weighted, gives the state check's error rate without bias; unweighted it does not."""
    levels = {f"e{n}": {"kind": "no" if n < 20 else "yes"} for n in range(200)}
    records = graded([episode(f"e{n}", did=[REFUND]) for n in range(200)], rubric(STATE, KIND), {"j": levels})
    wrong = {f"e{n}" for n in range(10)} | {f"e{n}" for n in range(20, 29)}
    rng = np.random.default_rng(0)
    weighted, plain = [], []
    for _ in range(40):
        queue = queue_for_audit(records, 50, rng)
        hits = np.array([one.episode in wrong for one in queue])
        weights = np.array([1 / one.inclusion for one in queue])
        weighted.append((hits * weights).sum() / weights.sum())
        plain.append(hits.mean())
    assert np.mean(weighted) == pytest.approx(19 / 200, abs=0.015)
    assert np.mean(plain) > 0.15


def test_a_queue_too_short_for_its_strata_is_refused() -> None:
    levels = {"e0": {"kind": "no"}, "e1": {"kind": "yes"}}
    records = graded([episode(f"e{n}", did=[REFUND]) for n in range(2)], rubric(STATE, KIND), {"j": levels})
    assert len(queue_for_audit(records, 5)) == 2
    assert queue_for_audit([], 5) == ()
    with pytest.raises(CalibrationError, match=r"1 episode.* can't cover 2 strata .* ask for 2 or more"):
        queue_for_audit(records, 1)


REWARDED = [
    {"id": "told", "check": {"name": "says", "numbers": "{{ outputs }}", "in": "any_reply"}, "gate": True,
     "applies_if": "context.outputs"},
    {"id": "ended", "check": {"name": "outcome", "of": "terminated"}, "gate": True},
]  # fmt: skip


@pytest.fixture(scope="module")
def airline(tmp_path_factory: pytest.TempPathFactory) -> list[GradeRecord]:
    path, engine = write_airline(tmp_path_factory.mktemp("airline")), Engine()
    rubric_ = rubrics.load({"id": "airline", "pass_mark": 1.0, "criteria": [STATE, *REWARDED]})
    return [engine.check(e, rubric_) for e in read_episodes(path)]


def test_in_24_of_50_airline_tasks_all_four_runs_are_rewarded_alike(airline: list[GradeRecord]) -> None:
    recorded = rows(shared("data/tau1_airline/episodes_gpt-4o.jsonl"))
    truth = np.array([float(record.passed is True) for record in airline])
    tasks = np.unique([record.task_id for record in airline], return_inverse=True)[1]
    idle = np.array([float(did_nothing(record) is True) for record in airline])
    assert [record.passed is True for record in airline] == [row["reward"] == 1.0 for row in recorded]
    assert same_outcome(truth, tasks) == (24, 50)
    assert intraclass(truth, tasks).value == pytest.approx(0.405, abs=0.001)
    assert auc(idle, truth, tasks).value == pytest.approx(0.710, abs=0.001)


def test_difficulty_poses_as_skill_by_the_state_check_too(airline: list[GradeRecord]) -> None:
    audit = audit_state(airline)
    assert (audit.n, audit.tasks, audit.same_outcome, audit.repeated) == (200, 50, 25, 50)
    assert audit.intraclass is not None
    assert audit.intraclass.value == pytest.approx(0.438, abs=0.001)
    assert audit.worth == pytest.approx(86.4, abs=0.1)
    assert audit.baselines["did_nothing"].value == pytest.approx(0.710, abs=0.001)
    assert audit.baselines["task_mean"].value == pytest.approx(0.802, abs=0.001)
    assert len(audit.empty_goals) == 76, "20 tasks, of which one has something to be said"


AGAINST_REWARD = {
    "airline": {
        "quick_triage_v1": (0.500, 0.957, 0.111, 0.920, 0.063), "customer_outcome_v1": (0.400, 0.609, 0.222, 0.700, -0.163),
        "policy_conversation_v1": (0.680, 0.783, 0.593, 0.580, 0.368), "policy_chain_of_thought_v1": (0.440, 0.696, 0.222, 0.740, -0.079),
    },
    "retail": {
        "quick_triage_v1": (0.614, 1.000, 0.043, 0.982, 0.051), "customer_outcome_v1": (0.640, 0.897, 0.261, 0.833, 0.174),
        "policy_conversation_v1": (0.614, 0.603, 0.630, 0.509, 0.225), "policy_chain_of_thought_v1": (0.623, 0.926, 0.174, 0.886, 0.114),
    },
}  # fmt: skip


async def test_recorded_judges_have_their_known_rates_against_the_recorded_reward(tmp_path: Path) -> None:
    folder = judge_audit(tmp_path / "audit")
    async with Engine("recorded/replies.jsonl", base_dir=folder) as engine:
        rubric_ = rubrics.load(folder / "rubric.yaml")
        records = [r async for r in engine.grade_many(read_episodes(folder / "episodes.jsonl"), rubric_)]
    labels = [
        Label(episode=r["episode_id"], rater="check:outcome", level=r["level"]) for r in rows(folder / "labels.jsonl")
    ]
    pairing = pair(records, labels)
    for domain, expected in AGAINST_REWARD.items():
        pairs = [p for p in pairing.pairs if p.item.episode.startswith(domain)]
        found = [a for a in against_state(records, pairs) if a.judge != "panel"]
        assert {a.judge: (*_rates(a), _kappa(pairs, a.judge)) for a in found} == expected
        assert {a.shown for a in found} == {None}
    assert sum(a.n for a in against_state(records, pairing.pairs) if a.judge == "quick_triage_v1") == 164


def _rates(a: AgainstState) -> tuple[float | None, ...]:
    """Accuracy, TPR, TNR and the share that the judge passes, rounded as they are published."""
    return tuple(
        None if figure.value is None else round(figure.value, 3) for figure in (a.accuracy, a.tpr, a.tnr, a.rate)
    )


def _kappa(pairs: list[Pair], judge: str) -> float:
    pairing = Pairing(tuple(pairs), tuple(p.item for p in pairs))
    row = agreement(ratings_of_judge(pairing.items, judge), ratings_of_people(pairing), ceilings={}, resamples=20).rows[
        0
    ]
    return round(row.kappa.value or 0.0, 3)
