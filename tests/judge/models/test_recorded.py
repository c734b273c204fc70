"""Judges that are replayed."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judge.errors import InputError, JudgeError
from judge.judges import Judge, resolve
from judge.models.calling import Caller
from judge.models.recorded import Recorded, expand
from tests.judge.models.asking import prompt


def verdict(name: str, level: str = "yes") -> dict[str, Any]:
    """A verdict as a judge writes it."""
    return {"id": name, "quotes": [], "reason": "so", "level": level}


def recording(folder: Path, *rows: dict[str, Any], name: str = "r.jsonl") -> Path:
    """A file of rows; `episode_id` is e1 and `judge` is a where a row does not say."""
    path = folder / name
    path.write_text(
        "".join(json.dumps({"episode_id": "e1", "judge": "a"} | row) + "\n" for row in rows), encoding="utf-8"
    )
    return path


def replayed(path: Path, name: str = "a") -> Recorded:
    """The model that replays that judge."""
    return Recorded(Judge(name=name, model=f"recorded/{path.name}"), base_dir=path.parent)


async def levels(model: Recorded, *names: str, sample: int = 0) -> dict[str, str]:
    """What the reply says of these criteria."""
    reply = await model.ask(prompt(*names), timeout=None, sample=sample)
    return {each["id"]: each["level"] for each in json.loads(reply.text or "")["verdicts"]}


def test_a_file_makes_one_judge_for_each_that_it_holds(tmp_path: Path) -> None:
    path = recording(
        tmp_path, {"judge": "b", "reply": "x"}, {"reply": "x"}, {"judge": "b", "reply": "y", "episode_id": "e2"}
    )
    assert [judge.name for judge in expand(f"recorded/{path}")] == ["b", "a"]
    assert [judge.name for judge in expand(f"recorded/{path.name}#a", base_dir=tmp_path)] == ["a"]
    with pytest.raises(InputError, match="holds no judge 'c'; it has b, a"):
        expand(f"recorded/{path}#c")


async def test_probabilities_of_levels_are_replayed_for_what_is_asked(tmp_path: Path) -> None:
    given = {"tone": {"no": 0.2, "yes": 0.8}, "amount": {"no": 0.9, "yes": 0.1}}
    model = replayed(recording(tmp_path, {"probabilities": given}))
    reply = await model.ask(prompt("tone"), timeout=None)
    assert reply.probabilities == {"tone": {"no": 0.2, "yes": 0.8}}


async def test_a_reply_comes_as_it_was_whatever_the_prompt(tmp_path: Path) -> None:
    model = replayed(recording(tmp_path, {"reply": "not even { JSON"}))
    for evidence in ("one", "two"):
        assert (await model.ask(prompt(evidence=evidence), timeout=None)).text == "not even { JSON"


async def test_verdicts_are_dumped_as_json(tmp_path: Path) -> None:
    assert await levels(replayed(recording(tmp_path, {"verdicts": [verdict("amount")]})), "amount") == {"amount": "yes"}


async def test_rows_about_single_criteria_are_joined(tmp_path: Path) -> None:
    path = recording(
        tmp_path,
        {"criterion": "amount", "verdicts": [verdict("amount")]},
        {"criterion": "tone", "reply": '{"level": "no", "reason": "r"}'},
        {"criterion": "date", "reply": {"verdicts": [verdict("date", "no")]}},
        {"criterion": "style", "failure": "judge_refused"},
    )
    model = replayed(path)
    assert await levels(model, "amount", "tone", "date") == {"amount": "yes", "tone": "no", "date": "no"}
    assert await levels(model, "tone") == {"tone": "no"}
    assert await levels(model, "amount", "style") == {"amount": "yes"}
    with pytest.raises(JudgeError) as caught:
        await levels(model, "style")
    assert caught.value.kind == "judge_refused"
    with pytest.raises(JudgeError, match="no row for other"):
        await levels(model, "other")


async def test_a_reply_about_the_whole_rubric_is_narrowed_to_the_batch_asked(tmp_path: Path) -> None:
    path = recording(tmp_path, {"verdicts": [verdict("amount"), verdict("tone", "no"), verdict("date")]})
    assert await levels(replayed(path), "tone", "date") == {"tone": "no", "date": "yes"}


async def test_an_id_that_nobody_asked_for_stays_where_one_asked_is_absent(tmp_path: Path) -> None:
    path = recording(tmp_path, {"verdicts": [verdict("amout"), verdict("tone")]})
    assert await levels(replayed(path), "amount", "tone") == {"amout": "yes", "tone": "yes"}


async def test_rows_of_one_episode_are_its_samples(tmp_path: Path) -> None:
    path = recording(tmp_path, {"verdicts": [verdict("amount")]}, {"verdicts": [verdict("amount", "no")]})
    model = replayed(path)
    assert await levels(model, "amount", sample=1) == {"amount": "no"}
    with pytest.raises(JudgeError, match=r"has 2 sample\(s\), asked for sample 2"):
        await levels(model, "amount", sample=2)


async def test_an_episode_without_a_row_is_missing_and_told(tmp_path: Path) -> None:
    path = recording(tmp_path, {"reply": "x"})
    with pytest.raises(JudgeError) as caught:
        await replayed(path).ask(replace(prompt(), episode_id="e9"), timeout=None)
    assert caught.value.kind == "missing"
    for word in ("'e9'", "'a'", str(path)):
        assert word in caught.value.message


async def test_a_recorded_failure_fails_again_at_once_and_for_that_episode_only(tmp_path: Path) -> None:
    path = recording(tmp_path, {"failure": "quota"}, {"episode_id": "e2", "reply": "x"},
                     {"episode_id": "e3", "failure": {"kind": "timeout", "message": "too slow"}})  # fmt: skip
    caller = Caller(replayed(path))
    with pytest.raises(JudgeError) as caught:
        await caller.call(prompt())
    assert caught.value.kind == "quota"
    assert (await caller.call(replace(prompt(), episode_id="e2"))).text == "x"
    with pytest.raises(JudgeError, match="too slow"):
        await caller.call(replace(prompt(), episode_id="e3"))
    assert caller.lasting is None


@pytest.mark.parametrize(("row", "kind"), [({"reply": None}, "empty"), ({"reply": " "}, "empty"),
                                           ({"reply": '{"ver', "finish": "length"}, "truncated")])  # fmt: skip
async def test_a_reply_that_was_none_is_a_failure(tmp_path: Path, row: dict[str, Any], kind: str) -> None:
    with pytest.raises(JudgeError) as caught:
        await replayed(recording(tmp_path, row)).ask(prompt(), timeout=None)
    assert caught.value.kind == kind


async def test_a_compressed_file_is_read_and_a_changed_one_read_anew(tmp_path: Path) -> None:
    path = recording(tmp_path, {"reply": "old"})
    (tmp_path / "r.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert (await replayed(tmp_path / "r.jsonl.gz").ask(prompt(), timeout=None)).text == "old"
    before = replayed(path)
    recording(tmp_path, {"reply": "newer"})
    after = replayed(path)
    assert (await after.ask(prompt(), timeout=None)).text == "newer"
    assert before.identity != after.identity


def test_a_judge_by_another_name_stands_for_the_only_one_recorded(tmp_path: Path) -> None:
    path = recording(tmp_path, {"reply": "x"})
    assert replayed(path, "mine").identity["judge"] == "a"
    judge = resolve(f"recorded/{path}#b")
    with pytest.raises(InputError, match="holds no judge 'b'"):
        Recorded(judge)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"judge": "a", "reply": "x"}', "episode_id"),
        ('{"episode_id": "e1", "reply": "x"}', "judge"),
        ('{"episode_id": "e1", "judge": "a"}', "needs one of"),
        ('{"episode_id": "e1", "judge": "a", "reply": "x", "failure": "auth"}', "reply and failure"),
        ('{"episode_id": "e1", "judge": "a", "failure": "tired"}', "'tired' is none of"),
        ('{"episode_id": "e1", "judge": "a", "reply": "x", "finish": "bored"}', "'bored' is none of"),
        (
            '{"episode_id": "e1", "judge": "a", "probabilities": {"tone": 0.5}}',
            "must be {criterion: {level: probability}}",
        ),
        ("{", "is not JSON"),
        ("[]", "expected an object"),
    ],
)
def test_a_bad_row_is_told_with_its_line(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"episode_id": "e0", "judge": "a", "reply": "x"}\n\n' + line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"r\.jsonl:3: .*{words}"):
        replayed(path)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        expand(f"recorded/{tmp_path}/none.jsonl")
