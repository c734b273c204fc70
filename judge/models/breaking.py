"""When a judge is not asked any more: for good after a lasting fault, for a while after a long row of failures."""

from __future__ import annotations

import time

from judge.errors import JudgeError
from rubrics.verdict import Kind

IN_A_ROW = 30
FIRST_PAUSE = 2.0
LONGEST_PAUSE = 60.0
_OUTAGES = ("provider_error", "connection")


class Breaker:
    """`lasting` is the fault that no retry cures, None as long as there is none."""

    def __init__(self) -> None:
        self.lasting: JudgeError | None = None
        self._row = 0
        self._row_kind: Kind = "provider_error"
        self._last = ""
        self._open_until = 0.0
        self._pause = FIRST_PAUSE
        self._probing = False

    def check(self) -> None:
        """Raise at once what the next call would meet. While a pause lasts, and while one call probes, it is the outage."""
        if self.lasting is not None:
            raise JudgeError(self.lasting.kind, f"{self.lasting.message} (this judge is not asked any more)")
        if self._row >= IN_A_ROW:
            self._check_pause()

    def _check_pause(self) -> None:
        left = self._open_until - time.monotonic()
        if left <= 0 and not self._probing:
            self._probing = True
            return
        message = f"{self._last} ({self._row} calls in a row failed: the endpoint is left alone for a while)"
        raise JudgeError(self._row_kind, message, retry_after=max(left, 0.25))

    def note_answer(self) -> None:
        """The endpoint answered."""
        if self._row:
            self._row, self._pause, self._probing = 0, FIRST_PAUSE, False

    def note_failure(self, error: JudgeError) -> None:
        """A call failed."""
        if error.lasting:
            self.lasting = self.lasting or error
        if error.kind not in _OUTAGES or not error.passing:
            self.note_answer()
            return
        self._row += 1
        self._row_kind, self._last = error.kind, error.message
        if self._row == IN_A_ROW or self._probing:
            self._open_until = time.monotonic() + self._pause
            self._pause = min(LONGEST_PAUSE, 2 * self._pause) if self._probing else self._pause
            self._probing = False

    def note_nothing(self) -> None:
        """A call ended without telling anything of the endpoint, such as by cancellation."""
        self._probing = False
