"""Lint: what makes judges disagree, makes a weight meaningless or pays for the wrong thing, found without any model."""

from __future__ import annotations

from pathlib import Path

from rubrics.linting.findings import Finding, Rule, Severity, Subject
from rubrics.linting.names import NAME_RULES, names_needed
from rubrics.linting.overlaps import OVERLAP_RULES
from rubrics.linting.questions import QUESTION_RULES
from rubrics.linting.scales import SCALE_RULES
from rubrics.linting.settling import SETTLING_RULES
from rubrics.linting.weights import WEIGHT_RULES
from rubrics.loading import library, parse_text, read_text, rubric_from
from rubrics.rubric import Rubric

__all__ = ["RULES", "Finding", "Rule", "Severity", "lint", "lint_file", "names_needed"]

RULES: dict[str, Rule] = {
    **QUESTION_RULES, **SCALE_RULES, **WEIGHT_RULES, **SETTLING_RULES, **OVERLAP_RULES, **NAME_RULES,
}  # fmt: skip


def lint(rubric: Rubric, *, text: str | None = None) -> list[Finding]:
    """What the rules find, warnings before notes. `text` is the rubric's file, whose comments explain its names."""
    subject = Subject(rubric, text)
    found = [
        Finding(criterion=hit.criterion, rule=name, severity=rule.severity, message=hit.message, hint=rule.hint)
        for name, rule in RULES.items()
        for hit in rule.find(subject)
    ]
    return sorted(found, key=lambda finding: finding.severity != "warning")


def lint_file(source: str | Path) -> list[Finding]:
    """The findings on a file, or on a library rubric by its id, comments included. Raises RubricError."""
    path = library().get(str(source), Path(source))
    text = read_text(path)
    content = parse_text(text, where=str(path), json_only=path.suffix == ".json")
    return lint(rubric_from(content, where=str(path)), text=text)
