"""Trimming: leaving out the rows of a table that need no closer look, at C speed, so that what is left is short."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from judge.state.values import Json, booleans_agree

WINDOW = 128

Places = Sequence[int]


def kept_places(was: list[Json], now: list[Json], wanted: list[Json], *, booleans: bool, ordered: bool) -> list[Places]:
    """For each side the positions of its rows, without rows that all sides have alike.

    Where order counts (``ordered``) only rows at one and the same place, or at the common end, are left out: what stands
    between rows that differ takes part in the order. Else rows that all sides have anywhere are left out.
    """
    sides = (was, now, wanted)
    differing = differing_places(was, now, wanted, booleans=booleans)
    if len(was) == len(now) == len(wanted):
        kept: list[Places] = [differing] * 3
    else:
        kept = _without_common_ends(sides, differing, booleans=booleans)
    return kept if ordered else _without_common_rows(sides, kept)


def _without_common_ends(sides: tuple[list[Json], ...], differing: list[int], *, booleans: bool) -> list[Places]:
    length = min(map(len, sides))
    first = min(differing, default=length)
    was, now, wanted = (side[first:][::-1] for side in sides)
    last = min(differing_places(was, now, wanted, booleans=booleans), default=length - first)
    return [range(first, len(side) - last) for side in sides]


def _without_common_rows(sides: tuple[list[Json], ...], kept: list[Places]) -> list[Places]:
    """Rows are told by how they are written: what is written alike is the same, and the rest is looked at later."""
    written = [defaultdict[str, list[int]](list) for _ in sides]
    for side, places, rows in zip(sides, kept, written, strict=True):
        for place in places:
            rows[repr(side[place])].append(place)
    common = {row: min(len(rows.get(row, ())) for rows in written) for row in written[0]}
    left = [[place for row, places in rows.items() for place in places[common.get(row, 0) :]] for rows in written]
    return [sorted(places) for places in left]


def differing_places(was: Sequence[Json], now: Sequence[Json], wanted: Sequence[Json], *, booleans: bool) -> list[int]:
    """The positions, as far as all three lists reach, at which they are not all the same.

    Whole windows are compared in C first, which takes no time where the lists share their elements.
    """
    length = min(len(was), len(now), len(wanted))
    differing: list[int] = []
    for start in range(0, length, WINDOW):
        window = slice(start, min(start + WINDOW, length))
        sides = was[window], now[window], wanted[window]
        if sides[1] != sides[2] or sides[0] != sides[2]:
            differing += [start + n for n, row in enumerate(zip(*sides, strict=True)) if not _same(*row, booleans)]
        elif booleans and not (booleans_agree(sides[1], sides[2]) and booleans_agree(sides[0], sides[2])):
            differing += [start + n for n, row in enumerate(zip(*sides, strict=True)) if not _same(*row, True)]
    return differing


def _same(was: Json, now: Json, wanted: Json, booleans: bool) -> bool:
    if now is wanted is was:
        return True
    if not (now == wanted == was):
        return False
    return not booleans or (booleans_agree([now], [wanted]) and booleans_agree([was], [wanted]))


def differing_only_in(
    columns: Sequence[str], places: Places, sides: tuple[Sequence[Json], ...], *, booleans: bool
) -> Iterator[tuple[int, str]]:
    """Of records at these positions, those that are the same but for these columns: each with each such column that differs."""
    rest = [
        [_but_for(columns, side[n]) if isinstance(side[n], dict) else n for n in places] for side in sides
    ]  # fmt: skip
    left = Counter(differing_places(*rest, booleans=booleans))
    for index, place in enumerate(places):
        if index in left or not all(isinstance(side[place], dict) for side in sides):
            continue
        for column in columns:
            values = [side[place].get(column, ...) for side in sides]
            if not (values[0] == values[1] == values[2]) or len(set(map(type, values))) > 1:
                yield place, column


def _but_for(columns: Sequence[str], row: dict[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in row.items() if name not in columns}
