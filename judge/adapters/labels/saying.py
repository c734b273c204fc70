"""From what a file says to a label, or to a sentence that says why there is none. Every format goes through here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from calibration.label import PERSON, Label
from judge.adapters.labels.answers import Answer, answer_to, inclusion_of, moment, value_of
from judge.adapters.labels.naming import OVERALL, Naming, UnmappedError
from judge.adapters.labels.remarks import BadRow, LeftOut
from judge.adapters.labels.shapes import mapping
from rubrics.explaining import suggestion

USES = ("tuning", "example")
VALUE = "value"
_OURS = ("inclusion_probability", "stratum", "used_for", "answer")


@dataclass(frozen=True)
class Said:
    """One answer of one person in another tool's file.

    `name` is the tool's name of the question. `about` may hold, under our own names, the sampling of the episode and the
    mark `answer: value`, which our exports add where a tool can't tell the value 1.0 from the level 1.
    """

    episode: Any
    rater: Any
    name: str
    answer: Any
    note: Any = ""
    at: Any = None
    about: Mapping[str, Any] = field(default_factory=dict)


def label_of(said: Said, naming: Naming, place: str) -> Label | BadRow | LeftOut:
    """The label of an answer in another tool's file: there, names that stand for no criterion are left out, not faulty."""
    try:
        criterion = naming.criterion(said.name)
    except UnmappedError as error:
        return LeftOut(place, str(error))
    try:
        is_value = said.about.get("answer") == VALUE
        level, value = (None, value_of(said.answer)) if is_value else answer_to(said.answer, criterion, naming)
        return _label(said, naming, place, criterion=criterion, level=level, value=value)
    except ValueError as error:
        return BadRow(place, str(error))


def label_of_row(row: Mapping[str, Any], naming: Naming, place: str) -> Label | BadRow:
    """The label of a row in our own form: `episode_id, criterion, rater, level, value, note, …`."""
    try:
        criterion = naming.criterion(_text(row.get("criterion")))
        level, value = _of_row(row, criterion, naming)
        said = Said(row.get("episode_id"), row.get("rater"), "", None, row.get("note"), row.get("at"), row)
        return _label(said, naming, place, criterion=criterion, level=level, value=value)
    except ValueError as error:
        return BadRow(place, str(error))


def _of_row(row: Mapping[str, Any], criterion: str | None, naming: Naming) -> Answer:
    said, number = row.get("level"), row.get("value")
    if said in (None, "") and number in (None, ""):
        raise ValueError("neither `level` nor `value` is given; write cannot_tell where the person could not tell")
    level, value = (None, None) if said in (None, "") else answer_to(said, criterion, naming)
    return level, value if number in (None, "") else value_of(number)


def _label(said: Said, naming: Naming, place: str, **answered: Any) -> Label:
    """The label. Raises ValueError with one sentence."""
    try:
        return Label(
            episode=_needed(said.episode, "episode_id", "say which episode this is about"),
            rater=_needed(said.rater or naming.rater, "rater", "say whose answer it is, or name the person with --rater"),
            note=_text(said.note), inclusion=inclusion_of(said.about.get("inclusion_probability")),
            stratum=_text(said.about.get("stratum")) or None, at=moment(said.at),
            used_for=_use(said.about.get("used_for")) or naming.used_for, place=place, **answered,
        )  # fmt: skip
    except ValidationError as error:
        raise ValueError(str(error.errors(include_url=False)[0]["msg"]).removeprefix("Value error, ")) from None


def person(name: Any) -> str | None:
    """A person of another tool as a rater; None for no name."""
    text = _text(name)
    return None if not text else text if text.startswith(PERSON) else PERSON + text


def note_on(name: str, notes: Mapping[str, str], naming: Naming) -> str:
    """The note that goes with an answer, of notes by the names that `Naming.note_about` gives."""
    own = notes.get(naming.criteria.get(name, name))
    return own or (notes.get(OVERALL, "") if name in naming.overall else "")


def about(given: Any) -> dict[str, Any]:
    """What of another tool's mapping is said in our words: the sampling of the episode, and the mark for values."""
    return {key: value for key, value in mapping(given).items() if key in _OURS and value not in (None, "")}


def _needed(given: Any, name: str, what: str) -> str:
    if isinstance(given, Mapping | list | bool) or not _text(given):
        raise ValueError(f"no `{name}`: {what}")
    return _text(given)


def _text(given: Any) -> str:
    if given is None:
        return ""
    return f"{given:g}" if isinstance(given, float) and given.is_integer() else str(given)


def _use(given: Any) -> str | None:
    if given in (None, ""):
        return None
    if given not in USES:
        raise ValueError(f"`used_for` {given!r}, expected tuning, example or nothing{suggestion(given, USES)}")
    return str(given)
