"""Rules about who can answer: code instead of a judge, and a judge from what it is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rubrics.criterion import Evidence
from rubrics.linting.findings import Hit, Rule, Subject, explained, question

_LITERAL = r"(\{\{[^}]*\}\}|\"[^\"]+\"|“[^”]+”|(?<!\w)'[^']+'|[$€£]?\d[\d.,]*)"
_COUNT = r"(a |an |one |two |three |four |five |six |ten |\d+ |\{\{[^}]*\}\} )"
# What code can settle: how the question gives it away, and the check to use.
_SETTLED: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("length", re.compile(
        rf"\b(between|at most|at least|under|over|fewer than|less than|more than|no more than|within|exceed|longer than|shorter than) "
        rf"(\S+ and )?{_COUNT}?(words?|characters?|sentences?|paragraphs?|lines?)\b", re.I)),
    ("called", re.compile(
        r"\b(call|calls|called|invoke|invokes|invoked) (the |a )?(\S+ )?(tool|function|api)\b|\btool \S+ (called|used|invoked)\b", re.I)),
    ("says", re.compile(
        rf"\b(contain|include|mention|quote|state|say|give|use)s? (the )?(exact )?(\w+ )?{_LITERAL}\s*(\?|$|or\b|verbatim)", re.I)),
    ("says", re.compile(r"\b(contain|include|use)s? the (exact )?(word|words|phrase|string|text)\b", re.I)),
    ("language", re.compile(
        r"\b(written|reply|answer|respond|be) in (english|german|french|spanish|italian|dutch|portuguese|japanese|chinese)\b", re.I)),
    ("json_schema", re.compile(r"\bvalid (json|yaml|xml)\b|\bjson schema\b", re.I)),
    ("regex", re.compile(r"\bmatch(es)? (the |this )?(regex|regular expression|pattern)\b", re.I)),
    ("cell", re.compile(r"\bcell [A-Z]{1,3}[0-9]{1,5}\b")),
)  # fmt: skip
_NAMES_EVIDENCE: dict[Evidence, str] = {
    "transcript": r"\b(reply|replies|message|messages|conversation|transcript|tool results?|chat|agent say|agent tell|agent ask)\b",
    "policy": r"\b(policy|policies|house rules|guidelines?)\b",
    "state": r"\b(database|table|row|final state|record in the)\b",
    "artifacts": r"\b(workbook|spreadsheet|attachment|artifact|slides?|presentation|pdf|file)\b",
}


def code_could_settle(subject: Subject) -> Iterator[Hit]:
    """A judge is asked for a literal number, word, call or length: code does that for nothing and is never wrong."""
    for criterion in subject.judged:
        end = criterion.ask.find("?") + 1 or len(criterion.ask)
        asked = criterion.ask[:end]
        name = next((check for check, pattern in _SETTLED if pattern.search(asked)), None)
        # A sentence after the question usually widens it to other words for the same, which takes a reader.
        if name is not None and not (name == "says" and explained(criterion.ask)):
            yield Hit(criterion.id, f"asks judges what the check `{name}` settles")


def not_in_evidence(subject: Subject) -> Iterator[Hit]:
    """The question is about something that the judge is not shown."""
    for criterion in subject.judged:
        shown = set(criterion.evidence)
        hidden = [kind for kind in _NAMES_EVIDENCE if kind not in shown]
        asked = question(criterion.ask)
        for kind in hidden:
            found = re.search(_NAMES_EVIDENCE[kind], asked, re.I)
            elsewhere = any(re.search(_NAMES_EVIDENCE[k], asked, re.I) for k in _NAMES_EVIDENCE if k in shown)
            if found and not (kind in ("transcript", "artifacts") and elsewhere):
                yield Hit(
                    criterion.id,
                    f"speaks of {found[0]!r}, but `evidence` {list(criterion.evidence)} does not show the {kind}",
                )
        if criterion.require_quote and criterion.evidence == ("context",):
            yield Hit(criterion.id, "demands a quote, but shows only the context, which can't be quoted")


SETTLING_RULES = {
    "code-could-settle": Rule("note", "use the check; keep a judge for what needs reading", code_could_settle),
    "not-in-evidence": Rule(
        "warning", "add it to `evidence`, or leave `evidence` out to show everything", not_in_evidence
    ),
}
