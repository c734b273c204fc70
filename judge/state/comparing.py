"""Comparing: a final state with its goal, in one pass that gives the verdict and the explanation."""

from __future__ import annotations

from judge.state.change import Change, Comparison
from judge.state.errors import StateUnavailable
from judge.state.fulfilling import fulfilled
from judge.state.goals import AnyOf, Goal, as_goal
from judge.state.options import Options
from judge.state.predicates import Predicates
from judge.state.renames import Renames
from judge.state.states import State
from judge.state.values import Json
from judge.state.walking import walk_states

# Ids learned in one walk can change how rows align in the next, where they refer to each other; it settles in a few.
MOST_WALKS = 4


def compare(
    initial: State | Json | None, final: State | Json, goal: Goal | State | Json, options: Options | None = None
) -> Comparison:
    """Every change between the three states, and so whether the final one is right.

    A None ``initial`` means that it is unknown: then all that the goal has counts as required, and what only the final
    state has as collateral. Raises StateUnavailable for a state or a table that is not there, GoalError for an empty goal.
    """
    options = options or Options()
    before = None if initial is None else _state(initial, "the initial state")
    after = _state(final, "the final state")
    try:
        return _against(before, after, as_goal(goal), options)
    except RecursionError:
        raise StateUnavailable("the states are nested too deeply to compare; store them flatter") from None


def _against(before: State | None, after: State, goal: Goal, options: Options) -> Comparison:
    if isinstance(goal, AnyOf):
        return _best(before, after, goal, options)
    if isinstance(goal, Predicates):
        return Comparison(tuple(fulfilled(goal, before, after, options)))
    return Comparison(tuple(_walk(before, after, goal.state, options)))


def _best(before: State | None, after: State, goal: AnyOf, options: Options) -> Comparison:
    """The alternative that matches, else the one with the least wrong, the most made deciding between equals."""
    compared = [_against(before, after, alternative, options).about(n) for n, alternative in enumerate(goal.goals)]

    def distance(one: Comparison) -> tuple[int, int]:
        return len(one.faults), -sum(change.kind == "required_made" for change in one.changes)

    return min(compared, key=distance)


def _state(value: State | Json, source: str) -> State:
    return value if isinstance(value, State) else State.of(value, source)


def _walk(before: State | None, after: State, goal: State, options: Options) -> list[Change]:
    """Walk until the ids that the system made up are settled; one walk where there are none."""
    renames = Renames()
    for _ in range(MOST_WALKS):
        walker = walk_states(before, after, goal, options, renames=renames)
        if not walker.learned.active or walker.learned == renames:
            break
        renames = walker.learned
    return walker.changes
