"""How the judges of a panel hang together: whether they err together, how severe each is, and which adds nothing."""

from __future__ import annotations

from calibration.diagnosing.panels import diagnose, diagnose_unlabelled

__all__ = ["diagnose", "diagnose_unlabelled"]
