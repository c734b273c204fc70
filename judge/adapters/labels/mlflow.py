"""MLflow: assessments of traces that people gave.

Facts from mlflow 3.17.2: an assessment is `{assessment_name, trace_id, source: {source_type, source_id}, feedback: {value,
error?} | expectation: {value}, rationale, metadata, create_time, last_update_time, valid}`; numbers are floats, metadata is
text. `valid: false` means that a later one overrides it. Traces hold theirs under `info.assessments`, rows of a search under
`assessments`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from calibration.label import Label
from judge.adapters.labels.form import Form
from judge.adapters.labels.naming import OVERALL, Naming
from judge.adapters.labels.remarks import BadRow, LeftOut, Read
from judge.adapters.labels.saying import VALUE, Said, about, label_of, person
from judge.adapters.labels.shapes import first, mapping, mappings
from judge.adapters.labels.source import Source
from judge.adapters.labels.writing import rater_name

_PERSON = "HUMAN"
_UNKNOWN_TIME = "1970-01-01T00:00:00Z"  # an assessment must have a time; this one stands for none
_EXPECTED = (
    "an expectation, which says what the agent should have answered; to take it as a label, name it with --criterion"
)


def looks(value: Any) -> bool:
    """True for an assessment, a trace, or a row of a search for traces."""
    if not isinstance(value, dict):
        return False
    info = mapping(value.get("info"))
    return "assessment_name" in value or "assessments" in (info or value) or "trace_id" in info


def read(source: Source, naming: Naming) -> Iterator[Read]:
    """The labels of people's feedback. Judges' and programs' is left out, and so is what was overridden or failed."""
    for found in source.values():
        if isinstance(found, BadRow):
            yield found
            continue
        place, value = found
        if not looks(value):
            yield BadRow(place, "is no assessment and no trace with assessments")
            continue
        trace = mapping(value.get("info")) or value
        if "assessment_name" in value:
            yield _assessment(place, value, {}, naming)
        for number, assessment in enumerate(mappings(trace.get("assessments")), start=1):
            yield _assessment(f"{place}, assessment {number}", assessment, trace, naming)


def _assessment(place: str, given: Mapping[str, Any], trace: Mapping[str, Any], naming: Naming) -> Read:
    name = str(given.get("assessment_name") or "")
    source = mapping(given.get("source"))
    if source.get("source_type") != _PERSON:
        return LeftOut(
            place, f"of source {source.get('source_type')}: a model's or a program's verdict, not a person's"
        )
    if given.get("valid") is False:
        return LeftOut(place, "overridden by a later assessment")
    expectation = given.get("expectation")
    if expectation is not None and not naming.named(name):
        return LeftOut(place, _EXPECTED)
    said = mapping(expectation or given.get("feedback"))
    if said.get("error"):
        return LeftOut(place, "failed, so that it says nothing")
    metadata = mapping(given.get("metadata"))
    at = given.get("last_update_time") or given.get("create_time")
    return label_of(
        Said(
            _episode(given, metadata, trace, naming), person(source.get("source_id")), name, said.get("value"),
            given.get("rationale"), None if at == _UNKNOWN_TIME else at, about(metadata),
        ),
        naming, f"{place}, {name}",
    )  # fmt: skip


def _episode(given: Mapping[str, Any], metadata: Mapping[str, Any], trace: Mapping[str, Any], naming: Naming) -> Any:
    """What `--episode-field` names, or our own `episode_id` in the metadata or the trace's tags, or the trace's id."""
    places = (metadata, mapping(trace.get("tags")), mapping(trace.get("trace_metadata")), given, trace)
    return first(naming.episode, places) if naming.episode else first("episode_id", places) or first("trace_id", places)


def write(labels: Sequence[Label]) -> tuple[str, list[LeftOut]]:
    """Feedback, one a line, as `Feedback.from_dictionary` takes it."""
    return "".join(json.dumps(_feedback(label), ensure_ascii=False) + "\n" for label in labels), []


def _feedback(label: Label) -> dict[str, Any]:
    at = label.at.isoformat() if label.at else _UNKNOWN_TIME
    ours = {
        "episode_id": label.episode, "inclusion_probability": label.inclusion, "stratum": label.stratum,
        "used_for": label.used_for, "answer": VALUE if label.level is None else None,
    }  # fmt: skip
    return {
        "assessment_name": label.criterion or OVERALL, "trace_id": label.episode,
        "source": {"source_type": _PERSON, "source_id": rater_name(label)},
        "feedback": {"value": label.value if label.level is None else label.level},
        **({"rationale": label.note} if label.note else {}), "metadata": {k: str(v) for k, v in ours.items() if v is not None},
        "create_time": at, "last_update_time": at, "valid": True,
    }  # fmt: skip


MLFLOW = Form(read, write, looks)
