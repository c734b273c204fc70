"""The form of a text: patterns, lengths, languages, JSON; and what environments and users' own code say."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from judge.checks import CheckSettings
from judge.checks.language import _detector
from judge.episode import Episode
from tests.judge.checks.episodes import ask, did, failure, said, value


@pytest.mark.parametrize(
    ("args", "reply", "expected"),
    [
        ({"pattern": r"\bT-\d{4}\b"}, "see T-5120", 1),
        ({"pattern": r"\bT-\d{4}\b"}, "see T-51200", 0),
        ({"pattern": "refund", "ignore_case": True}, "Refund made", 1),
        ({"pattern": "refund", "not": True}, "Refund made", 1),
        ({"pattern": r"\d+", "whole": True}, "12 items", 0),
        ({"pattern": r"(?<=\$)48"}, "$48", 1),
        ({"pattern": r"\p{Han}"}, "返金", 1),
    ],
)
def test_a_pattern_is_looked_for(args: dict[str, Any], reply: str, expected: float) -> None:
    assert value("regex", said(reply), **args) == expected


def test_a_card_number_in_any_reply_is_found() -> None:
    episode = said("Your card 4111 1111 1111 1111 was charged.", "Bye")
    pattern = r"\b(?:\d[ -]?){12,18}\d\b"
    assert value("regex", episode, pattern=pattern, _in="any_reply") == 1
    assert value("regex", episode, pattern=pattern) == 0


def test_a_pattern_that_runs_away_is_stopped_and_is_no_zero() -> None:
    kind, message = failure(
        "regex", said("a" * 40 + "b"), pattern=r"(a|a)+$|(a|aa)+c", settings=CheckSettings(regex_seconds=0.1)
    )
    assert kind == "check_error"
    assert "make it simpler" in message


@pytest.mark.parametrize(
    ("args", "reply", "expected"),
    [
        ({"max": 3}, "one two three", 1),
        ({"max": 3}, "one two three four", 0),
        ({"min": 4}, "one - two don't", 0),
        ({"min": 5, "unit": "chars"}, "  abcd ", 0),
        ({"max": 4, "unit": "chars"}, "cafe\u0301", 1),
        ({"max": 2, "unit": "sentences"}, "I paid 48.00 today. All done!", 1),
        ({"max": 1, "unit": "sentences"}, "One. Two.", 0),
        ({"min": 4, "max": 8}, "返金は完了", 1),
    ],
)
def test_a_length_is_counted_as_a_reader_would(args: dict[str, Any], reply: str, expected: float) -> None:
    assert value("length", said(reply), **args) == expected


def test_no_reply_is_not_short_enough() -> None:
    assert value("length", said(), max=100) == 0


def test_each_reply_must_be_within_the_length_of_any_reply() -> None:
    assert value("length", said("a b c d", "a"), max=2, _in="any_reply") == 0


@pytest.mark.parametrize(
    ("wanted", "reply", "expected"),
    [
        ("de", "Ihre Erstattung ist unterwegs und dauert fünf bis sieben Tage.", 1.0),
        ("German", "Your refund is on its way and takes five to seven days.", 0.0),
        ("en-GB", "Your refund is on its way and takes five to seven days.", 1.0),
        (["fr", "nl"], "Uw terugbetaling is onderweg en duurt vijf tot zeven dagen.", 1.0),
        ("ja", "返金手続きが完了しました。", 1.0),
        ("en", "T-5120: 48.00", None),
        ("en", "Ok.", None),
    ],
)
def test_the_language_of_a_reply_is_told_or_said_to_be_unclear(wanted: Any, reply: str, expected: float | None) -> None:
    pytest.importorskip("py3langid")
    assert value("language", said(reply), _is=wanted) == expected


SCHEMA = {
    "type": "object",
    "required": ["amount"],
    "properties": {"amount": {"type": "number"}, "id": {"pattern": "^T-"}},
}


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"amount": 48.0}', 1),
        ('```json\n{"amount": 48.0}\n```', 1),
        ('Here it is: {"amount": 48.0}', 0),
        ('{"amount": "48"}', 0),
        ('{"amount": NaN}', 0),
        ('{"amount": 1, "id": "X"}', 0),
        ("[" * 5000, 0),
        ("", 0),
    ],
    ids=["bare", "fenced", "prose", "wrong-type", "nan", "pattern", "deep", "none"],
)
def test_a_reply_is_json_of_a_shape(reply: str, expected: float) -> None:
    assert value("json_schema", said(reply), schema=SCHEMA) == expected


def test_a_schema_fetches_nothing() -> None:
    kind, _ = failure("json_schema", said("{}"), schema={"$ref": "http://127.0.0.1:9/schema.json"})
    assert kind == "check_error"


@pytest.mark.parametrize(
    ("record", "args", "expected"),
    [
        ({"reward": 1.0}, {}, 1),
        ({"reward": 0.4}, {}, 0),
        ({"reward": 0.4}, {"at_least": 0.3}, 1),
        ({"reward": 0.4}, {"equals": 0.4}, 1),
        ({"outcome": "passed", "reward": 0.0}, {}, 1),
        ({"outcome": "failed"}, {}, 0),
        ({"outcome": True}, {"equals": True}, 1),
        ({"outcome": {"tests": "12/12"}}, {"of": "outcome.tests", "equals": "12/12"}, 1),
        ({"terminated": True}, {"of": "terminated", "equals": True}, 1),
        ({"db_match": False}, {"of": "metadata.db_match", "equals": True}, 0),
    ],
)
def test_the_environments_own_outcome_is_compared(
    record: dict[str, Any], args: dict[str, Any], expected: float
) -> None:
    assert value("outcome", did(**record), **args) == expected


@pytest.mark.parametrize(
    ("record", "args", "kind"),
    [({}, {}, "state_unavailable"), ({"reward": 1}, {"of": "metadata.tests"}, "state_unavailable"),
     ({"outcome": "odd"}, {}, "check_error"), ({"outcome": "odd"}, {"at_least": 1}, "check_error")],
)  # fmt: skip
def test_an_outcome_that_is_not_there_or_says_nothing_is_no_zero(
    record: dict[str, Any], args: dict[str, Any], kind: str
) -> None:
    assert failure("outcome", did(**record), **args)[0] == kind


def half(episode: Episode) -> float:
    return 0.5 if episode.task_id == "x" else 1.0


def unsure(episode: Episode) -> None:
    return None


def broken(episode: Episode) -> float:
    raise KeyError(episode.id)


def off_scale(episode: Episode) -> float:
    return 7.0


async def awaited(episode: Episode) -> float:
    return 1.0


HERE = f"{__name__}:"


def test_a_users_function_answers_where_code_is_allowed() -> None:
    allowed = CheckSettings(allow_code=True)
    assert value("python", did(), settings=allowed, function=f"{HERE}half") == 0.5
    assert value("python", did(), settings=allowed, function=f"{HERE}unsure") is None


@pytest.mark.parametrize(
    ("function", "why"),
    [("broken", "KeyError: 'x'"), ("off_scale", "gave 7.0"), ("awaited", "is async"), ("absent", "can't import"),
     ("HERE", "is no function")],
)  # fmt: skip
def test_a_function_that_fails_is_a_failure_of_the_check(function: str, why: str) -> None:
    kind, message = failure("python", did(), settings=CheckSettings(allow_code=True), function=f"{HERE}{function}")
    assert kind == "check_error"
    assert why in message


def test_code_is_not_run_unless_it_is_allowed() -> None:
    kind, message = failure("python", did(), function=f"{HERE}half")
    assert kind == "check_error"
    assert "--allow-code" in message
    assert ask("python", did(), function="os:getcwd").failure is not None


def test_a_language_can_not_be_told_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    _detector.cache_clear()
    monkeypatch.setitem(sys.modules, "py3langid.langid", None)  # what an import finds where the package is absent
    kind, message = failure("language", said("Ihre Erstattung ist unterwegs."), _is="de")
    assert kind == "check_error"
    assert "rubric-judge[language]" in message
