"""OpenAI's decisions: the criteria as typed questions, answered with probabilities and without a word of reasoning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from judge.judges import Judge
from judge.models.dialects import Settings, empty, refused
from judge.models.exchange import Prompt, Reply, Usage
from judge.models.learning import Learned
from judge.models.outcomes import Source, error_inside, told_of
from judge.models.prices import Tariff, count
from rubrics.criterion import NOT_APPLICABLE, Criterion

MOST_QUESTIONS = 400
"""What one call takes."""


class Decisions:
    """The dialect of /decisions. Two levels become a predicate, more a score; `not_applicable` needs a choice."""

    path = "/decisions"

    def learned(self, judge: Judge) -> Learned:
        """There is no form to ask for: answers are typed."""
        fixed = frozenset({"model", "input", "questions"})
        return Learned(judge.model_copy(update={"structured": "none"}), fixed=fixed)

    def payload(self, prompt: Prompt, settings: Settings, learned: Learned) -> dict[str, Any]:
        """The system text and the evidence as input; the criteria as questions, whatever the prompt's own words for them."""
        given = [("system", prompt.system), ("user", prompt.evidence)]
        payload = {
            "model": settings.model,
            "input": [{"type": "message", "role": role, "content": text} for role, text in given if text],
            "questions": [question_of(criterion) for criterion in prompt.criteria],
            **settings.params,
        }
        return {key: value for key, value in payload.items() if key not in learned.dropped}

    def read(self, body: dict[str, Any], prompt: Prompt, source: Source, tariff: Tariff) -> Reply:
        """Probabilities by criterion; one whose question was refused, or answered on another scale, is left out."""
        answers = body.get("answers")
        if (said := told_of(body)) is not None and not answers:
            raise error_inside(source, said)
        usage = _usage(body.get("usage"), tariff)
        if not isinstance(answers, list) or not answers:
            raise empty(source, "no answers in the response", usage)
        found: dict[str, dict[str, float]] = {}
        notes = []
        for criterion, answer in zip(prompt.criteria, answers, strict=False):
            levels = levels_of(answer, criterion)
            if levels is None:
                kind = answer.get("type") if isinstance(answer, dict) else None
                notes.append(f"{criterion.id}: " + ("refused" if kind == "refusal" else "no usable answer"))
            else:
                found[criterion.id] = levels
        if not found:
            raise refused(source, "; ".join(notes), usage)
        model = body.get("model")
        return Reply(
            text=None,
            model=model if isinstance(model, str) else None,
            usage=usage,
            probabilities=found,
            notes=tuple(notes),
        )

    def assemble(self, events: Iterator[dict[str, Any]]) -> dict[str, Any] | None:  # noqa: ARG002
        """Decisions do not stream."""
        return None


def question_of(criterion: Criterion) -> dict[str, Any]:
    """The typed question that asks the criterion."""
    levels = criterion.levels
    question: dict[str, Any] = {"name": criterion.id}
    if criterion.may_not_apply:
        choices = [_described("value", level.name, level.means) for level in levels]
        choices.append(_described("value", NOT_APPLICABLE, "the question does not apply to this work"))
        return question | {"type": "choice", "instructions": criterion.ask, "choices": choices}
    if len(levels) == 2:
        return question | {"type": "predicate", "instructions": _statement(criterion)}
    described = [_described("label", level.name, level.means) for level in levels]
    return question | {"type": "score", "instructions": criterion.ask, "levels": described}


def _statement(criterion: Criterion) -> str:
    low, high = criterion.levels
    top = f"{high.name}: {high.means}" if high.means else high.name
    bottom = f"{low.name}: {low.means}" if low.means else low.name
    return f"{criterion.ask}\nThe statement to judge: the right answer is {top!r}, not {bottom!r}."


def _described(key: str, name: str, means: str) -> dict[str, str]:
    return {key: name, "description": means} if means else {key: name}


def levels_of(answer: Any, criterion: Criterion) -> dict[str, float] | None:
    """{level: probability} of one answer; None if it was refused or is not on the criterion's scale."""
    if not isinstance(answer, dict) or answer.get("name", criterion.id) not in (criterion.id, None):
        return None
    names = [level.name for level in criterion.levels]
    if answer.get("type") == "predicate":
        likely = _share(answer.get("probability"))
        return None if likely is None or len(names) != 2 else {names[0]: 1 - likely, names[1]: likely}
    key = {"score": "label", "choice": "value"}.get(str(answer.get("type")))
    entries = answer.get("probabilities")
    if key is None or not isinstance(entries, list):
        return None
    shares = {str(each.get(key)): _share(each.get("probability")) for each in entries if isinstance(each, dict)}
    allowed = {*names, NOT_APPLICABLE} if criterion.may_not_apply else set(names)
    total = sum(share for share in shares.values() if share is not None)
    if not shares or not shares.keys() <= allowed or None in shares.values() or not 0.5 < total < 1.5:
        return None
    return {name: (share or 0.0) / total for name, share in shares.items()}


def _share(given: Any) -> float | None:
    ok = isinstance(given, (int, float)) and not isinstance(given, bool) and 0 <= given <= 1
    return float(given) if ok else None


def _usage(given: Any, tariff: Tariff) -> Usage:
    if not isinstance(given, dict):
        return Usage(usd=tariff.usd(None, None, None))
    details = given.get("input_tokens_details")
    cached = count(details.get("cached_tokens")) if isinstance(details, dict) else None
    read, written = count(given.get("input_tokens")), count(given.get("output_tokens"))
    return Usage(read, cached, written, tariff.usd(read, cached, written))
