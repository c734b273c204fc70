"""JSON schemas as each vendor takes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Schema = dict[str, Any]

_BOUNDS = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems",
    "maxItems", "uniqueItems", "minProperties", "maxProperties", "pattern",
)  # fmt: skip
_UNKNOWN_TO_STRICT = ("$schema", "default", "examples", "patternProperties", "propertyNames", "minLength", "maxLength",
                      "uniqueItems", "minProperties", "maxProperties")  # fmt: skip


def strict(schema: Mapping[str, Any]) -> Schema:
    """The schema under OpenAI's strict rules: every object closed, every property required, optional ones nullable.

    An object with free keys can't be said there: it becomes a list of {key, value}.
    """
    return _walked(schema, _strict_object, _UNKNOWN_TO_STRICT, _drop)


def unbounded(schema: Mapping[str, Any]) -> Schema:
    """The schema as Anthropic takes it: objects closed, and bounds moved into the description, to be checked afterwards."""
    return _walked(schema, _closed, _BOUNDS, _describe)


def _drop(schema: Schema, keys: tuple[str, ...]) -> Schema:
    return {key: value for key, value in schema.items() if key not in keys}


def _describe(schema: Schema, keys: tuple[str, ...]) -> Schema:
    bounds = ", ".join(f"{key}: {schema[key]}" for key in keys if key in schema)
    kept = _drop(schema, (*keys, "$schema", "default", "examples"))
    if not bounds:
        return kept
    return {**kept, "description": f"{kept.get('description', '')} ({bounds})".strip()}


def _walked(
    schema: Mapping[str, Any],
    of_object: Callable[[Schema], Schema],
    keys: tuple[str, ...],
    without: Callable[[Schema, tuple[str, ...]], Schema],
) -> Schema:
    def walk(node: Any) -> Any:
        if not isinstance(node, Mapping):
            return node
        found = without(dict(node), keys)
        for key in ("properties", "$defs", "definitions"):
            if isinstance(found.get(key), Mapping):
                found[key] = {name: walk(each) for name, each in found[key].items()}
        for key in ("anyOf", "allOf", "oneOf", "prefixItems"):
            if isinstance(found.get(key), list):
                found[key] = [walk(each) for each in found[key]]
        for key in ("items", "additionalProperties"):
            if key in found:
                found[key] = walk(found[key])
        if "oneOf" in found:
            found["anyOf"] = found.pop("oneOf")
        return of_object(found) if found.get("type") == "object" or "properties" in found else found

    walked: Schema = walk(schema)
    return walked


def _closed(schema: Schema) -> Schema:
    return {**schema, "additionalProperties": False}


def _strict_object(schema: Schema) -> Schema:
    free = schema.get("additionalProperties")
    if not schema.get("properties") and isinstance(free, dict):
        pair = _closed({"type": "object", "properties": {"key": {"type": "string"}, "value": free}})
        return {"type": "array", "items": {**pair, "required": ["key", "value"]}}
    properties, required = schema.get("properties", {}), set(schema.get("required", ()))
    full = {name: each if name in required else _nullable(each) for name, each in properties.items()}
    return _closed({**schema, "properties": full, "required": list(properties)})


def _nullable(schema: Schema) -> Schema:
    kind = schema.get("type")
    if isinstance(kind, str) and kind != "null" and "enum" not in schema:
        return {**schema, "type": [kind, "null"]}
    allows_null = (
        "null" in (kind or ()) or None in schema.get("enum", ()) or {"type": "null"} in schema.get("anyOf", ())
    )
    return schema if allows_null else {"anyOf": [schema, {"type": "null"}]}
