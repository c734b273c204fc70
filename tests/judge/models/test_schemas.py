"""Schemas as each vendor takes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, Field

from judge.models.schemas import strict, unbounded
from judge.prompting import schema_for
from tests.judge.models.asking import criterion


class Inner(BaseModel):
    """A nested model."""

    note: str = "x"


class Outer(BaseModel):
    """An optional field, a nested model and a dict field."""

    score: int = Field(ge=1, le=5)
    comment: str | None = None
    size: int = Field(default=3, description="How big.", gt=0)
    inner: Inner
    shares: dict[str, float] = {}
    kind: int | str = 3
    tags: list[str] = Field(default=[], min_length=1, max_length=3)


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema inside a schema."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from nodes(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from nodes(value)


def test_strict_objects_are_closed_and_all_their_keys_required() -> None:
    found = strict(Outer.model_json_schema())
    objects = [node for node in nodes(found) if node.get("type") == "object"]
    assert len(objects) == 3
    for node in objects:
        assert node["additionalProperties"] is False
        assert node["required"] == list(node["properties"])


def test_strict_optionals_are_nullable() -> None:
    found = strict(Outer.model_json_schema())["properties"]
    assert found["size"]["type"] == ["integer", "null"]
    assert found["comment"]["anyOf"] == [{"type": "string"}, {"type": "null"}]
    assert {"type": "null"} in found["kind"]["anyOf"]
    assert found["score"]["type"] == "integer"


def test_a_dict_with_free_keys_becomes_a_list_of_pairs() -> None:
    shares = strict(Outer.model_json_schema())["properties"]["shares"]
    pairs = shares["anyOf"][0] if "anyOf" in shares else shares
    assert pairs["items"]["required"] == ["key", "value"]
    assert pairs["items"]["properties"]["value"] == {"type": "number"}


def test_bounds_move_from_the_schema_into_its_description() -> None:
    found = unbounded(Outer.model_json_schema())
    text = {"minimum", "maximum", "exclusiveMinimum", "minItems", "maxItems"}
    assert not [node for node in nodes(found) if text & {key for key in node if not isinstance(node[key], dict)}]
    assert found["properties"]["score"]["description"] == "(minimum: 1, maximum: 5)"
    assert found["properties"]["size"]["description"] == "How big. (exclusiveMinimum: 0)"
    assert all(node["additionalProperties"] is False for node in nodes(found) if node.get("type") == "object")


def test_a_property_may_be_named_like_a_bound() -> None:
    schema = {"type": "object", "properties": {"minimum": {"type": "integer", "minimum": 3}}}
    assert unbounded(schema)["properties"]["minimum"]["type"] == "integer"


def test_our_own_reply_schema_is_strict_as_it_is() -> None:
    schema = schema_for([criterion("amount"), criterion("tone", "cold", "warm")])
    assert strict(schema) == schema
    assert unbounded(schema) == schema
