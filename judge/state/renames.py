"""Renames: ids that the system made up. Where the goal has row 1 and the final state 907, references must follow."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from judge.state.values import Json

_BARE_IDS = frozenset({"id", "uuid", "guid", "key", "pk", "ref", "number", "no", "code"})
_ID_ENDINGS = ("id", "uuid", "guid", "ref", "reference", "number", "no", "key", "code")
_REFERENCE_ENDINGS = ("", "s", "id", "ids", "uuid", "ref", "refs", "reference", "number", "no", "key", "code")


def is_id(name: str) -> bool:
    """Whether a column of that name identifies its row: ``id``, ``refund_id``, ``refundId``, ``ticket_no``."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower().strip("_").split("_")
    return words[-1] in _ID_ENDINGS


def singular(table: str) -> str:
    """The name of one row of a table: ``refund`` of ``refunds``, ``category`` of ``categories``."""
    for ending, one in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ss", "ss"), ("s", "")):
        if table.endswith(ending) and len(table) > len(ending) + 1:
            return table.removesuffix(ending) + one
    return table


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


@dataclass
class Renames:
    """For each id column, which id of the final state stands for which of the goal; ids are kept as text."""

    columns: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)

    def note(self, table: str, column: str, *, wanted: Json, now: Json) -> None:
        """Row ``wanted`` of the goal is row ``now`` of the final state."""
        if _is_scalar(wanted) and _is_scalar(now):
            self.columns.setdefault((table, column), {})[str(wanted)] = str(now)

    @property
    def active(self) -> bool:
        """Whether any id differs, so that references have to be followed."""
        return any(wanted != now for column in self.columns.values() for wanted, now in column.items())

    def agree(self, name: str, *, now: Json, wanted: Json) -> bool | None:
        """Whether two references in a field of that name mean the same row; None where they are no such references."""
        if not (_is_scalar(now) and _is_scalar(wanted) and type(now) is type(wanted)):
            return None
        for (table, column), known in self.columns.items():
            expected = known.get(str(wanted))
            if expected is not None and _refers(name, table, column):
                return str(now) == expected
        if is_id(name) and any(known.get(str(wanted)) == str(now) for known in self.columns.values()):
            return True
        return None

    def translated(self, name: str, wanted: Json) -> Json:
        """The goal's reference as the final state would write it; the value itself where it is no reference."""
        for (table, column), known in self.columns.items():
            if _is_scalar(wanted) and str(wanted) in known and _refers(name, table, column):
                return type(wanted)(known[str(wanted)])
        return wanted


def _is_scalar(value: Json) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _refers(name: str, table: str, column: str) -> bool:
    """Whether a field of that name points into the table: ``refund_id``, ``refundIds``, ``parent_refund`` for ``refunds``."""
    name, stem, own = _plain(name), _plain(singular(table.lower())), _plain(column)
    if any(name.endswith(stem + ending) for ending in _REFERENCE_ENDINGS):
        return True
    return own not in _BARE_IDS and name.endswith((own, f"{own}s"))
