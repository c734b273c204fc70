"""Change and Comparison: what became of each place that the goal, or the agent, changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from judge.state.values import ABSENT, Json

Kind: TypeAlias = Literal["required_made", "required_missing", "made_wrong", "collateral", "allowed", "ignored"]

BAD: Final[frozenset[Kind]] = frozenset({"required_missing", "made_wrong", "collateral"})


@dataclass(frozen=True, slots=True)
class Change:
    """One place: what it ``was`` at first, what it is ``now``, what the goal ``wanted``; ABSENT where nothing stands.

    ``required_made``: the goal changes it and the final state has it so. ``required_missing``: the goal changes it and it
    was left as it was. ``made_wrong``: the goal changes it and it became something else. ``collateral``: the goal leaves
    it alone and it changed. ``allowed`` and ``ignored``: it changed or differs, and the options say that this is no fault.
    ``note`` says in words what helps to see why; it is "" where there is nothing to add.
    """

    path: str
    kind: Kind
    was: Json = ABSENT
    now: Json = ABSENT
    wanted: Json = ABSENT
    note: str = ""

    @property
    def bad(self) -> bool:
        """Whether this change makes the final state wrong."""
        return self.kind in BAD

    def to_dict(self) -> dict[str, Json]:
        """As JSON; ``was``, ``now`` and ``wanted`` are left out where nothing stands, and null means null."""
        sides = {"was": self.was, "now": self.now, "wanted": self.wanted}
        shown = {name: value for name, value in sides.items() if value is not ABSENT}
        return {"path": self.path, "kind": self.kind, **shown, **({"note": self.note} if self.note else {})}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Change:
        """The change that ``to_dict`` wrote."""
        return cls(**record)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The outcome of comparing a final state with a goal: every change, and the verdict that follows from them.

    ``alternative`` is the place, from 0, of the goal that these changes are about where the goal was ``any_of``; else None.
    """

    changes: tuple[Change, ...] = ()
    alternative: int | None = None

    @property
    def match(self) -> bool:
        """Whether the final state is right: nothing required is missing or wrong, and nothing else changed."""
        return not self.faults

    @property
    def faults(self) -> tuple[Change, ...]:
        """The changes that make it wrong; empty exactly when it matches."""
        return tuple(change for change in self.changes if change.bad)

    @property
    def required(self) -> int:
        """How many changes the goal asks for; 0 means that the right thing was to change nothing."""
        return sum(change.kind in ("required_made", "required_missing", "made_wrong") for change in self.changes)

    @property
    def share(self) -> float:
        """The share of required changes that were made, in [0, 1]; 0 when anything collateral changed, 1 when all is right."""
        if any(change.kind == "collateral" for change in self.changes):
            return 0.0
        made = sum(change.kind == "required_made" for change in self.changes)
        return made / self.required if self.required else 1.0

    def value(self, *, partial: bool = False) -> float:
        """The value of the ``state`` check: 1 or 0, or the share of required changes made."""
        return self.share if partial else float(self.match)

    def about(self, alternative: int) -> Comparison:
        """The same comparison, marked as being with this alternative of an ``any_of`` goal."""
        return replace(self, alternative=alternative)

    def to_list(self) -> list[dict[str, Json]]:
        """The changes as JSON, for the grade record."""
        return [change.to_dict() for change in self.changes]
