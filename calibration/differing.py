"""What differs between two gradings of the same episode, in words: judges, the models that answered, prompt, pooling, rubric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from calibration.naming import parts_changed
from calibration.records import RecordLike
from rubrics.references import CriterionRef, RubricRef

ROLES = ("judge:", "substitute:", "escalation:")


def differences(before: RecordLike, after: RecordLike, *, judge: str | None = None) -> list[str]:
    """What changed from one grade to the other, by fingerprint; empty if nothing did that a record tells.

    With `judge`, only what can change that judge's answers: itself, its model, the prompt, options, and the questions.
    """
    parts = [_parts(record.grader, judge) for record in (before, after)]
    found = [*parts_changed(*parts), *_models(before, after, judge), *_rubric(before.rubric, after.rubric, judge)]
    if not found and before.method != after.method and judge is None:
        found.append(f"the method changed ({before.method[:8]} to {after.method[:8]})")
    return found


def differences_of(pairs: Iterable[tuple[RecordLike, RecordLike]], *, judge: str | None = None) -> tuple[str, ...]:
    """The same over several episodes, each thing once."""
    return tuple(dict.fromkeys(word for before, after in pairs for word in differences(before, after, judge=judge)))


def _parts(grader: Mapping[str, str], judge: str | None) -> dict[str, str]:
    if judge is None:
        return dict(grader)
    own = {role + judge for role in ROLES}
    return {
        part: mark for part, mark in grader.items() if part != "pooling" and (not part.startswith(ROLES) or part in own)
    }


def _models(before: RecordLike, after: RecordLike, judge: str | None) -> Iterator[str]:
    """The models that answered under the same judge's name."""
    old, new = _answered(before), _answered(after)
    shared = old.keys() & new.keys()
    for name in sorted(shared if judge is None else shared & {judge}):
        if old[name] != new[name]:
            yield f"judge {name} answered as {new[name]}, before as {old[name]}"


def _answered(record: RecordLike) -> dict[str, str]:
    return {judgement.judge: judgement.model for judgement in record.judgements if judgement.model}


def _rubric(before: RubricRef, after: RubricRef, judge: str | None) -> Iterator[str]:
    if before.fingerprint == after.fingerprint:
        return
    words = list(_criteria(before.criteria, after.criteria))
    named = f"rubric {after.id} changed ({before.fingerprint[:8]} to {after.fingerprint[:8]})"
    if words or judge is None:
        yield f"{named}: {', '.join(words)}" if words else named


def _criteria(before: Mapping[str, CriterionRef], after: Mapping[str, CriterionRef]) -> Iterator[str]:
    for name in dict.fromkeys((*before, *after)):
        if name not in after:
            yield f"{name} is no longer there"
        elif name not in before:
            yield f"{name} is new"
        elif before[name].fingerprint != after[name].fingerprint:
            yield f"the question {name} changed"
        elif before[name].weight != after[name].weight:
            yield f"the weight of {name} changed"
