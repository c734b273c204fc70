"""HealthBench's meta-evaluation. The rows here are made by hand, with the fields that the published file has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judge.adapters.labels import BadRow, LeftOut, Naming, read_labels
from judge.adapters.labels.healthbench import tasks_of
from judge.errors import InputError
from rubrics.importing import from_healthbench
from tests.shared import shared


def row(rubric: str, labels: list[bool], *, prompt: str = "p1", completion: str = "x1") -> dict[str, object]:
    return {
        "prompt_id": prompt, "prompt": [{"role": "user", "content": "my head hurts"}], "completion": "Rest.", "completion_id": completion,
        "rubric": rubric, "category": "cluster:hedging", "binary_labels": labels,
        "anonymized_physician_ids": [f"ph{n}" for n in range(len(labels))],
    }  # fmt: skip


def written(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def test_every_physician_of_a_row_is_a_rater_of_the_completion(tmp_path: Path) -> None:
    path = written(
        tmp_path / "meta.jsonl",
        row("Asks how long.", [True, False]),
        row("Is short.", [True]),
        row("Asks how long.", [True], completion="x2"),
    )
    found = list(read_labels(path))
    assert [(x.episode, x.criterion, x.rater, x.level) for x in found] == [
        ("x1", "c1", "person:ph0", "yes"), ("x1", "c1", "person:ph1", "no"), ("x1", "c2", "person:ph0", "yes"),
        ("x2", "c1", "person:ph0", "yes"),
    ]  # fmt: skip


def test_with_the_prompts_own_rubric_criteria_have_the_ids_of_the_imported_rubric(tmp_path: Path) -> None:
    tasks = shared("data/healthbench_rubrics/items.jsonl")
    with tasks.open() as file:
        prompt = json.loads(file.readline())
    rubric = from_healthbench(prompt)
    texts = [item["criterion"] for item in prompt["rubrics"]]
    rows = [row(text, [True], prompt=prompt["prompt_id"]) for text in reversed(texts)]
    left: list[object] = []
    path = written(tmp_path / "meta.jsonl", *rows, row("Not in it.", [True], prompt=prompt["prompt_id"]))
    found = list(read_labels(path, tell=left.append, naming=Naming(tasks=tasks_of(tasks), rubric=rubric)))
    assert [x.criterion for x in found] == [criterion.id for criterion in reversed(rubric.leaves)]
    assert [remark.reason for remark in left if isinstance(remark, LeftOut)] == [
        "a criterion that the prompt's rubric does not hold"
    ]


def test_a_row_whose_lists_do_not_match_is_named(tmp_path: Path) -> None:
    bad: list[BadRow] = []
    broken = {**row("Asks.", [True]), "anonymized_physician_ids": []}
    assert not list(read_labels(written(tmp_path / "meta.jsonl", broken), on_bad=bad.append))
    assert "lists of the same length" in bad[0].message
    with pytest.raises(InputError, match="holds no rows of HealthBench"):
        tasks_of(tmp_path / "meta.jsonl")
