"""The command line: what it prints, writes and returns."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from judge.cli import main
from judge.record import GradeRecord
from rubrics.loading import SAMPLES

GROUP = str(SAMPLES / "refund_group.jsonl")
RECORDED = f"recorded/{SAMPLES / 'refund_group.replies.jsonl'}"


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Runs the command line with a home of its own."""
    monkeypatch.setenv("RUBRIC_JUDGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)

    def command(*arguments: object) -> Ran:
        try:
            main([str(argument) for argument in arguments])
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return command


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def episodes(path: Path, count: int, **more: Any) -> Path:
    rubric = {"id": "r", "criteria": [{"id": "a", "ask": "Is it so?"}]}
    rows = [
        {
            "task_id": f"e{n}",
            "rubric": rubric,
            "steps": [{"t": 0, "action": {"tool": "reply", "args": {"text": f"No {n}."}}}],
            **more,
        }
        for n in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def replies(path: Path, count: int, level: str = "yes") -> str:
    reply = json.dumps({"verdicts": [{"id": "a", "quotes": [], "reason": "so", "level": level}]})
    path.write_text(
        "".join(json.dumps({"episode_id": f"e{n}", "judge": "j", "reply": reply}) + "\n" for n in range(count))
    )
    return f"recorded/{path}"


def test_the_refund_group_is_graded_and_its_records_stand_in_order(run: Callable[..., Ran], tmp_path: Path) -> None:
    ran = run("grade", GROUP, "-r", "refund_reply", "-J", RECORDED, "-o", "out.jsonl")
    assert ran.code == 1
    assert "7 of 8 episodes graded, 1 without a score" in ran.out
    assert [row["episode_id"] for row in lines(tmp_path / "out.jsonl")] == [f"a{n}" for n in range(1, 9)]


def test_check_needs_no_judge_and_says_what_changed(run: Callable[..., Ran]) -> None:
    ran = run("check", GROUP, "-r", "refund_reply", "--explain")
    assert ran.code == 0
    for words in ("required missing", "made wrong", "collateral", "for judges: refund_made"):
        assert words in ran.out


def test_a_grade_is_explained_with_its_arithmetic_reasons_and_quotes(run: Callable[..., Ran]) -> None:
    run("grade", GROUP, "-r", "refund_reply", "-J", RECORDED, "-o", "out.jsonl")
    ran = run("show", "a4", "--grades", "out.jsonl")
    assert ran.code == 0
    for words in ("/ 8 = 0.3438", "strict: ", "step 4, found", "false_claim"):
        assert words in ran.out


def test_without_a_file_the_ledger_is_asked(run: Callable[..., Ran]) -> None:
    run("grade", GROUP, "-r", "refund_reply", "-J", RECORDED)
    assert "a2  score 0" in run("show", "a2").out
    missing = run("show", "nobody")
    assert (missing.code, "no grade of episode 'nobody'" in missing.err) == (2, True)


def test_an_output_that_exists_is_kept_unless_told(run: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("precious\n")
    ran = run("grade", GROUP, "-r", "refund_reply", "-J", RECORDED, "-o", "out.jsonl")
    assert (ran.code, (tmp_path / "out.jsonl").read_text()) == (2, "precious\n")
    assert "--resume" in ran.err
    assert "--force" in ran.err
    assert run("grade", GROUP, "-r", "refund_reply", "-J", RECORDED, "-o", "out.jsonl", "--force").code == 1


def test_records_can_be_piped(run: Callable[..., Ran]) -> None:
    ran = run("grade", GROUP, "-r", "refund_reply", "-J", RECORDED, "--json", "--limit", 2)
    assert [GradeRecord.from_json(line).episode_id for line in ran.out.splitlines()] == ["a1", "a2"]


def test_a_bad_line_is_named_and_the_rest_are_graded(run: Callable[..., Ran], tmp_path: Path) -> None:
    path = episodes(tmp_path / "e.jsonl", 3)
    path.write_text(path.read_text().replace("\n", '\n{"task_id": "cut\n', 1))
    ran = run("grade", path, "-J", replies(tmp_path / "r.jsonl", 3), "-o", "out.jsonl")
    assert ran.code == 1
    assert "e.jsonl:2: " in ran.err
    assert [row["episode_id"] for row in lines(tmp_path / "out.jsonl")] == ["e0", "e1", "e2"]
    (bad,) = lines(tmp_path / "out.errors.jsonl")
    assert (bad["line"], bad["kind"]) == (2, "unreadable")


def test_all_graded_is_exit_code_0_and_nothing_readable_is_2(run: Callable[..., Ran], tmp_path: Path) -> None:
    assert run("grade", episodes(tmp_path / "e.jsonl", 2), "-J", replies(tmp_path / "r.jsonl", 2)).code == 0
    (tmp_path / "bad.jsonl").write_text("not json\n")
    assert run("grade", tmp_path / "bad.jsonl", "-J", replies(tmp_path / "r.jsonl", 2)).code == 2
    assert run("grade", tmp_path / "none.jsonl", "-J", replies(tmp_path / "r.jsonl", 2)).code == 2


def test_gzip_is_read(run: Callable[..., Ran], tmp_path: Path) -> None:
    packed = tmp_path / "e.jsonl.gz"
    packed.write_bytes(gzip.compress(episodes(tmp_path / "e.jsonl", 2).read_bytes()))
    assert run("grade", packed, "-J", replies(tmp_path / "r.jsonl", 2)).code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--judge", "nobody/x"), "there is no provider 'nobody'"),
        (("--judge", "openai/gpt-5-mini"), "OPENAI_API_KEY"),
        (("--judge", "recorded/none.jsonl"), "none.jsonl"),
        (("--rubric", "no_such"), "no rubric 'no_such'"),
        (("--judge", RECORDED, "--quorum", "5"), "quorum of 5"),
        (("--judge", RECORDED, "--pool", "guess"), "mean"),
    ],
    ids=["provider", "key", "file", "rubric", "quorum", "pool"],
)
def test_bad_input_is_one_sentence_before_anything_is_spent(
    run: Callable[..., Ran], arguments: tuple[str, ...], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ran = run("grade", GROUP, "-r", "refund_reply", *arguments)
    assert ran.code == 2
    assert sentence in ran.err
    assert "Traceback" not in ran.err


def test_a_run_resumes_keeps_what_is_graded_and_the_order(run: Callable[..., Ran], tmp_path: Path) -> None:
    path, judge = episodes(tmp_path / "e.jsonl", 6), replies(tmp_path / "r.jsonl", 6)
    run("grade", path, "-J", judge, "-o", "out.jsonl")
    whole = lines(tmp_path / "out.jsonl")
    kept = [json.dumps(row) for row in whole if row["episode_id"] in ("e1", "e4")]
    (tmp_path / "out.jsonl").write_text("\n".join(kept) + '\n{"episode_id": "e5", "sco')
    ran = run("grade", path, "-J", judge, "-o", "out.jsonl", "--resume")
    assert ran.code == 0
    assert "(2 from the earlier run)" in ran.out
    assert [row["episode_id"] for row in lines(tmp_path / "out.jsonl")] == [f"e{n}" for n in range(6)]
    assert not (tmp_path / "out.jsonl.before").exists()


def test_resuming_with_another_method_is_refused(run: Callable[..., Ran], tmp_path: Path) -> None:
    path, judge = episodes(tmp_path / "e.jsonl", 2), replies(tmp_path / "r.jsonl", 2)
    run("grade", path, "-J", judge, "-o", "out.jsonl")
    before = (tmp_path / "out.jsonl").read_text()
    ran = run("grade", path, "-J", judge, "-o", "out.jsonl", "--resume", "--batch", 1)
    assert ran.code == 2
    assert "another method" in ran.err
    assert (tmp_path / "out.jsonl").read_text() == before


def test_a_rubric_that_changed_is_graded_anew_on_resume(run: Callable[..., Ran], tmp_path: Path) -> None:
    path, judge = episodes(tmp_path / "e.jsonl", 2), replies(tmp_path / "r.jsonl", 2)
    run("grade", path, "-J", judge, "-o", "out.jsonl")
    path.write_text(path.read_text().replace("Is it so?", "Is it really so?"))
    ran = run("grade", path, "-J", judge, "-o", "out.jsonl", "--resume")
    assert "from the earlier run" not in ran.out
    assert len({row["rubric"]["fingerprint"] for row in lines(tmp_path / "out.jsonl")}) == 1


def test_nothing_but_failures_stops_the_run_and_shows_examples(run: Callable[..., Ran], tmp_path: Path) -> None:
    path = episodes(tmp_path / "e.jsonl", 40)
    ran = run("grade", path, "-J", f"{replies(tmp_path / 'r.jsonl', 1)}", "-o", "out.jsonl", "--patience", 5)
    assert ran.code == 3
    assert "5 episodes in a row got no score" in ran.err
    assert len(lines(tmp_path / "out.jsonl")) == 6


def test_the_rubric_commands_help_in_writing_one(run: Callable[..., Ran], tmp_path: Path) -> None:
    assert "refund_reply" in run("rubric", "list").out
    assert "false_claim" in run("rubric", "show", "refund_reply").out
    assert run("rubric", "new", "my_reply").code == 0
    assert run("rubric", "lint", "my_reply.yaml").code == 0
    assert run("rubric", "new", "my_reply").code == 2
    assert json.loads(run("rubric", "schema").out)["$schema"]
    assert "no difference" in run("rubric", "diff", "refund_reply", "refund_reply").out
    (tmp_path / "bad.yaml").write_text("id: bad\ncriteria:\n- {id: a, ask: x, weight: 0}\n")
    bad = run("rubric", "lint", "bad.yaml")
    assert (bad.code, "no criterion has a positive weight" in bad.err) == (2, True)


def test_the_plan_says_calls_tokens_and_cost_and_sends_nothing(run: Callable[..., Ran]) -> None:
    ran = run("grade", GROUP, "-r", "refund_reply", "-J", "openai/gpt-5-mini", "--dry-run", "--json")
    plan = json.loads(ran.out)
    assert (plan["episodes"], plan["closed_by_code"]) == (8, 3)
    assert plan["judges"][0]["calls"] == 5
    assert plan["judges"][0]["usd"] > 0


def test_the_prompt_is_shown_as_it_would_be_sent(run: Callable[..., Ran]) -> None:
    ran = run("prompt", "a1", "--episodes", GROUP, "-r", "refund_reply")
    assert "[4] agent calls reply" in ran.out
    assert "Does the reply tell the customer that the refund takes 5-7 days to arrive?" in ran.out


def test_models_says_what_is_missing(run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "judge.toml").write_text('[judges.house]\nmodel = "openai/x"\nbase_url = "http://127.0.0.1:9/v1"\n')
    found = {row["name"]: row for row in json.loads(run("models", "--json").out)}
    assert found["house"]["usable"]
    assert "OPENAI_API_KEY" in found["openai"]["missing"]


SLOW_JUDGE = """
import asyncio, json
async def slow(prompt):
    await asyncio.sleep(0.05)
    return json.dumps({"verdicts": [{"id": c.id, "quotes": [], "reason": "r", "level": "yes"} for c in prompt.criteria]})
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["interrupt", "terminate"])
def test_an_interrupted_run_keeps_what_it_has_and_resumes(tmp_path: Path, how: int) -> None:
    (tmp_path / "slow_judge.py").write_text(SLOW_JUDGE)
    path = episodes(tmp_path / "e.jsonl", 200)
    command = [
        sys.executable,
        "-m",
        "judge",
        "grade",
        str(path),
        "-J",
        "scripted/slow_judge:slow",
        "-o",
        "out.jsonl",
        "-j",
        "2",
    ]
    env = {**os.environ, "RUBRIC_JUDGE_HOME": str(tmp_path / "home"), "PYTHONPATH": str(tmp_path)}
    process = subprocess.Popen(command, cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "out.jsonl").exists() or (tmp_path / "home").exists() is False:
        time.sleep(0.05)
    time.sleep(1.5)
    process.send_signal(how)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 3, err
    assert "interrupted" in err
    first = lines(tmp_path / "out.jsonl")
    assert 0 < len(first) < 200
    subprocess.run(
        [*command[:-1], "64", "--resume"], cwd=tmp_path, env=env, check=True, timeout=60, capture_output=True
    )
    assert [row["episode_id"] for row in lines(tmp_path / "out.jsonl")] == [f"e{n}" for n in range(200)]


def test_the_episodes_are_never_overwritten_by_their_own_records(run: Callable[..., Ran], tmp_path: Path) -> None:
    path = episodes(tmp_path / "e.jsonl", 2)
    before = path.read_text()
    for more in (("--force",), ("--resume",)):
        ran = run("grade", path, "-J", replies(tmp_path / "r.jsonl", 2), "-o", path, *more)
        assert (ran.code, path.read_text()) == (2, before)
    assert run("check", path, "-o", path, "--force").code == 2
    assert path.read_text() == before


def test_resuming_under_another_rubric_loses_no_earlier_record(run: Callable[..., Ran], tmp_path: Path) -> None:
    path, judge = episodes(tmp_path / "e.jsonl", 3), replies(tmp_path / "r.jsonl", 3)
    run("grade", path, "-J", judge, "-o", "out.jsonl")
    ran = run("grade", path, "-r", "refund_reply", "-J", judge, "-o", "out.jsonl", "--resume")
    assert "3 earlier record(s)" in ran.err
    assert len(lines(tmp_path / "out.jsonl.before")) == 3


@pytest.mark.parametrize(("order", "told"), [("aabb", 0), ("abab", 1), ("a-a-", 1), ("----", 0)])
def test_siblings_that_stand_apart_are_told_of_once(
    run: Callable[..., Ran], tmp_path: Path, order: str, told: int
) -> None:
    path = episodes(tmp_path / "e.jsonl", 4)
    rows = [{**row, **({"group_id": g} if g != "-" else {})} for row, g in zip(lines(path), order, strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ran = run("grade", path, "-J", replies(tmp_path / "r.jsonl", 4))
    assert ran.err.count("stand apart") == told


def test_a_misspelt_key_is_told_once(run: Callable[..., Ran], tmp_path: Path) -> None:
    path = episodes(tmp_path / "e.jsonl", 3, goal_stat={"a": []})
    ran = run("grade", path, "-J", replies(tmp_path / "r.jsonl", 3))
    assert ran.err.count("did you mean 'goal_state'?") == 1


def test_samples_are_copied_to_start_from(run: Callable[..., Ran], tmp_path: Path) -> None:
    assert run("samples").code == 0
    assert (tmp_path / "samples" / "refund_group.jsonl").exists()
    assert run("samples").code == 2


def test_the_version_is_told(run: Callable[..., Ran]) -> None:
    assert run("--version").out.startswith("rubric-judge ")


def test_without_a_judge_every_episode_is_still_checked(run: Callable[..., Ran], tmp_path: Path) -> None:
    ran = run("grade", episodes(tmp_path / "e.jsonl", 40), "-o", "out.jsonl", "--patience", 5)
    assert ran.code == 1
    assert "no --judge given" in ran.err
    assert len(lines(tmp_path / "out.jsonl")) == 40
