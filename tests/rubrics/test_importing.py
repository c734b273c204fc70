"""Rubrics of HealthBench and PaperBench: on the published data, and on what is broken."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rubrics import RubricError, fill, score, verdict_on
from rubrics.importing import from_healthbench, from_paperbench
from tests.rubrics.building import PERSON
from tests.shared import shared

ROW = {
    "prompt_id": "24F9-a6e7",
    "rubrics": [
        {"criterion": "Asks for {{ context }} and {% more %}.", "points": 7, "tags": ["axis:context"]},
        {"criterion": "States a wrong dose.", "points": -5, "tags": []},
        {"criterion": "Is short.", "points": 3},
    ],
}
TREE = {
    "id": "root",
    "requirements": "The paper is reproduced.",
    "weight": 1,
    "sub_tasks": [
        {"id": "leaf", "requirements": "It runs.", "weight": 1, "task_category": "Code Development", "sub_tasks": []},
        {
            "id": "inner",
            "requirements": "The results match.",
            "weight": 3,
            "sub_tasks": [
                {"id": "one", "requirements": "Table 1 matches.", "weight": 1},
                {"id": "two", "requirements": "Table 2 matches.", "weight": 0},
            ],
        },
    ],
}


def test_a_healthbench_row_is_a_rubric_of_points() -> None:
    rubric = from_healthbench(ROW)
    assert rubric.id == "healthbench_24f9_a6e7"
    assert [(c.id, c.weight, c.tags) for c in rubric.leaves] == [
        ("c1", 7.0, ("axis:context",)),
        ("c2", -5.0, ()),
        ("c3", 3.0, ()),
    ]


def test_braces_in_what_was_imported_are_no_names_to_fill_in() -> None:
    assert fill(from_healthbench(ROW), {}).leaves[0].ask == "Asks for {{ context }} and {% more %}."


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"prompt_id": "x"}, "HealthBench row x: `rubrics` must be a list"),
        ({"prompt_id": "x", "rubrics": []}, "HealthBench row x: `rubrics` must be a list"),
        ({"rubrics": [{"points": 1}]}, "HealthBench row row: rubric item 1 needs `criterion`"),
        ({"rubrics": [{"criterion": "c", "points": "7"}]}, "criterion 'c1', weight: must be a number, got '7'"),
        ({"rubrics": [{"criterion": "c", "points": -7}]}, "no criterion has a positive weight"),
    ],
    ids=["no rubrics", "empty", "no criterion", "text", "penalties only"],
)
def test_a_broken_row_is_refused_in_words(row: dict[str, Any], message: str) -> None:
    with pytest.raises(RubricError) as refused:
        from_healthbench(row)
    assert message in str(refused.value)


def test_a_paperbench_tree_is_sections_and_leaves() -> None:
    rubric = from_paperbench(TREE)
    assert rubric.id == "paperbench_root"
    assert rubric.shares == {"leaf": 0.25, "one": 0.75, "two": 0.0}
    assert rubric.by_id["leaf"].tags == ("Code Development",)
    assert rubric.sections[0].title == "The results match."


def test_a_tree_of_one_leaf_is_a_rubric_of_one_criterion() -> None:
    assert [c.id for c in from_paperbench(TREE["sub_tasks"][0]).leaves] == ["leaf"]  # type: ignore[index]


def test_an_unjudged_leaf_leaves_every_node_above_it_unknown() -> None:
    rubric = from_paperbench(TREE)
    grade = score(rubric, [verdict_on(rubric.by_id["leaf"], "yes", rater=PERSON)])
    assert (grade.score, grade.low, grade.high) == (None, 0.25, 1.0)


def deep(depth: int) -> dict[str, Any]:
    node: dict[str, Any] = {"id": "leaf", "requirements": "It runs.", "weight": 1}
    for level in range(depth):
        node = {"id": f"n{level}", "requirements": "r", "weight": 1, "sub_tasks": [node]}
    return node


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({"id": "x", "sub_tasks": [{"id": "a"}]}, "PaperBench tree x: node 'a' needs `requirements`"),
        ({"id": "x", "sub_tasks": ["a"]}, "PaperBench tree x: `sub_tasks` must be a list of nodes"),
        ({"id": "x", "sub_tasks": [{"requirements": "r"}]}, "criterion 1, id: must be text, got None"),
        (deep(10_000), "is nested more than 50 deep"),
    ],
    ids=["no text", "no node", "no id", "deep"],
)
def test_a_broken_tree_is_refused_in_words(tree: dict[str, Any], message: str) -> None:
    with pytest.raises(RubricError) as refused:
        from_paperbench(tree)
    assert message in str(refused.value)


def nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield tree
    for child in tree.get("sub_tasks") or []:
        yield from nodes(child)


PAPERS = ["all-in-one", "rice", "semantic-self-consistency", "stay-on-topic-with-classifier-free-guidance"]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_inner_node_of_a_published_tree_has_its_published_score(paper: str) -> None:
    tree = json.loads(shared(f"data/paperbench_trees/{paper}.json").read_text(encoding="utf-8"))
    inner = [node for node in nodes(tree) if node.get("sub_tasks")]
    for node in inner:
        rubric = from_paperbench(node)
        met = {leaf["id"]: "yes" if leaf["score"] == 1 else "no" for leaf in nodes(node) if not leaf.get("sub_tasks")}
        grade = score(rubric, [verdict_on(c, met[c.id], rater=PERSON) for c in rubric.leaves])
        assert grade.score == pytest.approx(node["score"], abs=1e-6), node["id"]
    assert len(inner) > 20


def healthbench_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_published_healthbench_rubric_scores_as_points_met_over_positive_points() -> None:
    rng = random.Random(7)
    rows = healthbench_rows(shared("data/healthbench_rubrics/items.jsonl"))
    assert len(rows) == 344
    negative = 0
    for row in rows:
        rubric = from_healthbench(row)
        assert [fill(rubric, {}).by_id[f"c{n}"].ask for n in (1,)] == [row["rubrics"][0]["criterion"].strip()]
        for _ in range(5):
            met = [rng.random() < 0.5 for _ in row["rubrics"]]
            points = sum(item["points"] for item, yes in zip(row["rubrics"], met, strict=True) if yes)
            possible = sum(item["points"] for item in row["rubrics"] if item["points"] > 0)
            verdicts = [
                verdict_on(c, "yes" if yes else "no", rater=PERSON) for c, yes in zip(rubric.leaves, met, strict=True)
            ]
            grade = score(rubric, verdicts)
            assert grade.raw == pytest.approx(points / possible, abs=1e-9)
            assert grade.score == pytest.approx(min(1.0, max(0.0, points / possible)), abs=1e-9)
            negative += points < 0
    assert negative > 0
