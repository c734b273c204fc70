"""The JSON schema: the file that ships, the files that people write, and what it must refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import rubrics
from rubrics import Criterion, RubricError, library, load
from rubrics.loading import parse_text
from rubrics.scaffold import new_rubric
from rubrics.schema import schema
from tests.rubrics.building import criterion

SHIPPED = Path(rubrics.__file__).parent / "rubric.schema.json"
VALIDATOR = jsonschema.Draft202012Validator(schema())


def test_the_schema_that_ships_is_the_one_that_the_nouns_make() -> None:
    """If this fails: `judge rubric schema -o rubrics/rubric.schema.json`."""
    assert json.loads(SHIPPED.read_text(encoding="utf-8")) == schema()


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("rubric_id", sorted(library()))
def test_every_library_file_is_valid_and_names_the_schema_in_its_first_line(rubric_id: str) -> None:
    text = library()[rubric_id].read_text(encoding="utf-8")
    assert not list(VALIDATOR.iter_errors(parse_text(text, where=rubric_id)))
    assert text.splitlines()[0] == "# yaml-language-server: $schema=../rubric.schema.json"


def test_the_scaffold_is_valid() -> None:
    assert not list(VALIDATOR.iter_errors(parse_text(new_rubric("mine"), where="mine")))


SHORT = [
    {"scale": "1-5"}, {"scale": {"min": 1, "max": 5, "integer": False}}, {"gate": True}, {"gate": "yes"}, {"gate": 3, "scale": "1-5"},
    {"check": {"name": "says", "words": ["x"], "in": "last_reply"}}, {"levels": [{"name": 1, "value": 0}, {"name": "b", "value": 1}]},
    {"examples": [{"reply": "r", "level": "no"}]}, {"shadows": {"tables": ["t"]}}, {"weight": -2}, {"if_unknown": "exclude"},
]  # fmt: skip


@pytest.mark.parametrize("more", SHORT, ids=str)
def test_what_people_write_short_is_valid_and_loads(more: dict[str, Any]) -> None:
    content = {"id": "x", "version": 2, "criteria": [criterion("a") | more, criterion("b")]}
    assert not list(VALIDATOR.iter_errors(content))
    assert load(content).id == "x"


WRONG = [
    {"wieght": 2}, {"weight": "2"}, {"weight": None}, {"if_unknown": "ignore"}, {"evidence": ["reply"]}, {"scale": "five"},
    {"scale": "1-5", "levels": [{"name": "a", "value": 0}, {"name": "b", "value": 1}]}, {"levels": [{"name": "a", "value": 0}]},
    {"levels": [{"name": "a", "value": 0}, {"name": "b", "value": 2}]}, {"check": {"tables": []}}, {"id": "a b"}, {"gate": []},
    {"levels": [{"name": "a", "value": 0}, {"name": "b"}]}, {"examples": [{"reply": "r"}]}, {"tags": "x"},
]  # fmt: skip


@pytest.mark.parametrize("more", WRONG, ids=str)
def test_what_does_not_load_is_underlined_by_the_editor_too(more: dict[str, Any]) -> None:
    content = {"id": "x", "criteria": [criterion("a") | more, criterion("b")]}
    assert list(VALIDATOR.iter_errors(content))
    with pytest.raises(RubricError):
        load(content)


@pytest.mark.parametrize(
    "content", [{"id": "x"}, {"criteria": [criterion("a")]}, {"id": "x", "criteria": [{"id": "a"}]}], ids=str
)
def test_what_is_missing_is_underlined(content: dict[str, Any]) -> None:
    assert list(VALIDATOR.iter_errors(content))


def test_every_field_is_described() -> None:
    made = schema()
    bare = [
        f"{noun}.{name}"
        for noun, part in {"Rubric": made, **made["$defs"]}.items()
        for name, field in part["properties"].items()
        if not field.get("description")
    ]
    assert not bare
    assert set(made["$defs"]["Criterion"]["properties"]) == {*Criterion.model_fields, "scale"}


def test_every_reference_leads_somewhere() -> None:
    text = json.dumps(schema())
    for name in ("Criterion", "Section", "Level", "Example", "Check"):
        assert f'"#/$defs/{name}"' in text
    assert text.count("JsonValue") == 0
