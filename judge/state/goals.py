"""Goals: the end that a task asks for, as a state, as changes, as one of several, or as predicates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from judge.state.errors import GoalError, StateUnavailable
from judge.state.predicates import Predicates, read_predicates
from judge.state.sources import StateCache, read_state
from judge.state.states import State
from judge.state.values import Json


@dataclass(frozen=True, slots=True)
class StateGoal:
    """The final state is to be this one; what it leaves as it was at first must stay."""

    state: State


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The final state is to fulfil one of these."""

    goals: tuple[Goal, ...]


Goal: TypeAlias = StateGoal | AnyOf | Predicates


FORMS: Final = {
    "anyof": "any_of", "oneof": "any_of", "require": "require", "requires": "require", "required": "require",
    "forbid": "forbid", "forbids": "forbid", "forbidden": "forbid", "base": "$base", "patch": "$patch",
}  # fmt: skip
"""Forms of a goal by how they are misspelt."""


def read_goal(
    value: Json, *, base_dir: Path | None = None, initial: State | None = None, cache: StateCache | None = None
) -> Goal:
    """The goal an episode gives; a change-nothing goal is ``{"$base": "initial_state", "$patch": []}``.

    Raises GoalError for a goal that says nothing or mixes its forms, StateUnavailable for one that cannot be read.
    """
    if value is None:
        raise StateUnavailable("there is no goal state; give one, or take the state check out of the rubric")
    if isinstance(value, Mapping) and "any_of" in value:
        return _any_of(value, base_dir=base_dir, initial=initial, cache=cache)
    if isinstance(value, Mapping) and ("require" in value or "forbid" in value) and _are_predicates(value):
        return read_predicates(value)
    _refuse_misspelt(value, initial)
    state = read_state(value, base_dir=base_dir, initial=initial, cache=cache)
    if not (isinstance(value, Mapping) and "$patch" in value):
        _refuse_empty(state.value)
    return StateGoal(state)


def as_goal(value: Goal | State | Json) -> Goal:
    """The goal that a value given in Python stands for."""
    if isinstance(value, StateGoal | AnyOf | Predicates):
        return value
    return StateGoal(value) if isinstance(value, State) else read_goal(value)


def _refuse_misspelt(value: Json, initial: State | None) -> None:
    """`anyOf` for `any_of` would be read as a table that the agent did not make: a closed gate for a slip of the pen."""
    tables = initial.value if initial is not None and isinstance(initial.value, dict) else {}
    for key in value if isinstance(value, Mapping) else ():
        meant = FORMS.get(str(key).casefold().strip("$").replace("_", "").replace("-", ""))
        if meant is not None and key not in tables and key not in FORMS.values():
            raise GoalError(f"a goal has no key {key!r}; did you mean {meant!r}?")


def _are_predicates(value: Mapping[str, Json]) -> bool:
    """A table may be called ``require``: predicates are told by standing alone, as lists."""
    return set(value) <= {"require", "forbid"} and all(isinstance(part, list) for part in value.values())


def _any_of(
    value: Mapping[str, Json], *, base_dir: Path | None, initial: State | None, cache: StateCache | None
) -> AnyOf:
    alternatives = value["any_of"]
    if len(value) > 1 or not isinstance(alternatives, list) or not alternatives:
        raise GoalError('a goal with any_of needs a list of goals and nothing beside it: {"any_of": [goal, goal]}')
    goals = tuple(read_goal(one, base_dir=base_dir, initial=initial, cache=cache) for one in alternatives)
    return AnyOf(goals)


def _refuse_empty(value: Json) -> None:
    if not value:
        raise GoalError(
            "an empty goal says nothing; to ask that nothing change, write "
            '{"$base": "initial_state", "$patch": []}, and leave the goal out where it is unknown'
        )
