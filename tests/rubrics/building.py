"""Rubrics and verdicts for the tests of this folder, in one line each; and random ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from rubrics import Rubric, Verdict, load, verdict_on

PERSON = "person:ann"
# Rubrics are drawn freely and those that cannot score are thrown away; a busy machine is no failure.
randomly = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


def criterion(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "ask": f"Does {name} hold?", **more}


def flat(**weights: float) -> Rubric:
    """A rubric of yes/no questions with these weights."""
    return load({"id": "flat", "criteria": [criterion(name, weight=weight) for name, weight in weights.items()]})


def made(*criteria: Mapping[str, Any], **more: Any) -> Rubric:
    return load({"id": "made", "criteria": list(criteria), **more})


def answers(rubric: Rubric, **levels: str | None) -> list[Verdict]:
    """One verdict a criterion; None means looked, could not tell."""
    return [verdict_on(rubric.by_id[name], level, rater=PERSON) for name, level in levels.items()]


_WEIGHTS = st.sampled_from([-3, -1, 0, 1, 2, 5])
_SCALES = st.sampled_from(
    [
        None,
        [{"name": "low", "value": 0.1}, {"name": "high", "value": 0.8}],
        [{"name": "bad", "value": 0}, {"name": "fine", "value": 0.4}, {"name": "good", "value": 1}],
    ]
)


@st.composite
def _criteria(draw: st.DrawFn, name: str, gates: bool) -> dict[str, Any]:
    found = criterion(name, weight=draw(_WEIGHTS))
    if (levels := draw(_SCALES)) is not None:
        found["levels"] = levels
    if gates and found["weight"] >= 0 and draw(st.booleans()):
        found["gate"] = True
    found["may_not_apply"] = draw(st.booleans())
    return found


@st.composite
def contents(
    draw: st.DrawFn, *, gates: bool = True, section_weights: tuple[float, ...] = (-1, 0, 1, 3)
) -> dict[str, Any]:
    """What a file with up to six criteria in up to three nested sections holds; not all of them can score."""
    names = [f"c{i}" for i in range(draw(st.integers(1, 6)))]
    places = [draw(st.integers(0, 3)) for _ in names]
    within = [0, draw(st.integers(0, 1)), draw(st.integers(0, 2))]  # what section 1, 2 and 3 stand in; 0 is the top
    nodes: list[dict[str, Any]] = [{"id": "random"}]
    nodes += [{"id": f"s{i}", "weight": draw(st.sampled_from(section_weights))} for i in (1, 2, 3)]
    for name, place in zip(names, places, strict=True):
        nodes[place].setdefault("criteria", []).append(draw(_criteria(name, gates)))
    for place in (3, 2, 1):
        if "criteria" in nodes[place] or "sections" in nodes[place]:
            nodes[within[place - 1]].setdefault("sections", []).append(nodes[place])
    return nodes[0]
