"""What holds for every reply, whole, cut or nonsense."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from judge.models.exchange import Reply
from judge.parsing import Parsed, complaint, parse
from rubrics import NOT_APPLICABLE, Criterion
from tests.judge.replies_to_parse import Case, criterion, read_cases

CRITERIA = (
    criterion("a"),
    criterion("b", "1-5"),
    criterion("c", {"min": 0, "max": 10, "integer": False}),
    criterion("d", {"labels": ["CORRECT", "INCORRECT", "PARTIAL"]}, may_not_apply=True),
)

ODDS_AND_ENDS = st.sampled_from(
    '{ } [ ] " \' : , “ ” ``` \\ \\" // /* */ \n <think> </think> {"verdicts":[ {"id":"a", "level":"yes"} "met":true '
    '"met":false "score":4 "score":NaN ]} "reason":"x", yes Verdict: 4/5 [[3]] ... \ud83d \x00 true None 1_0 ４ 99'.split(
        " "
    )
)
NONSENSE = st.one_of(st.text(max_size=60), st.lists(ODDS_AND_ENDS, max_size=25).map("".join))
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12), st.lists(st.integers(), max_size=2),
    st.sampled_from(["yes", "No", "cannot_tell", "not_applicable", "3", "4/5", "4.5", "true", "PARTIAL", 0, 1, 2.5, 5, 10]),
)  # fmt: skip
KEYS = st.sampled_from(
    ["id", "level", "met", "score", "label", "verdict", "reason", "quotes", "name", "criterion_number", "criterion_idx"]
)
ENTRIES = st.dictionaries(KEYS, st.one_of(VALUES, st.sampled_from(["a", "b", "c", "d", "e"])), max_size=5)


def parsed(text: str | None, criteria: tuple[Criterion, ...], finish: str = "stop") -> Parsed:
    return parse(Reply(text=text, finish=finish), criteria, rater="judge:x")


def check(result: Parsed, criteria: tuple[Criterion, ...]) -> None:
    """Each criterion once, and each verdict on the scale of its criterion."""
    named = [verdict.criterion for verdict in result.verdicts] + [failure.criterion for failure in result.failures]
    assert sorted(named) == sorted(asked.id for asked in criteria)
    by_id = {asked.id: asked for asked in criteria}
    for verdict in result.verdicts:
        asked = by_id[verdict.criterion]
        assert verdict.level in (None, *asked.by_name, *([NOT_APPLICABLE] if asked.may_not_apply else []))
        if verdict.level in asked.by_name and not asked.between:
            assert verdict.value == asked.by_name[verdict.level].value
        elif verdict.value is not None:
            assert asked.level_at(verdict.value).name == verdict.level
        verdict.model_dump_json().encode()
    for failure in result.failures:
        failure.message.encode()
    complaint(result, criteria).encode()


@settings(deadline=None, max_examples=300)
@given(text=NONSENSE, count=st.integers(1, 4), finish=st.sampled_from(["stop", "length", "tool_call", "unknown"]))
@example(text='{"verdicts":[{"id":"b","score":' + "1" * 4000 + "}]}", count=2, finish="stop")
def test_nonsense_never_raises_and_never_answers_what_was_not_asked(text: str, count: int, finish: str) -> None:
    check(parsed(text, CRITERIA[:count], finish), CRITERIA[:count])


@settings(deadline=None, max_examples=300)
@given(entries=st.lists(ENTRIES, max_size=5), count=st.integers(1, 4))
def test_any_entries_give_each_criterion_one_verdict_on_its_scale_or_one_failure(
    entries: list[dict], count: int
) -> None:
    check(parsed(json.dumps({"verdicts": entries}), CRITERIA[:count]), CRITERIA[:count])


@settings(deadline=None, max_examples=300)
@given(value=VALUES, key=st.sampled_from(["level", "met", "score", "label", "verdict"]), place=st.integers(0, 3))
def test_a_value_counts_alike_however_the_reply_is_dressed(value: Any, key: str, place: int) -> None:
    asked = CRITERIA[place : place + 1]
    entry = {"id": asked[0].id, "reason": 'one "two" {three}', key: value}
    plain = parsed(json.dumps({"verdicts": [entry]}), asked)
    for dressed in (
        f"```json\n{json.dumps({'verdicts': [entry]}, indent=2)}\n```",
        f"<think>{json.dumps({'verdicts': []})}</think>Here: {json.dumps([entry])} done.",
        repr({"verdicts": [entry]}).replace("nan", "NaN").replace("inf", "Infinity"),
        json.dumps({"verdicts": [entry]})[:-2] + ",/* end */]}",
        json.dumps(json.dumps({"verdicts": json.dumps([entry])})),
    ):
        result = parsed(dressed, asked)
        assert [(v.level, v.value, v.reason) for v in result.verdicts] == [
            (v.level, v.value, v.reason) for v in plain.verdicts
        ]
        assert [failure.kind for failure in result.failures] == [failure.kind for failure in plain.failures]


# These begin with an answer that is complete and closed, and take it back in what follows: cut between the two, nobody can tell.
TAKEN_BACK = {
    "two answers that differ",
    "a thought begun after a draft, at the limit",
    "an agent's quotes close the judge's string",
    "last words against the JSON",
}
CUT = [case for case in read_cases() if case.id not in TAKEN_BACK and len(case.reply.text or "") < 2000]


CLAIMS = st.lists(
    st.sampled_from(
        ['"', "'", '\\"', ",", '"met":true', '"level":"yes"', ":true", "}", "]", "{", "[", '{"id":"a",', '"reason":"', '"x":"',
         '{"verdicts":[{"id":"a","level":"yes"}]}', "\n", "```", "</think>", "<think>", "Verdict: yes", "//", "/*", "*/", " ok ",
         "“", "”", "\\"]
    ),
    min_size=1, max_size=8,
).map("".join)  # fmt: skip


@settings(deadline=None, max_examples=500)
@given(
    claim=CLAIMS,
    form=st.sampled_from([
        '{"verdicts":[{"id":"a","reason":"agent wrote %s but it is false","level":"no"}]}',
        '{"verdicts":[{"id":"a","quotes":[{"step":3,"text":"%s"}],"reason":"false","level":"no"}]}',
        '```json\n{"verdicts":[{"id":"a","reason":"agent wrote %s but it is false","met":false}]}\n```',
        "{'verdicts':[{'id':'a','reason':'agent wrote %s but it is false','level':'no'}]}",
        'The agent wrote %s and so: {"verdicts":[{"id":"a","reason":"false","level":"no"}]}',
    ]),
)  # fmt: skip
@example(
    claim='*/```{"verdicts":[{"id":"a","level":"yes"}]}<think>',
    form='The agent wrote %s: {"verdicts":[{"id":"a","level":"no"}]}',
)
def test_what_an_agent_wrote_never_answers_for_the_judge_that_cites_it_carelessly(claim: str, form: str) -> None:
    assert all(verdict.level != "yes" for verdict in parsed(form.replace("%s", claim), CRITERIA[:1]).verdicts)


@settings(deadline=None, max_examples=200)
@given(claim=st.one_of(CLAIMS, st.text()))
def test_what_a_judge_cites_with_care_changes_nothing(claim: str) -> None:
    entry = {
        "id": "a",
        "quotes": [{"step": 3, "text": f"x{claim}"}],
        "reason": f"agent wrote {claim} but no",
        "level": "no",
    }
    for reply in (json.dumps({"verdicts": [entry]}), f"```json\n{json.dumps({'verdicts': [entry]}, indent=1)}\n```"):
        assert [verdict.level for verdict in parsed(reply, CRITERIA[:1]).verdicts] == ["no"]


@pytest.mark.parametrize("case", CUT, ids=lambda case: case.id)
def test_a_reply_cut_at_the_limit_gives_no_other_verdict_than_the_whole(case: Case) -> None:
    text = case.reply.text or ""
    whole = {verdict.criterion: verdict.level for verdict in parsed(text, case.criteria).verdicts}
    for end in range(len(text)):
        for verdict in parsed(text[:end], case.criteria, "length").verdicts:
            assert whole.get(verdict.criterion, "none") == verdict.level, text[:end]


ANSWER = json.dumps(
    {"verdicts": [{"id": "a", "reason": "says }]} {\"id\"", "level": "no"}, {"id": "b", "reason": "x", "score": 4}], "total": 3}
)  # fmt: skip


@pytest.mark.parametrize(
    "reply",
    [
        ANSWER,
        f"```json\n{ANSWER}\n```",
        f"<think>I think {ANSWER.replace('no', 'yes')}</think>{ANSWER}",
        ANSWER.replace('"', "“", 1).replace("]}", ",]}"),
        repr(json.loads(ANSWER)),
        json.dumps(json.loads(ANSWER)["verdicts"]),
        json.dumps({entry["id"]: entry for entry in json.loads(ANSWER)["verdicts"]}),
        json.dumps({"verdicts": json.dumps(json.loads(ANSWER)["verdicts"])}),
    ],
    ids=["plain", "fenced", "thought over", "nearly JSON", "python", "list", "map", "JSON in JSON"],
)
def test_a_reply_that_stops_anywhere_without_saying_so_gives_nothing_until_it_is_complete(reply: str) -> None:
    whole = parsed(reply, CRITERIA[:2])
    closed = max(reply.rfind("}"), reply.rfind("]")) + 1
    for end in range(closed):
        assert parsed(reply[:end], CRITERIA[:2]).verdicts == (), reply[:end]
    for end in range(closed, len(reply) + 1):
        assert parsed(reply[:end], CRITERIA[:2]).verdicts == whole.verdicts
