"""Options: the arguments of the ``state`` check, read once when the rubric is loaded."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from judge.state.errors import OptionsError
from judge.state.paths import parse_pattern
from judge.state.rules import Rules, RuleTable

TEXT_FORMS = ("strip", "collapse", "casefold", "nfc")
NULLISH_FORMS = ("null", "empty", "missing")


@dataclass(frozen=True)
class Options:
    """How two states are compared; what is not declared here is compared strictly.

    ``tables``: compare these top-level tables only (None = all). ``ignore``: places not compared; an ignored id column is
    taken for generated. ``generated``: ids made by the system, ignored as such, while references to them must agree.
    ``keys``: the columns that identify a row, by table. ``tolerance``: largest absolute difference, by path. ``numeric``:
    numbers by value, also when kept as text. ``text``: forms folded before comparing, by path. ``unordered``: lists whose
    order means nothing. ``nullish``: which of null, empty and missing are equal, by path. ``json``: text that holds JSON.
    ``boolean`` and ``datetime``: columns whose spellings of truth and time are compared by meaning (a date is its midnight,
    a time without a zone is UTC). ``allow``: places that may change although the goal leaves them alone. ``partial``: give
    the share of the required changes that were made.
    """

    tables: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    generated: tuple[str, ...] = ()
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tolerance: Mapping[str, Decimal] = field(default_factory=dict)
    numeric: tuple[str, ...] = ()
    text: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unordered: tuple[str, ...] = ()
    nullish: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    json: tuple[str, ...] = ()
    boolean: tuple[str, ...] = ()
    datetime: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    partial: bool = False

    @classmethod
    def from_args(cls, args: Mapping[str, Any]) -> Options:
        """The options a check's arguments declare; raises OptionsError that names the argument and what it takes."""
        known = {option.name for option in fields(cls)}
        for name in args:
            if name not in known:
                near = get_close_matches(str(name), sorted(known), n=1)
                hint = f"; did you mean {near[0]!r}?" if near else f"; it takes {', '.join(sorted(known))}"
                raise OptionsError(f"check 'state' has no argument {name!r}{hint}")
        options = cls(**{name: READERS[name](name, value) for name, value in args.items() if value is not None})
        options.rules.root  # noqa: B018 - a pattern that names nothing is refused now, not at the first episode
        return options

    @cached_property
    def rules(self) -> RuleTable:
        """The patterns of all options, ready to be walked along a path."""
        return self.rules_and()

    def rules_and(self, *more: tuple[str, Rules]) -> RuleTable:
        """The same patterns together with further ones."""
        return RuleTable([(parse_pattern(pattern), rules) for pattern, rules in (*self._declared(), *more)])

    def _declared(self) -> Iterator[tuple[str, Rules]]:
        for pattern in self.ignore:
            yield pattern, Rules(ignore=True)
        for pattern in self.generated:
            yield pattern, Rules(ignore=True, generated=True)
        yield from ((pattern, Rules(keys=columns)) for pattern, columns in self.keys.items())
        yield from ((pattern, Rules(tolerance=size, numeric=True)) for pattern, size in self.tolerance.items())
        yield from ((pattern, Rules(numeric=True)) for pattern in self.numeric)
        yield from ((pattern, Rules(text=forms)) for pattern, forms in self.text.items())
        yield from ((pattern, Rules(unordered=True)) for pattern in self.unordered)
        yield from ((pattern, Rules(nullish=frozenset(forms))) for pattern, forms in self.nullish.items())
        yield from ((pattern, Rules(json=True)) for pattern in self.json)
        yield from ((pattern, Rules(boolean=True)) for pattern in self.boolean)
        yield from ((pattern, Rules(datetime=True)) for pattern in self.datetime)
        yield from ((pattern, Rules(allow=True)) for pattern in self.allow)


def _paths(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if isinstance(value, Mapping):
        value = [path for path, wanted in value.items() if _flag(f"{name}: {path}", wanted)]
    if not isinstance(value, list | tuple):
        raise OptionsError(
            f"check 'state', {name}: expected a list of paths such as ['refunds.*.created'], not {value!r}"
        )
    for path in value:
        _checked(name, path)
    return tuple(value)


def _checked(name: str, path: Any) -> str:
    try:
        steps = parse_pattern(path)
    except OptionsError as error:
        raise OptionsError(f"check 'state', {name}: {error}") from None
    if name in ("ignore", "generated") and all(step in ("*", "**") for step in steps):
        raise OptionsError(
            f"check 'state', {name}: {path!r} would leave nothing to compare; name a column, e.g. '*.updated_at'"
        )
    return str(path)


def _tables(name: str, value: Any) -> tuple[str, ...]:
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, list | tuple) or not value or not all(isinstance(table, str) and table for table in value):
        raise OptionsError(f"check 'state', {name}: expected a list of table names such as ['refunds'], not {value!r}")
    return tuple(value)


def _mapping(name: str, value: Any, example: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise OptionsError(f"check 'state', {name}: expected a mapping such as {example}, not {value!r}")
    for path in value:
        _checked(name, path)
    return value


def _keys(name: str, value: Any) -> dict[str, tuple[str, ...]]:
    keys: dict[str, tuple[str, ...]] = {}
    for table, given in _mapping(name, value, "{refunds: [charge_id]}").items():
        columns = [given] if isinstance(given, str) else given
        if not isinstance(columns, list | tuple) or not columns or not all(isinstance(c, str) and c for c in columns):
            raise OptionsError(f"check 'state', {name}: {table!r} needs a list of column names, not {columns!r}")
        keys[table] = tuple(columns)
    return keys


def _tolerance(name: str, value: Any) -> dict[str, Decimal]:
    sizes: dict[str, Decimal] = {}
    for path, size in _mapping(name, value, "{orders.total: 0.01}").items():
        number = isinstance(size, int | float | Decimal) and not isinstance(size, bool)
        if not number or not math.isfinite(size) or size < 0:
            raise OptionsError(f"check 'state', {name}: {path!r} needs a number of at least 0, not {size!r}")
        sizes[path] = Decimal(repr(size)) if isinstance(size, float) else Decimal(size)
    return sizes


def _text(name: str, value: Any) -> dict[str, tuple[str, ...]]:
    return _forms(name, value, TEXT_FORMS, "{customers.city: [strip, nfc]}")


def _nullish(name: str, value: Any) -> dict[str, tuple[str, ...]]:
    forms = _forms(name, value, NULLISH_FORMS, "{orders.note: [null, empty]}")
    for path, named in forms.items():
        if len(named) < 2:
            raise OptionsError(f"check 'state', {name}: {path!r} needs two or three of {', '.join(NULLISH_FORMS)}")
    return forms


def _forms(name: str, value: Any, known: tuple[str, ...], example: str) -> dict[str, tuple[str, ...]]:
    read: dict[str, tuple[str, ...]] = {}
    for path, given in _mapping(name, value, example).items():
        forms = [given] if isinstance(given, str) or given is None else given
        # YAML reads a bare `null` in [null, empty] as no value; it can only be meant as the word.
        named = tuple("null" if form is None else form for form in forms) if isinstance(forms, list | tuple) else ()
        if not named or any(form not in known for form in named):
            raise OptionsError(f"check 'state', {name}: {path!r} takes some of {', '.join(known)}, not {forms!r}")
        read[path] = named
    return read


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise OptionsError(f"check 'state', {name}: expected true or false, not {value!r}")
    return value


READERS: Mapping[str, Any] = {
    "tables": _tables,
    "ignore": _paths,
    "generated": _paths,
    "keys": _keys,
    "tolerance": _tolerance,
    "numeric": _paths,
    "text": _text,
    "unordered": _paths,
    "nullish": _nullish,
    "json": _paths,
    "boolean": _paths,
    "datetime": _paths,
    "allow": _paths,
    "partial": _flag,
}
