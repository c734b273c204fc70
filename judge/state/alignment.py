"""Alignment: which row of the final state answers to which row of the goal, and which it was at first.

Every row of every side ends in exactly one triple, so that a comparison of the triples is a comparison of the lists.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, NamedTuple, Protocol, TypeAlias

from judge.state.assignment import assign
from judge.state.values import ABSENT, Json

MOST_PAIRS = 10_000
LONGEST_SEQUENCE = 2_000
SHARE_OF_FIELDS = 0.5


class Row(NamedTuple):
    """One row on three sides, ABSENT where a side has none; ``label`` is its step in paths."""

    label: str
    was: Json
    now: Json
    wanted: Json


Rows: TypeAlias = Sequence[tuple[str, Json]]
"""Rows with their labels (key or position), in order."""

Pairs: TypeAlias = list[tuple[int, int]]


class Likeness(Protocol):
    """How alike two rows are under the rules of their table; a row of the goal stands on the right.

    ``exact`` says that rows with equal tokens are equal, as they are where no tolerance is declared.
    """

    @property
    def exact(self) -> bool:
        """Whether equal tokens mean equal rows."""

    def left_token(self, row: Json) -> Any:
        """A hashable stand-in that equal rows share (numbers with a tolerance left out)."""

    def right_token(self, row: Json) -> Any:
        """The same for a row of the right side."""

    def agree(self, left: Json, right: Json) -> bool:
        """Whether the rows are equal under the rules."""

    def differing(self, left: Json, right: Json) -> tuple[int, int]:
        """How many fields differ, of how many that are compared."""


@dataclass(frozen=True)
class Sides:
    """The rows of one table on three sides."""

    was: Rows
    now: Rows
    wanted: Rows

    def joined(self, now_wanted: Pairs, was_wanted: Pairs, was_now: Pairs) -> list[Row]:
        """Triples from pairs of positions, in the order of the goal, then of the final state, then of the initial one."""
        now_of, was_of = {g: f for f, g in now_wanted}, {g: i for i, g in was_wanted}
        was_of_now = {f: i for i, f in was_now}
        taken_now, taken_was = set(now_of.values()), set(was_of.values()) | set(was_of_now.values())
        rows = [self._row(was_of.get(g), now_of.get(g), g) for g in range(len(self.wanted))]
        rows += [self._row(was_of_now.get(f), f, None) for f in range(len(self.now)) if f not in taken_now]
        return rows + [self._row(i, None, None) for i in range(len(self.was)) if i not in taken_was]

    def _row(self, was: int | None, now: int | None, wanted: int | None) -> Row:
        named = ((self.now, now), (self.wanted, wanted), (self.was, was))
        label = next(rows[place][0] for rows, place in named if place is not None)
        return Row(label, _at(self.was, was), _at(self.now, now), _at(self.wanted, wanted))


def _at(rows: Rows, place: int | None) -> Json:
    return ABSENT if place is None else rows[place][1]


def by_key(sides: Sides, key: Callable[[Json, bool], Any], likeness: Likeness) -> list[Row]:
    """Rows with the same key belong together; where a key is not unique, its rows are told apart by content.

    ``key(row, goal)`` is the key of a row; ``goal`` says that it is the goal's, whose references may have to be translated.
    """

    def pairs(left: Rows, right: Rows) -> Pairs:
        right_places = _places(key(row, True) for _, row in right)
        found: Pairs = []
        for value, places in _places(key(row, False) for _, row in left).items():
            others = right_places.get(value, [])
            if len(places) == len(others) == 1:
                found.append((places[0], others[0]))
            elif others:
                inner = by_likeness([left[p] for p in places], [right[p] for p in others], likeness, share=0.0)
                found += [(places[a], others[b]) for a, b in inner]
        return found

    return _three_ways(sides, pairs)


def by_content(sides: Sides, likeness: Likeness, known: tuple[Pairs, Pairs, Pairs] = ([], [], [])) -> list[Row]:
    """Rows belong together that are most alike; ``known`` pairs (now–wanted, was–wanted, was–now) are kept."""
    return _three_ways(sides, lambda left, right: by_likeness(left, right, likeness), known)


def by_position(sides: Sides, likeness: Likeness) -> list[Row]:
    """Rows belong together that stand at the same place; where lengths differ, in the same order."""

    def pairs(left: Rows, right: Rows) -> Pairs:
        if len(left) == len(right):
            return [(place, place) for place in range(len(left))]
        return _in_order(left, right, likeness)

    return _three_ways(sides, pairs)


def _three_ways(
    sides: Sides, pairs: Callable[[Rows, Rows], Pairs], known: tuple[Pairs, Pairs, Pairs] = ([], [], [])
) -> list[Row]:
    """Final and initial rows are paired with the goal's; those left over with each other."""
    now_wanted = known[0] + _unpaired(sides.now, sides.wanted, known[0], pairs)
    was_wanted = known[1] + _unpaired(sides.was, sides.wanted, known[1], pairs)
    used_was, used_now = {i for i, _ in was_wanted}, {f for f, _ in now_wanted}
    fitting = [(i, f) for i, f in known[2] if i not in used_was and f not in used_now]
    used = [(i, -1) for i in used_was] + [(-1, f) for f in used_now]
    was_now = fitting + _unpaired(sides.was, sides.now, used + fitting, pairs)
    return sides.joined(now_wanted, was_wanted, was_now)


def _unpaired(left: Rows, right: Rows, paired: Pairs, pairs: Callable[[Rows, Rows], Pairs]) -> Pairs:
    taken_left, taken_right = {a for a, _ in paired}, {b for _, b in paired}
    free_left = [place for place in range(len(left)) if place not in taken_left]
    free_right = [place for place in range(len(right)) if place not in taken_right]
    found = pairs([left[a] for a in free_left], [right[b] for b in free_right])
    return [(free_left[a], free_right[b]) for a, b in found]


def by_likeness(left: Rows, right: Rows, likeness: Likeness, *, share: float = SHARE_OF_FIELDS) -> Pairs:
    """Equal rows first, then the pairs with the fewest differing fields in all, where a share of the fields agrees."""
    found = _equal_pairs(left, right, likeness)
    taken_left, taken_right = {a for a, _ in found}, {b for _, b in found}
    free_left = [place for place in range(len(left)) if place not in taken_left]
    free_right = [place for place in range(len(right)) if place not in taken_right]
    if 0 < len(free_left) * len(free_right) <= MOST_PAIRS:
        found += _closest_pairs(left, right, (free_left, free_right), likeness, share)
    return found


def _equal_pairs(left: Rows, right: Rows, likeness: Likeness) -> Pairs:
    places = _places(likeness.right_token(row) for _, row in right)
    found: Pairs = []
    for token, ours in _places(likeness.left_token(row) for _, row in left).items():
        theirs = places.get(token, [])
        in_order = list(zip(ours, theirs, strict=False))
        agreeing = [(a, b) for a, b in in_order if likeness.exact or likeness.agree(left[a][1], right[b][1])]
        if len(agreeing) == len(in_order) or len(ours) * len(theirs) > MOST_PAIRS:
            found += agreeing
        else:
            costs = [[0.0 if likeness.agree(left[a][1], right[b][1]) else 1.0 for b in theirs] for a in ours]
            found += [(ours[a], theirs[b]) for a, b in assign(costs) if costs[a][b] == 0]
    return found


def _closest_pairs(
    left: Rows, right: Rows, free: tuple[list[int], list[int]], likeness: Likeness, share: float
) -> Pairs:
    counted = [[likeness.differing(left[a][1], right[b][1]) for b in free[1]] for a in free[0]]
    # A pair that shares too little is no pair: it costs as much as two rows that are alone.
    costs = [[float(d) if d <= (1 - share) * n else float(n) + 1000 for d, n in line] for line in counted]
    return [
        (free[0][a], free[1][b])
        for a, b in assign(costs)
        if counted[a][b][1] and counted[a][b][0] <= (1 - share) * counted[a][b][1]
    ]


def _in_order(left: Rows, right: Rows, likeness: Likeness) -> Pairs:
    ours, theirs = [likeness.left_token(row) for _, row in left], [likeness.right_token(row) for _, row in right]
    start = next((n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    if max(len(ours), len(theirs)) - start > LONGEST_SEQUENCE:
        return [(place, place) for place in range(min(len(ours), len(theirs)))]
    found = [(place, place) for place in range(start)]
    for _, a, a_end, b, b_end in SequenceMatcher(None, ours[start:], theirs[start:], autojunk=False).get_opcodes():
        found += [(start + a + n, start + b + n) for n in range(min(a_end - a, b_end - b))]
    return found


def _places(tokens: Iterable[Any]) -> dict[Any, list[int]]:
    places: dict[Any, list[int]] = defaultdict(list)
    for place, token in enumerate(tokens):
        places[token].append(place)
    return places
