"""Library rubrics with something broken at random: refused in words, or sound enough for everything that reads rubrics."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrics import RubricError, fill, library, load, score
from rubrics.diffing import diff
from rubrics.linting import lint
from rubrics.loading import parse_text
from tests.rubrics.building import randomly

FILES = {name: parse_text(path.read_text(encoding="utf-8"), where=name) for name, path in library().items()}
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["{{ x }}", "{{", "1-5", "no", "0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)
T = TypeVar("T")
JARGON = ("Input should", "Extra inputs", "Value error", "validation error", "pydantic", "Traceback")


def places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every container inside with each of its keys or positions."""
    stack = [node]
    while stack:
        here = stack.pop()
        for key in list(here) if isinstance(here, dict) else range(len(here)):
            yield here, key
            if isinstance(here[key], dict | list):
                stack.append(here[key])


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    content = copy.deepcopy(FILES[draw(st.sampled_from(sorted(FILES)))])
    for _ in range(draw(st.integers(1, 3))):
        here, key = draw(st.sampled_from(list(places(content))))
        change = draw(st.sampled_from(["replace", "remove", "rename", "repeat"]))
        if change == "replace":
            here[key] = draw(VALUES)
        elif change == "remove":
            del here[key]
        elif change == "rename" and isinstance(here, dict):
            here[draw(st.text(max_size=8)) or "x"] = here.pop(key)
        elif change == "repeat" and isinstance(here, list):
            here.append(copy.deepcopy(here[key]))
    assert isinstance(content, dict)
    return content


def outcome(attempt: Callable[[], T]) -> T | str:
    """What came of it, or in which words it was refused."""
    try:
        return attempt()
    except RubricError as error:
        return str(error)


@randomly
@given(mutated())
def test_a_broken_rubric_is_refused_in_plain_words_or_can_be_used(content: dict[str, Any]) -> None:
    rubric = outcome(lambda: load(content))
    if isinstance(rubric, str):
        assert not any(word in rubric for word in JARGON)
        assert len(rubric) < 3_000
        return
    assert load(json.loads(rubric.model_dump_json())) == rubric
    assert load(rubric.model_dump(mode="json", exclude_defaults=True)).fingerprint == rubric.fingerprint
    lint(rubric, text="")
    assert diff(rubric, rubric) == []
    assert score(rubric, []).coverage == 0.0
    filled = outcome(lambda: fill(rubric, {"context": {}}))
    assert not isinstance(filled, str) or "criterion" in filled


@randomly
@given(st.dictionaries(st.text(max_size=10), VALUES, max_size=4) | VALUES)
def test_any_content_at_all_is_refused_in_plain_words(content: Any) -> None:
    with pytest.raises(RubricError) as refused:
        load(content if isinstance(content, dict) else {"id": "x", "criteria": content})
    assert not any(word in str(refused.value) for word in JARGON)


@randomly
@given(st.text(alphabet="ab:-{}[]\"'&*!|>%#?\n \t,0.", max_size=60))
def test_any_text_is_read_as_yaml_or_refused_with_its_place(text: str) -> None:
    read = outcome(lambda: {"read": parse_text(text, where="fuzz")})
    assert not isinstance(read, str) or read.startswith("fuzz: ")
