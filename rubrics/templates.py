"""The small language of `{{ names }}` in criteria and of `applies_if`: names, comparisons and a few filters.

Jinja's expressions in its immutable sandbox, with less: no statements, no calls, no loops, no attributes of Python
objects, so that nothing in a rubric can reach the interpreter or run for long. What is not on the list is refused when
the rubric is loaded.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError, Undefined, nodes
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_TEMPLATE = 20_000
MAX_FILLED = 200_000
MAX_NAMES = 50  # in one text: each may stand for a long text, so that they bound what a filled text can grow to
MAX_NODES = 1_000
MAX_INSIDE = 4_000  # characters between braces, which take far longer to read than the text around them
MAX_DEPTH = 40

ALLOWED: tuple[type[nodes.Node], ...] = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Getattr, nodes.Getitem, nodes.Const, nodes.Filter,
    nodes.Test, nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.CondExpr, nodes.Add, nodes.Sub,
    nodes.Neg, nodes.Concat, nodes.List, nodes.Tuple,
)  # fmt: skip
TESTS = frozenset(
    "defined undefined none boolean true false integer float number string mapping sequence in eq equalto ne lt lessthan le gt "
    "greaterthan ge lower upper".split()
)
# Filters that take arguments, and how many at most.
ARGUMENTS = {"default": 2, "d": 2, "join": 1, "round": 1}


class _Sandbox(ImmutableSandboxedEnvironment):
    """Names and what JSON can hold inside them: keys of mappings, places in lists. Never an attribute of an object."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        return self.getitem(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(obj, Undefined):
            return obj  # still undefined, under the name that is missing
        if isinstance(obj, Mapping) and isinstance(argument, str | int) and argument in obj:
            return obj[argument]
        if isinstance(obj, list | tuple | str) and type(argument) is int and -len(obj) <= argument < len(obj):
            return obj[argument]
        return self.undefined(obj=obj, name=argument)


@lru_cache(maxsize=1)
def _environment() -> _Sandbox:
    sandbox = _Sandbox(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True, finalize=_not_null)
    sandbox.globals.clear()
    sandbox.filters = {name: sandbox.filters[name] for name in _JINJAS} | {
        name: _of_something(f) for name, f in _OURS.items()
    }
    sandbox.tests = {name: sandbox.tests[name] for name in TESTS}
    return sandbox


def _not_null(value: Any) -> Any:
    if value is None:
        raise ValueError("a name in it is null, and would be written as 'None'; leave it out or give it a value")
    return value


def _of_something(function: Callable[..., Any]) -> Callable[..., Any]:
    def of_something(value: Any, *args: Any) -> Any:
        if isinstance(value, Undefined):
            str(value)  # raises UndefinedError with the missing name
        return function(value, *args)

    return of_something


def _as_int(value: Any) -> int:
    return int(_as_float(value)) if isinstance(value, str | float) else int(_number(value))


def _as_float(value: Any) -> float:
    found = float(value.strip()) if isinstance(value, str) else float(_number(value))
    if not math.isfinite(found):
        raise ValueError(f"{str(value)[:40]!r} is not finite")
    return found


def _number(value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{str(value)[:40]!r} is no number")
    return value


def _round(value: Any, digits: Any = 0) -> float | int:
    if type(digits) is not int or not 0 <= digits <= 15:
        raise ValueError(f"round takes 0 to 15 digits, got {str(digits)[:40]!r}")
    return round(_number(value), digits)


def _join(values: Any, separator: Any = "") -> str:
    if not isinstance(values, list | tuple):
        raise TypeError(f"join needs a list, got {str(values)[:40]!r}")
    texts = [str(value) for value in values]
    if sum(map(len, texts)) + len(str(separator)) * len(texts) > MAX_FILLED:
        raise ValueError(f"joined, it has more than {MAX_FILLED} characters")
    return str(separator).join(texts)


def _tojson(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


_INSIDE = re.compile(r"\{[{%#].*?(?:[}%#]\}|$)", re.DOTALL)
_LONE = re.compile(r"\s*\{\{[-+]?(.*?)[-+]?\}\}\s*", re.DOTALL)
_JINJAS = frozenset("d default first last length lower string title trim upper".split())
_OURS: dict[str, Callable[..., Any]] = {
    "abs": abs, "float": _as_float, "int": _as_int, "join": _join, "round": _round, "tojson": _tojson,
}  # fmt: skip
FILTERS = _JINJAS | set(_OURS)


def is_template(text: str) -> bool:
    """True if `text` holds something to fill in."""
    return "{{" in text or "{%" in text


def literal(text: str) -> str:
    """`text` written so that filling leaves it as it is, whatever braces it holds."""
    return (
        text.replace("{{", "{{ '{{' }}").replace("{%", "{{ '{%' }}").replace("{#", "{{ '{#' }}")
        if is_template(text)
        else text
    )


def check_template(text: str) -> None:
    """Raise ValueError if `text` uses more than the small language, or is longer than 20,000 characters."""
    if len(text) > MAX_TEMPLATE:
        raise ValueError(f"the text has {len(text)} characters; at most {MAX_TEMPLATE} are allowed")
    if is_template(text):
        _parsed(text)


def check_expression(text: str) -> None:
    """Raise ValueError if `text` is no expression of the small language."""
    if is_template(text):
        raise ValueError(f"{text[:80]!r} is an expression already: leave the braces out")
    if len(text) > MAX_TEMPLATE:
        raise ValueError(f"the expression has {len(text)} characters; at most {MAX_TEMPLATE} are allowed")
    body = _parsed("{{ " + text + " }}").body
    inner = body[0].nodes if len(body) == 1 and isinstance(body[0], nodes.Output) else []
    if len(inner) != 1 or isinstance(inner[0], nodes.Tuple):  # a pair is always true, whatever is in it
        raise ValueError(f"{text[:80]!r} is not one expression")


@lru_cache(maxsize=1024)
def _parsed(text: str) -> nodes.Template:
    if sum(map(len, _INSIDE.findall(text))) > MAX_INSIDE:
        raise ValueError(f"the template {text[:80]!r} has more than {MAX_INSIDE} characters between braces")
    try:
        tree = _environment().parse(text)
    except (TemplateSyntaxError, RecursionError) as error:
        raise ValueError(f"can't read the template {text[:80]!r}: {error}") from None
    names = 0
    for count, (node, depth) in enumerate(_walk(tree)):
        names += isinstance(node, nodes.Name)
        if names > MAX_NAMES or count > MAX_NODES or depth > MAX_DEPTH:
            raise ValueError(f"the template {text[:80]!r} is too large; say it with fewer names and brackets")
        _check_node(node, text)
    return tree


def _check_node(node: nodes.Node, text: str) -> None:
    if not isinstance(node, ALLOWED):
        raise ValueError(
            f"{type(node).__name__} is not allowed in {text[:80]!r}: only names, comparisons and filters are "
            "(braces that are meant as such are written {{ '{{' }})"
        )
    if isinstance(node, nodes.Filter | nodes.Test):
        known = FILTERS if isinstance(node, nodes.Filter) else TESTS
        if node.name not in known:
            raise ValueError(f"{node.name!r} is not allowed in {text[:80]!r}; allowed: {', '.join(sorted(known))}")
        most = ARGUMENTS.get(node.name, 0) if isinstance(node, nodes.Filter) else 1
        if len(node.args) > most or node.kwargs or node.dyn_args or node.dyn_kwargs:
            raise ValueError(f"{node.name!r} takes at most {most} plain argument(s), in {text[:80]!r}")
    name = node.attr if isinstance(node, nodes.Getattr) else node.name if isinstance(node, nodes.Name) else ""
    if name.startswith("_") or name == "self":
        raise ValueError(f"{name!r} can't be reached from a template")


def _walk(tree: nodes.Node) -> Iterator[tuple[nodes.Node, int]]:
    stack = [(child, 1) for child in tree.iter_child_nodes()]
    while stack:
        node, depth = stack.pop()
        yield node, depth
        stack.extend((child, depth + 1) for child in node.iter_child_nodes())


@lru_cache(maxsize=512)
def _compiled(text: str) -> Callable[..., Iterator[str]]:
    _parsed(text)
    return _environment().from_string(text).generate


@lru_cache(maxsize=512)
def _expression(text: str) -> Callable[..., Any]:
    check_expression(text)
    return _environment().compile_expression(text, undefined_to_none=False)


def render(text: str, names: dict[str, Any]) -> str:
    """Fill `text` from `names`. Raises jinja2's UndefinedError for a missing name, ValueError when it grows too long."""
    pieces, size = [], 0
    try:
        for piece in _compiled(text)(names):
            size += len(piece)
            if size > MAX_FILLED:
                raise ValueError(f"{text[:80]!r} filled in has more than {MAX_FILLED} characters")
            pieces.append(piece)
    except (SecurityError, TypeError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"can't fill {text[:80]!r}: {error}") from None
    return "".join(pieces)


def evaluate(text: str, names: dict[str, Any]) -> Any:
    """What an expression gives over `names`. Raises jinja2's UndefinedError for a missing name, else ValueError."""
    try:
        found = _expression(text)(names)
    except (SecurityError, TypeError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"can't evaluate {text[:80]!r}: {error}") from None
    if isinstance(found, Undefined):
        str(found)  # raises UndefinedError with the missing name
    if isinstance(found, str) and len(found) > MAX_FILLED:
        raise ValueError(f"{text[:80]!r} gives more than {MAX_FILLED} characters")
    return found


def lone_expression(text: str) -> str | None:
    """The expression inside, if `text` is one `{{ expression }}` and nothing else, so that its type can be kept."""
    found = _LONE.fullmatch(text)
    return found[1].strip() if found and "{{" not in found[1] and "}}" not in found[1] else None


def names_in(text: str) -> list[str]:
    """The dotted names that a template reads, such as `amount` and `task.goal`, in their order."""
    return list(_names(_parsed(text))) if is_template(text) else []


def names_in_expression(text: str) -> list[str]:
    """The dotted names that an expression such as an `applies_if` reads, in their order."""
    return names_in("{{ " + text + " }}")


def guarded_names(text: str) -> set[str]:
    """Those names of a template that it may find absent: under `default`, or asked whether they are defined."""
    guards = [
        node for node, _ in _walk(_parsed(text))
        if (isinstance(node, nodes.Filter) and node.name in ("default", "d"))
        or (isinstance(node, nodes.Test) and node.name in ("defined", "undefined"))
    ] if is_template(text) else []  # fmt: skip
    return {name for guard in guards if isinstance(guard.node, nodes.Expr) and (name := _dotted(guard.node))}


def _names(tree: nodes.Node) -> dict[str, None]:
    found: dict[str, None] = {}
    for child in tree.iter_child_nodes():
        found.update({name: None} if (name := _dotted(child)) else _names(child))
    return found


def _dotted(node: nodes.Node) -> str | None:
    if isinstance(node, nodes.Name):
        return node.name
    if isinstance(node, nodes.Getattr) and (before := _dotted(node.node)):
        return f"{before}.{node.attr}"
    if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const) and (before := _dotted(node.node)):
        return f"{before}.{node.arg.value}"
    return None
