"""Argilla: records with their responses, as the client exports them and as its server gives them.

Facts from argilla 2.8.0: `to_list(flatten=True)` gives for each question the lists `NAME.responses`, `.users` and `.status`;
`to_json` gives `responses: {NAME: [{value, user_id}]}` and drops the status, so that drafts can't be told from answers
there; the server gives `responses: [{values: {NAME: {value}}, status, user_id}]` and the record's own id as `external_id`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from calibration.label import Label
from judge.adapters.labels.form import Form
from judge.adapters.labels.naming import NOTE, OVERALL, Naming
from judge.adapters.labels.remarks import BadRow, LeftOut, Read, Told
from judge.adapters.labels.saying import Said, about, label_of, note_on, person
from judge.adapters.labels.shapes import first, listed, mapping, mappings
from judge.adapters.labels.source import Source
from judge.adapters.labels.writing import Task, by_task, rater_name

_FLAT = ".responses"
_UNSAID = "no status"


@dataclass(frozen=True)
class _Response:
    question: str
    value: Any
    user: Any
    status: str


def looks(value: Any) -> bool:
    """True for a record with responses, nested or flattened."""
    if not isinstance(value, dict):
        return False
    nested = "fields" in value and isinstance(value.get("responses"), dict | list)
    return nested or any(isinstance(key, str) and key.endswith(_FLAT) for key in value)


def read(source: Source, naming: Naming) -> Iterator[Read]:
    """The labels of submitted responses. Drafts and discarded ones are left out, suggestions are models' and not read."""
    unsaid = False
    for found in source.values():
        if isinstance(found, BadRow):
            yield found
        elif not looks(found[1]):
            yield BadRow(
                found[0],
                "is no record with responses; export with `dataset.records(with_responses=True).to_list(flatten=True)`",
            )
        else:
            responses = list(_responses(found[1]))
            unsaid = unsaid or any(response.status == _UNSAID for response in responses)
            yield from _record(found[0], found[1], responses, naming)
    if unsaid:
        yield Told(
            f"{source.name}: does not say which responses were submitted, so that drafts are read as answers; "
            f"export with to_list(flatten=True), which says so"
        )


def _responses(record: Mapping[str, Any]) -> Iterator[_Response]:
    """The responses of a record in any of its three shapes."""
    given = record.get("responses")
    if isinstance(given, dict):
        for question, said in given.items():
            for response in mappings(said):
                yield _response(question, response, response)
    elif isinstance(given, list):
        for response in mappings(given):
            for question, said in mapping(response.get("values")).items():
                yield _response(question, mapping(said), response)
    else:
        for key in record:
            if key.endswith(_FLAT):
                columns = [listed(record.get(f"{key}{more}")) for more in ("", ".users", ".status")]
                for value, user, status in zip(*columns, strict=False):
                    yield _Response(key.removesuffix(_FLAT), value, str(user), str(status or _UNSAID))


def _response(question: str, said: Mapping[str, Any], response: Mapping[str, Any]) -> _Response:
    return _Response(
        question, said.get("value"), str(response.get("user_id") or ""), str(response.get("status") or _UNSAID)
    )


def _record(place: str, record: Mapping[str, Any], responses: Sequence[_Response], naming: Naming) -> Iterator[Read]:
    episode, sampling = _episode(record, naming), about(record.get("metadata")) or about(record)
    answered = {naming.criteria.get(response.question, response.question) for response in responses}
    notes: dict[str, dict[str, str]] = {}
    for response in responses:
        if named := _note_about(response, answered, naming):
            notes.setdefault(response.user, {})[named] = str(response.value)
    for response in responses:
        where = f"{place}, {response.question}"
        if reason := _unwanted(response):
            yield LeftOut(where, reason)
        elif _note_about(response, answered, naming) is None:
            note = note_on(response.question, notes.get(response.user, {}), naming)
            said = Said(episode, person(response.user), response.question, response.value, note, about=sampling)
            yield label_of(said, naming, where)


def _note_about(response: _Response, answered: set[str], naming: Naming) -> str | None:
    """The name whose note a response is. Questions have no type here: a note goes with a question that is there as well."""
    named = naming.note_about(response.question)
    is_text = isinstance(response.value, str) and _unwanted(response) is None
    return named if is_text and (named == OVERALL or named in answered) else None


def _unwanted(response: _Response) -> str | None:
    if response.status == "discarded":
        return "a discarded response"
    if response.status not in ("submitted", _UNSAID):
        return f"a response still in {response.status}"
    return "a response without an answer" if response.value in (None, "", []) else None


def _episode(record: Mapping[str, Any], naming: Naming) -> Any:
    if naming.episode is None:
        return record.get("external_id") or record.get("id")
    return first(naming.episode, (record, mapping(record.get("metadata")), mapping(record.get("fields"))))


def write(labels: Sequence[Label]) -> tuple[str, list[LeftOut]]:
    """Records as `Record.from_dict` takes them. Argilla has no times of answers, and no values between levels."""
    told = [label for label in labels if label.level is not None]
    why = "a value without a level, for which Argilla has no answer"
    left = [LeftOut(label.place or label.episode, why) for label in labels if label.level is None]
    written = [_record_of(task, said) for task, said in by_task(told).items()]
    return json.dumps(written, ensure_ascii=False, indent=1) + "\n", left


def _record_of(task: Task, labels: Sequence[Label]) -> dict[str, Any]:
    responses: dict[str, list[dict[str, Any]]] = {}
    for label in labels:
        name = label.criterion or OVERALL
        responses.setdefault(name, []).append({"value": label.level, "user_id": rater_name(label)})
        if label.note:
            responses.setdefault(f"{name}_{NOTE}", []).append({"value": label.note, "user_id": rater_name(label)})
    metadata = {name: value for name, value in task.known.items() if name != "episode_id"}
    return {
        "id": task.episode_id, "fields": {}, "metadata": metadata, "suggestions": {}, "responses": responses, "vectors": {},
        "status": "completed", "_server_id": None,
    }  # fmt: skip


ARGILLA = Form(read, write, looks)
