"""What parsing gives: for each criterion asked, one verdict or one failure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rubrics import BLAME_OF, Criterion, Failure, Verdict
from rubrics.verdict import Kind

WHOLE_REPLY: frozenset[str] = frozenset(
    {"empty", "truncated", "judge_refused", "parse_error", "content_filter", "provider_error"}
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A verdict or a failure for each criterion asked, in the order asked, and what was noticed on the way.

    `notes` are sentences about what was repaired, ignored or replaced.
    """

    verdicts: tuple[Verdict, ...] = ()
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()


class ReplyError(ValueError):
    """A reply that gives no verdict at all. `kind` says why, as one of the closed list."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind: Kind = kind


def failure(kind: Kind, criterion: Criterion, rater: str, message: str) -> Failure:
    """A failure whose sentence says who failed on which criterion, and how."""
    said = f"{rater} on {criterion.id!r}: {message}"
    return Failure(kind=kind, blame=BLAME_OF[kind], criterion=criterion.id, rater=rater, message=said)


def all_failed(error: ReplyError, criteria: Sequence[Criterion], rater: str) -> Parsed:
    """The same failure for each criterion."""
    return Parsed(failures=tuple(failure(error.kind, criterion, rater, str(error)) for criterion in criteria))
