"""What can go wrong with a state, and who has to mend it.

ValueError
├── StateUnavailable      the state cannot be read: the check cannot look (kind ``state_unavailable``)
├── GoalError             the goal says nothing, or not what a goal can say: refused when the episode or rubric is loaded
├── OptionsError          an argument of the ``state`` check is unknown or badly formed: refused when the rubric is loaded
└── QueryError            the query of a ``sql`` check cannot be answered (kind ``check_error``)
"""

from __future__ import annotations

from typing import ClassVar


class StateUnavailable(ValueError):  # noqa: N818 - named for the failure kind it becomes
    """A state could not be read; the message names the file or field and what to do."""

    kind: ClassVar[str] = "state_unavailable"


class GoalError(ValueError):
    """A goal that says nothing or is malformed; the message says what a goal may be."""


class OptionsError(ValueError):
    """An argument of the ``state`` check that is unknown or has a bad value."""


class QueryError(ValueError):
    """A query that is not a plain read, fails, takes too long or gives too much."""

    kind: ClassVar[str] = "check_error"
