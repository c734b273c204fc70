"""The shapes that records come in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judge.reading import Origin, clean_text, episode_from
from judge.reading.reader import read_episodes
from tests.shared import shared


def test_a_plain_record_is_read_as_it_is() -> None:
    episode = episode_from(
        {"task_id": "refund-4812", "instruction": "Resolve it.", "initial_state": "snapshots/crm.sql",
         "steps": [{"t": 0, "action": {"tool": "search", "args": {"order_id": "99173"}}, "observation": "2 charges"},
                   {"t": 1, "action": {"tool": "reply", "args": {"text": "Refunded."}}, "observation": "sent"}],
         "reward": 1.0, "terminated": True, "truncated": False}
    )  # fmt: skip
    assert episode.id == "refund-4812"
    assert [s.action.tool for s in episode.calls() if s.action] == ["search", "reply"]
    assert episode.last_reply == "Refunded."
    assert episode.initial_state == "snapshots/crm.sql"


@pytest.mark.parametrize(
    ("step", "tool", "args", "text"),
    [
        ({"action": {"tool": "f", "args": {"a": 1}}}, "f", {"a": 1}, None),
        ({"action": {"tool": "f"}}, "f", {}, None),
        ({"action": {"name": "f", "arguments": {"a": 1}}}, "f", {"a": 1}, None),
        ({"action": {"name": "f", "arguments": '{"a": 1}'}}, "f", {"a": 1}, None),
        ({"action": {"name": "f", "arguments": "rm -rf"}}, "f", {"$text": "rm -rf"}, None),
        ({"action": {"name": "f", "kwargs": {"a": 1}}}, "f", {"a": 1}, None),
        ({"action": {"function": {"name": "f", "arguments": "{}"}}}, "f", {}, None),
        ({"action": {"tool": "f", "args": [1, 2]}}, None, None, None),
        ({"action": {"type": "message", "content": "Hello"}}, None, None, "Hello"),
        ({"action": "Hello"}, None, None, "Hello"),
        ({"role": "assistant", "content": "Hello"}, None, None, "Hello"),
        ({"text": {"to": "ops", "body": "done"}}, None, None, '{"body": "done", "to": "ops"}'),
    ],
    ids=lambda value: json.dumps(value)[:50] if isinstance(value, dict) and "action" in value else None,
)
def test_an_action_is_read_in_every_spelling(
    step: dict[str, Any], tool: str | None, args: dict[str, Any] | None, text: str | None
) -> None:
    if args is None and text is None:
        with pytest.raises(ValueError, match="steps"):
            episode_from({"task_id": "x", "steps": [step]})
        return
    read = episode_from({"task_id": "x", "steps": [step]}).steps[0]
    assert (read.action.tool if read.action else None) == tool
    assert (read.action.args if read.action else None) == args
    assert read.text == text
    assert read.by == "agent"


def test_what_a_record_holds_beside_the_known_fields_is_kept() -> None:
    record = {"task_id": 3, "steps": [{"t": 0, "text": "a", "reward": 0.5, "done": False}], "team": "red",
              "metadata": {"team": "blue", "k": 1}}  # fmt: skip
    episode = episode_from(record)
    assert episode.metadata == {"record.team": "red", "team": "blue", "k": 1}
    assert episode.steps[0].metadata == {"reward": 0.5, "done": False}
    assert record["steps"] == [{"t": 0, "text": "a", "reward": 0.5, "done": False}], (
        "reading changes nothing that it was given"
    )


def test_a_step_by_nobody_that_only_shows_something_is_the_environments() -> None:
    steps = episode_from(
        {"task_id": "x", "steps": [{"observation": "logged in"}, {"by": "system", "text": "note"}]}
    ).steps
    assert [s.by for s in steps] == ["environment", "environment"]
    assert [s.t for s in steps] == [0, 1]


def test_what_a_user_calls_is_never_the_agents() -> None:
    steps = [
        {"by": "user", "action": {"tool": "cancel", "args": {}}},
        {"action": {"tool": "cancel", "requestor": "user"}},
    ]
    episode = episode_from({"task_id": "x", "steps": steps})
    assert list(episode.calls("cancel")) == []


def test_a_tool_that_failed_is_marked() -> None:
    steps = [
        {"action": {"tool": "a"}, "observation": "Error: user not found"},
        {"action": {"tool": "b"}, "observation": {"error": "no"}},
        {"action": {"tool": "c"}, "error": "timeout"},
        {"action": {"tool": "d"}, "observation": "error"},
        {"action": {"tool": "e"}, "observation": {"error": None}},
        {"action": {"tool": "f"}, "observation": "Errors were found in none of the orders."},
    ]
    episode = episode_from({"task_id": "x", "steps": steps})
    assert [s.error for s in episode.steps] == [True, True, True, True, False, False]
    assert episode.steps[2].metadata == {"error": "timeout"}


def test_a_reply_that_is_structured_is_stable_json_and_never_a_repr() -> None:
    one = episode_from(
        {"task_id": "x", "steps": [{"action": {"tool": "reply", "args": {"body": {"to": "ops", "b": None}}}}]}
    )
    two = episode_from(
        {"task_id": "x", "steps": [{"action": {"tool": "reply", "args": {"body": {"b": None, "to": "ops"}}}}]}
    )
    assert one.last_reply == two.last_reply == '{"b": null, "to": "ops"}'


def test_a_record_of_one_turn_is_read() -> None:
    episode = episode_from({"id": 9, "prompt": "Write to Mira.", "response": "Dear Mira"}, Origin(name="f:1"))
    assert (episode.task_id, episode.instruction, episode.last_reply) == ("9", "Write to Mira.", "Dear Mira")
    chat = episode_from({"prompt": [{"role": "user", "content": "Hi"}], "completion": [{"role": "assistant", "content": "Yo"}]},
                        Origin(name="f:1"))  # fmt: skip
    assert chat.task_id == "f:1"
    assert [(s.by, s.text) for s in chat.steps] == [("user", "Hi"), ("agent", "Yo")]


def tau_row(**more: Any) -> dict[str, Any]:
    traj = [{"role": "system", "content": "# Policy"}, {"role": "user", "content": "Cancel it"},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "cancel", "arguments": '{"id": "R1"}'}}]},
            {"role": "tool", "tool_call_id": "c1", "name": "cancel", "content": "ok"},
            {"role": "assistant", "content": "Cancelled."}]  # fmt: skip
    info = {"task": {"user_id": "u", "instruction": "You are u.", "actions": [], "outputs": []},
            "reward_info": {"reward": 1.0, "info": {"r_actions": True}, "actions": []}}  # fmt: skip
    return {"task_id": 3, "reward": 1.0, "trial": 1, "traj": traj, "info": info, **more}


def test_a_tau_bench_row_is_read_with_its_policy_task_and_trial() -> None:
    episode = episode_from(tau_row())
    assert (episode.id, episode.reward, episode.instruction) == ("3/1", 1.0, "You are u.")
    assert episode.context == {"policy": "# Policy"}
    assert [s.t for s in episode.steps] == [0, 1, 2]
    assert episode.steps[1].observation == "ok"
    assert episode.truncated is None
    assert "info" in episode.metadata


@pytest.mark.parametrize("info", [None, {"error": "boom", "traceback": "…"}, {"task": {"instruction": "x"}, "reward_info": None}],
                         ids=["null", "error", "no-reward-info"])  # fmt: skip
def test_a_tau_bench_row_that_crashed_has_no_reward(info: Any) -> None:
    episode = episode_from(tau_row(info=info, reward=0.0))
    assert episode.truncated is True
    assert episode.reward is None
    assert episode.metadata["recorded_reward"] == 0.0


@pytest.mark.parametrize(
    ("ended", "terminated", "truncated"),
    [("user_stop", True, False), ("max_steps", False, True), ("something_else", None, None)],
)
def test_how_it_ended_is_read_from_the_benchmarks_own_words(
    ended: str, terminated: bool | None, truncated: bool | None
) -> None:
    episode = episode_from({"task_id": "x", "messages": [], "termination": ended})
    assert (episode.terminated, episode.truncated) == (terminated, truncated)
    assert episode.metadata["termination"] == ended


@pytest.mark.parametrize(
    ("given", "clean"),
    [
        ("plain", "plain"),
        ("a\x00b", "a␀b"),
        ("Thanks \ud83d see", "Thanks \ufffd see"),
        ("\ud83d\ude00", "😀"),
        ("😀 é", "😀 é"),
    ],
    ids=["plain", "nul", "lone", "pair-in-halves", "good-pair"],
)
def test_text_that_leaves_the_process_can_be_encoded(given: str, clean: str) -> None:
    assert clean_text(given) == clean
    assert clean_text(given).encode()


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_all_200_airline_episodes_are_read_in_full() -> None:
    path = shared("data/tau1_airline/episodes_gpt-4o.jsonl")
    bad: list[Any] = []
    episodes = list(read_episodes(path, on_bad=bad.append))
    records = lines_of(path)
    assert bad == []
    assert [e.episode_id for e in episodes] == [r["episode_id"] for r in records]
    for episode, record in zip(episodes, records, strict=True):
        calls = [m["tool_call"] for m in record["messages"] if m.get("tool_call")]
        assert [(s.action.tool, s.action.args) for s in episode.calls() if s.action] == [
            (c["name"], c["arguments"]) for c in calls
        ]
        results = [m["content"] for m in record["messages"] if m["role"] == "tool"]
        assert [s.observation for s in episode.steps if s.observation is not None] == results
        said = [m["content"] for m in record["messages"] if m["role"] == "assistant" and (m["content"] or "").strip()]
        assert [text for _, text in episode.replies()] == said
        assert episode.metadata["final_diff"] == record["final_diff"]


def test_calls_of_the_simulated_user_are_told_apart_in_the_telecom_episodes() -> None:
    path = shared("data/tau2_episodes/gpt41_telecom.jsonl")
    bad: list[Any] = []
    for episode, record in zip(read_episodes(path, on_bad=bad.append), lines_of(path), strict=True):
        calls = [(m["role"], c["name"]) for m in record["messages"] for c in m.get("tool_calls") or []]
        assert [s.action.tool for s in episode.calls() if s.action] == [
            name for role, name in calls if role == "assistant"
        ]
        assert [s.action.tool for s in episode.steps if s.action and s.action.by == "user"] == [
            name for role, name in calls if role == "user"
        ]
        assert all(s.observation is not None for s in episode.steps if s.action)
    assert bad == []
