"""Going on with an output file: nothing that was paid for is lost, and siblings stay together."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.judge.test_cli import Ran, episodes, lines, replies, run

__all__ = ["run"]


def without(path: Path, *names: str) -> None:
    rows = [json.dumps(row) for row in lines(path) if row["episode_id"] not in names]
    path.write_text("".join(f"{row}\n" for row in rows))


def test_a_resumed_run_that_is_stopped_keeps_earlier_records_that_waited_for_their_turn(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    path, out = episodes(tmp_path / "e.jsonl", 6), tmp_path / "out.jsonl"
    run("grade", path, "-J", replies(tmp_path / "r.jsonl", 6), "-o", out)
    without(out, "e0")
    recording = tmp_path / "r.jsonl"
    recording.write_text("\n".join(recording.read_text().splitlines()[1:]) + "\n")
    ran = run("grade", path, "-J", f"recorded/{recording}", "-o", out, "--resume", "--patience", 1)
    assert ran.code == 3
    assert {row["episode_id"] for row in lines(out) if row["score"] is not None} == {"e1", "e2", "e3", "e4", "e5"}
    ran = run("grade", path, "-J", replies(recording, 6), "-o", out, "--resume")
    assert "(5 from the earlier run)" in ran.out
    assert [row["episode_id"] for row in lines(out)] == [f"e{n}" for n in range(6)]


def test_siblings_are_graded_again_together_so_that_one_panel_judges_them(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    path, out = episodes(tmp_path / "e.jsonl", 3, group_id="g"), tmp_path / "out.jsonl"
    judge = replies(tmp_path / "r.jsonl", 3)
    run("grade", path, "-J", judge, "-o", out)
    without(out, "e1")
    ran = run("grade", path, "-J", judge, "-o", out, "--resume")
    assert ran.code == 0
    assert "from the earlier run" not in ran.out
    assert [row["episode_id"] for row in lines(out)] == ["e0", "e1", "e2"]
    assert not (tmp_path / "out.jsonl.before").exists()


def test_a_limit_on_a_resumed_run_loses_nothing(run: Callable[..., Ran], tmp_path: Path) -> None:
    path, out = episodes(tmp_path / "e.jsonl", 6), tmp_path / "out.jsonl"
    judge = replies(tmp_path / "r.jsonl", 6)
    run("grade", path, "-J", judge, "-o", out)
    run("grade", path, "-J", judge, "-o", out, "--resume", "--limit", 2)
    ran = run("grade", path, "-J", judge, "-o", out, "--resume")
    assert "(6 from the earlier run)" in ran.out
    assert len(lines(out)) == 6


def test_a_store_that_cannot_be_used_is_told_before_the_output_is_touched(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    path, out = episodes(tmp_path / "e.jsonl", 2), tmp_path / "out.jsonl"
    out.write_text("earlier\n")
    (tmp_path / "store.db").write_text("no database" * 1000)
    judge = replies(tmp_path / "r.jsonl", 2)
    ran = run("grade", path, "-J", judge, "-o", out, "--force", "--store", tmp_path / "store.db")
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert out.read_text() == "earlier\n"
