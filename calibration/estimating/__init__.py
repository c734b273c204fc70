"""Estimates of a pass rate or mean over many judged and few labelled episodes, and differences of two policies."""

from __future__ import annotations

from calibration.estimating.comparing import difference
from calibration.estimating.estimate import estimate
from calibration.estimating.samples import Sample, sample_of

__all__ = ["Sample", "difference", "estimate", "sample_of"]
