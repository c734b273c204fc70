"""Checks on what the agent left in the database: `state`, `sql` and `path`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

from pydantic import Field, model_validator

from judge.checks.finding import Arguments, CheckSettings, Finding, listed, short, yes_or_no
from judge.checks.matching import same
from judge.episode import Episode, Json
from judge.state import (
    Change,
    GoalError,
    Options,
    QueryError,
    State,
    StateUnavailable,
    compare,
    query_state,
    read_goal,
    read_state,
)
from rubrics.templates import is_template

Which = Literal["final", "initial", "context"]
_FAULTS = {"required_missing": "required change missing", "made_wrong": "made wrong", "collateral": "collateral"}


def state(episode: Episode, args: Options, settings: CheckSettings) -> Finding:
    """The final state against the goal: one comparison gives the value and the list of changes."""
    if episode.goal_state is None:
        return Finding(None, "no goal_state: what the final state should be is not known", kind="state_unavailable")
    try:
        initial = None if episode.initial_state is None else _read(episode, "initial", settings)
        final = _read(episode, "final", settings)
        goal = read_goal(episode.goal_state, base_dir=episode.base_dir, initial=initial, cache=settings.states)
        comparison = compare(initial, final, goal, args)
    except StateUnavailable as error:
        return Finding(None, str(error), kind="state_unavailable")
    except GoalError as error:
        return Finding(None, f"goal_state: {error}", kind="check_error")
    reason = _summary(comparison.faults, comparison.required)
    return Finding(comparison.value(partial=args.partial), reason, changes=comparison.to_list())


def _summary(faults: Sequence[Change], required: int) -> str:
    if not faults:
        made = "nothing was to change and nothing did" if not required else f"all {required} required changes made"
        return f"{made}, nothing collateral" if required else made
    parts = []
    for kind, words in _FAULTS.items():
        places = [change.path or "the whole state" for change in faults if change.kind == kind]
        if places:
            plural = "s" if kind == "required_missing" and len(places) > 1 else ""
            parts.append(f"{len(places)} {words.replace('change', 'change' + plural)}: {listed(places, 3)}")
    return "; ".join(parts)


def _read(episode: Episode, which: Which, settings: CheckSettings) -> State:
    """The initial or the final state; raises StateUnavailable, naming the field."""
    field = f"{which}_state"
    initial = None
    if which == "final" and episode.initial_state is not None and _builds_on_initial(episode.final_state):
        initial = _read(episode, "initial", settings)
    try:
        return read_state(getattr(episode, field), base_dir=episode.base_dir, initial=initial, cache=settings.states)
    except StateUnavailable as error:
        raise StateUnavailable(f"{field}: {error}") from None


def _builds_on_initial(value: Json) -> bool:
    return isinstance(value, dict) and value.get("$base") == "initial_state"


_SELECT = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/|\()*(?:select|with|values)\b", re.IGNORECASE | re.DOTALL)


class Sql(Arguments):
    """One SELECT on the final state, and what it must give: a single value, all its rows, or any row at all.

    `params`: the values of the query's `:names`, so that no value can break it or change what it asks.
    """

    query: str
    params: dict[str, Any] = Field(default_factory=dict)
    equals: Any = None
    rows: tuple[Any, ...] | None = None
    exists: bool | None = None
    tolerance: float = Field(0.0, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _can_be_asked(self) -> Sql:
        given = [name for name in ("equals", "rows", "exists") if name in self.model_fields_set]
        if len(given) != 1:
            raise ValueError(f"give one of `equals`, `rows` and `exists`, not {listed(given) or 'none'}")
        if not is_template(self.query):
            check_query(self.query, self.params)
        return self


def check_query(query: str, params: Mapping[str, Any] | None = None) -> None:
    """Raise ValueError if `query` is more than one SELECT, or can be none whatever the tables are."""
    if not _SELECT.match(query):
        raise ValueError(f"query: a query is one SELECT that only reads, not {short(query.strip())}")
    try:
        query_state({}, query, dict.fromkeys(params or {}))
    except QueryError as error:
        # With no tables at all, a sound query fails too, on the first table it names: that is no fault.
        if any(sign in str(error) for sign in ("only reads", "syntax error", "incomplete input", "longer than")):
            raise ValueError(f"query: {str(error).partition('; the tables are')[0]}") from None


def sql(episode: Episode, args: Sql, settings: CheckSettings) -> Finding:
    """What a read-only query gives on the final state."""
    try:
        found = query_state(_read(episode, "final", settings), args.query, args.params)
    except StateUnavailable as error:
        return Finding(None, str(error), kind="state_unavailable")
    except QueryError as error:
        return Finding(None, str(error), kind="check_error")
    if args.exists is not None:
        return yes_or_no(bool(found) == args.exists, f"the query gives {_count(len(found), 'row')}")
    if args.rows is not None:
        holds = len(found) == len(args.rows) and all(
            _is_row(w, f, args.tolerance) for w, f in zip(args.rows, found, strict=True)
        )
        return yes_or_no(holds, f"the query gives {short(found)}, expected {short(list(args.rows))}")
    cells = list(found[0].values()) if len(found) == 1 else []
    if len(cells) != 1:
        return yes_or_no(False, f"the query gives {_count(len(found), 'row')} of {short(found)}, expected one value")
    return yes_or_no(
        same(args.equals, cells[0], args.tolerance), f"the query gives {short(cells[0])}, expected {short(args.equals)}"
    )


def _is_row(wanted: Json, found: dict[str, Json], tolerance: float) -> bool:
    """Whether a row is as wanted: written as an object, as a list of cells, or as the one cell that it has."""
    if isinstance(wanted, dict):
        return same(wanted, found, tolerance)
    return same(list(wanted) if isinstance(wanted, list | tuple) else [wanted], list(found.values()), tolerance)


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


class Path(Arguments):
    """What stands at a JSONPath: every match `equals` the value or is `in` the list; there are `count`; or any `exists`.

    A null or an empty text does not count as existing. `of` is the final state, or the initial one, or the context.
    """

    at: str
    of: Which = "final"
    equals: Any = None
    among: tuple[Any, ...] | None = Field(None, alias="in")
    exists: bool | None = None
    count: int | None = Field(None, ge=0)
    tolerance: float = Field(0.0, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _can_be_followed(self) -> Path:
        given = {"equals", "among", "exists", "count"} & self.model_fields_set
        if len(given) > 1:
            names = sorted("in" if name == "among" else name for name in given)
            raise ValueError(f"give one of `equals`, `in`, `exists` and `count`, not {listed(names)}")
        if not is_template(self.at):
            compiled(self.at)
        return self


@lru_cache(maxsize=512)
def compiled(at: str) -> Callable[[Json], list[Json]]:
    """The function that gives what stands at a JSONPath. Raises ValueError if it is none."""
    from jsonpath_ng.exceptions import JSONPathError
    from jsonpath_ng.ext.parser import parse

    if len(at) > 2000:
        raise ValueError(f"at: the JSONPath has {len(at)} characters; at most 2000 are allowed")
    try:
        path = parse(at)
    except (JSONPathError, AttributeError, ValueError, TypeError) as error:
        raise ValueError(f"at: {at!r} is no JSONPath such as '$.orders[0].status': {error}") from None
    return lambda value: [match.value for match in path.find(value)]


def path(episode: Episode, args: Path, settings: CheckSettings) -> Finding:
    """What stands at a JSONPath in a state or the context."""
    try:
        value = episode.context if args.of == "context" else _read(episode, args.of, settings).value
    except StateUnavailable as error:
        return Finding(None, str(error), kind="state_unavailable")
    found = compiled(args.at)(value)
    seen = f"at {args.at}: {listed([short(item, 40) for item in found], 3) or 'nothing'}"
    if args.count is not None:
        return yes_or_no(len(found) == args.count, f"{seen}; {len(found)} found, expected {args.count}")
    if "equals" in args.model_fields_set:
        holds = bool(found) and all(same(args.equals, item, args.tolerance) for item in found)
        return yes_or_no(holds, f"{seen}; expected {short(args.equals)}")
    if args.among is not None:
        holds = bool(found) and all(any(same(one, item, args.tolerance) for one in args.among) for item in found)
        return yes_or_no(holds, f"{seen}; expected one of {short(list(args.among))}")
    there = any(item is not None and item != "" for item in found)
    return yes_or_no(there == (args.exists is not False), seen)
