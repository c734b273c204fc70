"""State: the tables of a database at one moment, never changed once read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from judge.state.errors import StateUnavailable
from judge.state.values import Json, holds_booleans


@dataclass(frozen=True, slots=True)
class State:
    """A database as JSON: usually ``{table: rows}``, rows being a list of records or records by key.

    ``value`` is shared between episodes and must not be changed. ``identity`` is what a schema says of a table: the columns
    that identify a row, or ``()`` where the order of rows means nothing. ``booleans`` names the tables that hold any.
    """

    value: Json
    source: str = "the state"
    identity: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    booleans: frozenset[str] = frozenset()

    @classmethod
    def of(cls, value: Json, source: str = "the state", identity: Mapping[str, tuple[str, ...]] | None = None) -> State:
        """The state a JSON value stands for; raises StateUnavailable where JSON cannot say it (NaN, strange types, depth)."""
        if not isinstance(value, dict | list):
            raise StateUnavailable(
                f'{source} is {type(value).__name__}; expected an object of tables, e.g. {{"orders": []}}'
            )
        return cls(value, source, identity or {}, _tables_with_booleans(value, source))

    def changed(self, value: Json, brought: list[Json], *, source: str | None = None) -> State:
        """This state with another value, most of it shared; ``brought`` is all that is new in it, the rest was looked at.

        Raises StateUnavailable where the new part is no JSON or the whole is no state.
        """
        source = source or self.source
        if not isinstance(value, dict | list):
            raise StateUnavailable(f"{source} is {type(value).__name__}; expected an object of tables")
        # Which table the new part went into is not known here: one boolean in it makes every table be looked at.
        names = self.booleans
        if holds_booleans(brought, source):
            names = frozenset(value) if isinstance(value, dict) else frozenset({""})
        return State(value, source, self.identity, names)


def _tables_with_booleans(value: Json, source: str) -> frozenset[str]:
    if isinstance(value, list):
        return frozenset({""} if holds_booleans(value, source) else ())
    strange = [key for key in value if not isinstance(key, str)]
    if strange:
        raise StateUnavailable(f"{source} has the key {strange[0]!r}; keys of a JSON object are text")
    return frozenset(name for name, table in value.items() if holds_booleans(table, f"{source}, table {name!r},"))
