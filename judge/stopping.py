"""When a run has no point any more: judges lost for good, the budget spent, or nothing but failures."""

from __future__ import annotations

from collections import Counter

from judge.asking import Seat
from judge.grading import Bench
from judge.record import GradeRecord


class RunStoppedError(Exception):
    """The run was stopped, and why. What was graded before is kept."""


class Watch:
    """Looks at each record as it comes and says when to stop: `reason` stays None while there is a point in going on.

    `patience` is how many records in a row may lack a score by the fault of judges or the network (0: any number).
    """

    def __init__(self, bench: Bench, *, patience: int = 25) -> None:
        self._bench = bench
        self._patience = patience
        self._in_a_row = 0
        self._examples: list[str] = []

    def reason(self, record: GradeRecord) -> str | None:
        """Why to stop after this record; None to go on."""
        if not self._bench.seats:
            return None  # only checks are made: that judged criteria stay missing is what was asked for
        if lost := self._lost():
            return lost
        kinds = Counter(f.kind for f in record.failures if f.blame in ("infra", "judge"))
        if kinds["budget"]:
            why = next(f.message for f in record.failures if f.kind == "budget")
            return f"{why}; then the same command with --resume goes on"
        if record.score is not None or not kinds:
            self._in_a_row, self._examples = 0, []
            return None
        self._in_a_row += 1
        self._examples += [f.message for f in record.failures[:1] if len(self._examples) < 3]
        if self._patience and self._in_a_row >= self._patience:
            return f"{self._in_a_row} episodes in a row got no score. For example: " + " | ".join(self._examples)
        return None

    def _lost(self) -> str | None:
        """The judges that are gone for good, if the rest make no quorum."""
        seats: list[Seat] = [*self._bench.seats, *self._bench.substitutes]
        gone = [(seat, failure) for seat in seats if (failure := seat.caller.lasting) is not None]
        if not gone or len(seats) - len(gone) >= self._bench.panel.needed:
            return None
        return "; ".join(f"judge {seat.judge.name}: {failure.message}" for seat, failure in gone)
