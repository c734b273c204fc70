"""What differs between the grader that a calibration was fitted on and the one that gave a grade, in words."""

from __future__ import annotations

from collections.abc import Mapping

from calibration.calibration import Calibration
from calibration.records import RecordLike

WORDS = {"template": "the prompt", "pooling": "how judges are pooled", "options": "batching or another option"}


def changes_between(calibration: Calibration, record: RecordLike) -> list[str]:
    """Sentences' worth of what changed, empty if it is the same grader: judges, prompt, pooling, and the models that answered."""
    changed = parts_changed(calibration.grader, record.grader) if calibration.method != record.method else []
    if calibration.method != record.method and not changed:
        changed = [f"method {record.method}, calibrated was {calibration.method}"]
    for judgement in record.judgements:
        known = calibration.models.get(judgement.judge)
        if known and judgement.model and judgement.model not in known:
            changed.append(f"judge {judgement.judge} answered as {judgement.model}, calibrated was {', '.join(known)}")
    return list(dict.fromkeys(changed))


def parts_changed(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """What differs between two graders' parts: `judge:a` gone, new or changed; the prompt; pooling; options."""
    if not before or not after:
        return []
    words = []
    for part in dict.fromkeys((*before, *after)):
        name = WORDS.get(part, part.replace(":", " "))
        if part not in after:
            words.append(f"{name} is no longer there")
        elif part not in before:
            words.append(f"{name} is new")
        elif before[part] != after[part]:
            words.append(f"{name} changed ({before[part][:8]} to {after[part][:8]})")
    return words
