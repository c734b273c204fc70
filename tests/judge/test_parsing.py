"""From a judge's reply to verdicts: nothing guessed, nothing dropped, nothing completed."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

import pytest

from judge.models.exchange import Reply
from judge.parsing import Parsed, complaint, parse
from rubrics import Criterion
from tests.judge.replies_to_parse import Case, criterion, read_cases, spelled_out
from tests.shared import shared

KINDS = {
    "out_of_range": "off_scale", "not_on_scale": "off_scale", "wrong_type": "off_scale", "no_verdict": "missing",
    "no_labelled_score": "parse_error", "malformed_label": "parse_error",
}  # fmt: skip
FINISHES = {"length": "length", "content_filter": "content_filter", "tool_calls": "tool_call"}


def parsed(text: str | None, criteria: Sequence[Criterion], **more) -> Parsed:
    return parse(Reply(text=text, **more), criteria, rater="judge:x")


def levels(result: Parsed) -> dict[str, str | None]:
    return {verdict.criterion: verdict.level for verdict in result.verdicts}


def kinds(result: Parsed) -> dict[str | None, str]:
    return {failure.criterion: failure.kind for failure in result.failures}


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.id)
def test_a_hard_reply_gives_its_verdicts_or_the_right_failure(case: Case) -> None:
    result = parse(case.reply, case.criteria, rater="judge:x")
    assert levels(result) == case.levels
    assert kinds(result) == case.failures
    found = {verdict.criterion: verdict.value for verdict in result.verdicts}
    assert {name: found[name] for name in case.values} == pytest.approx(dict(case.values))


@pytest.mark.parametrize("number", range(1, 56), ids=lambda number: f"P{number:02}")
def test_a_public_case_holds(number: int) -> None:
    lines = shared("cases/cases.jsonl").read_text(encoding="utf-8").splitlines()
    case = next(row for row in map(json.loads, lines) if row["id"] == f"P{number:02}")
    given, want = case["input"], case["expected"]
    text = public_text(given)
    if isinstance(given.get("rubric"), str) or text is ...:
        pytest.skip("the case is about more than one reply")
    criteria = [criterion(name, public_scale(scale)) for name, scale in given["rubric"].items()]
    finish = "refusal" if given.get("refusal") else FINISHES.get(given.get("finish_reason"), "stop")
    result = parsed(text, criteria, finish=finish)
    got = levels(result)
    if want["status"] == "ungraded":
        kind = KINDS.get(want["reason"], want["reason"])
        assert got == {}
        assert kinds(result) == {asked.id: kind for asked in criteria}
    elif want["status"] != "scored_or_ungraded" or got:
        assert got.items() >= {name: as_level(value) for name, value in want.get("values", {}).items()}.items()
    assert kinds(result).items() >= {k: KINDS.get(v, v) for k, v in want.get("ungraded", {}).items()}.items()
    if "total" in want:
        assert sum(verdict.value or 0.0 for verdict in result.verdicts) / len(criteria) == pytest.approx(want["total"])


def public_text(given: dict) -> str | None:
    if "tool_calls" in given:
        return given["tool_calls"][0]["arguments"]
    if "blocks" in given:
        return next(block["text"] for block in given["blocks"] if block["type"] == "text")
    return spelled_out(given.get("judge_reply", given.get("content", ...)))


def public_scale(scale) -> object:
    if isinstance(scale, dict) and "scale" in scale:
        return {"min": scale["scale"][0], "max": scale["scale"][1], "integer": scale["integer"]}
    return scale


def as_level(value: bool | int | str) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


AMOUNT = criterion("amount")
TONE = criterion("tone", "1-5")


def reply_of(**entry) -> str:
    return json.dumps({"verdicts": [{"id": "amount", **entry}]})


def test_yes_and_no_stay_words_where_the_scale_has_them() -> None:
    asked = criterion("ok", {"labels": ["no", "yes"]})
    assert levels(parsed('{"verdicts":[{"id":"ok","label":"Yes"}]}', [asked])) == {"ok": "yes"}


def test_a_verdict_keeps_its_reason_and_quotes() -> None:
    text = reply_of(
        quotes=[{"step": 3, "text": "refund of 42.10"}, {"source": "policy", "text": "5-7 days"}],
        reason="It does.",
        level="yes",
    )
    (verdict,) = parsed(text, [AMOUNT]).verdicts
    assert (verdict.reason, verdict.rater, verdict.value) == ("It does.", "judge:x", 1.0)
    assert [(quote.step, quote.source, quote.text, quote.verified) for quote in verdict.quotes] == [
        (3, None, "refund of 42.10", None),
        (None, "policy", "5-7 days", None),
    ]


@pytest.mark.parametrize(
    ("quotes", "places"),
    [
        (["bare words"], [(None, None)]),
        ([{"step": "4", "text": "abc"}], [(4, None)]),
        ([{"step": "step 4", "text": "abc"}], [(4, None)]),
        ([{"step": "policy", "text": "abc"}], [(None, "policy")]),
        ([{"step": True, "text": "abc"}], [(None, None)]),
        ({"step": 1, "text": "abc"}, [(1, None)]),
        ([{"step": 1, "text": None}, {"step": 1}, 7, None, {"step": 1, "text": " "}], []),
        ("none", [(None, None)]),
    ],
    ids=["bare", "digits", "named", "source as step", "boolean", "single", "no text", "text"],
)
def test_quotes_are_read_however_they_are_written(quotes: object, places: list) -> None:
    (verdict,) = parsed(reply_of(quotes=quotes, reason="r", level="yes"), [AMOUNT]).verdicts
    assert [(quote.step, quote.source) for quote in verdict.quotes] == places


def test_a_curly_quote_inside_a_value_survives_curly_delimiters() -> None:
    (verdict,) = parsed("{“verdicts”:[{“id”:“amount”,“reason”:“says ‘thank you’”,“met”:true}]}", [AMOUNT]).verdicts
    assert verdict.reason == "says ‘thank you’"


def test_characters_that_are_no_text_are_replaced_and_noted_and_good_pairs_kept() -> None:
    text = '{"verdicts":[{"id":"amount","reason":"odd \\ud83d, good \\ud83d\\ude00, nul \\u0000","met":true}]}'
    result = parsed(text, [AMOUNT])
    assert result.verdicts[0].reason == "odd \ufffd, good 😀, nul \ufffd"
    assert any("U+FFFD" in note for note in result.notes)


def test_a_labelled_mark_keeps_the_words_as_reason() -> None:
    (verdict,) = parsed("No id is given.\nRating: [[3]]", [TONE]).verdicts
    assert (verdict.level, verdict.reason) == ("3", "No id is given.\nRating: [[3]]")


def test_not_applicable_is_an_answer_only_where_the_criterion_allows_it() -> None:
    allowed = criterion("amount", may_not_apply=True)
    (verdict,) = parsed(reply_of(level="Not applicable"), [allowed]).verdicts
    assert (verdict.level, verdict.value) == ("not_applicable", None)
    assert kinds(parsed(reply_of(level="not_applicable"), [AMOUNT])) == {"amount": "off_scale"}


def test_a_value_between_levels_is_interpolated_between_their_values() -> None:
    asked = criterion("tone", {"min": 1, "max": 3, "integer": False})
    (verdict,) = parsed('{"verdicts":[{"id":"tone","score":"2.5"}]}', [asked]).verdicts
    assert (verdict.level, verdict.value) == ("2", 0.75)


def test_a_scale_that_falls_is_read_by_its_names_and_not_by_their_size() -> None:
    marks = criterion("mark", {"labels": ["3", "2", "1"]}, between=True)
    (verdict,) = parsed('{"verdicts":[{"id":"mark","score":1.5}]}', [marks]).verdicts
    assert (verdict.level, verdict.value) == ("2", 0.75)


def test_a_refusal_a_filter_and_an_error_say_so_for_each_criterion() -> None:
    result = parsed(
        'API Error: 404 {"type":"error","error":{"type":"not_found_error","message":"model: judge-x"}}', [AMOUNT, TONE]
    )
    assert kinds(result) == {"amount": "provider_error", "tone": "provider_error"}
    assert "model: judge-x" in result.failures[0].message
    assert result.failures[0].blame == "infra"


def test_a_message_says_who_on_what_and_what_was_expected() -> None:
    (failed,) = parsed(reply_of(level="maybe"), [AMOUNT]).failures
    assert failed.message == "judge:x on 'amount': chose 'maybe', expected one of ['no', 'yes']"
    assert (failed.rater, failed.criterion, failed.blame) == ("judge:x", "amount", "judge")


def test_verdicts_come_in_the_order_asked() -> None:
    text = '{"verdicts":[{"id":"tone","score":2},{"id":"amount","met":true}]}'
    assert list(levels(parsed(text, [AMOUNT, TONE]))) == ["amount", "tone"]


def test_what_was_ignored_repaired_or_read_twice_is_noted() -> None:
    extra = '{"verdicts":[{"id":"amount","met":true},{"id":"bonus","met":true},"x"]}'
    assert [note.split()[0] for note in parsed(extra, [AMOUNT]).notes] == ["ignored", "ignored"]
    twice = reply_of(met=True) + "\n" + reply_of(met=False)[:-1] + ",}"
    notes = parsed(twice, [AMOUNT]).notes
    assert "read the last of 2 different answers" in notes
    assert any(note.startswith("repaired") for note in notes)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"a":' * 200_000,
        '{"verdicts":[{"id":"amount","met":' + "9" * 5000 + "}]}",
        '{"verdicts":[{"id":"amount","met":' + "9" * 4000 + "}]}",
        "{'a" * 30_000,
        '{"a": "/*' * 10_000,
        '{"x":"' + '"/*' * 30_000,
        "<think>" * 50_000,
        "</think>" * 50_000,
        "score" + " " * 100_000 + "x",
        "Verdict: " * 10_000,
        "*" * 100_000,
        "x" * 1_000_001,
        '{"verdicts":[' + '{"id":"amount","quotes":[{"text":"a" "b"}]},' * 5_000,
    ],
    ids=lambda text: f"{text[:12]}… {len(text)}",
)
def test_a_monstrous_reply_is_a_failure_soon(text: str) -> None:
    start = time.process_time()
    result = parsed(text, [AMOUNT])
    assert kinds(result)["amount"] in ("parse_error", "off_scale", "empty")
    assert time.process_time() - start < 2, "a reply must not hold up the others"


def probable(asked: Criterion, **shares: float) -> Parsed:
    return parsed(None, [asked], probabilities={asked.id: shares})


def test_probabilities_give_the_likeliest_level_and_the_mean_value() -> None:
    three = criterion("ok", {"labels": ["bad", "fair", "good"]})
    (verdict,) = probable(three, bad=0.2, fair=0.3, good=0.5).verdicts
    assert (verdict.level, verdict.probability) == ("good", pytest.approx(0.5))
    assert verdict.value == pytest.approx(0.65)


def test_equal_probabilities_go_to_the_lower_level() -> None:
    (verdict,) = probable(AMOUNT, yes=0.5, no=0.5).verdicts
    assert (verdict.level, verdict.value) == ("no", 0.5)


def test_a_mass_near_one_is_brought_to_one() -> None:
    (verdict,) = probable(AMOUNT, yes=0.99).verdicts
    assert (verdict.level, verdict.value, verdict.probability) == ("yes", 1.0, 1.0)


@pytest.mark.parametrize(
    ("shares", "kind"),
    [
        ({"yes": float("nan"), "no": 0.5}, "not_finite"),
        ({"yes": float("inf")}, "not_finite"),
        ({"yes": 0.6, "no": 0.2}, "off_scale"),
        ({"yes": 0.9, "no": 0.2}, "off_scale"),
        ({"yes": 1.5, "no": -0.5}, "off_scale"),
        ({"yes": True}, "off_scale"),
        ({"yes": "1"}, "off_scale"),
        ({"yes": 0.5, "maybe": 0.5}, "off_scale"),
        ({"yes": 10**400}, "off_scale"),
        ({}, "missing"),
    ],
    ids=["nan", "infinite", "too little", "too much", "outside", "boolean", "text", "unknown level", "huge", "none"],
)
def test_probabilities_that_are_none_give_no_verdict(shares: dict, kind: str) -> None:
    result = parsed(None, [AMOUNT], probabilities={"amount": shares})
    assert (levels(result), kinds(result)) == ({}, {"amount": kind})


def test_a_criterion_without_probabilities_is_missing_and_an_extra_one_is_noted() -> None:
    result = parsed(None, [AMOUNT, TONE], probabilities={"amount": {"yes": 1.0}, "other": {"yes": 1.0}})
    assert (levels(result), kinds(result)) == ({"amount": "yes"}, {"tone": "missing"})
    assert "other" in result.notes[0]


def test_probabilities_waive_the_quote_that_a_criterion_demands_and_say_so() -> None:
    (verdict,) = probable(criterion("amount", require_quote=True), yes=1.0).verdicts
    assert verdict.flags == ("no_evidence",)


def test_a_complaint_names_each_criterion_what_came_and_what_is_expected() -> None:
    text = '{"verdicts":[{"id":"amount","level":"maybe"}]}'
    asked = [AMOUNT, TONE]
    told = complaint(parsed(text, asked), asked)
    first, second = told.splitlines()
    assert first == "- amount: it chose 'maybe', expected one of ['no', 'yes']."
    assert second.startswith("- tone: it gave no entry for it")
    assert "judge:x" not in told


def test_a_complaint_about_a_whole_reply_says_it_once_and_lists_the_ids() -> None:
    told = complaint(parsed("I like it.", [AMOUNT, TONE]), [AMOUNT, TONE])
    assert "one complete JSON object" in told
    assert told.endswith("Expected ids, each once: amount, tone.")


def test_there_is_no_complaint_about_a_good_reply() -> None:
    assert complaint(parsed(reply_of(met=True), [AMOUNT]), [AMOUNT]) == ""
