"""Episodes that are known to be bad, put to the judges: none should pass."""

from __future__ import annotations

from collections.abc import Iterable

from calibration.agreeing.rates import wilson
from calibration.applying import apply
from calibration.calibration import Calibration
from calibration.errors import CalibrationError
from calibration.figures import Figure
from calibration.records import RecordLike
from calibration.results import Canaries

MOST = 0.02
SHOWN = 10


def canaries(records: Iterable[RecordLike], calibration: Calibration | None = None) -> Canaries:
    """How many episodes that are all known to be bad the panel passes: by the rubric, or with a reward of a half or more.

    Rewards are those of the calibration, where one is given. An episode without a score neither passes nor counts. Raises
    CalibrationError if there are no records.
    """
    found = [record if calibration is None else apply(calibration, record, accept=True) for record in records]
    if not found:
        raise CalibrationError("canaries: there are no grades; grade episodes that are known to be bad")
    graded = [record for record in found if record.score is not None]
    passed = tuple(record.episode_id for record in graded if _passes(record))
    n = len(graded)
    if not n:
        rate = Figure(value=None, why="none was graded")
    else:
        low, high = wilson(len(passed) / n, n)
        rate = Figure(value=len(passed) / n, low=low, high=high, n=n)
    return Canaries(
        judge="panel", n=n, passed=passed, rate=rate, holds=None if rate.value is None else rate.value <= MOST,
        ungraded=len(found) - n, reads=_reading(n, passed),
    )  # fmt: skip


def _passes(record: RecordLike) -> bool:
    if record.passed or (record.reward is not None and record.reward >= 0.5):
        return True
    return record.passed is None and record.reward is None and record.score is not None and record.score >= 0.5


def _reading(n: int, passed: tuple[str, ...]) -> str:
    if not n:
        return "No canary was graded: whether bad episodes pass can't be said"
    more = f" and {len(passed) - SHOWN} more" if len(passed) > SHOWN else ""
    named = f": {', '.join(passed[:SHOWN])}{more}" if passed else ""
    limit = f"; more than {MOST:.0%} is too many" if len(passed) > MOST * n else ""
    return f"{len(passed)} of {n} episodes that are known to be bad pass{named}{limit}"
