"""Rules: what is declared for a place in a state, found by walking patterns and paths side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import takewhile

from judge.state.paths import is_glob, step_matches


@dataclass(frozen=True, slots=True)
class Rules:
    """All that is declared for one place; the default is strict comparison.

    ``tolerance`` is the largest absolute difference that still counts as equal, None for none. ``keys`` are the columns
    that identify a row of this table, None means that none are declared. ``mark`` singles the place out for the caller.
    """

    ignore: bool = False
    generated: bool = False
    allow: bool = False
    numeric: bool = False
    tolerance: Decimal | None = None
    text: tuple[str, ...] = ()
    unordered: bool = False
    nullish: frozenset[str] = frozenset()
    json: bool = False
    boolean: bool = False
    datetime: bool = False
    keys: tuple[str, ...] | None = None
    mark: bool = False

    def and_also(self, other: Rules) -> Rules:
        """Both sets of rules together; of two tolerances the smaller holds, of two keys the first declared."""
        tolerances = [rules.tolerance for rules in (self, other) if rules.tolerance is not None]
        return replace(
            self,
            ignore=self.ignore or other.ignore,
            generated=self.generated or other.generated,
            allow=self.allow or other.allow,
            numeric=self.numeric or other.numeric,
            tolerance=min(tolerances, default=None),
            text=self.text + tuple(form for form in other.text if form not in self.text),
            unordered=self.unordered or other.unordered,
            nullish=self.nullish | other.nullish,
            json=self.json or other.json,
            boolean=self.boolean or other.boolean,
            datetime=self.datetime or other.datetime,
            keys=self.keys if self.keys is not None else other.keys,
            mark=self.mark or other.mark,
        )

    def for_rows(self) -> Rules:
        """What a rule on a table or list says of each of its rows: how values compare, and nothing about the rows."""
        return replace(STRICT, numeric=self.numeric, tolerance=self.tolerance, text=self.text, json=self.json,
                       boolean=self.boolean, datetime=self.datetime)  # fmt: skip


STRICT = Rules()


class Spot:
    """A place as the patterns see it: the rules that hold here, and what may hold further down.

    ``blank`` means that nothing is declared here or below, so that strict comparison is all there is. ``tolerant`` says that
    a tolerance is declared somewhere, so that equality may not carry over from one pair of values to the next.
    """

    __slots__ = ("_children", "_literals", "_table", "_waiting", "blank", "rules", "tolerant")

    def __init__(self, table: RuleTable, waiting: frozenset[tuple[int, int]]) -> None:
        self._table = table
        self._waiting = waiting
        self._children: dict[tuple[str | None, bool], Spot] = {}
        self._literals = table.named_steps(waiting)
        self.rules = table.rules_of(waiting)
        self.blank = not waiting
        self.tolerant = table.tolerant

    def step(self, name: str, *, row: bool = False) -> Spot:
        """The spot one step down; ``row`` says that the name is a row's, which a pattern may leave out."""
        if self.blank:
            return self
        if self._literals is None:
            return self._table.below(self._waiting, name, row=row)
        key = (name if name in self._literals else None, row)
        known = self._children.get(key)
        if known is None:
            known = self._children[key] = self._table.below(self._waiting, name, row=row)
        return known


class RuleTable:
    """Patterns with what each declares, as an automaton over the steps of a path."""

    def __init__(self, declared: Iterable[tuple[tuple[str, ...], Rules]]) -> None:
        self._declared = tuple(declared)
        self._spots: dict[frozenset[tuple[int, int]], Spot] = {}
        self.tolerant = any(rules.tolerance is not None for _, rules in self._declared)

    @property
    def root(self) -> Spot:
        """The spot of the whole state."""
        return self._spot(self._settled((number, 0) for number in range(len(self._declared))))

    def below(self, waiting: frozenset[tuple[int, int]], name: str, *, row: bool) -> Spot:
        """The spot one step down from patterns that wait at these steps."""
        after = self._settled(self._after(waiting, name))
        return self._spot(after | frozenset(self._rowless(waiting)) if row else after)

    def _rowless(self, waiting: frozenset[tuple[int, int]]) -> Iterable[tuple[int, int]]:
        """Patterns that leave the row out wait on, and those that ended at the table (or are past it) reach its rows."""
        for number, place in waiting:
            steps = self._declared[number][0]
            if place >= len(steps):
                yield number, len(steps) + 1
            elif steps[place] != "*":
                yield number, place

    def _after(self, waiting: frozenset[tuple[int, int]], name: str) -> Iterable[tuple[int, int]]:
        for number, place in waiting:
            steps = self._declared[number][0]
            if place < len(steps) and step_matches(steps[place], name):
                yield number, place if steps[place] == "**" else place + 1

    def _settled(self, waiting: Iterable[tuple[int, int]]) -> frozenset[tuple[int, int]]:
        """``**`` may stand for no step at all, so what follows it waits as well."""
        settled = set(waiting)
        for number, place in list(settled):
            following = takewhile(lambda step: step == "**", self._declared[number][0][place:])
            settled.update((number, place + n) for n, _ in enumerate(following, 1))
        return frozenset(settled)

    def _spot(self, waiting: frozenset[tuple[int, int]]) -> Spot:
        spot = self._spots.get(waiting)
        if spot is None:
            spot = self._spots[waiting] = Spot(self, waiting)
        return spot

    def rules_of(self, waiting: frozenset[tuple[int, int]]) -> Rules:
        """The rules whose pattern ends here, joined."""
        rules = STRICT
        for number, place in sorted(waiting):
            steps, declared = self._declared[number]
            if place >= len(steps):
                rules = rules.and_also(declared if place == len(steps) else declared.for_rows())
        return rules

    def named_steps(self, waiting: frozenset[tuple[int, int]]) -> frozenset[str] | None:
        """The names that some pattern waits for here; None where a glob makes every name a case of its own."""
        steps = [
            self._declared[number][0][place] for number, place in waiting if place < len(self._declared[number][0])
        ]
        return None if any(map(is_glob, steps)) else frozenset(step for step in steps if step not in ("*", "**"))
