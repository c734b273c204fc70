"""What is wrong with a rubric, in plain words: the criterion, the field, what was found and what was expected."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from rubrics.criterion import Check, Criterion, Example
from rubrics.nouns import Noun
from rubrics.rubric import Rubric, Section
from rubrics.scales import Level

MOST_SHOWN = 5
_NOUNS: dict[str, tuple[str, type[Noun]]] = {
    "criteria": ("criterion", Criterion), "sections": ("section", Section), "levels": ("level", Level),
    "examples": ("example", Example), "check": ("check", Check),
}  # fmt: skip
# What other tools call the same things.
_OTHER_NAMES = {
    "question": "ask", "prompt": "ask", "requirement": "ask", "criterion": "ask", "text": "ask", "description": "ask",
    "points": "weight", "options": "levels", "choices": "levels", "threshold": "pass_mark", "name": "id", "label": "name",
    "score": "value", "meaning": "means", "required": "gate", "condition": "applies_if", "if": "applies_if",
}  # fmt: skip
_EXPECTED = {
    "float_type": "must be a number", "finite_number": "must be a finite number", "int_type": "must be a whole number",
    "string_type": "must be text", "tuple_type": "must be a list", "dict_type": "must be a mapping",
    "model_type": "must be a mapping", "bool_type": "must be true or false", "bool_parsing": "must be true or false",
    "missing": "is missing", "recursion_loop": "is nested too deeply", "string_too_short": "is empty",
}  # fmt: skip
_PATTERNS = {
    "Rubric": "must be small letters, digits and _, beginning with a letter",
    "other": "must be 1 to 128 letters, digits and _ . : -, beginning with a letter or a digit",
}


def sentences(content: Any, error: ValidationError) -> str:
    """What pydantic found wrong with `content`, as one line for the author of the rubric."""
    found = list(dict.fromkeys(_sentence(content, problem) for problem in error.errors(include_url=False)))
    return "; ".join(found[:MOST_SHOWN] + ([f"and {len(found) - MOST_SHOWN} more"] if len(found) > MOST_SHOWN else []))


def suggestion(word: object, known: Iterable[str]) -> str:
    """`; did you mean X?` for a misspelt or foreign name, or nothing."""
    names = list(known)
    near = difflib.get_close_matches(str(word).casefold(), names, n=1, cutoff=0.7)
    other = _OTHER_NAMES.get(str(word).casefold())
    found = near[0] if near else other if other in names else None
    return f"; did you mean {found}?" if found else ""


def _sentence(content: Any, problem: Any) -> str:
    places, noun, field = _place(content, problem["loc"])
    message = _message(problem, noun, field)
    return f"{', '.join([*places, field] if field else places) or 'rubric'}: {message}"


def _place(content: Any, loc: tuple[int | str, ...]) -> tuple[list[str], type[Noun], str]:
    """Where it is, in words; the noun that it belongs to; and the field of that noun."""
    places: list[str] = []
    noun: type[Noun] = Rubric
    field: list[str] = []
    here = content
    for place, part in enumerate(loc):
        here = _step(here, part)
        word, inner = _NOUNS.get(str(part), ("", None))
        if inner is not None and noun is not Check and part in noun.model_fields:
            noun, field = inner, [str(part)]
            if inner is Check and place < len(loc) - 1:
                places, field = [*places, word], []
        elif isinstance(part, int) and field and field[-1] in _NOUNS:
            places, field = [*places, f"{_NOUNS[field[-1]][0]} {_name(here, part)}"], []
        else:
            field.append(str(part))
    if len(places) > 8:
        places = [*places[:3], "…", *places[-3:]]
    return places, noun, ".".join(field)


def _name(here: Any, place: int) -> str:
    name = (here.get("id") or here.get("name")) if isinstance(here, Mapping) else None
    return repr(name)[:80] if isinstance(name, str) else str(place + 1)


def _step(here: Any, part: Any) -> Any:
    if isinstance(here, Mapping):
        return here.get(part)
    return here[part] if isinstance(here, list | tuple) and isinstance(part, int) and part < len(here) else None


def _message(problem: Any, noun: type[Noun], field: str) -> str:
    kind, given, context = problem["type"], problem.get("input"), problem.get("ctx", {})
    if kind == "extra_forbidden":
        known = [*noun.model_fields, *(["scale"] if noun is Criterion else [])]
        return f"unknown key{suggestion(field, known) or '; known are ' + ', '.join(known)}"
    if kind == "value_error":
        return str(problem["msg"]).removeprefix("Value error, ")
    if kind == "missing":
        return _EXPECTED[kind]
    return f"{_expectation(problem, noun, context)}, got {_shown(given)}{_hint(kind, given)}"


def _expectation(problem: Any, noun: type[Noun], context: Mapping[str, Any]) -> str:
    kind = problem["type"]
    if kind in ("greater_than_equal", "less_than_equal"):
        least = kind == "greater_than_equal"
        return f"must be at {'least' if least else 'most'} {context['ge' if least else 'le']:g}"
    if kind == "literal_error":
        return f"must be one of {context['expected']}"
    if kind == "string_pattern_mismatch":
        return _PATTERNS.get(noun.__name__, _PATTERNS["other"])
    return _EXPECTED.get(kind) or str(problem["msg"])


def _shown(given: Any) -> str:
    if isinstance(given, Mapping):
        return "a mapping"
    if isinstance(given, list | tuple):
        return "a list"
    text = repr(given)
    return text if len(text) <= 80 else f"{text[:76]}…"


def _hint(kind: str, given: Any) -> str:
    if kind == "float_type" and isinstance(given, str):
        return " (write it without quotes)" if given.replace(".", "", 1).lstrip("-").isdigit() else ""
    if kind == "string_type" and isinstance(given, bool | int | float):
        return " (put it in quotes)"
    if kind == "tuple_type" and isinstance(given, str):
        return f" (write [{given[:30]}])"
    return " (at least `name: …`)" if kind in ("dict_type", "model_type") and isinstance(given, str) else ""
