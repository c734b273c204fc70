"""Replies that need no judge."""

from __future__ import annotations

import pytest

from judge.checks import unanswerable
from tests.judge.checks.episodes import did, said


@pytest.mark.parametrize("reply", ["Done.", "ok", "48", "👍", "完了", "€", "?a"])
def test_a_reply_that_says_something_is_for_judges(reply: str) -> None:
    assert unanswerable(said(reply)) is None


@pytest.mark.parametrize(
    ("reply", "why"),
    [("", "no reply"), ("  \n", "no reply"), ("...", "punctuation"), ("— !?", "punctuation"),
     ("\u200b\u2060\ufeff", "invisible"), ("\u3164\u2800", "invisible"), ("\ufe0f", "invisible")],
    ids=["empty", "space", "dots", "dashes", "zero-width", "fillers", "selector"],
)  # fmt: skip
def test_a_reply_that_says_nothing_needs_no_judge(reply: str, why: str) -> None:
    found = unanswerable(said(reply))
    assert found is not None
    assert (found.kind, found.acted) == ("no_reply", False)
    assert why in found.reason


def test_a_silent_deed_may_still_be_judged() -> None:
    found = unanswerable(did(("update_row", {"id": 1})))
    assert found is not None
    assert found.acted


def test_a_user_who_calls_tools_is_no_deed_of_the_agents() -> None:
    found = unanswerable(did({"by": "user", "action": {"tool": "reboot"}}))
    assert found is not None
    assert not found.acted


def test_a_file_left_may_still_be_judged() -> None:
    found = unanswerable(did(artifacts=["report.md"]))
    assert found is not None
    assert found.acted


def test_an_earlier_reply_counts() -> None:
    assert unanswerable(said("All done.", "...")) is None
