"""Recorded changes: the difference of two states as ``[op, path, old, new]``, and a state with such a difference applied.

``op`` is ``add``, ``del`` or ``set``; a path is written with slashes; old and new are null where nothing stands. A row of a
list is named by its id where it has one, else by its position. This is the form in which tau-bench replays are recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from judge.state.errors import StateUnavailable
from judge.state.options import Options
from judge.state.paths import join, split
from judge.state.renames import Renames, is_id, singular
from judge.state.states import State
from judge.state.values import MAX_DEPTH, Json, same
from judge.state.walking import Place, Walker

Op: TypeAlias = Literal["add", "del", "set"]
Raw: TypeAlias = Sequence[Json]
"""One recorded change: ``[op, path, old, new]``."""


@dataclass(frozen=True, slots=True)
class _Differ:
    walker: Walker

    def inside(self, place: Place, before: Json, after: Json) -> Iterator[list[Json]]:
        """The changes that turn one value into the other, deletions first at each level."""
        if same(before, after) or place.rules.ignore or self.walker.agree(place, after, before):
            return
        if isinstance(before, dict) and isinstance(after, dict):
            yield from self._members(place, before, after, rows=False)
        elif isinstance(before, list) and isinstance(after, list):
            yield from self._elements(place, before, after)
        else:
            yield ["set", join(place.path), before, after]

    def _members(
        self, place: Place, before: dict[str, Json], after: dict[str, Json], *, rows: bool
    ) -> Iterator[list[Json]]:
        for name in before.keys() - after.keys() if not rows else [name for name in before if name not in after]:
            if not place.child(name, row=rows).rules.ignore:
                yield ["del", join((*place.path, name)), before[name], None]
        for name, value in after.items():
            child = place.child(name, row=rows)
            if name in before:
                yield from self.inside(child, before[name], value)
            elif not child.rules.ignore:
                yield ["add", join(child.path), None, value]

    def _elements(self, place: Place, before: list[Json], after: list[Json]) -> Iterator[list[Json]]:
        table = place.path[-1] if place.path else ""
        old, new = _by_identity(before, after, table)
        kept = [name for name in old if name in new]
        if old and new and [*kept, *(name for name in new if name not in old)] == list(new):
            yield from self._members(place, old, new, rows=True)
        elif len(before) == len(after) and _found_by_position([*before, *after], len(before)):
            for n, (one, other) in enumerate(zip(before, after, strict=True)):
                yield from self.inside(place.child(str(n), row=True), one, other)
        else:
            yield ["set", join(place.path), before, after]


def diff(before: State | Json, after: State | Json, options: Options | None = None) -> list[list[Json]]:
    """What turned one state into the other, as recorded changes; what the options ignore or take for equal is left out.

    Without options, ``apply_changes(before, diff(before, after))`` is the same as ``after``.
    """
    options = options or Options()
    before, after = (value if isinstance(value, State) else State.of(value) for value in (before, after))
    differ = _Differ(Walker(identity={}, known=False, renames=Renames()))
    return list(differ.inside(Place((), options.rules.root), before.value, after.value))


def _by_identity(before: list[Json], after: list[Json], table: str) -> tuple[dict[str, Json], dict[str, Json]]:
    """Both lists by the first id column that is unique in each; empty where there is none."""
    rows = [*before, *after]
    if not before or not after or not all(isinstance(row, dict) for row in rows):
        return {}, {}
    likely = ["id", f"{singular(table)}_id", *(name for name in before[0] if is_id(name))]
    for column in likely:
        old, new = ({str(row.get(column)): row for row in side} for side in (before, after))
        scalar = all(isinstance(row.get(column), str | int) and not isinstance(row[column], bool) for row in rows)
        if scalar and len(old) == len(before) and len(new) == len(after) and _found_again(old, new):
            return old, new
    return {}, {}


def _found_again(*sides: dict[str, Json]) -> bool:
    """Whether a label leads back to its own row alone, whatever other id columns the rows have."""
    labels = {label for side in sides for label in side}
    return not any((_names(row) & labels) - {label} for side in sides for label, row in side.items())


def _names(row: Json) -> set[str]:
    """What a step of a path could call the row: the values of its id columns."""
    return {str(value) for name, value in row.items() if is_id(name)} if isinstance(row, dict) else set()


def _found_by_position(rows: list[Json], length: int) -> bool:
    """Whether no row's id reads like the position of another."""
    positions = set(map(str, range(length)))
    return not any(_names(row) & positions for row in rows)


def apply_changes(initial: State | Json, changes: Iterable[Raw]) -> Any:
    """The state with recorded changes applied, sharing all that they leave alone; a State gives a State, JSON gives JSON.

    ``initial`` is not changed. A step into a list is a row's id or, failing that, its position. Objects that the path of an
    ``add`` or ``set`` needs are made, since recorders leave out of a database what has its default. Raises StateUnavailable
    that names the change that does not fit: a row that is not there, an old value that is another.
    """
    changes = list(changes)
    value = initial.value if isinstance(initial, State) else initial
    for change in changes:
        recorded = _read(change)
        if recorded.path.count("/") > MAX_DEPTH:
            raise recorded.refused(f"it leads deeper than {MAX_DEPTH} levels")
        value = _applied(value, recorded, ())
    return initial.changed(value, [change[3] for change in changes]) if isinstance(initial, State) else value


@dataclass(frozen=True, slots=True)
class _Recorded:
    op: Op
    path: str
    old: Json
    new: Json

    def refused(self, why: str) -> StateUnavailable:
        return StateUnavailable(f"recorded change {self.op} {self.path}: {why}; is this the state it was recorded on?")


def _read(change: Raw) -> _Recorded:
    if not isinstance(change, list | tuple) or len(change) != 4 or change[0] not in ("add", "del", "set"):
        raise StateUnavailable(f"a recorded change is [add | del | set, path, old, new], not {repr(change)[:120]}")
    op, path, old, new = change
    if not isinstance(path, str):
        raise StateUnavailable(f"a recorded change has a path as text, not {path!r}")
    return _Recorded(op, path, old, new)


def _applied(value: Json, change: _Recorded, done: tuple[str, ...]) -> Json:
    steps = split(change.path)[len(done) :]
    if not steps:
        return change.new
    if isinstance(value, list):
        return _applied_to_list(value, change, done, steps)
    if value is None:
        value = {}
    if not isinstance(value, dict):
        raise change.refused(f"{steps[0]!r} is looked for in a plain value")
    if change.op == "del" and steps[0] not in value:
        raise change.refused(f"there is no {steps[0]!r}")
    copy = dict(value)
    if len(steps) > 1:
        copy[steps[0]] = _applied(copy.get(steps[0]), change, (*done, steps[0]))
    elif change.op == "del":
        del copy[steps[0]]
    else:
        copy[steps[0]] = _written(copy.get(steps[0]), change)
    return copy


def _applied_to_list(rows: list[Json], change: _Recorded, done: tuple[str, ...], steps: tuple[str, ...]) -> list[Json]:
    place, copy = _place(rows, steps[0]), list(rows)
    if change.op == "add" and len(steps) == 1:
        return [*copy, change.new]
    if place is None:
        raise change.refused(f"no row is {steps[0]!r}")
    if len(steps) > 1:
        copy[place] = _applied(copy[place], change, (*done, steps[0]))
    elif change.op == "del":
        del copy[place]
    else:
        copy[place] = _written(copy[place], change)
    return copy


def _written(now: Json, change: _Recorded) -> Json:
    """The new value, unless the old one shows that this is another state."""
    if isinstance(now, str | int | float) and isinstance(change.old, str | int | float) and not same(now, change.old):
        raise change.refused(f"the state has {now!r} there, the record {change.old!r}")
    return change.new


def _place(rows: list[Json], step: str) -> int | None:
    """The row whose id is the step; else the row at that position."""
    for n, row in enumerate(rows):
        if step in _names(row):
            return n
    return int(step) if step.isascii() and step.isdigit() and int(step) < len(rows) else None
