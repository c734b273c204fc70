"""Walking: three states side by side, and what became of each place where they are not all the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judge.state.alignment import Row
from judge.state.change import Change, Kind
from judge.state.errors import StateUnavailable
from judge.state.looseness import decoded, equal, folded, is_nullish, near_miss
from judge.state.options import Options
from judge.state.paths import join
from judge.state.renames import Renames
from judge.state.rules import Rules, RuleTable, Spot
from judge.state.states import State
from judge.state.tables import Table
from judge.state.trimming import differing_places
from judge.state.values import ABSENT, Json, booleans_agree, first_words, is_number, token

BLANK = RuleTable(()).root
OTHER_ORDER = "same rows in another order (declare `unordered` or `keys` if order means nothing)"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the walk stands: the steps so far, what is declared here, and the field that a value here belongs to."""

    path: tuple[str, ...]
    spot: Spot
    field: str = ""
    allowed: bool = False
    marked: bool = False

    def child(self, name: str, *, row: bool = False) -> Place:
        """One step down; a row keeps the field's name, since a list's elements are that field's values."""
        spot = self.spot.step(name, row=row)
        field = self.field if row else name
        allowed, marked = self.allowed or spot.rules.allow, self.marked or spot.rules.mark
        return Place((*self.path, name), spot, field, allowed, marked)

    @property
    def rules(self) -> Rules:
        """What is declared for this place."""
        return self.spot.rules


class Walker:
    """One walk over three states; ``changes`` is what it found, ``places`` where.

    ``known`` says that the initial state is known; otherwise the goal stands in for it. ``identity`` is what the schema says
    of top-level tables. ``renames`` are the ids of an earlier walk; ``learned`` collects those of this one.
    """

    def __init__(self, *, identity: Mapping[str, tuple[str, ...]], known: bool, renames: Renames) -> None:
        self.identity = identity
        self.known = known
        self.renames = renames
        self.following = renames.active
        self.learned = Renames()
        self.booleans = True
        self.changes: list[Change] = []
        self.places: list[Place] = []
        # Rows are compared to be aligned and then again to be explained, at every level of nesting: without a memory that
        # would double with each. The values are kept with the answer, so that no id is used again while it counts.
        self._agreed: dict[tuple[int, int, int, str], tuple[bool, Json, Json]] = {}
        self._tokens: dict[tuple[int, int, str, bool], tuple[Any, Json]] = {}

    def quiet(self) -> Walker:
        """A walk of two sides under the same rules, whose findings are kept apart."""
        other = Walker(identity=self.identity, known=False, renames=self.renames)
        other.booleans, other._agreed, other._tokens = self.booleans, self._agreed, self._tokens
        return other

    def agree(self, place: Place, now: Json, wanted: Json) -> bool:
        """Whether two values at one place are equal under the rules, all the way down."""
        if place.rules.json:
            now, wanted = (decoded(side) if isinstance(side, str) else side for side in (now, wanted))
        if not self._same_container(place, now, wanted):
            return self._equal(place, now, wanted)
        key = (id(now), id(wanted), id(place.spot), place.field)
        if key not in self._agreed:
            other = self.quiet()
            other.walk(place, wanted, now, wanted)
            self._agreed[key] = not any(change.bad for change in other.changes), now, wanted
        return self._agreed[key][0]

    def _same_container(self, place: Place, now: Json, wanted: Json) -> bool:
        """Whether both are objects or both lists, to be compared part by part."""
        rules = place.rules
        if rules.nullish and (is_nullish(now, rules) or is_nullish(wanted, rules)):
            return False
        return any(isinstance(now, kind) and isinstance(wanted, kind) for kind in (dict, list))

    def walk(self, place: Place, was: Json, now: Json, wanted: Json, *, fresh: bool = False) -> None:
        """Find the changes at a place and below; ``fresh`` says that it is part of something new that both sides hold."""
        if self._identical(was, now, wanted):
            return
        rules = place.rules
        if rules.ignore:
            self._emit("ignored", place, was, now, wanted)
            return
        if rules.json:
            was, now, wanted = (decoded(side) if isinstance(side, str) else side for side in (was, now, wanted))
            self.booleans = True
        if self._same_container(place, now, wanted):
            self._inside(place, was if isinstance(was, type(now)) else ABSENT, now, wanted, fresh=fresh)
        else:
            self._leaf(place, was, now, wanted, fresh=fresh)

    def _identical(self, was: Json, now: Json, wanted: Json) -> bool:
        if self.following and not self.known and isinstance(wanted, dict | list | str | int):
            return False  # equal references may point at different rows
        if now is wanted and was is wanted:
            return True
        if not (now == wanted and was == wanted):
            return False
        return not self.booleans or (booleans_agree([now], [wanted]) and booleans_agree([was], [wanted]))

    def _inside(self, place: Place, was: Json, now: Json, wanted: Json, *, fresh: bool) -> None:
        """Go into two containers of one kind; what is new as a whole and right as a whole is one change, not one a field."""
        begins = len(self.changes)
        new = fresh or was is ABSENT
        empty: Json = {} if isinstance(now, dict) else []
        self._rows(place, empty if was is ABSENT else was, now, wanted, fresh=new)
        if new and not fresh and not any(change.bad for change in self.changes[begins:]):
            self._emit("required_made", place, was, now, wanted)

    def _rows(self, place: Place, was: Json, now: Json, wanted: Json, *, fresh: bool) -> None:
        table = Table(self, place)
        if isinstance(now, dict) and not table.realigns(was, now, wanted):
            self._fields(place, was, now, wanted, fresh=fresh)
            return
        rows, order = table.aligned(was, now, wanted)
        self._instead(place, rows, fresh=fresh)
        for row in rows:
            self.walk(place.child(row.label, row=True), row.was, row.now, row.wanted, fresh=fresh)
        if order is not None:
            self._leaf(Place(place.path, BLANK, allowed=place.allowed), *order, fresh=fresh, note=OTHER_ORDER)

    def _fields(
        self, place: Place, was: dict[str, Json], now: dict[str, Json], wanted: dict[str, Json], *, fresh: bool
    ) -> None:
        row = len(place.path) == 1 and not place.spot.blank and _all_records(was, now, wanted)
        names = self._differing_names(place if row else None, was, now, wanted)
        rows = [Row(name, *(side.get(name, ABSENT) for side in (was, now, wanted))) for name in names]
        self._instead(place, rows, fresh=fresh)
        for name, before, after, goal in rows:
            self.walk(place.child(name, row=row), before, after, goal, fresh=fresh)

    def _differing_names(
        self, table: Place | None, was: dict[str, Json], now: dict[str, Json], wanted: dict[str, Json]
    ) -> list[str]:
        """The names at which three objects are not all the same; ``table`` says that they are the rows of one."""
        names = list(wanted)
        if list(now) == names and list(was) == names:
            if self.following and not self.known:
                return names
            sides = (list(was.values()), list(now.values()), list(wanted.values()))
            places: Sequence[int] = differing_places(*sides, booleans=self.booleans)
            if table is not None:
                places = Table(self, table).without_ignored(places, sides, [names[n] for n in places])
            return [names[n] for n in places]
        names = list({**wanted, **now, **was})
        return [n for n in names if not self._identical(was.get(n, ABSENT), now.get(n, ABSENT), wanted.get(n, ABSENT))]

    def ignored(self, place: Place, *rows: dict[str, Json]) -> None:
        """Report an ignored column that differs in three rows that are otherwise the same."""
        was, now, wanted = (row.get(place.path[-1], ABSENT) for row in rows)
        self._emit("ignored", place, was, now, wanted)

    def _instead(self, place: Place, rows: list[Row], *, fresh: bool) -> None:
        """Report new rows that answer, by their content, to wanted rows of another identity, and take both off the list."""
        made = [row for row in rows if row.was is row.wanted is ABSENT and isinstance(row.now, dict)]
        missing = made and [row for row in rows if row.was is row.now is ABSENT and isinstance(row.wanted, dict)]
        if not missing or fresh or place.allowed or place.child(made[0].label, row=True).rules.ignore:
            return
        for one, other, differing in Table(self, place).instead(made, missing):
            note = f"made instead of {join((*place.path, other.label))}" + (
                f": differs in {differing}" if differing else ""
            )
            self._emit("made_wrong", place.child(one.label, row=True), ABSENT, one.now, other.wanted, note=note)
            rows.remove(one)
            rows.remove(other)

    def _leaf(self, place: Place, was: Json, now: Json, wanted: Json, *, fresh: bool, note: str = "") -> None:
        right = self.agree(place, now, wanted)
        asked = self.known and not self.agree(place, was, wanted)
        if right and not (asked and not fresh):
            return
        kind: Kind = "required_made" if right else self._fault(place, was, now, wanted, asked=asked)
        if kind == "collateral" and place.allowed:
            kind = "allowed"
        elif kind == "collateral" and fresh:
            kind = "made_wrong"
        self._emit(kind, place, was if self.known else ABSENT, now, wanted, note=note if not right else "")

    def _fault(self, place: Place, was: Json, now: Json, wanted: Json, *, asked: bool) -> Kind:
        if not self.known:
            return "required_missing" if now is ABSENT else "collateral" if wanted is ABSENT else "made_wrong"
        if not asked:
            return "collateral"
        return "required_missing" if self.agree(place, was, now) else "made_wrong"

    def _emit(self, kind: Kind, place: Place, was: Json, now: Json, wanted: Json, *, note: str = "") -> None:
        if kind in ("required_missing", "made_wrong", "collateral") and not note:
            note = near_miss(now, wanted)
        self.places.append(place)
        self.changes.append(Change(join(place.path), kind, was if self.known else ABSENT, now, wanted, note))

    def _equal(self, place: Place, now: Json, wanted: Json) -> bool:
        if self.following:
            agree = self.renames.agree(place.field, now=now, wanted=wanted)
            if agree is not None:
                return agree
        return equal(now, wanted, place.rules)

    def token(self, place: Place, value: Json, *, goal: bool) -> Any:
        """A hashable stand-in that values equal under the rules share; numbers with a tolerance count as one another."""
        if not isinstance(value, dict | list):
            return self._token(place, value, goal=goal)
        key = (id(value), id(place.spot), place.field, goal)
        if key not in self._tokens:
            self._tokens[key] = self._token(place, value, goal=goal), value
        return self._tokens[key][0]

    def _token(self, place: Place, value: Json, *, goal: bool) -> Any:
        rules = place.rules
        if rules.ignore:
            return None
        if rules.json and isinstance(value, str):
            value = decoded(value)
        if isinstance(value, dict) and not (rules.nullish and is_nullish(value, rules)):
            return self._object_token(place, value, goal=goal)
        if isinstance(value, list) and not (rules.nullish and is_nullish(value, rules)):
            parts = [self.token(place.child(str(n), row=True), item, goal=goal) for n, item in enumerate(value)]
            ordered = not (rules.unordered or rules.keys)
            return ("array", tuple(parts) if ordered else tuple(sorted(parts, key=repr)))
        if rules.tolerance is not None and is_number(folded(value, rules)):
            return "tolerance"
        if goal and self.following:
            value = self.renames.translated(place.field, value)
        return token(folded(value, rules))

    def _object_token(self, place: Place, value: dict[str, Json], *, goal: bool) -> Any:
        parts = []
        for name, item in value.items():
            child = place.child(name)
            if not child.rules.ignore and not ("missing" in child.rules.nullish and is_nullish(item, child.rules)):
                parts.append((name, self.token(child, item, goal=goal)))
        return ("object", frozenset(parts))


def _all_records(*sides: dict[str, Json]) -> bool:
    return all(isinstance(item, dict) for side in sides for item in side.values())


def walk_states(
    before: State | None,
    after: State,
    goal: State,
    options: Options,
    *,
    renames: Renames | None = None,
    rules: RuleTable | None = None,
) -> Walker:
    """The walk over three whole states, table by table; ``before`` None means that the initial state is unknown."""
    first = goal if before is None else before
    identity: Mapping[str, tuple[str, ...]] = {**first.identity, **after.identity, **goal.identity}
    walker = Walker(identity=identity, known=before is not None, renames=renames or Renames())
    root = Place((), (rules or options.rules).root)
    if not all(isinstance(state.value, dict) for state in (first, after, goal)):
        walker.walk(root, first.value, after.value, goal.value)
        return walker
    for name in _tables(options, first, after, goal):
        walker.booleans = any(name in state.booleans for state in (first, after, goal))
        was, now, wanted = (state.value.get(name, ABSENT) for state in (first, after, goal))
        walker.walk(root.child(name), was, now, wanted)
    return walker


def _tables(options: Options, *states: State) -> list[str]:
    """The tables to compare, in the goal's order."""
    names = {name: None for state in reversed(states) for name in state.value}
    for table in options.tables or ():
        if table not in names:
            raise StateUnavailable(
                f"check 'state', tables: {table!r} is in none of the states; they have {first_words(names) or 'no tables'}"
            )
    return list(options.tables or names)
