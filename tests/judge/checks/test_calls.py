"""Which tools the agent called."""

from __future__ import annotations

from typing import Any

import pytest

from judge.reading import episode_from
from tests.judge.checks.episodes import ask, did, value

REFUND = ("create_refund", {"charge_id": "ch_8842", "amount": 48.0, "to": {"method": "visa", "last4": "4417"}})


@pytest.mark.parametrize(
    ("args", "matches"),
    [
        ({}, True),
        ({"charge_id": "ch_8842"}, True),
        ({"charge_id": "ch_8841"}, False),
        ({"charge_id": "ch_884"}, False),
        ({"amount": 48}, True),
        ({"amount": "48.00"}, True),
        ({"amount": 48.01}, False),
        ({"amount": True}, False),
        ({"amount": None}, False),
        ({"note": None}, False),
        ({"to": {"last4": "4417"}}, True),
        ({"to": {"last4": 4417}}, True),
        ({"to": {"last4": "4418"}}, False),
    ],
)
def test_a_call_holds_the_arguments_asked_for_by_value(args: dict[str, Any], matches: bool) -> None:
    assert value("called", did(REFUND), tool="create_refund", args=args) == float(matches)
    assert value("not_called", did(REFUND), tool="create_refund", args=args) == float(not matches)


@pytest.mark.parametrize(
    ("times", "expected"),
    [(None, 1), (2, 1), (1, 0), (3, 0), ({"min": 1}, 1), ({"max": 1}, 0), ({"min": 2, "max": 2}, 1)],
)
def test_a_call_is_counted(times: Any, expected: float) -> None:
    assert value("called", did("a", "b", "a"), tool="a", times=times) == expected


def test_never_is_a_number_of_times() -> None:
    assert value("called", did("a"), tool="b", times=0) == 1
    assert value("called", did("b"), tool="b", times=0) == 0


@pytest.mark.parametrize(
    ("calls", "order", "expected"),
    [
        (("read", "write"), {"before": "write"}, 1),
        (("write", "read"), {"before": "write"}, 0),
        (("read",), {"before": "write"}, 1),
        (("write",), {"before": "write"}, 0),
        (("write", "read"), {"after": "write"}, 1),
        (("read", "write"), {"after": "write"}, 0),
        (("read",), {"after": "write"}, 0),
        (("write", "read", "send"), {"after": "write", "before": "send"}, 1),
    ],
)
def test_calls_have_an_order(calls: tuple[str, ...], order: dict[str, str], expected: float) -> None:
    assert value("called", did(*calls), tool="read", **order) == expected
    assert value("not_called", did(*calls), tool="read", **order) == 1 - expected


def test_not_called_may_allow_a_few() -> None:
    assert value("not_called", did("a"), tool="a", times=2) == 1
    assert value("not_called", did("a", "a"), tool="a", times=2) == 0


def test_a_call_of_the_simulated_user_is_not_the_agents() -> None:
    episode = did({"by": "user", "action": {"tool": "cancel"}})
    assert value("called", episode, tool="cancel") == 0
    assert value("not_called", episode, tool="cancel") == 1


def test_a_call_that_failed_still_was_made_unless_it_had_to_succeed() -> None:
    episode = did({"action": {"tool": "cancel"}, "observation": "Error: no such order"})
    assert value("called", episode, tool="cancel") == 1
    assert value("called", episode, tool="cancel", succeeded=True) == 0
    assert value("not_called", episode, tool="cancel") == 0


def test_any_of_several_tools_counts() -> None:
    assert value("called", did("email"), tool=["email", "chat"]) == 1


def test_nothing_is_called_in_an_episode_of_words() -> None:
    episode = episode_from({"task_id": "x", "messages": [{"role": "assistant", "content": "I called cancel."}]})
    checked = ask("called", episode, tool="cancel")
    assert checked.verdict is not None
    assert checked.verdict.reason == "the agent did not call cancel; it called nothing"


def test_the_reason_says_where() -> None:
    checked = ask("called", did("a", "b", "a"), tool="a")
    assert checked.verdict is not None
    assert checked.verdict.reason == "the agent called a twice, at step 0, 2"
