"""Label Studio: the JSON export of annotated tasks, and annotated tasks to import there.

Facts from Label Studio's page "Label Studio Task Format" and label-studio-sdk 2.1.2: a task has `data`, `annotations` (once
`completions`), `predictions`; an annotation has `result`, `completed_by` (an id, or the user), `was_cancelled` for a skipped
task, `ground_truth`, `reviews`; a result has `from_name`, `type` and a `value` under the key of its type.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from calibration.label import Label
from judge.adapters.labels.form import Form
from judge.adapters.labels.naming import NOTE, OVERALL, Naming
from judge.adapters.labels.remarks import BadRow, LeftOut, Read, Told
from judge.adapters.labels.saying import VALUE, Said, about, label_of, note_on, person
from judge.adapters.labels.shapes import first, listed, mapping, mappings
from judge.adapters.labels.source import Source
from judge.adapters.labels.writing import Task, by_task, rater_name

# The types of result that answer a question, and where in `value` the answer stands.
_ANSWERS = {"choices": "choices", "rating": "rating", "number": "number", "pairwise": "selected"}
_TEXT = "textarea"
_EPISODE = "episode_id"


def looks(value: Any) -> bool:
    """True for a task as Label Studio exports it."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("data"), dict)
        and ("annotations" in value or "completions" in value)
    )


def read(source: Source, naming: Naming) -> Iterator[Read]:
    """The labels of an export. Skipped tasks, drafts, models' predictions and what a reviewer rejected are left out."""
    gold = 0
    for found in source.values():
        if isinstance(found, BadRow):
            yield found
        elif not looks(found[1]):
            yield BadRow(found[0], _not_a_task(found[1]))
        else:
            gold += sum(bool(a.get("ground_truth")) for a in _annotations(found[1]))
            yield from _task(found[0], found[1], naming)
    if gold:
        yield Told(
            f"{source.name}: {gold} annotation(s) marked as ground truth, taken as labels of those who made them"
        )


def _not_a_task(value: Any) -> str:
    if isinstance(value, dict) and "annotation_id" in value:
        return "is of the export JSON-MIN, which mixes data with answers; export as JSON"
    return "is no annotated task (an object with `data` and `annotations`); export from Label Studio as JSON"


def _annotations(task: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return mappings(task.get("annotations", task.get("completions")))


def _task(place: str, task: Mapping[str, Any], naming: Naming) -> Iterator[Read]:
    for key, what in (("predictions", "a model's prediction, not a person's answer"), ("drafts", "a draft")):
        yield from (LeftOut(place, what) for _ in listed(task.get(key)))
    episode = _episode(task, naming)
    for annotation in _annotations(task):
        where = f"{place}, annotation {annotation.get('id', '?')}"
        if reason := _unwanted(annotation):
            yield LeftOut(where, reason)
        elif episode is None:
            keys = ", ".join(map(str, task["data"])) or "none"
            named = naming.episode or _EPISODE
            yield BadRow(
                where, f"the task's data has no `{named}` (keys: {keys}); say which names the episode: --episode-field"
            )
        else:
            yield from _answers(where, annotation, Said(episode, None, "", None, about=about(task["data"])), naming)


def _episode(task: Mapping[str, Any], naming: Naming) -> Any:
    if naming.episode is None:
        return task["data"].get(_EPISODE)
    return first(naming.episode, (task["data"], mapping(task.get("meta")), task))


def _unwanted(annotation: Mapping[str, Any]) -> str | None:
    if annotation.get("was_cancelled") or annotation.get("skipped"):
        return "skipped by the annotator"
    reviews = mappings(annotation.get("reviews"))
    if reviews and reviews[-1].get("accepted") is False:
        return "rejected in review"
    return None if annotation.get("result") else "an annotation without answers"


def _answers(place: str, annotation: Mapping[str, Any], task: Said, naming: Naming) -> Iterator[Read]:
    results = [result for result in mappings(annotation["result"]) if isinstance(result.get("value"), dict)]
    texts = [result for result in results if result.get("type") == _TEXT]
    notes = {named: _words(text) for text in texts if (named := naming.note_about(_name(text))) is not None}
    at = annotation.get("updated_at") or annotation.get("created_at")
    for result in results:
        name, kind = _name(result), result.get("type")
        if isinstance(kind, str) and kind in _ANSWERS:
            said = Said(
                task.episode, _rater(annotation), name, result["value"].get(_ANSWERS[kind]), note_on(name, notes, naming), at,
                {**task.about, **about(result.get("meta"))},
            )  # fmt: skip
            yield label_of(said, naming, f"{place}, {name}")
        elif kind != _TEXT:
            yield LeftOut(f"{place}, {name}", f"a result of type {kind}, which answers no question")
    for text in texts:
        if naming.note_about(_name(text)) is None:
            yield LeftOut(
                f"{place}, {_name(text)}", "a text; to read it as the note of a criterion: --criterion NAME=ID_note"
            )


def _words(text: Mapping[str, Any]) -> str:
    given = text["value"].get("text")
    return "\n".join(map(str, given)) if isinstance(given, list) else str(given or "")


def _name(result: Mapping[str, Any]) -> str:
    return str(result.get("from_name") or "")


def _rater(annotation: Mapping[str, Any]) -> str | None:
    by = annotation.get("completed_by")
    return person(by.get("email") or by.get("id") if isinstance(by, dict) else by)


def write(labels: Sequence[Label]) -> tuple[str, list[LeftOut]]:
    """Tasks with annotations: one task for each episode (and sampling), one annotation for each person and time."""
    written = [_task_of(number, task, said) for number, (task, said) in enumerate(by_task(labels).items(), start=1)]
    return json.dumps(written, ensure_ascii=False, indent=1) + "\n", []


def _annotated(labels: Sequence[Label]) -> Iterator[tuple[Label, list[Label]]]:
    """The labels of each annotation after its first: one person's at one time, one answer to each question."""
    found: dict[Any, list[Label]] = {}
    times: Counter[Any] = Counter()
    for label in labels:
        question = (label.rater, label.at, label.criterion)
        found.setdefault((label.rater, label.at, times[question]), []).append(label)
        times[question] += 1
    yield from ((said[0], said) for said in found.values())


def _task_of(number: int, task: Task, said: Sequence[Label]) -> dict[str, Any]:
    annotations = []
    for place, (first_label, labels) in enumerate(_annotated(said), start=1):
        at = first_label.at.isoformat() if first_label.at else None
        annotations.append({
            "id": number * 1000 + place, "completed_by": {"email": rater_name(first_label)}, "was_cancelled": False,
            "ground_truth": False, "created_at": at, "updated_at": at, "result": [r for label in labels for r in _results(label)],
        })  # fmt: skip
    return {"id": number, "data": task.known, "annotations": annotations, "predictions": []}


def _results(label: Label) -> Iterator[dict[str, Any]]:
    name = label.criterion or OVERALL
    base = {"id": name, "from_name": name, "to_name": "episode"}
    if label.level is not None:
        yield {**base, "type": "choices", "value": {"choices": [label.level]}}
    else:
        yield {**base, "type": "number", "value": {"number": label.value}, "meta": {"answer": VALUE}}
    if label.note:
        yield {**base, "from_name": f"{name}_{NOTE}", "type": _TEXT, "value": {"text": [label.note]}}


LABEL_STUDIO = Form(read, write, looks)
