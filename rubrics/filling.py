"""Filling a rubric's `{{ names }}` from what is known of one episode."""

from __future__ import annotations

from typing import Any, TypeVar

from jinja2 import UndefinedError
from pydantic import JsonValue

from rubrics.criterion import Criterion
from rubrics.errors import FillError
from rubrics.rubric import Rubric, Section
from rubrics.templates import (
    evaluate,
    guarded_names,
    is_template,
    lone_expression,
    names_in,
    names_in_expression,
    render,
)

_Node = TypeVar("_Node", Rubric, Section)
MOST_NAMED = 20


def needs_filling(rubric: Rubric) -> bool:
    """True if any question, check argument or meaning of a level in the rubric holds a `{{ name }}`."""
    return any(_criterion_needs_filling(c) for c in rubric.leaves)


def _criterion_needs_filling(criterion: Criterion) -> bool:
    return (
        is_template(criterion.ask)
        or (criterion.check is not None and _holds_template(criterion.check.args))
        or any(is_template(level.means) for level in criterion.levels)
    )


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
    """Whether the criterion's `applies_if` holds for `names`; True without one.

    Raises FillError if it reads a name that is not there: a slip of the pen must not take a criterion out of the sums.
    """
    if criterion.applies_if is None:
        return True
    try:
        return bool(evaluate(criterion.applies_if, names))
    except UndefinedError as error:
        missing = [name for name in names_in_expression(criterion.applies_if) if not _present(name, names)]
        what = missing[0] if missing else str(error)
        raise FillError(
            f"criterion {criterion.id!r}: applies_if {criterion.applies_if!r} needs {', '.join(missing) or what}, which the "
            f"episode's context does not hold ({_held(names)}); ask first whether `{what} is defined`"
        ) from None
    except ValueError as error:
        raise FillError(f"criterion {criterion.id!r}: applies_if {criterion.applies_if!r}: {error}") from None


def fill_criterion(criterion: Criterion, names: dict[str, Any]) -> Criterion:
    """One criterion with its question, its check's arguments and what its levels mean filled in.

    Examples are data, taken as they stand. Raises FillError, naming what is missing.
    """
    update: dict[str, Any] = {}
    if is_template(criterion.ask):
        update["ask"] = _filled(criterion, criterion.ask, names)
    if criterion.check is not None and _holds_template(criterion.check.args):
        args = {key: _fill_value(criterion, value, names) for key, value in criterion.check.args.items()}
        update["check"] = criterion.check.model_copy(update={"args": args})
    if any(is_template(level.means) for level in criterion.levels):
        update["levels"] = tuple(
            level.model_copy(update={"means": _filled(criterion, level.means, names)}) for level in criterion.levels
        )
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
    filled: JsonValue = _filled(criterion, value, names, lone_expression(value))
    return filled


def _filled(criterion: Criterion, text: str, names: dict[str, Any], lone: str | None = None) -> Any:
    """The text filled in; or, if it is a lone expression, what that gives, with its type (null too)."""
    if not is_template(text):
        return text
    try:
        return render(text, names) if lone is None else evaluate(lone, names)
    except UndefinedError as error:
        guarded = guarded_names(text)
        missing = [name for name in names_in(text) if name not in guarded and not _present(name, names)]
        raise FillError(
            f"criterion {criterion.id!r} needs {', '.join(missing) or error}, which the episode's context does not hold "
            f"({_held(names)}); add it to `context`, or guard the criterion with `applies_if`"
        ) from None
    except ValueError as error:
        raise FillError(f"criterion {criterion.id!r}: {text[:80]!r}: {error}") from None


def _held(names: dict[str, Any]) -> str:
    known = sorted(str(key)[:40] for key in names if key != "context")
    rest = f" and {len(known) - MOST_NAMED} more" if len(known) > MOST_NAMED else ""
    return f"it holds {', '.join(known[:MOST_NAMED]) or 'nothing'}{rest}"


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
