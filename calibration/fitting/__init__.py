"""From what judges said and what was true to a fitted map: candidates, held-out figures, warnings."""

from __future__ import annotations

from calibration.fitting.ladder import fit_arrays, fit_question
from calibration.fitting.predicting import probabilities
from calibration.fitting.raters import adjusted_truths, severities
from calibration.fitting.settings import FitSettings, Fitted

__all__ = [
    "FitSettings", "Fitted", "adjusted_truths", "fit_arrays", "fit_question", "probabilities",
    "severities",
]  # fmt: skip
