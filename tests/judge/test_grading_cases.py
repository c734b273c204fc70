"""Ways in which graders failed in public, by their case, and others of the same kinds: what must and must not happen here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import judge
import rubrics
from judge.engine import Engine
from judge.episode import Action, Artifact, Episode, Step
from judge.errors import JudgeError
from judge.models.exchange import Prompt
from judge.options import Options
from judge.prompting import Exhibit, compose
from judge.record import GradeRecord
from judge.verbs import check
from tests.judge.fakes import Fake, reply_of

ONE = rubrics.load(
    {"id": "one", "pass_mark": 0.6, "criteria": [{"id": "amount", "ask": "Does the reply state 48.00?"}]}
)


def shown(episode: Episode, *, window: int | None = None, rubric: rubrics.Rubric = ONE) -> Prompt:
    return compose(Exhibit(episode), list(rubric.leaves), window=window)


def steps(count: int, **at: str) -> tuple[Step, ...]:
    said = {int(place[1:]): text for place, text in at.items()}
    return tuple(
        Step(t=t, action=Action(tool="look", args={"n": t}), observation=said.get(t, f"result {t} " + "x " * 150))
        for t in range(count)
    )


async def graded(episode: Episode, model: Any, rubric: Any = ONE, **options: Any) -> GradeRecord:
    async with Engine([model], options=Options(**options)) as engine:
        return await engine.grade(episode, rubric)


# G12, G13, G14: empty replies, silent work, thoughts


@pytest.mark.parametrize(
    "reply",
    ["", "   ", "\u200b\u2060", "...", "—", "\u3164"],
    ids=["empty", "blank", "invisible", "dots", "dash", "filler"],
)
async def test_g12_an_empty_reply_is_scored_zero_without_a_call(reply: str) -> None:
    model = Fake({"amount": "yes"})
    record = await graded(Episode(task_id="t", steps=(Step(t=0, by="user", text="Hi"), Step(t=1, text=reply))), model)
    assert (record.score, model.asked) == (0.0, 0)


async def test_g12_a_short_reply_is_judged() -> None:
    model = Fake({"amount": "no"})
    assert (await graded(Episode(task_id="t", steps=(Step(t=0, text="Done."),)), model)).score == 0.0
    assert model.asked == 1


async def test_g13_silent_work_is_judged_on_its_actions() -> None:
    model = Fake({"amount": "yes"})
    silent = Episode(
        task_id="t", steps=(Step(t=0, action=Action(tool="update_row"), observation="ok"), Step(t=1, text=""))
    )
    assert (await graded(silent, model)).score == 1.0


def test_g14_a_thought_is_no_reply_and_the_end_is_told() -> None:
    episode = Episode(
        task_id="t",
        truncated=True,
        steps=(Step(t=0, thought="The total is 48.00"), Step(t=1, action=Action(tool="sum"))),
    )
    says = rubrics.load({"id": "r", "criteria": [{"id": "amount", "check": {"name": "says", "numbers": [48]}}]})
    assert check(episode, says).score == 0.0
    assert "cut off by a limit" in shown(episode).evidence
    assert "The total is 48.00" not in shown(episode).evidence
    assert "episode_truncated" in check(episode, says).flags


# G15-G17, V13: long episodes


def test_g15_the_deciding_step_near_the_end_of_400_is_shown() -> None:
    assert (
        "refund 48.00 accepted"
        in shown(Episode(task_id="t", steps=steps(400, s398="refund 48.00 accepted")), window=8000).evidence
    )


def test_g16_the_final_reply_is_never_cut_and_cuts_say_how_much_is_missing() -> None:
    final = "The report: " + "word " * 1800
    episode = Episode(task_id="t", steps=(*steps(100), Step(t=100, text=final)))
    evidence = shown(episode, window=8000).evidence
    assert final.strip() in evidence
    assert "left out" in evidence
    assert len(evidence) < 8000 * 3


def test_g17_a_gap_is_stated_and_flagged_and_judges_are_told_the_rule() -> None:
    prompt = shown(Episode(task_id="t", steps=steps(400)), window=8000)
    assert "left out for length" in prompt.evidence
    assert prompt.flags == ("shortened",)
    assert "A gap marked as left out is no evidence either way" in prompt.system


async def test_g17_the_grade_of_a_shortened_episode_is_flagged() -> None:
    model = Fake({"amount": "yes"})
    async with Engine([model]) as engine:
        engine.bench.seats[0].judge = engine.bench.seats[0].judge.model_copy(update={"window": 8000})
        record = await engine.grade(Episode(task_id="t", steps=(*steps(400), Step(t=400, text="Done, 48.00."))), ONE)
    assert record.score == 1.0
    assert "shortened" in record.flags


async def test_v13_what_no_window_can_hold_counts_against_the_episode_that_made_it_so() -> None:
    huge = Episode(task_id="t", steps=(Step(t=0, text="word " * 200_000),))
    record = await graded(huge, Fake({"amount": "yes"}))
    assert (record.score, {f.kind for f in record.failures if f.blame == "episode"}) == (0.0, {"context_length"})
    assert "forfeited" in record.flags


# G18-G20, P47-P49: what is shown


def test_g18_an_image_in_a_result_is_a_note_and_the_words_beside_it_stay() -> None:
    uri = "data:image/png;base64," + "iVBORw0KGgo" * 40_000
    evidence = shown(
        Episode(
            task_id="t",
            steps=(Step(t=0, action=Action(tool="get"), observation=f'<img src="{uri}"> Invoice total 48.00'),),
        )
    ).evidence
    assert len(evidence) < 1000
    assert "image/png" in evidence
    assert "Invoice total 48.00" in evidence


def test_g20_a_structured_answer_is_shown_as_json() -> None:
    episode = Episode(
        task_id="t",
        steps=(Step(t=0, action=Action(tool="send", args={"to": "ops", "body": {"done": True, "n": None}})),),
    )
    assert '{"body": {"done": true, "n": null}, "to": "ops"}' in shown(episode).evidence


async def test_p47_a_lone_surrogate_is_shown_and_graded() -> None:
    model = Fake({"amount": "yes"})
    record = await graded(Episode(task_id="t", steps=(Step(t=0, text="Thanks \ud83d see you 😀"),)), model)
    assert record.score == 1.0
    assert "Thanks ⟨U+D83D⟩ see you 😀" in model.prompts[0].evidence


async def test_p48_nul_in_a_result_is_stored_and_listed(tmp_path: Path) -> None:
    episode = Episode(
        task_id="t\x00", steps=(Step(t=0, action=Action(tool="head"), observation="PK\x03\x04\x00\x00 end"),)
    )
    await judge.grade(episode, ONE, judges=[Fake({"amount": "yes"})], store=tmp_path / "j.db")
    from judge.store.ledger import Ledger

    assert Ledger(tmp_path / "j.db").exchanges("t\ufffd")[0]["evidence"].count("⟨U+0000⟩") == 2


def test_p49_other_scripts_reach_the_judge_unchanged() -> None:
    assert (
        "お支払いは完了しました。"
        in shown(Episode(task_id="t", steps=(Step(t=0, text="お支払いは完了しました。"),))).evidence
    )


# G21: names


def test_g21_a_name_that_is_not_there_is_named_before_any_call() -> None:
    model = Fake({"amount": "yes"})
    rubric = {"id": "r", "criteria": [{"id": "amount", "ask": "Task: {{ task.goal }}"}]}
    with pytest.raises(rubrics.FillError, match=r"task\.goal"):
        judge.grade_sync(
            Episode(task_id="t", context={"task": {}}, steps=(Step(t=0, text="x"),)), rubric, judges=[model]
        )
    assert model.asked == 0


# G30, G56: doing nothing, and nothing happened


async def test_g30_an_agent_that_stalls_gets_no_full_reward_where_the_right_thing_was_to_refuse() -> None:
    gate = {"id": "state", "check": {"name": "state"}, "gate": True}
    rubric = {"id": "r", "criteria": [gate, {"id": "refuses", "ask": "Does it refuse?"},
                                      {"id": "explains", "ask": "Does it explain why?"}]}  # fmt: skip
    same: dict[str, Any] = {"orders": [{"id": 1}]}
    stalls = Episode(
        task_id="t", initial_state=same, final_state=same, goal_state={"$base": "initial_state", "$patch": []},
        steps=(Step(t=0, text="Let me look into that."),),
    )  # fmt: skip
    record = await graded(stalls, Fake({"refuses": "no", "explains": "no"}), rubric)
    assert record.values["state"] == 1.0
    assert record.score == 0.0


def test_g56_judges_are_told_that_without_evidence_a_criterion_is_not_met() -> None:
    assert (
        "No positive evidence means the criterion is not met, unless it says otherwise"
        in shown(Episode(task_id="t")).system
    )


# G44-G51, G57-G59: caches, failures, numbers


def broken(*kinds: str) -> Fake:
    answers = iter(kinds)

    def answer(prompt: Prompt) -> str:
        kind = next(answers, None)
        if kind is not None:
            raise JudgeError(kind, "as arranged")  # type: ignore[arg-type]
        return reply_of({"amount": "yes"}, prompt)

    return Fake(answer)


async def test_g46_refusals_and_failures_are_not_cached(tmp_path: Path) -> None:
    model, episode = broken("judge_refused"), Episode(task_id="t", steps=(Step(t=0, text="48.00"),))
    first = await judge.grade(episode, ONE, judges=[model], store=tmp_path / "j.db", options=Options(reask=False))
    second = await judge.grade(episode, ONE, judges=[model], store=tmp_path / "j.db")
    third = await judge.grade(episode, ONE, judges=[model], store=tmp_path / "j.db")
    assert [r.score for r in (first, second, third)] == [None, 1.0, 1.0]
    assert model.asked == 2


def test_g50_a_missing_state_is_no_zero(tmp_path: Path) -> None:
    episode = Episode(
        task_id="t", initial_state={"a": []}, final_state="gone.db", goal_state={"a": [{"id": 1}]}, base_dir=tmp_path,
        steps=(Step(t=0, text="Done."),),
    )  # fmt: skip
    record = check(episode, {"id": "r", "criteria": [{"id": "s", "check": {"name": "state"}, "gate": True}]})
    assert record.score is None
    assert (record.low, record.high) == (0.0, 1.0)
    assert [f.kind for f in record.failures] == ["state_unavailable"]


def test_g57_a_record_holds_no_nan_and_none_is_null() -> None:
    record = judge.grade_sync(Episode(task_id="t", steps=(Step(t=0, text="x"),)), ONE, judges=[])
    assert json.loads(record.to_json(), parse_constant=pytest.fail)["score"] is None


async def test_g54_all_samples_are_kept_and_their_spread_is_shown() -> None:
    record = await judge.grade(
        Episode(task_id="t", steps=(Step(t=0, text="x"),)), ONE,
        judges=[Fake({"amount": level}, f"s{n}") for n, level in enumerate(("yes", "no", "yes"))],
    )  # fmt: skip
    assert [j.verdicts[0].level for j in record.judgements] == ["yes", "no", "yes"]
    assert (record.score, record.spread) == (pytest.approx(2 / 3), 1.0)


# more of the same kinds


async def test_metadata_and_expected_scores_never_reach_a_judge() -> None:
    model = Fake({"amount": "yes"})
    secret = Episode(
        task_id="t",
        reward=0.125,
        metadata={"expected": "SECRET"},
        goal_state={"a": ["SECRET"]},
        steps=(Step(t=0, text="x"),),
    )
    await graded(secret, model)
    assert "SECRET" not in model.prompts[0].user
    assert "0.125" not in model.prompts[0].user


async def test_a_criterion_that_may_see_only_the_transcript_sees_no_policy_state_or_context() -> None:
    model = Fake({"a": "yes", "b": "yes"})
    rubric = {"id": "r", "criteria": [{"id": "a", "ask": "A?", "evidence": ["transcript"]}, {"id": "b", "ask": "B?"}]}
    episode = Episode(
        task_id="t", context={"policy": "POLICYTEXT", "note": "NOTETEXT"}, initial_state={"a": [1]}, final_state={"a": [2]},
        steps=(Step(t=0, text="x"),), artifacts=(Artifact(name="n.md", text="FILETEXT"),),
    )  # fmt: skip
    await graded(episode, model, rubric)
    narrow = next(p for p in model.prompts if p.criteria[0].id == "a")
    wide = next(p for p in model.prompts if p.criteria[0].id == "b")
    for word in ("POLICYTEXT", "NOTETEXT", "STATE CHANGES", "FILETEXT"):
        assert word not in narrow.user
        assert word in wide.user


async def test_a_template_in_the_evidence_is_never_rendered() -> None:
    model = Fake({"amount": "yes"})
    await graded(
        Episode(
            task_id="t", steps=(Step(t=0, text="{{ 7 * 7 }} {% for x in y %} {{ amount }}"),), context={"amount": "9"}
        ),
        model,
    )
    assert "{{ 7 * 7 }} {% for x in y %} {{ amount }}" in model.prompts[0].evidence


async def test_grading_does_not_change_the_episode() -> None:
    episode = Episode(
        task_id="t",
        steps=(Step(t=0, text="x"),),
        initial_state={"a": [1]},
        final_state={"a": [2]},
        goal_state={"a": [3]},
    )
    before = episode.model_dump_json()
    await graded(
        episode,
        Fake({"amount": "yes"}),
        {"id": "r", "criteria": [{"id": "s", "check": {"name": "state"}}, {"id": "amount", "ask": "A?"}]},
    )
    assert episode.model_dump_json() == before


async def test_p54_one_of_six_chunks_that_fails_leaves_six_missing_and_no_score_over_thirty() -> None:
    criteria = [{"id": f"c{n}", "ask": f"Is it {n}?"} for n in range(36)]

    def answer(prompt: Prompt) -> str:
        if "c3" in {c.id for c in prompt.criteria}:
            raise JudgeError("judge_refused", "no")
        return reply_of({c.id: "yes" for c in prompt.criteria}, prompt)

    model = Fake(answer)
    record = await graded(
        Episode(task_id="t", steps=(Step(t=0, text="x"),)),
        model,
        {"id": "r", "criteria": criteria},
        batch=6,
        reask=False,
    )
    assert model.asked == 6
    assert (record.score, len(record.missing)) == (None, 6)
    assert (record.low, record.high) == (pytest.approx(30 / 36), 1.0)
    assert record.coverage == pytest.approx(30 / 36)


@pytest.mark.parametrize("email", ["o'brien@example.com", "x' OR '1'='1", '"quoted"@example.com'])
def test_a_value_in_a_query_can_neither_break_nor_change_it(email: str) -> None:
    query = {
        "name": "sql",
        "query": "SELECT count(*) FROM contacts WHERE email = :email",
        "params": {"email": "{{ email }}"},
        "equals": 1,
    }
    episode = Episode(
        task_id="t", context={"email": email}, final_state={"contacts": [{"email": email}, {"email": "other@example.com"}]},
        steps=(Step(t=0, text="Done."),),
    )  # fmt: skip
    assert check(episode, {"id": "r", "criteria": [{"id": "one", "check": query}]}).score == 1.0


async def test_a_file_that_the_agent_broke_counts_against_it_and_one_that_is_not_there_is_missing(
    tmp_path: Path,
) -> None:
    (tmp_path / "broken.xlsx").write_bytes(b"no workbook at all")
    cell = {"id": "total", "check": {"name": "cell", "file": "broken.xlsx", "cell": "B2", "equals": 48}}
    rubric = {"id": "r", "criteria": [cell, {"id": "clear", "ask": "Is the file clear?"}]}

    def with_file(name: str) -> Episode:
        return Episode(
            task_id="t",
            base_dir=tmp_path,
            artifacts=(Artifact(name=name, path=name),),
            steps=(Step(t=0, text="Done."),),
        )

    broken = await graded(with_file("broken.xlsx"), Fake({"clear": "no"}), rubric)
    assert (broken.score, "forfeited" in broken.flags) == (0.0, True)
    absent = await graded(with_file("absent.xlsx"), Fake({"clear": "yes"}), rubric)
    assert absent.score is None
    assert "clear" in absent.missing
