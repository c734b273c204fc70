"""The JSON schema of rubric files, as people write them, for editors that complete and check while one types."""

from __future__ import annotations

from typing import Any

from rubrics.criterion import Check, Criterion, Example
from rubrics.nouns import Noun
from rubrics.rubric import Rubric, Section
from rubrics.scales import Level

NOUNS: tuple[type[Noun], ...] = (Criterion, Section, Level, Example)
_NUMBERED = {
    "description": "Numbered levels instead of `levels`: 1-5, or {min: 1, max: 5, integer: false} if numbers between count.",
    "anyOf": [
        {"type": "string", "pattern": r"^\s*-?[0-9]+\s*(-|–|\.\.|to)\s*-?[0-9]+\s*$"},
        {
            "type": "object",
            "properties": {"min": {"type": "integer"}, "max": {"type": "integer"}, "integer": {"type": "boolean"}},
            "required": ["min", "max"],
            "additionalProperties": False,
        },
    ],
}
_TEXT_OR_NUMBER = ["string", "number"]


def schema() -> dict[str, Any]:
    """The schema (JSON Schema, draft 2020-12). What it can't say (ids that differ, values that rise) loading checks."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rubric",
        **_of(Rubric),
        "anyOf": [{"required": ["criteria"]}, {"required": ["sections"]}],
        "$defs": {**{noun.__name__: _of(noun) for noun in NOUNS}, "Check": _check()},
    }


def _of(noun: type[Noun]) -> dict[str, Any]:
    made = noun.model_json_schema(mode="validation")
    body = made if "properties" in made else made["$defs"][noun.__name__]
    body = {key: value for key, value in body.items() if key not in ("$defs", "title")}
    body["description"] = body["description"].split("\n\n", 1)[0]
    body["properties"] = {name: _plain(field) for name, field in body["properties"].items()}
    return _as_written(noun, body)


def _plain(field: Any) -> Any:
    """Without titles, and without defaults that are only the absence of something."""
    if isinstance(field, dict):
        return {k: _plain(v) for k, v in field.items() if k != "title" and not (k == "default" and v in (None, "", []))}
    return [_plain(item) for item in field] if isinstance(field, list) else field


def _as_written(noun: type[Noun], body: dict[str, Any]) -> dict[str, Any]:
    """The shorthands that loading takes beside what the noun holds."""
    fields = body["properties"]
    if noun is Rubric:
        fields["version"] = {**fields["version"], "type": _TEXT_OR_NUMBER}
    if noun is Criterion:
        fields["levels"].pop("default", None)
        fields["levels"]["minItems"] = 2
        fields["shadows"]["anyOf"] = [{"type": "object"}, {"type": "null"}]
        fields["gate"]["anyOf"].append({"type": "number"})
        fields["scale"] = _NUMBERED
        body["anyOf"] = [{"required": ["ask"]}, {"required": ["check"]}]
        body["not"] = {"required": ["levels", "scale"]}
    if noun is Level:
        fields["name"] = {**fields["name"], "type": _TEXT_OR_NUMBER}
    if noun is Example:
        fields["level"] = {**fields["level"], "type": _TEXT_OR_NUMBER}
    return body


def _check() -> dict[str, Any]:
    name = _plain(Check.model_json_schema()["properties"]["name"])
    return {
        "type": "object",
        "description": (Check.__doc__ or "").split(";", 1)[0] + ".",
        "properties": {"name": name},
        "required": ["name"],
        "additionalProperties": True,
    }
