"""Predicates: a goal said as what must be there and what must not, where one goal state would be too narrow.

    {"require": [{"table": "refunds", "where": {"order_id": "O-1", "amount": 48}, "count": 1, "added": true}],
     "forbid":  [{"table": "credits", "added": true}, {"changed": "*", "except": ["refunds", "tickets.*.status"]}]}

``count`` is a number or ``{"min": 1, "max": 2}``; without it, at least one row is required. A forbidden row fails when any
matches; a forbidden change fails when any place under the pattern changed. ``where`` takes values, or one of ``$in``,
``$ne``, ``$gte``, ``$lte`` and ``$exists``; columns of nested records are written with dots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from judge.state.errors import GoalError, OptionsError
from judge.state.paths import parse_pattern
from judge.state.values import Json, is_number

OPERATORS = ("$in", "$ne", "$gte", "$lte", "$exists")


@dataclass(frozen=True, slots=True)
class RowsPredicate:
    """So many rows of a table like this; ``most`` None means any number, ``added`` counts only rows that are new."""

    table: str
    where: Mapping[str, Json] = field(default_factory=dict)
    least: int = 1
    most: int | None = None
    added: bool = False


@dataclass(frozen=True, slots=True)
class ChangePredicate:
    """Nothing under ``changed`` may differ from the initial state, but for what is under one of ``excepted``."""

    changed: str
    excepted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Predicates:
    """What the final state must hold and what it must not."""

    require: tuple[RowsPredicate, ...] = ()
    forbid: tuple[RowsPredicate | ChangePredicate, ...] = ()


def read_predicates(value: Mapping[str, Json]) -> Predicates:
    """The predicates of a goal; raises GoalError that names the one that is wrong."""
    required = [_rows(f"require {n}", one, least=1, most=None) for n, one in enumerate(value.get("require", []), 1)]
    forbidden = [_forbidden(f"forbid {n}", one) for n, one in enumerate(value.get("forbid", []), 1)]
    if not required and not forbidden:
        raise GoalError("an empty goal says nothing; a goal of predicates needs at least one under require or forbid")
    return Predicates(tuple(required), tuple(forbidden))


def _forbidden(name: str, value: Json) -> RowsPredicate | ChangePredicate:
    if isinstance(value, Mapping) and "changed" in value:
        return _change(name, value)
    if isinstance(value, Mapping) and "count" in value:
        raise GoalError(f"goal, {name}: a forbidden row has no count; require it with a count instead")
    return _rows(name, value, least=0, most=0)


def _change(name: str, value: Mapping[str, Json]) -> ChangePredicate:
    _refuse_unknown(name, value, ("changed", "except"))
    excepted = value.get("except", [])
    excepted = [excepted] if isinstance(excepted, str) else excepted
    if not isinstance(excepted, list):
        raise GoalError(f"goal, {name}: except is a list of paths, not {excepted!r}")
    try:
        for pattern in (value["changed"], *excepted):
            parse_pattern(pattern)
    except OptionsError as error:
        raise GoalError(f"goal, {name}: {error}") from None
    return ChangePredicate(value["changed"], tuple(excepted))


def _rows(name: str, value: Json, *, least: int, most: int | None) -> RowsPredicate:
    if not isinstance(value, Mapping) or not isinstance(value.get("table"), str) or not value["table"]:
        raise GoalError(f'goal, {name}: expected {{"table": "refunds", "where": {{…}}, "count": 1}}, not {value!r}')
    _refuse_unknown(name, value, ("table", "where", "count", "added"))
    where, added = value.get("where", {}), value.get("added", False)
    if not isinstance(where, Mapping) or not isinstance(added, bool):
        raise GoalError(f"goal, {name}: where is an object of columns and values, added is true or false")
    for column, wanted in where.items():
        _check_condition(f"{name}, {column}", wanted)
    if "count" in value:
        least, most = _bounds(name, value["count"])
    return RowsPredicate(value["table"], where, least, most, added)


def _check_condition(name: str, wanted: Json) -> None:
    if not isinstance(wanted, Mapping) or not any(str(key).startswith("$") for key in wanted):
        return
    _refuse_unknown(name, wanted, OPERATORS)
    for operator, bound in wanted.items():
        fits: dict[str, Any] = {
            "$in": isinstance(bound, list) and bool(bound),
            "$exists": isinstance(bound, bool),
            "$ne": True,
        }
        if not fits.get(operator, is_number(bound) or isinstance(bound, str)):
            raise GoalError(f"goal, {name}: {operator} cannot be {bound!r}")


def _bounds(name: str, count: Json) -> tuple[int, int | None]:
    if isinstance(count, Mapping):
        _refuse_unknown(f"{name}, count", count, ("min", "max"))
        least, most = count.get("min", 0), count.get("max")
    else:
        least = most = count
    numbers = [number for number in (least, most) if number is not None]
    if (not count and count != 0) or any(isinstance(n, bool) or not isinstance(n, int) or n < 0 for n in numbers):
        raise GoalError(f'goal, {name}: count is a whole number or {{"min": 1, "max": 2}}, not {count!r}')
    if least == 0 and most is None:
        raise GoalError(f"goal, {name}: a count of any number of rows says nothing; give a min above 0 or a max")
    if most is not None and most < least:
        raise GoalError(f"goal, {name}: count has a min above its max")
    return least, most


def _refuse_unknown(name: str, value: Mapping[str, Json], known: tuple[str, ...]) -> None:
    unknown = [key for key in value if key not in known]
    if unknown:
        raise GoalError(f"goal, {name}: unknown {unknown[0]!r}; it takes {', '.join(known)}")
