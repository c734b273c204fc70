"""`judge audit` and `judge watch`: what they print and return."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from calibration.calibrating import FitOptions, fit
from calibration.calibration import Calibration
from calibration.label import Label
from judge.cli import main
from judge.record import GradeRecord
from judge.store.ledger import Ledger
from tests.calibration.panels import Panel, records_of, simulate


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


def sample(n: int, seed: int, **more: Any) -> tuple[Panel, list[GradeRecord], list[Label]]:
    panel = simulate("corr", n, np.random.default_rng(seed))
    records = records_of(panel, **more)
    return panel, records, people(records, panel.truth)


def people(records: Iterable[GradeRecord], truth: Iterable[float]) -> list[Label]:
    return [
        Label(episode=record.episode_id, rater="ann", level="pass" if y else "fail")
        for record, y in zip(records, truth, strict=True)
    ]


@pytest.fixture(scope="module")
def fitted() -> Calibration:
    _, records, labels = sample(100, 1)
    return fit(records, labels, options=FitOptions(resamples=5))


def write(name: str, rows: Sequence[GradeRecord | Label]) -> Path:
    path = Path(name)
    path.write_text("".join(row.model_dump_json(by_alias=True) + "\n" for row in rows))
    return path


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fitted: Calibration
) -> Callable[..., Ran]:
    """Runs the command line in a folder with a calibration."""
    monkeypatch.setenv("RUBRIC_JUDGE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    Path("calibration.json").write_text(fitted.to_json())

    def command(name: str, *arguments: object) -> Ran:
        code = 0
        try:
            main([name, *map(str, arguments), "--calibration", "calibration.json"])
        except SystemExit as stop:
            code = int(stop.code or 0)
        return Ran(code, *capsys.readouterr())

    return command


def test_a_calibration_that_holds_for_fresh_labels_exits_with_0(run: Callable[..., Ran]) -> None:
    _, records, labels = sample(60, 2, policy="a")
    ran = run("audit", write("fresh.jsonl", labels), "--grades", write("grades.jsonl", records))
    assert ran.code == 0, ran
    assert "- No fault seen in rewards of policy a" in ran.out
    assert "holds" in ran.out


def test_a_policy_that_only_pleases_the_judges_exits_with_1_and_is_told_by_how_much(run: Callable[..., Ran]) -> None:
    panel, records, _ = sample(60, 2, policy="b", policy_step=800)
    labels = people(records, panel.truth * (np.arange(60) % 2))
    ran = run("audit", write("fresh.jsonl", labels), "--grades", write("grades.jsonl", records))
    assert ran.code == 1
    assert "Rewards of policy b at step 800 are 0." in ran.out
    assert "too high on average" in ran.out


def test_too_few_labels_exit_with_1_since_nothing_is_known(run: Callable[..., Ran]) -> None:
    _, records, labels = sample(60, 2)
    ran = run("audit", write("fresh.jsonl", labels[:10]), "--grades", write("grades.jsonl", records), "--json")
    (found,) = json.loads(ran.out)
    assert (ran.code, found["holds"], found["n"]) == (1, None, 10)


def test_the_labels_that_it_was_fitted_on_are_refused(run: Callable[..., Ran]) -> None:
    _, records, labels = sample(100, 1)
    ran = run("audit", write("old.jsonl", labels), "--grades", write("grades.jsonl", records))
    assert ran.code == 2
    assert "these are labels that calibration" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_without_a_file_the_latest_grades_of_the_ledger_are_audited(run: Callable[..., Ran]) -> None:
    _, records, labels = sample(40, 3)
    ledger = Ledger("store.db")
    for record in records:
        ledger.record(record)
    ledger.close()
    ran = run("audit", write("fresh.jsonl", labels), "--store", "store.db", "--json")
    assert json.loads(ran.out)[0]["n"] == 40
    assert run("audit", "fresh.jsonl", "--store", "empty.db").err.startswith("judge: the ledger empty.db has no grade")


def test_grades_of_other_episodes_are_bad_input(run: Callable[..., Ran]) -> None:
    _, records, _ = sample(5, 2)
    other = [Label(episode="x1", rater="ann", level="pass")]
    ran = run("audit", write("fresh.jsonl", other), "--grades", write("grades.jsonl", records))
    assert ran.code == 2
    assert "no grade of a labelled episode, such as x1" in ran.err


def test_grades_of_another_grader_are_refused_unless_accepted(run: Callable[..., Ran]) -> None:
    _, records, labels = sample(30, 2, method="n" * 16)
    arguments = ("audit", write("fresh.jsonl", labels), "--grades", write("grades.jsonl", records))
    assert run(*arguments).code == 2
    assert run(*arguments, "--accept-other-grader").code in (0, 1)


def anchored(passes: int, *, shift_from: int = 10_000) -> list[GradeRecord]:
    """A dozen anchors judged again and again by five judges with a little noise; from a pass on, all are more lenient."""
    rng = np.random.default_rng(0)
    base = rng.uniform(0.2, 0.6, (12, 5))
    found: list[GradeRecord] = []
    for n in range(1, passes + 1):
        values = np.clip(base + 0.03 * rng.standard_normal((12, 5)) + 0.2 * (n >= shift_from), 0, 1)
        found += records_of(Panel(values, np.zeros(12), np.zeros(12), np.arange(12)))
    return found


def test_steady_anchors_exit_with_0(run: Callable[..., Ran]) -> None:
    ran = run("watch", write("anchors.jsonl", anchored(34)))
    assert ran.code == 0, ran
    assert "- The panel is steady over 34 passes" in ran.out


def test_a_drift_exits_with_1_and_names_judge_and_pass(run: Callable[..., Ran]) -> None:
    ran = run("watch", write("anchors.jsonl", anchored(34, shift_from=32)), "--json")
    found = {one["judge"]: one for one in json.loads(ran.out)["drift"]}
    assert ran.code == 1
    assert found["panel"]["drifted_at"] == 32
    assert found["panel"]["change"]["value"] == pytest.approx(0.2, abs=0.02)


def test_another_grader_than_the_calibrations_exits_with_1_however_steady(run: Callable[..., Ran]) -> None:
    other = [record.model_copy(update={"method": "n" * 16}) for record in anchored(3)]
    ran = run("watch", write("anchors.jsonl", other))
    assert ran.code == 1
    assert "What else changed: method nnnnnnnnnnnnnnnn, calibrated was mmmmmmmmmmmmmmmm" in ran.out
    assert "8 more passes" in ran.out


def test_canaries_that_pass_exit_with_1_and_are_listed(run: Callable[..., Ran]) -> None:
    write("anchors.jsonl", anchored(12))
    bad = records_of(Panel(np.zeros((20, 5)), np.zeros(20), np.zeros(20), np.arange(20)))
    write("bad.jsonl", bad)
    assert run("watch", "anchors.jsonl", "--canaries", "bad.jsonl").code == 0
    good = records_of(Panel(np.ones((4, 5)), np.zeros(4), np.zeros(4), np.arange(4)))
    write("bad.jsonl", [*bad[4:], *good])
    ran = run("watch", "anchors.jsonl", "--canaries", "bad.jsonl")
    assert ran.code == 1
    assert "4 of 20 episodes that are known to be bad pass: e0, e1, e2, e3" in ran.out


def test_a_file_that_is_not_there_is_bad_input(run: Callable[..., Ran]) -> None:
    ran = run("watch", "nothing.jsonl")
    assert ran.code == 2
    assert "nothing.jsonl: no such file" in ran.err
