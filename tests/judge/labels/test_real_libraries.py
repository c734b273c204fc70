"""Both ways with the real libraries, where they are installed: what they write is what is kept here, what we write they read."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from calibration.label import Label
from judge.adapters.labels import read_labels, write_labels
from tests.judge.labels.real import EXPORTS, INTERFACE, MAKERS

LABELS = [
    Label(
        episode="a1",
        criterion="amount",
        rater="ann",
        level="yes",
        note="states 48.00",
        inclusion=0.25,
        stratum="passes",
    ),
    Label(episode="a1", rater="ann", level="pass"),
    Label(episode="a2", criterion="amount", rater="ann", level="no"),
    Label(episode="a2", criterion="share", rater="ann", value=0.5),
]


def written(folder: Path, form: str, name: str = "labels.json") -> Path:
    write_labels(LABELS, folder / name, form)
    return folder / name


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("package", sorted(MAKERS))
def test_the_files_kept_here_are_read_as_those_the_library_writes_now(package: str, tmp_path: Path) -> None:
    pytest.importorskip(package)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = MAKERS[package]()
    for name, content in made.items():
        path = tmp_path / name
        path.write_text(json.dumps(content, indent=1))
        bad: tuple[list[object], list[object]] = ([], [])
        new, kept = (
            list(read_labels(p / name, on_bad=b.append)) for p, b in zip((tmp_path, EXPORTS), bad, strict=True)
        )
        assert kept
        assert (new, bad[0]) == (kept, bad[1])


def test_argilla_takes_our_records(tmp_path: Path) -> None:
    rg = pytest.importorskip("argilla")
    records = [rg.Record.from_dict(record) for record in json.loads(written(tmp_path, "argilla").read_text())]
    assert [(r.id, [(x.question_name, x.value, x.user_id) for x in r.responses]) for r in records] == [
        ("a1", [("amount", "yes", "ann"), ("amount_note", "states 48.00", "ann"), ("overall", "pass", "ann")]),
        ("a2", [("amount", "no", "ann")]),
    ]
    assert dict(records[0].metadata) == {"inclusion_probability": 0.25, "stratum": "passes"}


def test_langfuse_takes_our_scores(tmp_path: Path) -> None:
    requests = pytest.importorskip("langfuse.api.scores.types.create_score_request")
    parsing = pytest.importorskip("langfuse.api.core.pydantic_utilities")
    sent = [parsing.parse_obj_as(requests.CreateScoreRequest, row) for row in rows(written(tmp_path, "langfuse"))]
    assert [(s.trace_id, s.name, s.value, s.data_type.value, s.comment) for s in sent] == [
        ("a1", "amount", "yes", "CATEGORICAL", "states 48.00"), ("a1", "overall", "pass", "CATEGORICAL", None),
        ("a2", "amount", "no", "CATEGORICAL", None), ("a2", "share", 0.5, "NUMERIC", None),
    ]  # fmt: skip
    assert len({s.id for s in sent}) == 4


def test_mlflow_takes_our_feedback(tmp_path: Path) -> None:
    entities = pytest.importorskip("mlflow.entities")
    given = [entities.Feedback.from_dictionary(row) for row in rows(written(tmp_path, "mlflow"))]
    assert [(f.trace_id, f.name, f.value, f.source.source_type, f.source.source_id, f.rationale) for f in given] == [
        ("a1", "amount", "yes", "HUMAN", "ann", "states 48.00"), ("a1", "overall", "pass", "HUMAN", "ann", None),
        ("a2", "amount", "no", "HUMAN", "ann", None), ("a2", "share", 0.5, "HUMAN", "ann", None),
    ]  # fmt: skip
    back = tmp_path / "back.json"
    back.write_text(json.dumps([f.to_dictionary() for f in given]))
    assert [x.model_copy(update={"place": ""}) for x in read_labels(back)] == LABELS


def test_inspect_takes_our_scores(tmp_path: Path) -> None:
    precomputed = pytest.importorskip("inspect_ai.scorer._precomputed")
    found = precomputed._read_scores_file(str(written(tmp_path, "inspect", "scores.jsonl")))
    assert {key: score.value for key, score in found.items()} == {
        ("a1", None): {"amount": "yes", "overall": "C"},
        ("a2", None): {"amount": "no", "share": 0.5},
    }


def test_scout_takes_our_cases(tmp_path: Path) -> None:
    scout = pytest.importorskip("inspect_scout")
    write_labels([label for label in LABELS if label.criterion is None], tmp_path / "one.csv", "scout")
    assert [(c.id, c.target) for c in scout.validation_set(tmp_path / "one.csv").cases] == [("a1", True)]
    cases = scout.validation_set(written(tmp_path, "scout", "cases.csv")).cases
    assert [c.id for c in cases] == ["a1", "a2"]
    assert cases[0].target["overall"] is True
    assert cases[1].target["share"] == 0.5


def test_label_studio_takes_our_annotations(tmp_path: Path) -> None:
    interfaces = pytest.importorskip("label_studio_sdk.label_interface")
    interface = interfaces.LabelInterface(INTERFACE)
    tasks = json.loads(written(tmp_path, "label-studio").read_text())
    for annotation in (annotation for task in tasks for annotation in task["annotations"]):
        assert interface.validate_annotation(annotation)
        wrong = {**annotation["result"][0], "value": {"choices": ["perhaps"]}}
        assert not interface.validate_annotation({**annotation, "result": [wrong]})
