"""What to grade: criteria and rubrics, the verdicts of raters on them, and the grade that verdicts add up to."""

from rubrics.criterion import CANNOT_TELL, NOT_APPLICABLE, Check, Criterion, Example, Level
from rubrics.errors import FillError, RubricError
from rubrics.filling import applies, fill
from rubrics.grade import Grade
from rubrics.loading import library, load
from rubrics.rubric import Rubric, Section
from rubrics.scoring import score
from rubrics.verdict import BLAME_OF, Failure, Quote, Verdict, verdict_on

__all__ = [
    "BLAME_OF", "CANNOT_TELL", "NOT_APPLICABLE", "Check", "Criterion", "Example", "Failure", "FillError", "Grade", "Level",
    "Quote", "Rubric", "RubricError", "Section", "Verdict", "applies", "fill", "library", "load", "score", "verdict_on",
]  # fmt: skip
