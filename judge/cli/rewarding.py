"""A calibration for a run: read, checked against the grader before anything is spent, its warnings told."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from calibration.errors import OtherGraderError

if TYPE_CHECKING:
    from judge.engine import Calibration, Engine

LOUD = {
    "worse_than_chance": "the judges were no better than chance on the labels: do not train on these rewards",
    "no_signal": "the judges carry no signal about the labels: rewards are close to the base rate whatever the agent does",
    "uncalibrated": "there were too few labels to calibrate: rewards are the plain mean of the judges",
    "label_free": "it was fitted without labels: rewards are over-confident where judges err together",
}


def rewarding(engine: Engine, path: Path, *, accept: bool) -> Calibration:
    """What gives each record its reward. Raises OtherGraderError in one sentence if the engine is another grader."""
    from calibration.applying import apply
    from calibration.loading import load
    from calibration.naming import parts_changed

    calibration = load(path)
    for badge in calibration.badges:
        if badge in LOUD:
            sys.stderr.write(f"judge: warning: calibration {calibration.id}: {LOUD[badge]}\n")
    if calibration.method != engine.method:
        changed = "; ".join(parts_changed(calibration.grader, engine.grader)) or "another method"
        if not accept:
            raise OtherGraderError(
                f"{path}: fitted on another grader than this run: {changed}; calibrate grades of this grader, or give "
                "--accept-other-grader, and every grade is flagged"
            )
        sys.stderr.write(f"judge: warning: {path}: fitted on another grader: {changed}; every grade is flagged\n")
    return partial(apply, calibration, accept=True) if accept else calibration
