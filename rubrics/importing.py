"""Rubrics of two public benchmarks, read as they are published."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rubrics.errors import RubricError
from rubrics.loading import rubric_from
from rubrics.rubric import MAX_DEPTH, Rubric
from rubrics.templates import literal


def from_healthbench(row: Mapping[str, Any]) -> Rubric:
    """The rubric of a HealthBench row: `rubrics: [{criterion, points, tags}]`, points below 0 being penalties.

    Criteria are named c1, c2, … in their order. The score is points met over positive points; it is clipped to [0, 1],
    and `raw` is what HealthBench averages before it clips. Raises RubricError.
    """
    name = str(row.get("prompt_id") or "row")
    where = f"HealthBench row {name[:80]}"
    items = row.get("rubrics")
    if not isinstance(items, list) or not items:
        raise RubricError(f"{where}: `rubrics` must be a list of {{criterion, points, tags}}")
    criteria = [_healthbench_criterion(item, place, where) for place, item in enumerate(items, start=1)]
    tags = row.get("example_tags") or []
    return rubric_from({"id": _identifier("healthbench", name), "tags": tags, "criteria": criteria}, where=where)


def _healthbench_criterion(item: Any, place: int, where: str) -> dict[str, Any]:
    if not isinstance(item, Mapping) or not isinstance(item.get("criterion"), str) or "points" not in item:
        raise RubricError(f"{where}: rubric item {place} needs `criterion` (text) and `points` (a number)")
    return {
        "id": f"c{place}",
        "ask": literal(item["criterion"]),
        "weight": item["points"],
        "tags": item.get("tags") or [],
    }


def from_paperbench(tree: Mapping[str, Any]) -> Rubric:
    """The rubric of a PaperBench tree: `{id, requirements, weight, sub_tasks}`, its leaves being yes/no criteria.

    Inner nodes become sections with the same ids; each is the weighted mean of what is in it. Raises RubricError.
    """
    name = str(tree.get("id") or "tree")
    where = f"PaperBench tree {name[:80]}"
    children = tree.get("sub_tasks")
    inside = _paperbench_children(children, where, 1) if children else {"criteria": [_paperbench_leaf(tree, where)]}
    title = tree.get("requirements") or ""
    return rubric_from({"id": _identifier("paperbench", name), "title": title, **inside}, where=where)


def _paperbench_children(children: Any, where: str, depth: int) -> dict[str, Any]:
    if not isinstance(children, list) or not all(isinstance(child, Mapping) for child in children):
        raise RubricError(f"{where}: `sub_tasks` must be a list of nodes")
    if depth > MAX_DEPTH:
        raise RubricError(f"{where}: is nested more than {MAX_DEPTH} deep")
    return {
        "criteria": [_paperbench_leaf(child, where) for child in children if not child.get("sub_tasks")],
        "sections": [
            {
                "id": child.get("id"),
                "title": child.get("requirements") or "",
                "weight": child.get("weight", 1),
                **_paperbench_children(child["sub_tasks"], where, depth + 1),
            }
            for child in children
            if child.get("sub_tasks")
        ],
    }


def _paperbench_leaf(node: Mapping[str, Any], where: str) -> dict[str, Any]:
    requirements = node.get("requirements")
    if not isinstance(requirements, str):
        raise RubricError(f"{where}: node {str(node.get('id'))[:80]!r} needs `requirements` (text)")
    tags = [node[key] for key in ("task_category", "finegrained_task_category") if node.get(key)]
    return {"id": node.get("id"), "ask": literal(requirements), "weight": node.get("weight", 1), "tags": tags}


def _identifier(prefix: str, name: str) -> str:
    return f"{prefix}_{re.sub('[^a-z0-9]+', '_', name.casefold()).strip('_') or 'unnamed'}"
