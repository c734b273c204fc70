"""From a judge's reply to verdicts: each criterion asked, once, on its scale, or a failure that says why not."""

from judge.parsing.complaints import complaint
from judge.parsing.outcomes import Parsed
from judge.parsing.replies import parse

__all__ = ["Parsed", "complaint", "parse"]
