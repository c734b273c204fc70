"""`judge label`: what it prints, stores, writes and returns."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from judge.cli import main
from tests.judge.labels.real import EXPORTS


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Runs `judge label` with a home of its own, in a folder with a file of labels."""
    monkeypatch.setenv("RUBRIC_JUDGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    Path("labels.csv").write_text(LABELS)

    def command(*arguments: object) -> Ran:
        code = 0
        try:
            main(["label", *map(str, arguments)])
        except SystemExit as stop:
            code = int(stop.code or 0)
        return Ran(code, *capsys.readouterr())

    return command


LABELS = (
    "episode_id,criterion,rater,level,note\n"
    "a1,refund_made,ann,yes,see step 4\n"
    "a1,refund_made,ben,no,\n"
    "a2,refund_made,ann,cannot_tell,\n"
    "a1,,ann,pass,\n"
)


def test_an_import_says_what_it_found_and_stores_it_once(run: Callable[..., Ran]) -> None:
    first = run("import", "labels.csv", "--rubric", "refund_reply")
    assert first.code == 0
    assert "labels.csv: 4 labels of 2 rater(s) on 2 episode(s); 4 new, 0 there already" in first.out
    (row,) = (line.split() for line in first.out.splitlines() if line.startswith("refund_made"))
    assert row == ["refund_made", "3", "2", "2", "0.50", "1", "50%", "no", "1,", "yes", "1"]
    assert "0 new, 4 there already" in run("import", "labels.csv").out


def test_bad_rows_are_named_the_rest_is_kept_and_the_exit_code_says_so(run: Callable[..., Ran], tmp_path: Path) -> None:
    Path("bad.csv").write_text(LABELS + ",refund_made,ann,yes,\na3,refund_made,ann,perhaps,\n" + "a4,,ann,,\n" * 25)
    ran = run("import", "bad.csv", "-r", "refund_reply")
    assert ran.code == 1
    assert "4 new" in ran.out
    assert "judge: bad.csv line 6: no `episode_id`" in ran.err
    assert "judge: bad.csv line 7: 'perhaps' for 'refund_made', expected one of ['no', 'yes']" in ran.err
    assert "and 7 more rows that could not be read" in ran.err
    Path("worse.csv").write_text("episode_id,rater,level\na1,,pass\n")
    worse = run("import", "worse.csv")
    assert (worse.code, "no label could be read" in worse.err) == (2, True)
    assert run("import", "none.csv").code == 2
    assert run("import", "labels.csv", "--from", "xls").err.startswith("judge: form 'xls': expected one of")


def test_contradictions_with_what_is_stored_are_listed_with_their_places(run: Callable[..., Ran]) -> None:
    run("import", "labels.csv")
    Path("later.csv").write_text("episode_id,criterion,rater,level\na1,refund_made,ann,no\n")
    ran = run("import", "later.csv")
    assert ran.code == 0
    assert "a1/refund_made: person:ann said 'yes' (labels.csv line 2) and 'no' (later.csv line 2)" in ran.out
    found = run("conflicts")
    assert (found.code, found.out.count("\n")) == (1, 1)
    assert json.loads(run("conflicts", "--json").out)[0]["answers"][1]["place"] == "later.csv line 2"
    assert run("conflicts", "--labels", "labels.csv") == (0, "no conflicts\n", "")


def test_machines_get_all_of_it_as_json(run: Callable[..., Ran]) -> None:
    ran = run("import", EXPORTS / "langfuse_v2.json", "--json", "--dry-run")
    found = json.loads(ran.out)
    assert ran.code == 0
    assert (found["labels"], found["new"]) == (3, None)
    assert {row["criterion"]: row["labels"] for row in found["questions"]} == {None: 1, "amount": 1, "tone": 1}
    assert sum(row["count"] for row in found["left_out"]) == 5
    assert found["remarks"] == ["langfuse_v2.json: read as langfuse"]
    assert run("list").code == 2


def test_what_is_left_out_is_counted_by_reason(run: Callable[..., Ran]) -> None:
    out = run("import", EXPORTS / "mlflow_assessments.json").out
    assert (
        "left out: 1: of source LLM_JUDGE: a model's or a program's verdict, not a person's (mlflow_assessments.json item 4)"
        in out
    )


def test_the_options_say_what_the_words_of_a_file_mean(run: Callable[..., Ran]) -> None:
    ran = run(
        "import", EXPORTS / "label_studio.json", "--criterion", "stars=tone", "--criterion", "remarks=tone_note",
        "--overall", "verdict", "--level", "pass=fail", "--episode-field", "id", "--used-for", "tuning", "--json",
    )  # fmt: skip
    questions = {row["criterion"]: row for row in json.loads(ran.out)["questions"]}
    assert set(questions) == {None, "amount", "tone", "share"}
    assert questions[None]["answers"] == {"fail": 1}
    assert questions[None]["used"] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--criterion", "tone"], "--criterion 'tone': expected THEIRS=OURS"),
        (["--level", "=x"], "--level '=x': expected THEIRS=OURS"),
        (["--used-for", "fun"], "--used-for 'fun': expected one of tuning, example"),
        (
            ["-r", "refund_reply", "--criterion", "x=tune"],
            "--criterion x=tune: rubric refund_reply has right_state, amount",
        ),
    ],
)
def test_an_option_that_says_nothing_is_one_sentence(run: Callable[..., Ran], options: list[str], message: str) -> None:
    ran = run("import", "labels.csv", *options)
    assert ran.code == 2
    assert ran.err.startswith(f"judge: {message}")


def test_labels_come_from_standard_input(run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"episode_id,level\na1,pass\n")))
    assert "1 new" in run("import", "-", "--rater", "ann").out


@pytest.mark.parametrize("form", ["csv", "jsonl", "label-studio", "langfuse", "mlflow", "argilla"])
def test_what_is_exported_can_be_imported_elsewhere(run: Callable[..., Ran], form: str) -> None:
    run("import", "labels.csv")
    ran = run("export", "--to", form, "-o", "out")
    assert (ran.code, ran.err) == (0, "judge: out: 4 labels\n")
    again = run("import", "out", "--store", "other.db", "--json")
    assert (again.code, json.loads(again.out)["new"]) == (0, 4)
    assert run("export", "--to", form, "-o", "out").err.startswith("judge: out exists; use --force")
    assert run("export", "--to", form, "-o", "out", "--force").code == 0


def test_an_export_goes_to_stdout_or_by_its_ending_and_can_be_narrowed(run: Callable[..., Ran]) -> None:
    ran = run("export", "--labels", "labels.csv", "--criterion", "", "--rater", "ann")
    assert ran.out.splitlines()[1:] == ["a1,,ann,pass,,,,,,"]
    run("export", "--labels", "labels.csv", "-o", "out.jsonl")
    assert json.loads(Path("out.jsonl").read_text().splitlines()[0])["note"] == "see step 4"
    assert "none of 4 labels is of criterion" in run("export", "--labels", "labels.csv", "--rater", "cleo").err


def test_what_the_form_cannot_hold_is_told(run: Callable[..., Ran]) -> None:
    ran = run("export", "--labels", "labels.csv", "--to", "inspect", "--rater", "ann", "-o", "scores.jsonl")
    assert ran.code == 1
    assert "left out: 1 cannot_tell, for which Inspect has no word (labels.csv line 4)" in ran.err
    assert run("export", "--labels", "labels.csv", "--to", "inspect").code == 2
    assert run("export", "--labels", "labels.csv", "-o", "no/such/folder.csv").err.startswith(
        "judge: no/such/folder.csv: can't be written"
    )


def test_labels_are_counted_per_question(run: Callable[..., Ran]) -> None:
    Path("stars.csv").write_text("episode_id,criterion,rater,level\na1,method,ann,yes\na2,stars,ann,4\n")
    run("import", "stars.csv")
    rows = {row["criterion"]: row for row in json.loads(run("list", "--json").out)}
    assert (rows["method"]["base_rate"], rows["stars"]["base_rate"]) == (1.0, None)
    assert "stars" in run("list", "--labels", "stars.csv", "--rubric", "refund_reply").out
