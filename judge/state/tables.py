"""Tables: how the rows of one list or keyed object are told apart, from what is declared and what the rows show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from judge.state.alignment import (
    Pairs,
    Row,
    Rows,
    Sides,
    by_content,
    by_key,
    by_likeness,
    by_position,
)
from judge.state.errors import StateUnavailable
from judge.state.paths import join
from judge.state.renames import is_id, singular
from judge.state.trimming import Places, differing_only_in, kept_places
from judge.state.values import ABSENT, Json, first_words, token

if TYPE_CHECKING:
    from judge.state.walking import Place, Walker


class Table:
    """The table at one place, under the rules of one walk."""

    def __init__(self, walker: Walker, place: Place) -> None:
        self.walker = walker
        self.place = place
        self.name = place.path[-1] if place.path else ""

    @cached_property
    def row(self) -> Place:
        """The place of any row, as far as rules go."""
        return self.place.child("0", row=True)

    @property
    def keys(self) -> tuple[str, ...] | None:
        """The columns that identify a row, ``()`` for rows without order, None where nothing is declared."""
        if self.place.rules.keys is not None:
            return self.place.rules.keys
        if self.place.rules.unordered:
            return ()
        schema = self.walker.identity.get(self.name) if len(self.place.path) == 1 else None
        # A schema's key that the options ignore identifies nothing; its table is still a set of rows.
        return () if schema and any(self.row.child(column).rules.ignore for column in schema) else schema

    def realigns(self, was: Json, now: Json, wanted: Json) -> bool:
        """Whether rows kept by key are to be aligned by something other than that key."""
        if self.place.spot.blank:
            return False
        if self.place.rules.keys is not None:
            return True
        some = next(iter((now or wanted).values()), None)
        return isinstance(some, dict) and self._keyed_by_generated_id({**was, **now, **wanted})

    def _keyed_by_generated_id(self, rows: dict[str, Json]) -> bool:
        if not all(isinstance(row, dict) for row in rows.values()):
            return False
        columns = self._made_up(rows.values())
        return any(all(str(row.get(column)) == key for key, row in rows.items()) for column in columns)

    def _made_up(self, rows: Any) -> list[str]:
        """The id columns that the system fills: declared generated, or ignored and named like an id."""
        if self.place.spot.blank:
            return []
        names = dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row)
        rules = {name: self.row.child(name).rules for name in names}
        return [name for name, rule in rules.items() if rule.generated or (rule.ignore and is_id(name))]

    def aligned(self, was: Json, now: Json, wanted: Json) -> tuple[list[Row], tuple[Json, Json, Json] | None]:
        """The rows that are not all the same, aligned; and where order counts and differs, the labels that stand first."""
        sides, made_up = self._sides(was, now, wanted)
        keys = self.keys
        order = None
        if keys:
            self._check_columns(keys, sides)
            rows = by_key(sides, lambda row, goal: tuple(self._key(c, row, goal=goal) for c in keys), self)
            rows = [row._replace(label=self._key_label(keys, row)) for row in rows]
        elif made_up:
            rows = self._by_known_ids(sides, made_up[0])
        else:
            identity = self._identity(sides)
            if identity is not None:
                rows = by_key(sides, lambda row, goal: self._key(identity, row, goal=goal), self)
                rows = [row._replace(label=self._key_label((identity,), row)) for row in rows]
                order = self._order(identity, sides) if keys is None else None
            else:
                rows = by_content(sides, self) if keys is not None else by_position(sides, self)
        self._learn(rows, made_up)
        return rows, order

    def _sides(self, was: Json, now: Json, wanted: Json) -> tuple[Sides, list[str]]:
        """Labelled rows, without those that are the same on all sides; and the id columns the system fills."""
        if isinstance(now, dict):
            rows = [list(side.items()) for side in (was, now, wanted)]
            return Sides(*rows), self._made_up([row for side in (was, now, wanted) for row in side.values()])
        kept = self._kept(was, now, wanted)
        left = [[(str(n), side[n]) for n in places] for side, places in zip((was, now, wanted), kept, strict=True)]
        return Sides(*left), self._made_up([row for side in left for _, row in side])

    def _kept(self, was: list[Json], now: list[Json], wanted: list[Json]) -> list[Places]:
        """The positions of the rows that need a closer look, on each side."""
        walker, sides = self.walker, (was, now, wanted)
        # What is the same may refer to what is not; and within a tolerance, the same row may have to go with another one.
        if (walker.following and not walker.known) or (self.place.spot.tolerant and self._by_content(sides)):
            return [range(len(side)) for side in sides]
        kept = kept_places(was, now, wanted, booleans=walker.booleans, ordered=self.keys is None)
        if not (kept[0] == kept[1] == kept[2]):
            return kept
        return [self.without_ignored(kept[0], sides, [str(n) for n in kept[0]])] * 3

    def _by_content(self, sides: tuple[list[Json], ...]) -> bool:
        return self.keys == () or (self.keys is None and bool(self._made_up([side[0] for side in sides if side])))

    def without_ignored(self, places: Places, sides: tuple[list[Json], ...], labels: Sequence[str]) -> Places:
        """Positions without the rows that are the same on all sides but for columns that are ignored, which are reported."""
        rows = [side[n] for side in sides for n in places[:1] if isinstance(side[n], dict)]
        names = dict.fromkeys(name for row in rows for name in row)
        ids = {*self._made_up(rows), *(self.place.rules.keys or ())}
        columns = [name for name in names if name not in ids and self.row.child(name).rules.ignore]
        if not columns or self.row.rules.ignore or self.row.rules.json:
            return places
        alike = set()
        label_of = dict(zip(places, labels, strict=True))
        for place, column in differing_only_in(columns, places, sides, booleans=self.walker.booleans):
            alike.add(place)
            self.walker.ignored(self.place.child(label_of[place], row=True).child(column), *(s[place] for s in sides))
        return [place for place in places if place not in alike]

    def _check_columns(self, keys: tuple[str, ...], sides: Sides) -> None:
        rows = [row for side in (sides.was, sides.now, sides.wanted) for _, row in side if isinstance(row, dict)]
        for column in keys:
            if rows and not any(column in row for row in rows):
                known = first_words(dict.fromkeys(name for row in rows for name in row))
                raise StateUnavailable(
                    f"check 'state', keys: table {join(self.place.path)!r} has no column {column!r}; it has {known}"
                )

    def _key(self, column: str, row: Json, *, goal: bool) -> Any:
        if not isinstance(row, dict):
            return self.walker.token(self.row, row, goal=goal)
        place, value = self.row.child(column), row.get(column, ABSENT)
        # An ignored column can still be a declared key: its difference is ignored, not its use.
        return token(value) if place.rules.ignore else self.walker.token(place, value, goal=goal)

    def _key_label(self, keys: tuple[str, ...], row: Row) -> str:
        shown = next(side for side in (row.now, row.wanted, row.was) if side is not ABSENT)
        return ",".join(str(shown.get(column, "")) for column in keys) if isinstance(shown, dict) else row.label

    def _identity(self, sides: Sides) -> str | None:
        """A column that names each row once on every side, as an id column should; None where there is none."""
        everything = [[row for _, row in side] for side in (sides.was, sides.now, sides.wanted)]
        rows = [row for side in everything for row in side]
        if not rows or not all(isinstance(row, dict) for row in rows):
            return None
        likely = ["id", "_id", f"{singular(self.name)}_id", f"{singular(self.name)}Id"]
        others = [name for name in rows[0] if name not in likely and is_id(name)]
        return next((name for name in likely + others if all(_unique(name, side) for side in everything)), None)

    def _order(self, identity: str, sides: Sides) -> tuple[Json, Json, Json] | None:
        """The first place at which the rows that both sides hold stand in another order, as labels on three sides."""
        labels = [[str(row[identity]) for _, row in side] for side in (sides.was, sides.now, sides.wanted)]
        common = set(labels[1]) & set(labels[2])
        was, now, wanted = ([label for label in side if label in common] for side in labels)
        if now == wanted:
            return None
        first = next(n for n, (a, b) in enumerate(zip(now, wanted, strict=True)) if a != b)
        return (was[first] if len(was) > first else ABSENT), now[first], wanted[first]

    def _by_known_ids(self, sides: Sides, column: str) -> list[Row]:
        """Rows that were there at first keep their id; new ones have ids the system made up and go by their content."""
        known: tuple[Pairs, Pairs, Pairs] = ([], [], [])
        if self.walker.known:
            places = [{token: n for n, token in _ids(side, column)} for side in (sides.was, sides.now, sides.wanted)]
            kept = [token for token in places[0] if token is not None]
            both = [token for token in kept if token in places[1] and token in places[2]]
            known[0].extend((places[1][token], places[2][token]) for token in both)
            known[1].extend((places[0][token], places[2][token]) for token in kept if token in places[2])
            known[2].extend((places[0][token], places[1][token]) for token in kept if token in places[1])
        rows = by_content(sides, self, known)
        return [row._replace(label=self._key_label((column,), row)) for row in rows]

    def _learn(self, rows: list[Row], made_up: list[str]) -> None:
        for row in rows:
            if isinstance(row.now, dict) and isinstance(row.wanted, dict):
                for column in made_up:
                    self.walker.learned.note(self.name, column, wanted=row.wanted.get(column), now=row.now.get(column))

    @property
    def exact(self) -> bool:
        """Whether rows with equal tokens are equal: where no tolerance is declared."""
        return not self.place.spot.tolerant

    def left_token(self, row: Json) -> Any:
        """The token of a row of the initial or final state."""
        return self.walker.token(self.row, row, goal=False)

    def right_token(self, row: Json) -> Any:
        """The token of a row of the goal, its references written as the final state would."""
        return self.walker.token(self.row, row, goal=True)

    def agree(self, left: Json, right: Json) -> bool:
        """Whether two rows are equal under the rules."""
        return self.walker.agree(self.row, left, right)

    def differing(self, left: Json, right: Json) -> tuple[int, int]:
        """How many fields of two rows differ, of how many that are compared; for values that are no rows, 0 or 1 of 1."""
        if not isinstance(left, dict) or not isinstance(right, dict):
            return (0 if self.agree(left, right) else 1), 1
        fields = list(self._compared(left, right))
        return len(self._unequal(fields, left, right)), len(fields)

    def _compared(self, left: Json, right: Json) -> Iterator[str]:
        for name in {**right, **left}:
            if not self.row.child(name).rules.ignore:
                yield name

    def _unequal(self, fields: list[str], left: Json, right: Json) -> list[str]:
        return [
            name
            for name in fields
            if not self.walker.agree(self.row.child(name), left.get(name, ABSENT), right.get(name, ABSENT))
        ]

    def instead(self, made: list[Row], missing: list[Row]) -> list[tuple[Row, Row, str]]:
        """New rows with the wanted rows that they were made instead of, and the fields in which they differ."""
        left: Rows = [(row.label, row.now) for row in made]
        right: Rows = [(row.label, row.wanted) for row in missing]
        found = []
        for a, b in by_likeness(left, right, self):
            fields = self._unequal(list(self._compared(left[a][1], right[b][1])), left[a][1], right[b][1])
            found.append((made[a], missing[b], ", ".join(fields)))
        return found


def _unique(name: str, rows: list[Json]) -> bool:
    values = [row.get(name) for row in rows]
    plain = all(isinstance(value, str | int) and not isinstance(value, bool) for value in values)
    return plain and len(set(map(str, values))) == len(values)


def _ids(rows: Rows, column: str) -> list[tuple[int, Any]]:
    return [
        (n, str(row[column]))
        for n, (_, row) in enumerate(rows)
        if isinstance(row, dict) and row.get(column) is not None
    ]
