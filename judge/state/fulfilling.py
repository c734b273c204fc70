"""Fulfilling: whether a final state holds what a goal of predicates requires and nothing that it forbids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from judge.state.change import Change, Kind
from judge.state.errors import StateUnavailable
from judge.state.looseness import numeric
from judge.state.options import Options
from judge.state.paths import join, parse_pattern
from judge.state.predicates import ChangePredicate, Predicates, RowsPredicate
from judge.state.renames import Renames
from judge.state.rules import Rules
from judge.state.states import State
from judge.state.tables import Table
from judge.state.values import ABSENT, Json, first_words, is_number
from judge.state.walking import Place, Walker, walk_states


def fulfilled(goal: Predicates, before: State | None, after: State, options: Options) -> Iterator[Change]:
    """What each predicate found, as changes; the bad ones say why the final state is wrong."""
    for rows in goal.require:
        yield from _Rows(rows, before, after, options).required()
    for predicate in goal.forbid:
        if isinstance(predicate, ChangePredicate):
            yield from _forbidden_changes(predicate, before, after, options)
        else:
            yield from _Rows(predicate, before, after, options).forbidden()


class _Rows:
    """One predicate about the rows of a table."""

    def __init__(self, predicate: RowsPredicate, before: State | None, after: State, options: Options) -> None:
        if before is None and predicate.added:
            raise StateUnavailable(
                f"goal, table {predicate.table!r}: `added` needs the initial state, which is not given"
            )
        self.predicate = predicate
        self.walker = Walker(identity=after.identity, known=before is not None, renames=Renames())
        steps = parse_pattern(predicate.table)
        steps = (predicate.table,) if predicate.table in after.value else steps
        place = Place((), options.rules.root)
        for step in steps:
            place = place.child(step)
        self.place = place
        self.now = _at(after.value, steps)
        self.was = ABSENT if before is None else _at(before.value, steps)
        self.there = self.now is not ABSENT or self.was is not ABSENT
        self.known_tables = list(after.value) if isinstance(after.value, dict) else []
        if not self.there and (near := get_close_matches(predicate.table, self.known_tables, n=1)):
            raise StateUnavailable(
                f"goal: there is no table {predicate.table!r} in the states; did you mean {near[0]!r}?"
            )

    def required(self) -> Iterator[Change]:
        """One change for the predicate as a whole, none where it held from the start."""
        rows, predicate = self._matching(self._candidates()), self.predicate
        enough, few = len(rows) >= predicate.least, predicate.most is None or len(rows) <= predicate.most
        was = ABSENT if self.was is ABSENT else 0 if predicate.added else len(self._matching(_labelled(self.was)))
        if enough and few:
            held = isinstance(was, int) and predicate.least <= was <= (
                was if predicate.most is None else predicate.most
            )
            if not held:
                yield self._counted("required_made", was, len(rows))
        elif enough:
            yield self._counted("collateral", was, len(rows), f"{len(rows)} rows match, at most {predicate.most} may")
        else:
            yield self._missing(was, len(rows))

    def _missing(self, was: Json, count: int) -> Change:
        near = self._nearest()
        if near is not None:
            label, fields = near
            note = f"row {label} comes closest: differs in {fields}"
            return self._counted("made_wrong", was, count, note)
        note = f"{count} rows match, at least {self.predicate.least} must"
        if not self.there:
            note = f"there is no table {self.predicate.table!r}; the state has {first_words(self.known_tables)}"
        return self._counted("required_missing", was, count, note)

    def _nearest(self) -> tuple[str, str] | None:
        """A new row that differs from what is required in fewer than half of the named columns."""
        where = self.predicate.where
        if len(where) < 2 or not self.walker.known:
            return None
        added = [(label, self._unmet(label, row)) for label, row in self._added()]
        label, unmet = min(added, key=lambda one: len(one[1]), default=("", list(where)))
        return (label, ", ".join(unmet)) if 0 < len(unmet) * 2 <= len(where) else None

    def forbidden(self) -> Iterator[Change]:
        """One change for each row that matches."""
        before = dict(_labelled(self.was))
        for label, row in self._matching(self._candidates()):
            was = before.get(label, ABSENT)
            kind: Kind = "required_missing" if was is not ABSENT and was == row else "collateral"
            path = join((*self.place.path, label))
            yield Change(path, kind, was, row, note=f"the goal forbids rows where {dict(self.predicate.where)!r}")

    def _counted(self, kind: Kind, was: Json, now: int, note: str = "") -> Change:
        predicate = self.predicate
        count = {"min": predicate.least, "max": predicate.most}
        wanted = {"where": dict(predicate.where), "count": {end: n for end, n in count.items() if n is not None}}
        return Change(
            join(self.place.path), kind, was, now, wanted | ({"added": True} if predicate.added else {}), note
        )

    def _candidates(self) -> list[tuple[str, Json]]:
        return self._added() if self.predicate.added else _labelled(self.now)

    def _added(self) -> list[tuple[str, Json]]:
        """Rows that the initial state does not have."""
        if self.was is ABSENT:
            return _labelled(self.now)
        if isinstance(self.now, list) and isinstance(self.was, list):
            rows, _ = Table(self.walker, self.place).aligned(self.was, self.now, self.was)
            return [(row.label, row.now) for row in rows if row.was is ABSENT and row.now is not ABSENT]
        before = {label for label, _ in _labelled(self.was)}
        return [(label, row) for label, row in _labelled(self.now) if label not in before]

    def _matching(self, rows: list[tuple[str, Json]]) -> list[tuple[str, Json]]:
        return [(label, row) for label, row in rows if not self._unmet(label, row)]

    def _unmet(self, label: str, row: Json) -> list[str]:
        """The columns of ``where`` that the row does not fulfil."""
        if not isinstance(row, dict):
            row = {"value": row}
        return [
            column for column, wanted in self.predicate.where.items() if not self._meets(label, row, column, wanted)
        ]

    def _meets(self, label: str, row: dict[str, Json], column: str, wanted: Json) -> bool:
        place, value = self.place.child(label, row=True), row.get(column, ABSENT)
        if column == "_key" and value is ABSENT:
            value = label
        if value is ABSENT and "." in column:
            steps = tuple(column.split("."))
            value = _at(row, steps)
        for step in (column,) if column in row else column.split("."):
            place = place.child(step)
        if isinstance(wanted, Mapping) and any(key.startswith("$") for key in wanted):
            return all(self._fits(place, value, operator, bound) for operator, bound in wanted.items())
        return self.walker.agree(place, value, wanted)

    def _fits(self, place: Place, value: Json, operator: str, bound: Json) -> bool:
        if operator == "$exists":
            return (value is not ABSENT) is bound
        if operator == "$in":
            return any(self.walker.agree(place, value, one) for one in bound)
        if operator == "$ne":
            return not self.walker.agree(place, value, bound)
        if place.rules.numeric or (is_number(value) and is_number(bound)):
            number, limit = numeric(value), numeric(bound)
            return (
                number is not None
                and limit is not None
                and (number >= limit if operator == "$gte" else number <= limit)
            )
        return (
            isinstance(value, str)
            and isinstance(bound, str)
            and (value >= bound if operator == "$gte" else value <= bound)
        )


def _at(value: Json, steps: tuple[str, ...]) -> Json:
    for step in steps:
        value = value.get(step, ABSENT) if isinstance(value, dict) else ABSENT
    return value


def _labelled(table: Json) -> list[tuple[str, Json]]:
    """The rows of a table with their keys or positions; an object that is no table is one row."""
    if isinstance(table, list):
        return [(str(n), row) for n, row in enumerate(table)]
    if isinstance(table, dict):
        keyed = all(isinstance(row, dict) for row in table.values())
        return list(table.items()) if keyed else [("", table)]
    return []


def _forbidden_changes(
    predicate: ChangePredicate, before: State | None, after: State, options: Options
) -> Iterator[Change]:
    if before is None:
        raise StateUnavailable(f"goal, changed {predicate.changed!r}: needs the initial state, which is not given")
    excepted = ((pattern, Rules(allow=True)) for pattern in predicate.excepted)
    rules = options.rules_and((predicate.changed, Rules(mark=True)), *excepted)
    walker = walk_states(before, after, before, options, rules=rules)
    for change, place in zip(walker.changes, walker.places, strict=True):
        if change.bad and (place.marked or _marks_below(place, change.now) or _marks_below(place, change.was)):
            yield Change(
                change.path,
                "collateral",
                change.was,
                change.now,
                change.was,
                f"the goal forbids changes under {predicate.changed!r}",
            )


def _marks_below(place: Place, value: Json) -> bool:
    """Whether something that stands below a place, inside a value that came or went whole, is singled out."""
    if place.marked:
        return True
    if place.spot.blank or place.allowed or not isinstance(value, dict | list):
        return False
    children = value.items() if isinstance(value, dict) else ((str(n), item) for n, item in enumerate(value))
    return any(_marks_below(place.child(name, row=isinstance(value, list)), item) for name, item in children)
