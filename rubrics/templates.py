"""The small language of `{{ names }}` in criteria and of `applies_if`: names, comparisons and a few filters.

Jinja's expressions in its immutable sandbox, with less: no statements, no calls, no loops, so that nothing in a rubric
can reach the interpreter or run for long. What is not on the list is refused when the rubric is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_TEMPLATE = 20_000
MAX_FILLED = 200_000

FILTERS = frozenset("abs d default first float int join last length lower round string title tojson trim upper".split())
ALLOWED: tuple[type[nodes.Node], ...] = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Getattr, nodes.Getitem, nodes.Const, nodes.Filter,
    nodes.Test, nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.CondExpr, nodes.Add, nodes.Sub,
    nodes.Neg, nodes.Concat, nodes.List, nodes.Tuple, nodes.Keyword,
)  # fmt: skip


class _Sandbox(ImmutableSandboxedEnvironment):
    """Nothing that starts with an underscore can be reached, and nothing but what JSON can hold."""

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        return not attr.startswith("_") and not callable(value)


@lru_cache(maxsize=1)
def _environment() -> _Sandbox:
    return _Sandbox(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)


def is_template(text: str) -> bool:
    """True if `text` holds something to fill in."""
    return "{{" in text or "{%" in text


def check_template(text: str) -> None:
    """Raise ValueError if `text` uses more than the small language, or is longer than 20,000 characters."""
    if len(text) > MAX_TEMPLATE:
        raise ValueError(f"the text has {len(text)} characters; at most {MAX_TEMPLATE} are allowed")
    if is_template(text):
        _parsed(text)


def check_expression(text: str) -> None:
    """Raise ValueError if `text` is no expression of the small language."""
    check_template("{{ " + text + " }}")


@lru_cache(maxsize=4096)
def _parsed(text: str) -> nodes.Template:
    try:
        tree = _environment().parse(text)
    except (TemplateSyntaxError, RecursionError) as error:
        raise ValueError(f"can't read the template {text[:80]!r}: {error}") from None
    for node in _walk(tree):
        if not isinstance(node, ALLOWED):
            raise ValueError(
                f"{type(node).__name__} is not allowed in {text[:80]!r}: only names, comparisons and filters are"
            )
        if isinstance(node, nodes.Filter) and node.name not in FILTERS:
            raise ValueError(
                f"filter {node.name!r} is not allowed in {text[:80]!r}; allowed: {', '.join(sorted(FILTERS))}"
            )
        if isinstance(node, nodes.Getattr) and node.attr.startswith("_"):
            raise ValueError(f"{node.attr!r} can't be reached from a template")
    return tree


def _walk(node: nodes.Node) -> Iterator[nodes.Node]:
    for child in node.iter_child_nodes():
        yield child
        yield from _walk(child)


@lru_cache(maxsize=4096)
def _compiled(text: str) -> Callable[..., str]:
    _parsed(text)
    return _environment().from_string(text).render


@lru_cache(maxsize=4096)
def _expression(text: str) -> Callable[..., Any]:
    check_expression(text)
    return _environment().compile_expression(text, undefined_to_none=True)


def render(text: str, names: dict[str, Any]) -> str:
    """Fill `text` from `names`. Raises jinja2's UndefinedError for a missing name, ValueError when it grows too long."""
    try:
        filled = _compiled(text)(names)
    except (SecurityError, TypeError) as error:
        raise ValueError(f"can't fill {text[:80]!r}: {error}") from None
    if len(filled) > MAX_FILLED:
        raise ValueError(f"{text[:80]!r} filled in has {len(filled)} characters; at most {MAX_FILLED} are allowed")
    return filled


def evaluate(text: str, names: dict[str, Any]) -> Any:
    """What an expression gives over `names`; None for a name that is not there."""
    try:
        return _expression(text)(names)
    except (SecurityError, TypeError) as error:
        raise ValueError(f"can't evaluate {text[:80]!r}: {error}") from None


def lone_expression(text: str) -> str | None:
    """The expression inside, if `text` is one `{{ expression }}` and nothing else, so that its type can be kept."""
    inner = text.strip()
    if inner.startswith("{{") and inner.endswith("}}") and "{{" not in inner[2:] and "}}" not in inner[:-2]:
        return inner[2:-2].strip()
    return None


def names_in(text: str) -> list[str]:
    """The dotted names that a template reads, such as `amount` and `task.goal`, in their order."""
    if not is_template(text):
        return []
    found = [name for node in _roots(_parsed(text)) if (name := _dotted(node))]
    return list(dict.fromkeys(found))


def _roots(node: nodes.Node) -> Iterator[nodes.Node]:
    for child in node.iter_child_nodes():
        if _dotted(child):
            yield child
        else:
            yield from _roots(child)


def _dotted(node: nodes.Node) -> str | None:
    if isinstance(node, nodes.Name):
        return node.name
    if isinstance(node, nodes.Getattr) and (before := _dotted(node.node)):
        return f"{before}.{node.attr}"
    if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const) and (before := _dotted(node.node)):
        return f"{before}.{node.arg.value}"
    return None
