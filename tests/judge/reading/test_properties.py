"""Whatever stands in a record, it is read or refused with a sentence; it is never a crash, and never lost without a word."""

from __future__ import annotations

import io
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.checks import CHECKS, CheckSettings, check, unanswerable
from judge.errors import EpisodeError
from judge.reading import BadLine, clean_text, episode_from, read_episodes
from tests.judge.checks.episodes import criterion

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
STEP_KEYS = "t by role action observation text content thought error metadata tool_calls".split()
ACTION_KEYS = "tool name args arguments kwargs type content function requestor".split()
PART_KEYS = "type text id name input tool_use_id content image_url source thinking is_error".split()
ROLES = st.sampled_from("user assistant tool system function developer environment".split())
TYPES = st.sampled_from(
    "text tool_use tool_result thinking image image_url function_call function_call_output refusal".split()
)


def objects(keys: list[str], **known: Any) -> Any:
    """Objects with some of these keys; those in `known` mostly have a sensible value."""
    return st.fixed_dictionaries({}, optional={key: known.get(key, JSON) | JSON for key in keys})


PARTS = st.lists(
    objects(PART_KEYS, type=TYPES, text=st.text(max_size=5), name=st.just("f"), id=st.just("1")), max_size=3
)
CALLS = st.lists(
    objects(["id", "name", "arguments", "function", "requestor"], name=st.just("f"), id=st.just("1")), max_size=2
)
MESSAGE_KEYS = "role content tool_calls tool_call function_call tool_call_id id name reasoning_content type".split()
MESSAGES = st.lists(
    objects(MESSAGE_KEYS, role=ROLES, content=st.text(max_size=6) | PARTS, tool_calls=CALLS), max_size=4
)
STEPS = st.lists(objects(STEP_KEYS, by=ROLES, action=objects(ACTION_KEYS, tool=st.just("f"))), max_size=4)
RECORD_KEYS = "task_id episode_id trial instruction steps messages traj info context reward artifacts metadata final_state".split()
RECORDS = objects(RECORD_KEYS, task_id=st.just("x"), steps=STEPS, messages=MESSAGES, traj=MESSAGES, context=st.just({}))


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(RECORDS | JSON)
def test_any_record_is_read_or_refused_with_a_sentence(record: Any) -> None:
    before = json.dumps(record)
    refused = None
    try:
        episode = episode_from(record)
    except EpisodeError as error:
        refused = str(error)
    assert json.dumps(record) == before
    assert refused != ""
    if refused is None:
        assert len({step.t for step in episode.steps}) == len(episode.steps)
        assert episode.episode_id
        unanswerable(episode)


ARGUMENTS: dict[str, dict[str, Any]] = {
    "called": {"tool": "f", "args": {"a": 1}},
    "not_called": {"tool": "f", "before": "g"},
    "cell": {"file": "a.xlsx", "cell": "A1", "equals": 1},
    "json_schema": {"schema": {"type": "object"}},
    "language": {"is": "en"},
    "length": {"max": 9},
    "outcome": {},
    "path": {"at": "$..a", "equals": 1},
    "python": {"function": "math:floor"},
    "regex": {"pattern": "a+"},
    "says": {"numbers": [48], "words": ["a"], "in": "any_reply"},
    "sql": {"query": "SELECT 1", "equals": 1},
    "state": {},
}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(RECORDS, st.sampled_from(sorted(CHECKS)))
def test_any_check_of_any_episode_gives_a_verdict_or_a_failure(record: Any, name: str) -> None:
    try:
        episode = episode_from(record)
    except EpisodeError:
        return
    checked = check(episode, criterion(name, **ARGUMENTS[name]), CheckSettings())
    assert (checked.verdict is None) != (checked.failure is None)
    if checked.failure is not None:
        assert checked.failure.blame in ("check", "episode")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([b'{"task_id": "x", "steps": []}', b"", b"  ", b"{", b"[", b"]", b"x", b"null", b'{"a":', b"\xff",
                                 b"\xef\xbb\xbf", b'[{"task_id": "y", "steps": []}]', b'{"episodes": []}']), max_size=6),
       st.sampled_from([b"\n", b"\r\n"]))  # fmt: skip
def test_every_whole_record_of_any_file_is_read_or_reported(lines: list[bytes], end: bytes) -> None:
    bad: list[BadLine] = []
    episodes = list(read_episodes("-", on_bad=bad.append, stdin=io.BytesIO(end.join(lines))))
    whole = sum(line.startswith(b'{"task_id"') for line in lines)
    assert len(episodes) >= whole or bad
    assert all(1 <= line.line <= len(lines) + 1 for line in bad)


@given(st.text() | st.lists(st.integers(0, 0x10FFFF).map(chr), max_size=20).map("".join))
def test_clean_text_can_be_stored_and_keeps_what_could_be(text: str) -> None:
    clean = clean_text(text)
    clean.encode()
    assert "\x00" not in clean
    assert clean_text(clean) == clean
