"""What other tools export, as their own libraries write it (see `real.py`), and what of it is a person's label."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from calibration.label import Label
from judge.adapters.labels import BadRow, LeftOut, Naming, Told, read_labels
from tests.judge.labels.real import ANN, BEN, EXPORTS

ANY = "person:"


def read(path: Path, **naming: Any) -> tuple[list[Label], list[BadRow], Counter[str], list[str]]:
    bad: list[BadRow] = []
    told: list[LeftOut | Told] = []
    found = list(read_labels(path, on_bad=bad.append, tell=told.append, naming=Naming(**naming)))
    left = Counter(remark.reason for remark in told if isinstance(remark, LeftOut))
    return found, bad, left, [remark.message for remark in told if isinstance(remark, Told)]


def answers(labels: list[Label]) -> list[tuple[Any, ...]]:
    return [
        (x.episode, x.criterion, x.rater.removeprefix(ANY), x.level if x.level is not None else x.value) for x in labels
    ]


@pytest.mark.parametrize("path", sorted(EXPORTS.iterdir()), ids=lambda path: path.stem)
def test_every_export_is_known_by_its_look(path: Path) -> None:
    form = {"label_studio": "label-studio"}.get(path.stem, path.stem.split("_")[0])
    assert read(path)[3][0] == f"{path.name}: read as {form}"


def test_label_studio_brings_answers_notes_raters_and_the_sampling_of_the_task() -> None:
    found, bad, left, told = read(
        EXPORTS / "label_studio.json",
        criteria={"stars": "tone", "remarks": "tone_note"},
        overall=frozenset({"verdict"}),
    )
    assert answers(found) == [
        ("a1", "amount", "7", "yes"), ("a1", "tone", "7", "4"), ("a1", "share", "7", "0.5"), ("a1", None, "7", "pass"),
        ("a1", "amount", "ben@example.com", "no"),
    ]  # fmt: skip
    assert [x.note for x in found] == ["states 48.00", "hm", "", "", ""]
    assert found[0].inclusion == 0.25
    assert found[0].at is not None
    assert found[0].place == "label_studio.json item 1, annotation 11, amount"
    assert left == {
        "a model's prediction, not a person's answer": 2,
        "skipped by the annotator": 1,
        "rejected in review": 1,
    }
    assert "no `episode_id` (keys: reply); say which names the episode: --episode-field" in bad[0].message
    assert "1 annotation(s) marked as ground truth" in told[-1]


def test_label_studio_tasks_may_name_their_episode_by_another_field() -> None:
    found, bad, _, _ = read(EXPORTS / "label_studio.json", episode="id")
    assert not bad
    assert {x.episode for x in found} == {"1", "2"}


def test_a_text_without_a_home_and_the_reduced_export_are_told(tmp_path: Path) -> None:
    assert (
        read(EXPORTS / "label_studio.json")[2][
            "a text; to read it as the note of a criterion: --criterion NAME=ID_note"
        ]
        == 1
    )
    path = tmp_path / "min.json"
    path.write_text('[{"id": 1, "annotation_id": 2, "annotator": 3, "amount": "yes"}]')
    bad: list[BadRow] = []
    assert not list(read_labels(path, form="label-studio", on_bad=bad.append))
    assert "JSON-MIN, which mixes data with answers; export as JSON" in bad[0].message


@pytest.mark.parametrize("name", ["argilla_flat", "argilla_nested"])
def test_argilla_brings_submitted_responses_with_their_notes(name: str) -> None:
    found, bad, left, told = read(EXPORTS / f"{name}.json")
    drafts = name == "argilla_nested"  # this export does not say what was submitted
    assert sorted(map(str, answers(found))) == sorted(
        map(str, [
            ("a1", "amount", ANN, "yes"), ("a1", "amount", BEN, "no"), ("a1", "tone", ANN, "4"), ("a1", None, ANN, "pass"),
            ("a2", "tone", BEN, "1"), *([("a2", "amount", ANN, "yes")] if drafts else []),
        ])
    )  # fmt: skip
    assert {x.note for x in found if x.criterion == "amount" and x.rater == ANY + ANN and x.episode == "a1"} == {
        "states 48.00"
    }
    assert {(x.inclusion, x.stratum) for x in found if x.episode == "a1"} == {(0.25, "passes")}
    assert "2 answers, expected one" in bad[0].message
    assert left == (
        {"a response without an answer": 1} if drafts else {"a response still in draft": 1, "a discarded response": 1}
    )
    assert any("does not say which responses were submitted" in message for message in told) == drafts


def test_argilla_records_of_the_server_are_read_too() -> None:
    found, _, left, _ = read(EXPORTS / "argilla_server.json")
    assert answers(found) == [("a1", "amount", ANN, "yes"), ("a1", "tone", ANN, "4")]
    assert left == {"a response still in draft": 1}


def test_langfuse_brings_what_people_annotated_on_traces() -> None:
    found, bad, left, _ = read(EXPORTS / "langfuse_v2.json")
    assert not bad
    assert answers(found) == [("t1", "amount", "ann", "yes"), ("t1", "tone", "ann", "warm"), ("t1", None, "ann", 0.75)]
    assert found[0].note == "states 48.00"
    assert sum(left.values()) == 5
    assert left["of source EVAL: an evaluator's or a program's, not a person's annotation"] == 1
    assert any("--episode-field observationId" in reason for reason in left)


def test_langfuse_scores_of_version_3_say_the_same_otherwise() -> None:
    found, _, left, _ = read(EXPORTS / "langfuse_v3.json")
    assert answers(found) == [("t1", "amount", "ann", "no"), ("t1", "tone", "ann", "warm"), ("t1", "stars", "ann", "4")]
    assert sum(left.values()) == 1
    by_observation, _, _, _ = read(EXPORTS / "langfuse_v3.json", episode="observationId", rater="x")
    assert ("o1", "amount", "ann", "yes") in answers(by_observation)


@pytest.mark.parametrize(("name", "episode"), [("mlflow_assessments", "tr-1"), ("mlflow_trace", "a1")])
def test_mlflow_brings_people_only_and_counts_the_others(name: str, episode: str) -> None:
    found, bad, left, _ = read(EXPORTS / f"{name}.json")
    assert not bad
    assert answers(found) == [
        (episode, "amount", "ann@example.com", "yes"), (episode, "tone", "ann@example.com", "4"),
        ("a1", None, "ben@example.com", "pass"),
    ]  # fmt: skip
    assert (found[0].note, found[2].inclusion) == ("states 48.00", 0.25)
    assert left["of source LLM_JUDGE: a model's or a program's verdict, not a person's"] == 1
    assert left["of source CODE: a model's or a program's verdict, not a person's"] == 1
    if name == "mlflow_assessments":
        assert left["overridden by a later assessment"] == left["failed, so that it says nothing"] == 1
        assert len(read(EXPORTS / f"{name}.json", criteria={"expected_response": "stated"})[0]) == 4


def test_of_an_inspect_log_only_what_people_edited_counts_unless_the_caller_knows_better() -> None:
    found, _, left, _ = read(EXPORTS / "inspect_log.json", criteria={"match": "right"})
    assert answers(found)[:1] == [("a1", "right", "ann", "yes")]
    assert found[0].note == "right all the same"
    found, bad, left, _ = read(EXPORTS / "inspect_log.json", overall=frozenset({"people"}))
    assert answers(found) == [
        ("a1", "match", "ann", "yes"), ("a1", None, "cleo", "pass"), ("a2", "amount", "ben", "yes"), ("a2", "tone", "ben", "4"),
    ]  # fmt: skip
    assert bad[0].message == "no `rater`: say whose answer it is, or name the person with --rater"
    assert {reason.split(":")[0] for reason in left} == {"scorer match", "scorer broken"}


def test_an_edit_that_leaves_the_value_alone_makes_nobody_its_rater(tmp_path: Path) -> None:
    log = json.loads((EXPORTS / "inspect_log.json").read_text())
    for sample in log["samples"]:
        for score in sample["scores"].values():
            for edit in score.get("history", []):
                edit["value"] = "UNCHANGED"
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    assert not read(path)[0]


def test_samples_of_a_log_with_epochs_are_episodes_of_their_own(tmp_path: Path) -> None:
    log = json.loads((EXPORTS / "inspect_log.json").read_text())
    log["eval"]["config"]["epochs"] = 2
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    assert {x.episode for x in read(path)[0]} == {"a1/1", "a2/1"}
    assert {x.episode for x in read(path, episode="uuid")[0]} == {"a1-1", "a2-1"}


def test_precomputed_scores_are_right_wrong_or_half_right(tmp_path: Path) -> None:
    rows = [
        {"id": "a1", "value": "C", "explanation": "fine", "metadata": {"rater": "ann"}},
        {"id": 2, "value": "P", "epoch": 3, "metadata": {"rater": "ann"}},
        {"id": "a3", "value": {"amount": "I", "tone": 4}, "metadata": {"rater": "ann"}},
        {"id": "a4", "value": "C"},
    ]
    path = tmp_path / "scores.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found, bad, _, _ = read(path)
    assert answers(found) == [
        ("a1", None, "ann", "pass"), ("2/3", None, "ann", 0.5), ("a3", "amount", "ann", "no"), ("a3", "tone", "ann", "4"),
    ]  # fmt: skip
    assert found[0].note == "fine"
    assert "--rater" in bad[0].message


CASES = {
    "target.csv": "id,target,split\nt1,true,dev\nt2,False,\n\"t3,t4\",true,test\n",
    "targets.csv": "id,target_amount,target_tone\nt1,yes,4\nt2,,1\n",
    "labels.jsonl": '{"id": "t1", "labels": {"amount": true}}\n',
    "nested.json": '[{"split": "dev", "cases": [{"id": "t1", "target": true}]},'
    ' {"split": "test", "cases": [{"id": "t2", "target": {"amount": "no"}}]}]',
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("target.csv", [("t1", None, "pass", "tuning"), ("t2", None, "fail", None)]),
        ("targets.csv", [("t1", "amount", "yes", None), ("t1", "tone", "4", None), ("t2", "tone", "1", None)]),
        ("labels.jsonl", [("t1", "amount", "yes", None)]),
        ("nested.json", [("t1", None, "pass", "tuning"), ("t2", "amount", "no", None)]),
    ],
)
def test_cases_of_scout_are_labels_and_those_it_was_tuned_on_stay_marked(
    tmp_path: Path, name: str, expected: list[tuple[Any, ...]]
) -> None:
    path = tmp_path / name
    path.write_text(CASES[name])
    found, _, left, told = read(path, rater="ann")
    assert [(x.episode, x.criterion, x.level, x.used_for) for x in found] == expected
    assert left == ({"a case about several transcripts": 1} if name == "target.csv" else {})
    assert any("split dev: read as labels used for tuning" in message for message in told) == ("dev" in CASES[name])


def test_a_question_that_stands_for_no_criterion_is_left_out_and_said() -> None:
    _, _, left, _ = read(EXPORTS / "langfuse_v2.json", criteria={"tone": "how warm?"})
    assert left["'how warm?' is no criterion's id; say which it is: --criterion NAME=ID, or --overall NAME"] == 1
