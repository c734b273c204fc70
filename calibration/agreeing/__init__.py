"""How far any two raters agree: judges, panels, people and state checks, with intervals and the human ceiling."""

from __future__ import annotations

from calibration.agreeing.agreement import agreement
from calibration.agreeing.alternative import alternative_annotator_test
from calibration.agreeing.ceiling import ceiling, ceilings_of
from calibration.agreeing.ratings import (
    Ratings,
    ratings_of_judge,
    ratings_of_labels,
    ratings_of_panel,
    ratings_of_people,
    ratings_of_person,
    scales_of,
)

__all__ = [
    "Ratings",
    "agreement",
    "alternative_annotator_test",
    "ceiling",
    "ceilings_of",
    "ratings_of_judge",
    "ratings_of_labels",
    "ratings_of_panel",
    "ratings_of_people",
    "ratings_of_person",
    "scales_of",
]
