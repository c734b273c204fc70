"""Chat transcripts of several vendors, read as the same steps."""

from __future__ import annotations

from typing import Any

import pytest

from judge.episode import Episode
from judge.reading import episode_from


def episode(*messages: dict[str, Any], **more: Any) -> Episode:
    return episode_from({"task_id": "x", "messages": list(messages), **more})


def shape(read: Episode) -> list[Any]:
    """Each step in short: who said what, or who called which tool with what and what came back."""
    return [
        (s.by, s.text) if s.action is None else (s.action.by, s.action.tool, s.action.args, s.observation)
        for s in read.steps
    ]


OPENAI = [
    {"role": "user", "content": "Where is it?"},
    {"role": "assistant", "content": "Let me look.", "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "order", "arguments": '{"id": "A"}'}},
        {"id": "2", "type": "function", "function": {"name": "order", "arguments": '{"id": "B"}'}}]},
    {"role": "tool", "tool_call_id": "2", "content": "B: sent"},
    {"role": "tool", "tool_call_id": "1", "content": "A: lost"},
    {"role": "assistant", "content": "A is lost."},
]  # fmt: skip
ANTHROPIC = [
    {"role": "user", "content": [{"type": "text", "text": "Where is it?"}]},
    {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "1", "name": "order", "input": {"id": "A"}},
        {"type": "tool_use", "id": "2", "name": "order", "input": {"id": "B"}}]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "2", "content": [{"type": "text", "text": "B: sent"}]},
        {"type": "tool_result", "tool_use_id": "1", "content": "A: lost"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "A is lost."}]},
]  # fmt: skip
TAU2 = [
    {"role": "user", "content": "Where is it?"},
    {"role": "assistant", "content": "Let me look.", "tool_calls": [
        {"id": "1", "name": "order", "arguments": {"id": "A"}}, {"id": "2", "name": "order", "arguments": {"id": "B"}}]},
    {"role": "tool", "id": "2", "content": "B: sent"}, {"role": "tool", "id": "1", "content": "A: lost"},
    {"role": "assistant", "content": "A is lost."},
]  # fmt: skip
ONE_BY_ONE = [
    {"role": "user", "content": "Where is it?"},
    {"role": "assistant", "content": "Let me look.", "tool_call": {"name": "order", "arguments": {"id": "A"}}},
    {"role": "tool", "name": "order", "content": "A: lost"},
    {"role": "assistant", "content": None, "function_call": {"name": "order", "arguments": '{"id": "B"}'}},
    {"role": "function", "name": "order", "content": "B: sent"},
    {"role": "assistant", "content": "A is lost."},
]  # fmt: skip
RESPONSES = [
    {"role": "user", "content": "Where is it?"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Let me look."}]},
    {"type": "function_call", "call_id": "1", "name": "order", "arguments": '{"id": "A"}'},
    {"type": "function_call", "call_id": "2", "name": "order", "arguments": '{"id": "B"}'},
    {"type": "function_call_output", "call_id": "1", "output": "A: lost"},
    {"type": "function_call_output", "call_id": "2", "output": "B: sent"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "A is lost."}]},
]


@pytest.mark.parametrize("messages", [OPENAI, ANTHROPIC, TAU2, ONE_BY_ONE, RESPONSES],
                         ids=["openai", "anthropic", "tau2", "singular-and-legacy", "responses"])  # fmt: skip
def test_the_same_conversation_gives_the_same_steps_in_every_shape(messages: list[dict[str, Any]]) -> None:
    read = episode(*messages)
    assert shape(read) == [
        ("user", "Where is it?"), ("agent", "Let me look."),
        ("agent", "order", {"id": "A"}, "A: lost"), ("agent", "order", {"id": "B"}, "B: sent"),
        ("agent", "A is lost."),
    ]  # fmt: skip
    assert [s.t for s in read.steps] == [0, 1, 2, 3, 4]


def test_reasoning_is_a_thought_and_never_a_reply() -> None:
    read = episode(
        {"role": "user", "content": "How much?"},
        {"role": "assistant", "content": "", "reasoning_content": "The total is 48.00"},
        {"role": "assistant", "content": "<think>maybe 48</think>\nI don't know."},
        {"role": "assistant", "content": "<think>The total is 48.00, so"},
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "48"}, {"type": "tool_use", "id": "1", "name": "f"}],
        },
    )
    assert [s.thought for s in read.steps] == [None, "The total is 48.00", "maybe 48", "The total is 48.00, so", "48"]
    assert [text for _, text in read.replies()] == ["I don't know."]


def test_an_empty_message_is_a_step_but_no_reply() -> None:
    read = episode({"role": "assistant", "content": "All done."}, {"role": "assistant", "content": ""})
    assert [s.text for s in read.steps] == ["All done.", ""]
    assert read.last_reply == "All done."


def test_a_picture_is_a_note_of_its_type_and_size() -> None:
    data = "A" * 4000
    read = episode(
        {"role": "user", "content": [{"type": "text", "text": "See:"},
                                     {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}]},
        {"role": "user", "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": data}}]},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a.example/x.png"}}]},
        {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}]},
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "scan", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": [
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
            {"type": "text", "text": "Invoice total 48.00"}]},
    )  # fmt: skip
    assert [s.text for s in read.steps[:4]] == [
        "See:\n⟨image, image/png, 3000 bytes, not shown⟩", "⟨image, image/jpeg, 3000 bytes, not shown⟩",
        "⟨image, https://a.example/x.png, not shown⟩", "⟨audio, wav, 3000 bytes, not shown⟩",
    ]  # fmt: skip
    assert read.steps[4].observation == "⟨image, image/png, 3000 bytes, not shown⟩\nInvoice total 48.00"


def test_a_structured_answer_with_a_type_of_its_own_is_shown_in_full() -> None:
    read = episode({"role": "assistant", "content": {"type": "refund", "amount": 48}})
    assert read.last_reply == '{"amount": 48, "type": "refund"}'


def test_the_system_message_is_the_policy_unless_one_is_given() -> None:
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"},
                {"role": "system", "content": "The shop closed."}]  # fmt: skip
    read = episode(*messages)
    assert read.context["policy"] == "Be kind."
    assert shape(read) == [("user", "Hi"), ("environment", "The shop closed.")]
    given = episode(*messages, context={"policy": "Refund at once."})
    assert given.context["policy"] == "Refund at once."
    assert given.metadata["system"] == "Be kind."


def test_what_the_simulated_user_calls_is_the_users() -> None:
    read = episode(
        {"role": "user", "tool_calls": [{"id": "1", "name": "reboot", "arguments": {}, "requestor": "user"}]},
        {"role": "tool", "id": "1", "content": "ok", "requestor": "user"},
        {"role": "assistant", "tool_calls": [{"id": "2", "name": "reboot", "arguments": {}}]},
        {"role": "tool", "id": "2", "content": "Error: denied", "error": True},
    )
    assert shape(read) == [("user", "reboot", {}, "ok"), ("agent", "reboot", {}, "Error: denied")]
    assert [s.error for s in read.steps] == [False, True]
    assert len(list(read.calls("reboot"))) == 1


def test_a_result_that_no_call_asked_for_is_a_step_of_its_own() -> None:
    read = episode({"role": "assistant", "tool_calls": [{"id": "1", "name": "f", "arguments": {}}]},
                   {"role": "tool", "tool_call_id": "9", "content": "stray"},
                   {"role": "tool", "tool_call_id": "1", "content": "ok"})  # fmt: skip
    assert shape(read) == [("agent", "f", {}, "ok"), ("tool", "stray")]


def test_an_id_used_again_in_a_later_turn_answers_the_later_call() -> None:
    turn = [{"role": "assistant", "tool_calls": [{"id": "call_0", "name": "f", "arguments": {}}]}]
    read = episode(*turn, {"role": "tool", "tool_call_id": "call_0", "content": "one"},
                   *turn, {"role": "tool", "tool_call_id": "call_0", "content": "two"})  # fmt: skip
    assert [s.observation for s in read.steps] == ["one", "two"]


def test_arguments_that_are_no_json_are_kept_as_they_were_written() -> None:
    calls = [{"id": "1", "function": {"name": "f", "arguments": '{"amount": 4'}},
             {"id": "2", "function": {"name": "f", "arguments": '{"amount": NaN}'}},
             {"id": "3", "function": {"name": "f", "arguments": "[1]"}},
             {"id": "4", "function": {"name": "f", "arguments": ""}}]  # fmt: skip
    read = episode({"role": "assistant", "tool_calls": calls})
    args = [s.action.args for s in read.steps if s.action]
    assert args == [{"$text": '{"amount": 4'}, {"amount": "NaN"}, {"$value": [1]}, {}]


def test_a_list_of_messages_alone_is_an_episode() -> None:
    read = episode_from([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])
    assert read.last_reply == "Hello"
