"""How far to trust grades: from grade records and labels to calibrated rewards, guarantees and reports.

Arithmetic on verdicts and grade records only: no network, no prompts, no SDK. Nothing is imported until it is used, and giving rewards
needs no numpy; fitting does: `pip install 'rubric-judge[calibration]'`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calibration.agreeing import Ratings, agreement
    from calibration.applying import apply
    from calibration.calibrating import FitOptions, fit, fit_in_full
    from calibration.calibration import Calibration, RewardRule
    from calibration.diagnosing import diagnose
    from calibration.drifting import drift, drift_of
    from calibration.errors import CalibrationError, LabelError, OtherGraderError
    from calibration.escalating import cascade, escalation
    from calibration.estimating import difference, estimate, sample_of
    from calibration.label import Label
    from calibration.loading import load
    from calibration.pairing import pair
    from calibration.planning import plan
    from calibration.reporting import report
    from calibration.state_auditing import audit_state
    from calibration.state_truth import state_labels
    from calibration.transporting import transport

_HOMES = {
    "calibration.agreeing": ("Ratings", "agreement"),
    "calibration.applying": ("apply",),
    "calibration.calibrating": ("FitOptions", "fit", "fit_in_full"),
    "calibration.calibration": ("Calibration", "RewardRule"),
    "calibration.diagnosing": ("diagnose",),
    "calibration.drifting": ("drift", "drift_of"),
    "calibration.errors": ("CalibrationError", "LabelError", "OtherGraderError"),
    "calibration.escalating": ("cascade", "escalation"),
    "calibration.estimating": ("difference", "estimate", "sample_of"),
    "calibration.label": ("Label",),
    "calibration.loading": ("load",),
    "calibration.pairing": ("pair",),
    "calibration.planning": ("plan",),
    "calibration.reporting": ("report",),
    "calibration.state_auditing": ("audit_state",),
    "calibration.state_truth": ("state_labels",),
    "calibration.transporting": ("transport",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Calibration", "CalibrationError", "FitOptions", "Label", "LabelError", "OtherGraderError", "Ratings", "RewardRule", "agreement",
    "apply", "audit_state", "cascade", "diagnose", "difference", "drift", "drift_of", "escalation", "estimate", "fit",
    "fit_in_full", "load", "pair", "plan", "report", "sample_of", "state_labels", "transport",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'calibration' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
