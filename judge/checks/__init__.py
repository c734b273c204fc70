"""Checks: what code settles about an episode, with the same noun that a judge or a person gives, a verdict."""

from judge.checks.empties import Unanswerable, unanswerable
from judge.checks.finding import Arguments, Checked, CheckSettings, Finding
from judge.checks.registry import CHECKS, check, validate_checks

__all__ = [
    "CHECKS", "Arguments", "CheckSettings", "Checked", "Finding", "Unanswerable", "check", "unanswerable", "validate_checks",
]  # fmt: skip
