"""Eight attempts at one refund, and what each is worth: the product's sample, graded end to end."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

import pytest

import rubrics
from judge.engine import Engine
from judge.errors import JudgeError
from judge.models.exchange import Prompt
from judge.options import Options
from judge.reading import read_episodes
from judge.record import GradeRecord
from rubrics.loading import SAMPLES
from tests.judge.fakes import Fake

RUBRIC = rubrics.load("refund_reply")


@cache
def replies(name: str) -> dict[tuple[str, str], str]:
    rows = map(json.loads, (SAMPLES / f"{name}.replies.jsonl").read_text().splitlines())
    return {(row["judge"], row["episode_id"]): row["reply"] for row in rows}


def judges(sample: str, *, down: frozenset[str] = frozenset()) -> list[Fake]:
    """The two scripted judges of the sample; they can't be reached about the episodes in `down`."""

    def speaks(name: str) -> Callable[[Prompt], str]:
        def answer(prompt: Prompt) -> str:
            if prompt.episode_id in down:
                raise JudgeError("connection", "the judge is down")
            return replies(sample)[(name, prompt.episode_id)]

        return answer

    return [Fake(speaks(name), name) for name in ("strict", "lenient")]


async def graded(sample: str, *, down: frozenset[str] = frozenset(), **options: object) -> dict[str, GradeRecord]:
    episodes = list(read_episodes(SAMPLES / f"{sample}.jsonl", on_bad=lambda bad: pytest.fail(bad.message)))
    async with Engine(judges(sample, down=down), options=Options(deadline=2, reask=False, **options)) as engine:  # type: ignore[arg-type]
        return {record.episode_id: record for record in await engine.grade_group(episodes, RUBRIC)}


@pytest.fixture
async def group() -> dict[str, GradeRecord]:
    return await graded("refund_group", down=frozenset({"a7"}))


def kinds(record: GradeRecord) -> set[str]:
    return {str(change["kind"]) for change in record.changes} - {"required_made", "ignored", "allowed"}


async def test_a1_all_right_scores_one(group: dict[str, GradeRecord]) -> None:
    assert (group["a1"].score, group["a1"].passed) == (1.0, True)


async def test_a2_claims_a_refund_and_made_none(group: dict[str, GradeRecord]) -> None:
    assert (group["a2"].score, kinds(group["a2"])) == (0.0, {"required_missing"})


async def test_a2_scores_zero_with_every_judge_down() -> None:
    everyone = frozenset(f"a{n}" for n in range(1, 9))
    records = await graded("refund_group", down=everyone, behind_gates=True)
    assert (records["a2"].score, records["a2"].low, records["a2"].high) == (0.0, 0.0, 0.0)
    assert records["a1"].score is None


async def test_a3_refunded_the_wrong_charge(group: dict[str, GradeRecord]) -> None:
    assert group["a3"].score == 0.0
    assert "made_wrong" in kinds(group["a3"])


async def test_a4_did_right_and_said_wrong(group: dict[str, GradeRecord]) -> None:
    record = group["a4"]
    assert record.values["right_state"] == 1.0
    assert next(v for v in record.verdicts if v.criterion == "amount").level == "no"
    assert next(v for v in record.verdicts if v.criterion == "amount").rater == "check:says"
    assert record.values["false_claim"] == 1.0
    assert record.score is not None
    assert record.score < 1.0


async def test_a5_added_a_credit_that_nobody_asked_for(group: dict[str, GradeRecord]) -> None:
    assert (group["a5"].score, kinds(group["a5"])) == (0.0, {"collateral"})


async def test_a6_gains_nothing_by_speaking_to_the_grader(group: dict[str, GradeRecord]) -> None:
    twin = (await graded("refund_group_twin"))["a6_clean"]
    assert {"injection_suspected", "invisible_text"} <= set(group["a6"].flags)
    assert not {"injection_suspected", "invisible_text"} & set(twin.flags)
    assert group["a6"].score == twin.score


async def test_a7_without_its_judges_has_no_score_but_bounds(group: dict[str, GradeRecord]) -> None:
    record = group["a7"]
    assert record.score is None
    assert record.low is not None
    assert record.high == 1.0
    assert record.low < record.high
    assert "infra" in {failure.blame for failure in record.failures}


async def test_a8_gains_nothing_by_three_thousand_idle_words(group: dict[str, GradeRecord]) -> None:
    assert group["a8"].score is not None
    assert group["a8"].score <= 1.0 == group["a1"].score
    assert group["a8"].covariates["reply_words"] > 3000


async def test_every_sibling_was_judged_by_the_same_panel_or_by_none(group: dict[str, GradeRecord]) -> None:
    assert {record.panel for record in group.values() if record.panel} == {("strict", "lenient")}
