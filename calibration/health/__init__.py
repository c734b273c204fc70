"""The health of a training run, step by step, from its grade records alone."""

from __future__ import annotations

from calibration.health.checking import health, rows

__all__ = ["health", "rows"]
