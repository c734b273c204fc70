"""Grading episodes: what judges, checks and failures come to, one by one, in order, and in groups."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import judge
import rubrics
from judge.engine import Engine, UngradableError
from judge.episode import Action, Episode, Step
from judge.errors import InputError, JudgeError
from judge.judges import Judge
from judge.models.exchange import Prompt
from judge.options import Options
from judge.panel import Panel
from judge.record import GradeRecord
from tests.judge.fakes import Fake, reply_of

RUBRIC = rubrics.load(
    {
        "id": "reply", "pass_mark": 0.7,
        "criteria": [
            {"id": "amount", "ask": "Does the reply state the amount?", "weight": 2},
            {"id": "tone", "ask": "How warm is the reply?", "levels": [
                {"name": "cold", "value": 0}, {"name": "fine", "value": 0.5}, {"name": "warm", "value": 1}]},
            {"id": "false_claim", "ask": "Does it claim what was not done?", "weight": -2},
        ],
    }
)  # fmt: skip
GOOD = {"amount": "yes", "tone": "warm", "false_claim": "no"}


def episode(name: str = "e1", text: str = "We refunded 48.00.", **more: Any) -> Episode:
    step = Step(t=0, action=Action(tool="reply", args={"text": text}), observation="sent")
    return Episode(task_id=name, steps=(step,), **more)


async def grade(*models: Any, of: Episode | None = None, rubric: Any = RUBRIC, **options: Any) -> GradeRecord:
    async with Engine(list(models), options=Options(**options)) as engine:
        return await engine.grade(of or episode(), rubric)


async def test_verdicts_of_two_judges_are_pooled_and_scored() -> None:
    record = await grade(Fake(GOOD, "a"), Fake({**GOOD, "tone": "fine"}, "b"))
    assert record.score == pytest.approx((2 + 0.75) / 3)
    assert record.passed is True
    assert record.panel == ("a", "b")
    assert record.values == {"amount": 1.0, "tone": 0.75, "false_claim": 0.0}
    assert record.spread == pytest.approx(0.5 / 5)
    assert (record.cost.calls, record.cost.usd, record.cost.input_tokens, record.cost.cached_tokens) == (
        2,
        0.02,
        200,
        40,
    )


async def test_an_unknown_price_makes_the_sum_unknown_and_never_zero() -> None:
    record = await grade(Fake(GOOD, "a", usd=None), Fake(GOOD, "b"))
    assert record.cost.usd is None
    assert record.cost.usd_at_least == 0.01


@pytest.mark.parametrize(
    ("kind", "blame"),
    [("timeout", "infra"), ("auth", "infra"), ("empty", "judge"), ("judge_refused", "judge")],
)
async def test_a_judge_that_fails_gives_no_number(kind: str, blame: str) -> None:
    def fails(_prompt: Prompt) -> str:
        raise JudgeError(kind, "as arranged")  # type: ignore[arg-type]

    record = await grade(Fake(fails))
    assert record.score is None
    assert (record.low, record.high) == (0.0, 1.0)
    assert {f.kind for f in record.failures} == {kind}
    assert {f.blame for f in record.failures} == {blame}
    assert record.values == {"amount": None, "tone": None, "false_claim": None}


async def test_a_criterion_left_out_is_asked_again_alone_and_then_missing() -> None:
    model = Fake({"amount": "yes", "tone": "warm"})
    record = await grade(model)
    assert [[c.id for c in p.criteria] for p in model.prompts][1] == ["false_claim"]
    assert model.asked == 2
    assert "can't be used" in model.prompts[1].questions
    assert record.missing == ("false_claim",)
    assert record.score is None
    assert (record.low, record.high) == (pytest.approx(1 / 3), 1.0)
    assert record.coverage == pytest.approx(2 / 3)


async def test_a_second_answer_mends_the_first_and_both_are_paid() -> None:
    replies = iter(["nonsense", None])

    def mends(prompt: Prompt) -> str:
        return next(replies) or reply_of(GOOD, prompt)

    record = await grade(Fake(mends))
    assert record.score == 1.0
    assert record.cost.calls == 2


@pytest.mark.parametrize(("nonsense", "asked", "score"), [(1, 2, 1.0), (2, 3, 1.0), (3, 3, None)])
async def test_noise_is_asked_again_twice_and_then_missing(nonsense: int, asked: int, score: float | None) -> None:
    left = iter(["I can't say."] * nonsense)
    model = Fake(lambda prompt: next(left, None) or reply_of(GOOD, prompt))
    record = await grade(model)
    assert (model.asked, record.score) == (asked, score)


async def test_could_not_tell_counts_against_and_is_no_failure() -> None:
    record = await grade(Fake({**GOOD, "amount": "cannot_tell"}))
    assert record.score == pytest.approx(1 / 3)
    assert record.failures == ()
    assert next(v for v in record.verdicts if v.criterion == "amount").level is None


async def test_what_the_episode_makes_ungradable_counts_against_it() -> None:
    def overlong(_prompt: Prompt) -> str:
        raise JudgeError("context_length", "too long")

    record = await grade(Fake(overlong))
    assert record.score == 0.0
    assert "forfeited" in record.flags
    assert {f.blame for f in record.failures if f.kind == "context_length"} == {"episode"}


async def test_an_episode_of_nothing_is_scored_zero_without_a_call() -> None:
    model = Fake(GOOD)
    empty = Episode(task_id="e", steps=(Step(t=0, by="user", text="Hello?"), Step(t=1, text=" \u200b ")))
    record = await grade(model, of=empty)
    assert (record.score, model.asked) == (0.0, 0)
    assert "no_reply" in record.flags


async def test_silent_work_is_judged_by_its_actions() -> None:
    model = Fake(GOOD)
    silent = Episode(task_id="e", steps=(Step(t=0, action=Action(tool="update_row"), observation="ok"),))
    assert (await grade(model, of=silent)).score == 1.0
    assert model.asked == 1


def with_gate(**more: Any) -> rubrics.Rubric:
    gate = {"id": "right_state", "check": {"name": "state"}, "gate": True}
    return rubrics.load(
        {"id": "hybrid", "criteria": [gate, {"id": "amount", "ask": "Does it state the amount?"}], **more}
    )


def stateful(final: Any, **more: Any) -> Episode:
    before = {"refunds": []}
    return episode(
        initial_state=before, final_state={"refunds": final}, goal_state={"refunds": [{"id": "r1", "sum": 48}]}, **more
    )


async def test_a_wrong_state_closes_the_gate_and_no_judge_is_asked() -> None:
    model = Fake({"amount": "yes"})
    record = await grade(model, of=stateful([]), rubric=with_gate())
    assert (record.score, record.low, record.high) == (0.0, 0.0, 0.0)
    assert record.closed_gates == ("right_state",)
    assert record.skipped == ("amount",)
    assert model.asked == 0
    assert [c["kind"] for c in record.changes] == ["required_missing"]


async def test_a_closed_gate_is_zero_even_with_every_judge_down() -> None:
    def down(_prompt: Prompt) -> str:
        raise JudgeError("connection", "down")

    record = await grade(Fake(down), of=stateful([]), rubric=with_gate(), behind_gates=True, deadline=1)
    assert (record.score, record.low, record.high) == (0.0, 0.0, 0.0)
    assert record.ungated is None


async def test_behind_gates_the_ungated_score_is_known() -> None:
    record = await grade(Fake({"amount": "yes"}), of=stateful([]), rubric=with_gate(), behind_gates=True)
    assert (record.score, record.ungated) == (0.0, 1.0)


async def test_without_a_goal_the_gate_is_missing_and_not_open() -> None:
    record = await grade(Fake({"amount": "yes"}), rubric=with_gate())
    assert record.score is None
    assert (record.low, record.high) == (0.0, 1.0)
    assert [f.kind for f in record.failures] == ["state_unavailable"]


async def test_the_goal_is_never_shown_to_a_judge_but_the_changes_are() -> None:
    model = Fake({"amount": "yes"})
    await grade(model, of=stateful([{"id": "r1", "sum": 48}], metadata={"goal": "GOALMARK"}), rubric=with_gate())
    assert 'refunds changed from [] to [{"id": "r1", "sum": 48}]' in model.prompts[0].evidence
    assert "GOALMARK" not in model.prompts[0].user


async def test_a_tie_has_the_mean_and_no_passed() -> None:
    record = await grade(Fake(GOOD, "a"), Fake({**GOOD, "amount": "no"}, "b"))
    assert record.score == pytest.approx(2 / 3)
    assert record.passed is None
    assert "tie" in record.flags


async def test_repeats_are_new_samples_of_one_judge() -> None:
    levels = iter(["yes", "no", "yes"])
    model = Fake(lambda p: reply_of({**GOOD, "amount": next(levels)}, p))
    async with Engine(Panel(judges=(Judge(name="fake", model="scripted/x:y"),), repeats=3)) as engine:
        engine._models["fake"] = model
        record = await engine.grade(episode(), RUBRIC)
    assert model.asked == 3
    assert record.values["amount"] == pytest.approx(2 / 3)


async def test_a_second_run_pays_for_nothing_and_other_weights_make_no_call(tmp_path: Path) -> None:
    model = Fake(GOOD)
    for weight, calls in ((2, 1), (2, 0), (5, 0)):
        heavier = RUBRIC.model_dump(mode="json")
        heavier["criteria"][0]["weight"] = weight
        record = await judge.grade(episode(), heavier, judges=[model], store=tmp_path / "j.db")
        assert (record.cost.calls, record.cost.avoided_calls) == (calls, 1 - calls)
    assert model.asked == 1


@pytest.mark.parametrize("edit", ["question", "episode", "seed"])
async def test_whatever_the_judge_would_see_differently_is_asked_anew(tmp_path: Path, edit: str) -> None:
    model = Fake(GOOD)
    await judge.grade(episode(), RUBRIC, judges=[model], store=tmp_path / "j.db")
    changed = RUBRIC.model_dump(mode="json")
    if edit == "question":
        changed["criteria"][0]["ask"] += " Really?"
    text = "We refunded 48.01." if edit == "episode" else "We refunded 48.00."
    options = Options(seed=1 if edit == "seed" else 0)
    await judge.grade(episode(text=text), changed, judges=[model], store=tmp_path / "j.db", options=options)
    assert model.asked == 2


async def test_a_bad_reply_is_never_stored_and_is_asked_again(tmp_path: Path) -> None:
    bad = Fake("I cannot evaluate this.".format)
    first = await judge.grade(episode(), RUBRIC, judges=[bad], store=tmp_path / "j.db", options=Options(reask=False))
    good = Fake(GOOD)
    second = await judge.grade(episode(), RUBRIC, judges=[good], store=tmp_path / "j.db")
    assert (first.score, second.score, good.asked) == (None, 1.0, 1)


def many(count: int, **more: Any) -> Iterator[Episode]:
    return (episode(f"e{n}", f"Reply number {n}.", **more) for n in range(count))


async def test_records_come_in_the_order_of_the_episodes_whatever_finishes_first() -> None:
    class Uneven(Fake):
        async def ask(self, prompt: Prompt, **more: Any) -> Any:
            await asyncio.sleep(0.02 if prompt.episode_id.endswith(("0", "5")) else 0.0)
            return await super().ask(prompt, **more)

    async with Engine([Uneven(GOOD)], options=Options(window=16)) as engine:
        ids = [record.episode_id async for record in engine.grade_many(many(60), RUBRIC)]
    assert ids == [f"e{n}" for n in range(60)]


async def test_side_by_side_gives_what_one_by_one_gives() -> None:
    def by_content(prompt: Prompt) -> str:
        even = int(prompt.episode_id[1:]) % 2 == 0
        return reply_of({**GOOD, "amount": "yes" if even else "no"}, prompt)

    scores = []
    for window in (1, 16):
        async with Engine([Fake(by_content)], options=Options(window=window, concurrency=16)) as engine:
            scores.append([(r.episode_id, r.score) async for r in engine.grade_many(many(50), RUBRIC)])
    assert scores[0] == scores[1]


async def test_reading_pauses_while_the_window_is_full_and_the_head_is_late() -> None:
    read = 0

    class Late(Fake):
        async def ask(self, prompt: Prompt, **more: Any) -> Any:
            await asyncio.sleep(0.5 if prompt.episode_id == "e0" else 0.0)
            return await super().ask(prompt, **more)

    def counted() -> Iterator[Episode]:
        nonlocal read
        for one in many(500):
            read += 1
            yield one

    async with Engine([Late(GOOD)], options=Options(window=10)) as engine:
        records = engine.grade_many(counted(), RUBRIC)
        await anext(records)
        assert 10 < read <= 81
        await records.aclose()


async def test_an_episode_that_cannot_be_graded_is_reported_and_the_rest_go_on() -> None:
    broken = episode("bad", rubric={"id": "r", "criteria": [{"id": "a", "ask": "Is it {{ missing.name }}?"}]})
    fine = episode("fine", rubric=RUBRIC.model_dump(mode="json"))
    seen: list[UngradableError] = []
    async with Engine([Fake(GOOD)]) as engine:
        records = [r async for r in engine.grade_many([fine, broken, fine], on_error=seen.append)]
    assert [r.score for r in records] == [1.0, 1.0]
    assert "missing.name" in str(seen[0])


def failing_on(names: set[str], levels: dict[str, str] | None = None) -> Fake:
    def answer(prompt: Prompt) -> str:
        if prompt.episode_id in names:
            raise JudgeError("judge_refused", "no")
        return reply_of(levels or GOOD, prompt)

    return Fake(answer, "shaky")


async def test_siblings_are_judged_by_one_panel_or_not_at_all() -> None:
    strict = Fake({**GOOD, "tone": "cold"}, "strict")
    other = Fake(GOOD, "other")
    siblings = list(many(4, group_id="g"))
    async with Engine([failing_on({"e2"}), strict, other], options=Options(reask=False)) as engine:
        records = await engine.grade_group(siblings, RUBRIC)
    assert {record.panel for record in records} == {("strict", "other")}
    assert len({record.score for record in records}) == 1
    assert all("panel_reduced" in record.flags for record in records)


async def test_without_a_quorum_the_sibling_that_lost_its_judge_has_no_score_and_the_others_do() -> None:
    async with Engine([failing_on({"e2"})], options=Options(reask=False)) as engine:
        records = await engine.grade_group(list(many(4, group_id="g")), RUBRIC)
    assert [record.score for record in records] == [1.0, 1.0, None, 1.0]


async def test_a_substitute_judges_every_sibling_in_the_place_of_one_that_failed_on_one() -> None:
    seats = tuple(Judge(name=n, model=f"scripted/x:{n}") for n in ("shaky", "spare"))
    panel = Panel(judges=seats[:1], substitutes=seats[1:])
    async with Engine(panel, options=Options(reask=False)) as engine:
        engine._models = {"shaky": failing_on({"e2"}), "spare": Fake({**GOOD, "tone": "cold"}, "spare")}
        records = await engine.grade_group(list(many(3, group_id="g")), RUBRIC)
    assert {record.panel for record in records} == {("spare",)}
    assert [record.score for record in records] == [pytest.approx(2 / 3)] * 3


async def test_a_single_episode_gets_a_substitute_too() -> None:
    seats = tuple(Judge(name=n, model=f"scripted/x:{n}") for n in ("shaky", "spare"))
    async with Engine(Panel(judges=seats[:1], substitutes=seats[1:]), options=Options(reask=False)) as engine:
        engine._models = {"shaky": failing_on({"e1"}), "spare": Fake(GOOD, "spare")}
        record = await engine.grade(episode("e1"), RUBRIC)
    assert (record.score, record.panel) == (1.0, ("spare",))
    assert "judge_replaced" in record.flags
    assert record.judgements[0].failure is not None


async def test_stronger_judges_decide_only_what_the_others_dispute() -> None:
    seats = tuple(Judge(name=n, model=f"scripted/x:{n}") for n in ("a", "b", "strong"))
    strong = Fake({**GOOD, "amount": "no"}, "strong")
    async with Engine(Panel(judges=seats[:2], escalate_to=seats[2:])) as engine:
        engine._models = {"a": Fake(GOOD, "a"), "b": Fake({**GOOD, "amount": "no"}, "b"), "strong": strong}
        record = await engine.grade(episode(), RUBRIC)
    assert [c.id for c in strong.prompts[0].criteria] == ["amount"]
    assert record.values["amount"] == 0.0
    assert "escalated" in record.flags
    assert "tie" not in record.flags


async def test_judges_are_asked_in_turn_until_the_rest_cannot_change_whether_it_passed() -> None:
    models = {n: Fake(GOOD, n) for n in ("a", "b", "c")}
    seats = tuple(Judge(name=n, model=f"scripted/x:{n}") for n in models)
    async with Engine(Panel(judges=seats, pool="majority", early_stop=True)) as engine:
        engine._models = dict(models)
        record = await engine.grade(episode(), RUBRIC)
    assert [m.asked for m in models.values()] == [1, 1, 0]
    assert (record.score, record.passed) == (1.0, True)
    assert "early_stop" in record.flags


async def test_what_is_not_judged_by_the_deadline_is_missing() -> None:
    record = await grade(Fake(GOOD, seconds=5), deadline=0.05)
    assert record.score is None
    assert {f.kind for f in record.failures} == {"timeout"}


async def test_an_engine_serves_one_loop_after_another(tmp_path: Path) -> None:
    engine = Engine([Fake(GOOD)], store=tmp_path / "j.db")
    scores = await asyncio.gather(
        *(asyncio.to_thread(lambda n=n: asyncio.run(engine.grade(episode(f"t{n}"), RUBRIC))) for n in range(3))
    )
    assert [r.score for r in scores] == [1.0, 1.0, 1.0]
    await engine.close()


def test_grading_from_code_that_is_not_async_takes_plain_records() -> None:
    record = {
        "task_id": "refund-4812",
        "steps": [{"t": 0, "action": {"tool": "reply", "args": {"text": "Done."}}, "observation": "sent"}],
    }
    found = judge.grade_sync(record, RUBRIC, judges=[lambda prompt: reply_of(GOOD, prompt)])
    assert found.score == 1.0


def test_a_record_survives_its_line_of_json() -> None:
    record = judge.grade_sync(
        episode(text="NUL \x00 and \ud83d"), RUBRIC, judges=[lambda prompt: reply_of(GOOD, prompt)]
    )
    line = record.to_json()
    assert GradeRecord.from_json(line) == record
    assert json.loads(line)["schema"] == 1
    assert {
        "task_id",
        "episode_id",
        "score",
        "low",
        "high",
        "raw",
        "ungated",
        "values",
        "coverage",
        "missing",
        "reward",
    } <= set(json.loads(line))


def test_a_missing_key_is_one_sentence_before_anything_is_read() -> None:
    with pytest.raises(InputError, match="SURELY_UNSET_KEY"):
        _ = Engine([Judge(name="j", model="openai/gpt-x", api_key_env="SURELY_UNSET_KEY")]).bench


async def test_an_engine_takes_plain_records_and_refuses_what_is_none() -> None:
    async with Engine([Fake(GOOD)]) as engine:
        plain = {
            "task_id": "t",
            "steps": [{"action": {"tool": "reply", "args": {"text": "48.00"}}, "observation": "sent"}],
        }
        assert (await engine.grade(plain, RUBRIC)).score == 1.0
        with pytest.raises(InputError, match="read_episodes"):
            await engine.grade("episodes.jsonl", RUBRIC)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"judge\.Options"):
        Engine([Fake(GOOD)], options={"pool": "mean"})  # type: ignore[arg-type]


async def test_grade_sync_says_what_to_do_where_a_loop_runs() -> None:
    with pytest.raises(RuntimeError, match=r"await judge\.grade"):
        judge.grade_sync(episode(), RUBRIC, judges=[Fake(GOOD)])
