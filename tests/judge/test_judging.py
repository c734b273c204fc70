"""Who judges, when judges fail: one realised panel for all siblings, and nothing gained by being unreadable."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import rubrics
from judge.engine import Engine
from judge.episode import Episode, Step
from judge.errors import JudgeError
from judge.judges import Judge
from judge.models.exchange import Prompt
from judge.options import Options
from judge.panel import Panel, pool
from judge.record import GradeRecord
from rubrics.criterion import NOT_APPLICABLE
from rubrics.verdict import Verdict
from tests.judge.fakes import Fake, reply_of

RUBRIC = rubrics.load({"id": "r", "criteria": [{"id": "a", "ask": "A?"}, {"id": "b", "ask": "B?"}]})
YES, NO = {"a": "yes", "b": "yes"}, {"a": "no", "b": "no"}

Fails = Mapping[str, str]


def judge_that(fails: Fails, levels: Mapping[str, str] = YES) -> Fake:
    """A judge that fails on episodes, by their ids, with a kind of failure."""

    def answer(prompt: Prompt) -> str:
        if kind := fails.get(prompt.episode_id):
            raise JudgeError(kind, "as arranged")  # type: ignore[arg-type]
        return reply_of(levels, prompt)

    return Fake(answer)


async def graded(
    judges: Sequence[Fake], substitutes: Sequence[Fake] = (), stronger: Sequence[Fake] = (), *, episodes: str = "s1 s2",
    **panel: Any,
) -> list[GradeRecord]:  # fmt: skip
    models = {f"{seat}{i}": model for seat, row in (("j", judges), ("sub", substitutes), ("strong", stronger))
              for i, model in enumerate(row)}  # fmt: skip

    def seats(prefix: str) -> tuple[Judge, ...]:
        return tuple(Judge(name=n, model=f"scripted/{n}") for n in models if n.rstrip("0123456789") == prefix)

    made = Panel(judges=seats("j"), substitutes=seats("sub"), escalate_to=seats("strong"), **panel)
    siblings = [Episode(task_id=name, group_id="g", steps=(Step(t=0, text="hello"),)) for name in episodes.split()]
    async with Engine(made, options=Options(reask=False)) as engine:
        engine._models = dict(models)
        return await engine.grade_group(siblings, RUBRIC)


async def test_a_failing_substitute_takes_no_score_from_siblings_that_had_their_whole_panel() -> None:
    shaky, other = judge_that({"s2": "judge_refused"}), judge_that({})
    records = await graded([shaky, other], [judge_that({"s1": "content_filter"})])
    assert [record.score for record in records] == [1.0, None]


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "among siblings"])
async def test_what_one_judge_filters_goes_to_a_substitute(alone: bool) -> None:
    records = await graded(
        [judge_that({"s1": "content_filter"})], [judge_that({}, NO)], episodes="s1" if alone else "s1 s2"
    )
    assert {record.panel for record in records} == {("sub0",)}
    assert {record.score for record in records} == {0.0}


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "among siblings"])
async def test_being_unreadable_for_the_severe_judge_gains_nothing(alone: bool) -> None:
    lenient = [judge_that({}), judge_that({})]
    honest = await graded([judge_that({}, NO), *lenient], episodes="s1" if alone else "s1 s2")
    tricky = await graded([judge_that({"s1": "content_filter"}, NO), *lenient], episodes="s1" if alone else "s1 s2")
    assert tricky[0].score == honest[0].score
    assert "forfeited" in tricky[0].flags


async def test_being_unreadable_for_the_stronger_judge_gains_nothing() -> None:
    split = [judge_that({}), judge_that({}, NO)]
    records = await graded(split, stronger=[judge_that({"s1": "content_filter"}, NO)])
    assert [record.score for record in records] == [0.0, 0.0]


async def test_a_fallback_that_is_down_leaves_the_episode_without_a_score() -> None:
    records = await graded([judge_that({"s1": "content_filter"})], [judge_that({"s1": "auth"})], episodes="s1")
    assert (records[0].score, records[0].low, records[0].high) == (None, 0.0, 1.0)


async def test_a_sibling_that_nobody_can_read_does_not_keep_a_substitute_from_the_others() -> None:
    overlong = {"s1": "context_length"}
    judges = [judge_that({**overlong, "s2": "auth"}), judge_that(overlong)]
    records = await graded(judges, [judge_that(overlong)])
    assert [record.score for record in records] == [0.0, 1.0]
    assert records[1].panel == ("j1", "sub0")


async def test_siblings_never_get_scores_of_different_panels() -> None:
    """Two judges are lost on different siblings: without them there is no quorum, with them no common panel."""
    judges = [judge_that({"s1": "auth"}), judge_that({"s2": "auth"}), judge_that({}, NO)]
    records = await graded(judges, episodes="s1 s2 s3")
    assert [record.score is None for record in records] == [True, True, False]


@pytest.mark.parametrize(
    "fails", list(itertools.product(["", "auth", "content_filter"], repeat=4)), ids=lambda fails: ".".join(f or "ok" for f in fails)
)  # fmt: skip
async def test_whatever_fails_all_scored_siblings_had_the_same_seats_or_forfeited(fails: tuple[str, ...]) -> None:
    on = [{name: kind for name, kind in zip(("s1", "s2"), fails[i : i + 2], strict=True) if kind} for i in (0, 2)]
    records = await graded([judge_that(on[0]), judge_that(on[1], NO), judge_that({})], [judge_that({}, NO)])
    panels = {record.panel for record in records if record.score is not None and "forfeited" not in record.flags}
    assert len(panels) <= 1


async def test_stronger_judges_decide_on_all_siblings_or_on_none() -> None:
    split = [judge_that({}), judge_that({}, NO)]
    records = await graded(split, stronger=[judge_that({"s1": "auth"})])
    assert [record.score for record in records] == [0.5, 0.5]
    assert all("tie" in record.flags for record in records)


async def test_the_first_substitute_takes_the_place_of_the_first_judge_that_failed() -> None:
    judges = [judge_that({"s1": "auth"}), judge_that({}), judge_that({"s1": "auth"})]
    records = await graded(judges, [judge_that({}), judge_that({})], episodes="s1")
    notes = {j.judge: j.notes for j in records[0].judgements}
    assert (notes["j0"], notes["j2"]) == (("replaced by sub0",), ("replaced by sub1",))


@pytest.mark.parametrize(
    "last", ["no", "cannot_tell", "not_applicable"], ids=["a tie", "could not tell", "not applicable"]
)
async def test_judges_are_not_left_unasked_while_one_could_change_whether_it_passed(last: str) -> None:
    rubric = rubrics.load({"id": "r", "pass_mark": 0.5, "criteria": [
        {"id": "a", "ask": "A?", "may_not_apply": True}, {"id": "b", "ask": "B?", "weight": 0.1}]})  # fmt: skip
    seats = tuple(Judge(name=name, model=f"scripted/{name}") for name in ("j0", "j1"))
    found = {}
    for early_stop in (True, False):
        async with Engine(Panel(judges=seats, quorum=1, early_stop=early_stop)) as engine:
            engine._models = {"j0": judge_that({}), "j1": judge_that({}, {"a": last, "b": "yes"})}
            found[early_stop] = await engine.grade(Episode(task_id="e", steps=(Step(t=0, text="hello"),)), rubric)
    assert found[True].passed == found[False].passed


def test_a_tie_among_kinds_that_lost_is_no_tie() -> None:
    levels = [NOT_APPLICABLE, NOT_APPLICABLE, NOT_APPLICABLE, "yes", None]
    verdicts = [
        Verdict(criterion="a", rater=f"judge:{i}", level=level, value=1.0 if level == "yes" else None)
        for i, level in enumerate(levels)
    ]
    found = pool(RUBRIC.by_id["a"], verdicts, Panel(quorum=1))
    assert found.verdict is not None
    assert (found.verdict.level, found.tie) == (NOT_APPLICABLE, False)
