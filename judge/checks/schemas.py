"""Check `json_schema`: whether a reply or a file is JSON of a given shape."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from pydantic import Field, model_validator

from judge.checks.finding import Arguments, CheckSettings, Finding, yes_or_no
from judge.checks.patterns import compiled
from judge.checks.places import Place, texts_at
from judge.episode import Episode, json_text
from rubrics.templates import is_template

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n?```", re.DOTALL | re.IGNORECASE)


class JsonSchema(Arguments):
    """`schema`: a JSON Schema (draft 2020-12 unless it names another). `in`: where to look.

    The text is JSON and nothing else, or one fenced block of it.
    """

    schema_: dict[str, Any] | bool = Field(alias="schema")
    place: Place = Field("last_reply", alias="in")

    @model_validator(mode="after")
    def _is_a_schema(self) -> JsonSchema:
        text = json_text(self.schema_)
        if not is_template(text):
            validator_of(text)
        return self


@lru_cache(maxsize=128)
def validator_of(schema_text: str) -> Any:
    """The validator of a schema, given as stable JSON text. Raises ValueError for what is no schema.

    It fetches nothing from the network, and its patterns are matched within a time limit.
    """
    from jsonschema import Draft202012Validator, SchemaError, validators
    from referencing import Registry

    schema = json.loads(schema_text)
    kind = validators.validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"schema: {error.message} (at {error.json_path})") from None
    for pattern in _patterns(schema):
        compiled(pattern)
    bounded = validators.extend(kind, {"pattern": _fits_pattern})  # type: ignore[no-untyped-call]  # its stubs leave it open
    return bounded(schema, registry=Registry())


def _patterns(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        for value in schema.values():
            yield from _patterns(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _patterns(value)


def _fits_pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if validator.is_type(instance, "string") and not compiled(pattern).search(instance, timeout=1.0):
        yield ValidationError(f"{instance!r} does not fit {pattern!r}")


def json_schema(episode: Episode, args: JsonSchema, _settings: CheckSettings) -> Finding:
    """Whether the text is JSON that the schema allows; of several replies, whether any is."""
    at = texts_at(episode, args.place)
    if isinstance(at, Finding):
        return at
    if not at.texts:
        return yes_or_no(False, at.absence)
    validator = validator_of(json_text(args.schema_))
    faults = [_fault(validator, text) for text in at.texts]
    fault = None if None in faults else faults[-1]
    return yes_or_no(fault is None, f"{at.name}: {fault or 'is JSON as the schema asks'}")


def _fault(validator: Any, text: str) -> str | None:
    """What is wrong with a text; None if it is as asked."""
    fenced = _FENCED.fullmatch(text.strip())
    try:
        value = json.loads(fenced[1] if fenced else text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        return f"is no JSON ({error})"
    fault = min(validator.iter_errors(value), key=lambda e: e.json_path, default=None)
    return None if fault is None else f"{fault.message[:160]} at {fault.json_path}"


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")
