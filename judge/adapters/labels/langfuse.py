"""Langfuse: scores that people gave, as its API and exports list them.

Facts from langfuse 5.2.0: a score has `name`, `dataType` (NUMERIC, CATEGORICAL, BOOLEAN; TEXT and CORRECTION are no scores),
`source` (ANNOTATION is a person in the interface, EVAL an evaluator, API anything), `authorUserId`, `comment`, `metadata`. Up to
version 2 of the API a category stands in `stringValue` beside a number; in version 3 in `value`, and `subject` names the trace.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from calibration.label import Label
from judge.adapters.labels.form import Form
from judge.adapters.labels.naming import OVERALL, Naming
from judge.adapters.labels.remarks import BadRow, LeftOut, Read
from judge.adapters.labels.saying import VALUE, Said, about, label_of, person
from judge.adapters.labels.shapes import first, mapping
from judge.adapters.labels.source import Source
from judge.adapters.labels.writing import rater_name

_SOURCES = ("ANNOTATION", "API", "EVAL")
_ANSWERS = ("NUMERIC", "CATEGORICAL", "BOOLEAN")


def looks(value: Any) -> bool:
    """True for a score, a page of scores, or a trace with scores."""
    if not isinstance(value, dict):
        return False
    listed = value.get("data", value.get("scores"))
    if isinstance(listed, list) and listed:
        return all(_is_score(item) for item in listed)
    return _is_score(value)


def _is_score(value: Any) -> bool:
    if not isinstance(value, dict) or "name" not in value or value.get("source") not in _SOURCES:
        return False
    return "value" in value or "stringValue" in value


def read(source: Source, naming: Naming) -> Iterator[Read]:
    """The labels of people's scores of traces; scores of models and programs are left out."""
    for found in source.values():
        if isinstance(found, BadRow):
            yield found
            continue
        place, value = found
        listed = value.get("data", value.get("scores")) if isinstance(value, dict) else None
        if isinstance(listed, list):
            for number, score in enumerate(listed, start=1):
                yield _score(f"{place}, score {number}", score, value, naming)
        else:
            yield _score(place, value, {}, naming)


def _score(place: str, score: Any, trace: Mapping[str, Any], naming: Naming) -> Read:
    if not isinstance(score, dict) or "name" not in score:
        return BadRow(place, "is no score (an object with `name`, `source` and `value`)")
    metadata = mapping(score.get("metadata"))
    rater = metadata.get("rater") or score.get("authorUserId")
    if score.get("source") != "ANNOTATION" and not metadata.get("rater"):
        return LeftOut(
            place, f"of source {score.get('source')}: an evaluator's or a program's, not a person's annotation"
        )
    if score.get("dataType", "NUMERIC") not in _ANSWERS:
        return LeftOut(place, f"of type {score['dataType']}, which answers no question")
    episode, about_other = _episode(score, trace, metadata, naming)
    if about_other:
        return LeftOut(place, about_other)
    said = Said(
        episode, person(rater), str(score["name"]), _answer(score), score.get("comment"), score.get("timestamp"),
        about(metadata),
    )  # fmt: skip
    return label_of(said, naming, f"{place}, {score['name']}")


def _episode(
    score: Mapping[str, Any], trace: Mapping[str, Any], metadata: Mapping[str, Any], naming: Naming
) -> tuple[Any, str | None]:
    """The episode; or why the score is about none, where it is about a part of a trace or a session."""
    subject = mapping(score.get("subject"))
    about_it = {f"{subject.get('kind')}Id": subject.get("id")}
    known = {**about_it, "traceId": about_it.get("traceId") or subject.get("traceId") or trace.get("id")}
    known |= {key: value for key, value in score.items() if value is not None}
    if naming.episode is not None:
        return first(naming.episode, (known, metadata, trace)), None
    if metadata.get("episode_id"):
        return metadata["episode_id"], None
    part = next((part for part in ("observationId", "sessionId") if known.get(part)), None)
    if part:
        return (
            None,
            f"is about one {part.removesuffix('Id')}, not a trace; if that is the episode, say --episode-field {part}",
        )
    return known["traceId"], None


def _answer(score: Mapping[str, Any]) -> Any:
    kind = score.get("dataType")
    if kind == "CATEGORICAL":
        return score.get("stringValue") or score.get("value")
    if kind == "BOOLEAN" and isinstance(score.get("value"), int | float):
        return bool(score["value"])
    return score.get("value")


def write(labels: Sequence[Label]) -> tuple[str, list[LeftOut]]:
    """Scores, one a line. Their ids come from what they say, so that sending them again overwrites and adds nothing."""
    return "".join(json.dumps(_score_of(label), ensure_ascii=False) + "\n" for label in labels), []


def _score_of(label: Label) -> dict[str, Any]:
    ours = {
        "episode_id": label.episode, "rater": rater_name(label), "inclusion_probability": label.inclusion,
        "stratum": label.stratum, "used_for": label.used_for, "answer": VALUE if label.level is None else None,
    }  # fmt: skip
    at = label.at.isoformat() if label.at else None
    key = json.dumps([label.episode, label.criterion, label.rater, at, label.level, label.value])
    score = {
        "id": hashlib.sha256(key.encode()).hexdigest()[:32], "traceId": label.episode, "name": label.criterion or OVERALL,
        "dataType": "NUMERIC" if label.level is None else "CATEGORICAL",
        "value": label.value if label.level is None else label.level, "source": "ANNOTATION",
        "authorUserId": rater_name(label), "comment": label.note or None, "timestamp": at,
        "metadata": {k: v for k, v in ours.items() if v is not None},
    }  # fmt: skip
    return {key: value for key, value in score.items() if value is not None}


LANGFUSE = Form(read, write, looks)
