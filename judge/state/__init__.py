"""State: what an agent left behind, compared with what the task asked for.

    before = read_state(episode["initial_state"], base_dir=folder)
    after = read_state(episode["final_state"], base_dir=folder, initial=before)
    goal = read_goal(episode["goal_state"], base_dir=folder, initial=before)
    comparison = compare(before, after, goal, Options.from_args({"keys": {"refunds": ["charge_id"]}}))
    comparison.match, explain(comparison.changes)

It works on JSON-like values only and knows nothing of episodes, rubrics or models.
"""

from judge.state.change import Change, Comparison
from judge.state.changes import apply_changes, diff
from judge.state.comparing import compare
from judge.state.errors import GoalError, OptionsError, QueryError, StateUnavailable
from judge.state.explaining import explain
from judge.state.goals import AnyOf, Goal, StateGoal, read_goal
from judge.state.options import Options
from judge.state.predicates import Predicates
from judge.state.querying import query_state
from judge.state.sources import StateCache, read_state
from judge.state.states import State
from judge.state.values import ABSENT, Json

__all__ = [
    "ABSENT",
    "AnyOf",
    "Change",
    "Comparison",
    "Goal",
    "GoalError",
    "Json",
    "Options",
    "OptionsError",
    "Predicates",
    "QueryError",
    "State",
    "StateCache",
    "StateGoal",
    "StateUnavailable",
    "apply_changes",
    "compare",
    "diff",
    "explain",
    "query_state",
    "read_goal",
    "read_state",
]
