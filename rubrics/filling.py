"""Filling a rubric's `{{ names }}` from what is known of one episode."""

from __future__ import annotations

from typing import Any, TypeVar

from jinja2 import UndefinedError
from pydantic import JsonValue

from rubrics.criterion import Check, Criterion
from rubrics.errors import FillError
from rubrics.rubric import Rubric, Section
from rubrics.templates import evaluate, is_template, lone_expression, names_in, render

_Node = TypeVar("_Node", Rubric, Section)


def needs_filling(rubric: Rubric) -> bool:
    """True if any question or check argument of the rubric holds a `{{ name }}`."""
    return any(is_template(c.ask) or (c.check and _holds_template(c.check.args)) for c in rubric.leaves)


def fill(rubric: Rubric, names: dict[str, Any]) -> Rubric:
    """The rubric with every `{{ name }}` filled in; criteria whose `applies_if` is false are left as they are.

    `names` is what a template may use: the episode's context, also under `context`. Raises FillError for a missing name.
    """
    return _fill_node(rubric, names) if needs_filling(rubric) else rubric


def _fill_node(node: _Node, names: dict[str, Any]) -> _Node:
    criteria = tuple(fill_criterion(c, names) if applies(c, names) else c for c in node.criteria)
    return node.model_copy(
        update={"criteria": criteria, "sections": tuple(_fill_node(s, names) for s in node.sections)}
    )


def applies(criterion: Criterion, names: dict[str, Any]) -> bool:
    """Whether the criterion's `applies_if` holds for `names`; True without one."""
    if criterion.applies_if is None:
        return True
    try:
        return bool(evaluate(criterion.applies_if, names))
    except (ValueError, UndefinedError) as error:
        raise FillError(f"criterion {criterion.id!r}: applies_if {criterion.applies_if!r}: {error}") from None


def fill_criterion(criterion: Criterion, names: dict[str, Any]) -> Criterion:
    """One criterion with its question and its check's arguments filled in. Raises FillError, naming what is missing."""
    update: dict[str, Any] = {}
    if is_template(criterion.ask):
        update["ask"] = _filled(criterion, criterion.ask, names)
    if criterion.check is not None and _holds_template(criterion.check.args):
        args = {key: _fill_value(criterion, value, names) for key, value in criterion.check.args.items()}
        update["check"] = Check(name=criterion.check.name, args=args)
    return criterion.model_copy(update=update) if update else criterion


def _holds_template(value: JsonValue) -> bool:
    if isinstance(value, str):
        return is_template(value)
    if isinstance(value, dict):
        return any(_holds_template(item) for item in value.values())
    return isinstance(value, list) and any(_holds_template(item) for item in value)


def _fill_value(criterion: Criterion, value: JsonValue, names: dict[str, Any]) -> JsonValue:
    if isinstance(value, dict):
        return {key: _fill_value(criterion, item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_fill_value(criterion, item, names) for item in value]
    if not isinstance(value, str) or not is_template(value):
        return value
    text = _filled(criterion, value, names)
    expression = lone_expression(value)
    return text if expression is None else evaluate(expression, names)


def _filled(criterion: Criterion, text: str, names: dict[str, Any]) -> str:
    try:
        return render(text, names)
    except UndefinedError:
        missing = [name for name in names_in(text) if not _present(name, names)]
        known = ", ".join(sorted(key for key in names if key != "context")) or "nothing"
        what = ", ".join(missing) or text[:80]
        raise FillError(
            f"criterion {criterion.id!r} needs {what}, which the episode's context does not hold (it holds {known}); "
            f"add it to `context`, or guard the criterion with `applies_if`"
        ) from None
    except ValueError as error:
        raise FillError(f"criterion {criterion.id!r}: {error}") from None


def _present(dotted: str, names: dict[str, Any]) -> bool:
    here: Any = names
    for part in dotted.split("."):
        if isinstance(here, dict) and part in here:
            here = here[part]
        elif isinstance(here, list) and part.isdigit() and int(part) < len(here):
            here = here[int(part)]
        else:
            return False
    return True
