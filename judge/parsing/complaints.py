"""The one re-ask: what was wrong with an answer, so that the judge can mend it."""

from __future__ import annotations

from collections.abc import Sequence

from judge.parsing.answers import expected
from judge.parsing.outcomes import WHOLE_REPLY, Parsed
from rubrics import Criterion, Failure

_WHOLE = {
    "empty": "It held no answer. Write the JSON itself, outside any thinking.",
    "truncated": "It was cut off before the JSON was complete. Keep each reason to one short sentence.",
    "parse_error": "It could not be read as the JSON asked for. Write one complete JSON object and nothing else.",
}


def complaint(parsed: Parsed, criteria: Sequence[Criterion]) -> str:
    """What to tell the judge about its failures, a line for each criterion; empty if there are none."""
    if not parsed.failures:
        return ""
    kinds = {failure.kind for failure in parsed.failures}
    if len(kinds) == 1 and (kind := next(iter(kinds))) in WHOLE_REPLY:
        return _WHOLE.get(kind, "It held no verdicts.") + f" Expected ids, each once: {_ids(parsed.failures)}."
    by_id = {criterion.id: criterion for criterion in criteria}
    return "\n".join(_line(failure, by_id.get(failure.criterion or "")) for failure in parsed.failures)


def _ids(failures: Sequence[Failure]) -> str:
    return ", ".join(failure.criterion for failure in failures if failure.criterion)


def _line(failure: Failure, criterion: Criterion | None) -> str:
    wrong = failure.message.removeprefix(f"{failure.rater} on {failure.criterion!r}: ")
    line = f"- {failure.criterion}: it {wrong}."
    if criterion is None or expected(criterion) in wrong:
        return line
    return f"{line} Give {expected(criterion)}, once, and in agreement with your reason."
