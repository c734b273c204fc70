"""How far to trust grades: from grade records and labels to calibrated rewards, guarantees and reports.

Arithmetic on verdicts and grade records only: no network, no prompts, no SDK. Nothing is imported until it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calibration.calibration import Calibration
    from calibration.errors import CalibrationError, LabelError, OtherGraderError
    from calibration.label import Label
    from calibration.pairing import pair

_HOMES = {
    "calibration.calibration": ("Calibration",),
    "calibration.errors": ("CalibrationError", "LabelError", "OtherGraderError"),
    "calibration.label": ("Label",),
    "calibration.pairing": ("pair",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["Calibration", "CalibrationError", "Label", "LabelError", "OtherGraderError", "pair"]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'calibration' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
