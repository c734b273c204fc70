"""The errors of grading.

JudgeError                a judge gave no usable answer: a kind of the closed list, whose fault, and a sentence
StoreError                the ledger can't be read or written: going on would pay for replies that are then lost
InputError (ValueError)   what the user gave can't be used: a file, a line, a model reference, an option
└── EpisodeError          one episode can't be read or graded; the rest go on
"""

from __future__ import annotations

from typing import Any

from rubrics.verdict import BLAME_OF, Blame, Failure, Kind

LASTING: frozenset[str] = frozenset({"quota", "auth", "model_not_found", "bad_endpoint"})
PASSING: frozenset[str] = frozenset({"rate_limited", "timeout", "connection", "provider_error"})


class JudgeError(Exception):
    """One call to a judge that brought no usable answer.

    `retry_after` is the wait in seconds that the provider asked for, None if it asked for none. `usage` is what the failed
    call cost all the same, where the provider said so. `raw` is the reply as it came, for the person who looks into it.
    """

    def __init__(
        self,
        kind: Kind,
        message: str,
        *,
        retry_after: float | None = None,
        usage: object = None,
        raw: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.message = message
        self.retry_after = retry_after
        self.usage = usage
        self.raw = raw

    def __reduce__(self) -> tuple[Any, ...]:
        """Made anew from its parts, so that it comes whole out of another process."""
        return type(self), (self.kind, self.message), self.__dict__

    @property
    def blame(self) -> Blame:
        """Whose fault it is: infra, judge, episode or check."""
        return BLAME_OF[self.kind]

    @property
    def lasting(self) -> bool:
        """True if no retry can cure it, so that the run stops using this judge."""
        return self.kind in LASTING

    @property
    def passing(self) -> bool:
        """True if the same request may succeed later."""
        return self.kind in PASSING

    def failure(self, *, rater: str | None = None, criterion: str | None = None) -> Failure:
        """The same as a record."""
        return Failure(kind=self.kind, message=self.message, blame=self.blame, rater=rater, criterion=criterion)


class StoreError(Exception):
    """The ledger can't be read or written any more. The run stops, since what it pays for would be lost."""


class InputError(ValueError):
    """What the user gave can't be used. The message says what, what was expected and what to do."""


class EpisodeError(InputError):
    """One episode can't be read or graded. The message names its line or id; the others go on."""
