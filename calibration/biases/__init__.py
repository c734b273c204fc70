"""What judges lean towards that people do not: length, other covariates, their own family, a place in the call, one value."""

from __future__ import annotations

from calibration.biases.probing import biases, biases_unlabelled

__all__ = ["biases", "biases_unlabelled"]
