"""From what judges said and what was true to a fitted map: candidates, held-out figures, warnings."""

from __future__ import annotations

from calibration.fitting.ladder import fit_arrays, fit_question
from calibration.fitting.settings import FitSettings, Fitted

__all__ = ["FitSettings", "Fitted", "fit_arrays", "fit_question"]
