"""The rubrics that come with the product, on the sample episodes written for them and two recorded judges."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

import judge
import rubrics
from judge.episode import Episode
from judge.reading import BadLine, read_episodes
from judge.record import GradeRecord
from rubrics import Criterion, applies, fill
from rubrics.linting import lint_file

SAMPLES = Path(rubrics.__file__).parent / "samples"
LIBRARY = sorted(rubrics.library())
# Sets of samples: the episodes of a file, and the rubric they are graded with (None: each carries its own).
SETS: dict[str, str | None] = {
    **{rubric_id: rubric_id for rubric_id in LIBRARY},
    "refund_group": "refund_reply",
    "refund_group_twin": "refund_reply",
    "demo": None,
}
# In each file, the sample that claims a deed which was not done.
CLAIMED = {
    "chat_handoff": 2, "complaint_escalation": 2, "crm_record_update": 2, "customer_reply": 3, "invoice_approval": 3,
    "meeting_minutes": 6, "refund_reply": 2, "spreadsheet_report": 3, "status_report": 2, "ticket_resolution": 2,
    "tracker_update": 3,
}  # fmt: skip


def refuse(bad: BadLine) -> None:
    raise AssertionError(f"{bad} is no episode")


@lru_cache(maxsize=len(SETS))
def samples(name: str) -> tuple[Episode, ...]:
    return tuple(read_episodes(SAMPLES / f"{name}.jsonl", on_bad=refuse))


@lru_cache(maxsize=len(SETS))
def replies(name: str) -> tuple[dict[str, Any], ...]:
    lines = (SAMPLES / f"{name}.replies.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


Graded = Callable[[str], dict[str, GradeRecord]]


@pytest.fixture(scope="module")
def graded() -> Graded:
    """The records of a set of samples by episode, graded once with both recorded judges, behind closed gates too."""
    return lru_cache(maxsize=len(SETS))(grade_set)


def grade_set(name: str) -> dict[str, GradeRecord]:
    async def run() -> dict[str, GradeRecord]:
        judges = [f"recorded/{SAMPLES / name}.replies.jsonl"]
        records = judge.grade_many(samples(name), SETS[name], judges=judges, options=judge.Options(behind_gates=True))
        return {record.episode_id: record async for record in records}

    return asyncio.run(run())


def deserved(episode: Episode) -> Any:
    """The score that the author of the sample says it deserves, given what the recorded judges say."""
    found = episode.metadata["expected"]
    assert isinstance(found, dict)
    return found["score"]


def score_of(record: GradeRecord) -> float:
    assert record.score is not None
    return record.score


def asked(name: str, episode: Episode) -> list[Criterion]:
    """The criteria of an episode that judges are asked about, filled in."""
    rubric = rubrics.load(SETS[name] or episode.rubric)
    return [c for c in fill(rubric, episode.names).leaves if c.judged and applies(c, episode.names)]


def test_the_library_holds_the_office_work_it_promises() -> None:
    assert LIBRARY == [
        "chat_handoff", "complaint_escalation", "crm_record_update", "customer_reply", "invoice_approval", "meeting_minutes",
        "refund_reply", "spreadsheet_report", "status_report", "ticket_resolution", "tracker_update",
    ]  # fmt: skip


@pytest.mark.parametrize("rubric_id", LIBRARY)
def test_a_library_rubric_says_what_it_is_for_and_what_each_level_means(rubric_id: str) -> None:
    rubric = rubrics.load(rubric_id)
    assert rubric.id == rubric_id
    assert all((rubric.title, rubric.description, rubric.tags, rubric.pass_mark))
    assert 4 <= len(rubric.leaves) <= 9
    assert all(c.ask for c in rubric.leaves)
    assert all(level.means for c in rubric.leaves if len(c.levels) > 2 for level in c.levels)


@pytest.mark.parametrize("rubric_id", LIBRARY)
def test_a_library_rubric_lists_the_names_it_needs_at_the_top_of_its_file(rubric_id: str) -> None:
    text = rubrics.library()[rubric_id].read_text(encoding="utf-8")
    first, *head = text.split("\nid: ")[0].splitlines()
    assert first == "# yaml-language-server: $schema=../rubric.schema.json"
    listed = " ".join(head)
    for name in names_needed(text):
        assert name in listed, f"{rubric_id} needs {name} and does not say so"


def names_needed(text: str) -> set[str]:
    return set(re.findall(r"\{\{ (\w+)", text)) | set(re.findall(r"context\.(\w+)", text))


@pytest.mark.parametrize("name", SETS)
def test_every_sample_gets_the_score_it_deserves(name: str, graded: Graded) -> None:
    records = graded(name)
    wrong = {
        e.id: (records[e.id].score, deserved(e))
        for e in samples(name)
        if records[e.id].score != pytest.approx(deserved(e), abs=1e-9)
    }
    assert wrong == {}, "graded, deserved"


@pytest.mark.parametrize("name", LIBRARY)
def test_the_right_sample_passes_and_a_claim_without_the_deed_fails(name: str, graded: Graded) -> None:
    records, pass_mark = graded(name), rubrics.load(name).pass_mark
    assert len(records) >= 4
    assert records[f"{name}-1"].score == 1.0
    assert records[f"{name}-1"].passed
    assert score_of(records[f"{name}-{CLAIMED[name]}"]) < (pass_mark or 0)


@pytest.mark.parametrize("name", SETS)
def test_recorded_judges_answer_every_question_asked_with_words_that_stand_there(name: str, graded: Graded) -> None:
    for episode in samples(name):
        rows = [row for row in replies(name) if row["episode_id"] == episode.id]
        wanted = [c.id for c in asked(name, episode)]
        assert [[v["id"] for v in json.loads(row["reply"])["verdicts"]] for row in rows] == [wanted] * len(rows)
        given = [v for judgement in graded(name)[episode.id].judgements for v in judgement.verdicts]
        assert len(given) == len(wanted) * len(rows)
        assert [v for v in given if v.flags or not all(q.verified for q in v.quotes)] == []


@pytest.mark.parametrize("name", [name for name in SETS if not name.startswith("demo")])
def test_each_set_has_two_judges_that_do_not_always_agree(name: str) -> None:
    assert {row["judge"] for row in replies(name)} == {"strict", "lenient"}
    levels: dict[tuple[str, str], set[str]] = {}
    for row in replies(name):
        for verdict in json.loads(row["reply"])["verdicts"]:
            levels.setdefault((row["episode_id"], verdict["id"]), set()).add(verdict["level"])
    differing = [key for key, given in levels.items() if len(given) > 1]
    assert differing or name == "refund_group_twin"


# The refund group: eight siblings of one task.


def kinds(record: GradeRecord) -> set[object]:
    return {change["kind"] for change in record.changes}


@pytest.mark.parametrize(
    ("episode_id", "kind"),
    [("a2", "required_missing"), ("a3", "made_wrong"), ("a5", "collateral")],
    ids=["claimed but not done", "wrong charge refunded", "credit added"],
)
def test_a_wrong_end_scores_nothing_and_says_why(episode_id: str, kind: str, graded: Graded) -> None:
    record = graded("refund_group")[episode_id]
    assert (record.score, record.low, record.high) == (0.0, 0.0, 0.0)
    assert record.closed_gates == ("right_state",)
    assert kind in kinds(record)


def test_a_claim_without_a_deed_scores_nothing_with_no_judge_at_all() -> None:
    claimed = next(e for e in samples("refund_group") if e.id == "a2")
    assert judge.check(claimed, "refund_reply").score == 0.0


def test_a_wrong_amount_in_the_reply_is_settled_by_code_and_costs_more_than_the_amount(graded: Graded) -> None:
    right, wrong = (graded("refund_group")[i] for i in ("a1", "a4"))
    assert wrong.values["amount"] == 0.0
    assert wrong.values["false_claim"] == 1.0
    assert score_of(wrong) < score_of(right) - 2 / 8


def test_an_instruction_to_the_grader_earns_nothing_and_is_flagged(graded: Graded) -> None:
    hidden, twins = graded("refund_group")["a6"], graded("refund_group_twin")
    assert hidden.score == twins["a6_clean"].score == twins["a6_invisible"].score
    assert "injection_suspected" in hidden.flags
    assert twins["a6_clean"].flags == ()


def test_without_an_answer_of_any_judge_there_is_no_score_but_a_range(graded: Graded) -> None:
    record = graded("refund_group")["a7"]
    assert record.score is None
    assert (record.low, record.high) == (0.0, 1.0)


def test_three_thousand_idle_words_earn_nothing(graded: Graded) -> None:
    assert score_of(graded("refund_group")["a8"]) <= score_of(graded("refund_group")["a1"])


@pytest.mark.parametrize("rubric_id", LIBRARY)
def test_a_library_rubric_has_no_fault_that_lint_knows(rubric_id: str) -> None:
    assert [finding for finding in lint_file(rubric_id) if finding.severity != "note"] == []
