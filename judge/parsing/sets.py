"""Telling a set of verdicts from other JSON, and one entry from another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judge.parsing.answers import ANSWER_KEYS, folded
from judge.parsing.repairing import STRICT
from rubrics import Criterion

OTHER_WRAPPERS = ("criteria", "criteria_evaluations")
NAME_KEYS = ("criterion_id", "criterion", "name")
PLACE_KEYS = (("criterion_number", 1), ("criterion_idx", 0))

_PLACEHOLDER = re.compile(r"\s*(?:\.{3,}|…|<[^<>]{0,60}>)\s*")

Entry = Mapping[str, Any]


class BrokenSetError(ValueError):
    """Something that calls itself a set of verdicts and holds none that can be read."""


@dataclass(frozen=True, slots=True)
class VerdictSet:
    """The entries of one complete answer: each with the id that it gave (None if none) and, if known, its criterion's id."""

    entries: tuple[tuple[str | None, str | None, Entry], ...]
    strangers: int = 0

    @property
    def is_echo(self) -> bool:
        """True if it repeats the form that was asked for, with its placeholders, instead of filling it in."""
        return bool(self.entries) and all(_is_form(name, entry) for name, _, entry in self.entries)


class Asked:
    """The criteria asked for, found by the names that a judge gives them."""

    def __init__(self, criteria: Sequence[Criterion]) -> None:
        self.criteria = criteria
        self.ids = {criterion.id for criterion in criteria}

    def find(self, name: str) -> str | None:
        """The criterion's id: exactly, else without case and outer space if only one is meant; None if it was not asked."""
        if name in self.ids:
            return name
        alike = [known for known in self.ids if folded(known) == folded(name)]
        return alike[0] if len(alike) == 1 else None

    def identify(self, entry: Entry) -> tuple[str | None, str | None]:
        """What an entry calls its criterion (None if nothing), and the id of the criterion meant (None if unknown)."""
        name = entry.get("id")
        if type(name) is str and name in self.ids:
            return name, name
        if name is None:
            name = next((entry[key] for key in NAME_KEYS if entry.get(key) is not None), None)
        if name is None:
            return self._by_place(entry)
        name = name if isinstance(name, str) else str(name)[:100]
        return name, self.find(name)

    def _by_place(self, entry: Entry) -> tuple[str | None, str | None]:
        for key, first in PLACE_KEYS:
            if (given := entry.get(key)) is not None:
                number = int(given) if isinstance(given, str) and re.fullmatch("[0-9]{1,4}", given) else given
                if type(number) is int and 0 <= number - first < len(self.criteria):
                    return f"{key} {number}", self.criteria[number - first].id
                return f"{key} {str(given)[:20]}", None
        return None, None


def as_set(value: Any, asked: Asked, *, whole: bool) -> VerdictSet | None:
    """The set of verdicts that `value` is; None if it is other JSON. `whole` if the reply is nothing but this value.

    Raises BrokenSetError for an object with `verdicts` that holds no entries.
    """
    if isinstance(value, list):
        return _kept(_from_list(value, asked), whole=whole)
    if not isinstance(value, dict):
        return None
    if "verdicts" in value and "verdicts" not in asked.ids:
        if (found := _unwrap(value["verdicts"], asked)) is None:
            raise BrokenSetError("`verdicts` holds no entries")
        return found
    for wrapper in OTHER_WRAPPERS:
        if wrapper in value and (found := _kept(_unwrap(value[wrapper], asked), whole=whole)):
            return found
    return _bare_entry(value, asked, whole=whole) or _kept(_from_map(value, asked), whole=False)


def _unwrap(inner: Any, asked: Asked) -> VerdictSet | None:
    if isinstance(inner, str):  # JSON inside JSON is decoded once and no more
        try:
            inner = STRICT.decode(inner)
        except (ValueError, RecursionError):
            return None
    if isinstance(inner, list):
        return _from_list(inner, asked)
    if isinstance(inner, dict):
        return _bare_entry(inner, asked, whole=True) or _from_map(inner, asked)
    return None


def _from_list(items: list[Any], asked: Asked) -> VerdictSet | None:
    entries = [(*asked.identify(item), item) for item in items if isinstance(item, dict)]
    strangers = len(items) - len(entries)
    if items and not entries:
        return None
    if len(asked.criteria) == len(entries) == 1 and entries[0][0] is None:
        entries = [(None, asked.criteria[0].id, entries[0][2])]
    return VerdictSet(tuple(entries), strangers)


def _from_map(members: dict[str, Any], asked: Asked) -> VerdictSet | None:
    pairs = getattr(members, "pairs", None) or list(members.items())
    entries = [(name, asked.find(name), entry) for name, entry in pairs if isinstance(entry, dict)]
    if not any(known for _, known, _ in entries):
        return None
    strangers = sum(asked.find(name) is not None and not isinstance(entry, dict) for name, entry in pairs)
    return VerdictSet(tuple(entries), strangers)


def _bare_entry(value: dict[str, Any], asked: Asked, *, whole: bool) -> VerdictSet | None:
    """One entry without a list around it, where one criterion was asked. Without an id it must be the whole reply."""
    if len(asked.criteria) != 1 or not _answers(value):
        return None
    name, known = asked.identify(value)
    if name is None and whole:
        known = asked.criteria[0].id
    return VerdictSet(((name, known, value),)) if known else None


def _kept(found: VerdictSet | None, *, whole: bool) -> VerdictSet | None:
    """Other JSON stands in prose too (evidence, the rubric): only what answers something asked is a set of verdicts."""
    if found is None or not found.entries:
        return None
    sure = any((known or whole) and _answers(entry) for _, known, entry in found.entries)
    return found if sure else None


def _answers(entry: Entry) -> bool:
    return any(key in entry for key in ANSWER_KEYS)


def _is_form(name: str | None, entry: Entry) -> bool:
    return any(
        isinstance(text, str) and len(text) <= 64 and _PLACEHOLDER.fullmatch(text) is not None
        for text in (entry.get("reason"), entry.get("level"), name)
    )
