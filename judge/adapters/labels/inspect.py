"""Inspect and Inspect Scout: validation cases, precomputed scores, and the scores that people gave or edited in a log.

Facts from inspect_ai 0.3.285 and inspect_scout 0.6.1: a Scout case has `id` (a transcript's, or several), `target` (or a
`target_NAME` for each name, or `labels` / `label_NAME` that are true or false) and `split`; cases stand in CSV, JSON or JSON
Lines. A precomputed score has `id`, `value` (one, or one a name), `epoch`, `explanation`, `metadata`, one for each sample. In a log a
score's `history` names the author of an edit. C, I, P and N are right, wrong, half right and not answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from judge.adapters.labels.form import Form
from judge.adapters.labels.inspect_writing import write, write_scout
from judge.adapters.labels.naming import OVERALL, Naming
from judge.adapters.labels.remarks import BadRow, LeftOut, Read, Told
from judge.adapters.labels.saying import VALUE, Said, about, label_of, person
from judge.adapters.labels.shapes import first, listed, mapping, mappings
from judge.adapters.labels.source import Source
from judge.errors import InputError

_TARGET, _LABEL = "target_", "label_"
_GRADES: dict[Any, tuple[Any, dict[str, Any]]] = {
    "C": (True, {}), "I": (False, {}), "N": (False, {}), "P": (0.5, {"answer": VALUE}),
}  # fmt: skip
_UNCHANGED = "UNCHANGED"  # what an edit says of a value that it leaves alone
# Cases that a judge was tuned on never calibrate it.
_SPLITS = {"dev": "tuning", "train": "tuning", "tuning": "tuning", "example": "example"}


def looks(value: Any) -> bool:
    """True for a log, a precomputed score, or a case of Scout."""
    if not isinstance(value, dict):
        return False
    return ("eval" in value and "samples" in value) or "cases" in value or ("id" in value and bool(_answers(value)))


def looks_table(cells: Sequence[str]) -> bool:
    """True for the header of a table of Scout's cases."""
    return "id" in cells and any(cell == "target" or cell.startswith((_TARGET, _LABEL)) for cell in cells)


def read(source: Source, naming: Naming) -> Iterator[Read]:
    """The labels of a file of any of the three kinds."""
    used: set[str] = set()
    for found in source.values() if source.holds_json else _table(source):
        if isinstance(found, BadRow):
            yield found
            continue
        place, value = found
        if not looks(value):
            yield BadRow(place, "is no log, no precomputed score (`id`, `value`) and no case (`id`, `target`)")
        elif "samples" in value:
            yield from _log(place, value, naming)
        else:
            for case in mappings(value["cases"]) if "cases" in value else [value]:
                full = {"split": value.get("split"), **case}
                used |= {full["split"]} & _SPLITS.keys() if isinstance(full["split"], str) else set()
                yield from _case(place, full, naming)
    if used:
        yield Told(
            f"{source.name}: split {', '.join(sorted(used))}: read as labels used for tuning, which calibrate nothing"
        )


def _table(source: Source) -> Iterator[tuple[str, dict[str, Any]] | BadRow]:
    rows = source.rows()
    head = next(rows, None)
    if head is None or isinstance(head, BadRow) or not looks_table(head[1]):
        raise InputError(f"{source.name}: its header names no `id` and `target`, as a table of Scout's cases does")
    names = [cell.strip() for cell in head[1]]
    for row in rows:
        yield row if isinstance(row, BadRow) else (row[0], dict(zip(names, row[1], strict=False)))


def _answers(case: Mapping[str, Any]) -> dict[str, Any]:
    """What a case or a score says, by name; a single answer is about the whole."""
    value = case.get("value", case.get("target"))
    found = dict(value) if isinstance(value, dict) else {OVERALL: value} if value not in (None, "") else {}
    found |= mapping(case.get("labels"))
    for key, said in case.items():
        name = key.removeprefix(_TARGET if key.startswith(_TARGET) else _LABEL)
        if name != key and said not in (None, ""):
            found[name] = said
    return found


def _case(place: str, case: Mapping[str, Any], naming: Naming) -> Iterator[Read]:
    if isinstance(case.get("id"), list) or "," in str(case.get("id")):
        yield LeftOut(place, "a case about several transcripts")
        return
    metadata = mapping(case.get("metadata"))
    own = _with_epoch(case.get("id"), case.get("epoch"))
    episode = first(naming.episode, (case, metadata)) if naming.episode else own
    split = case["split"] if isinstance(case.get("split"), str) else ""
    sampling = about(metadata) | ({"used_for": _SPLITS[split]} if split in _SPLITS else {})
    for name, given in _answers(case).items():
        answer, mark = _graded(given, is_value=name in listed(metadata.get("values")))
        note = mapping(metadata["notes"]).get(name) if "notes" in metadata else case.get("explanation")
        said = Said(episode, person(metadata.get("rater")), name, answer, note, metadata.get("at"), sampling | mark)
        yield label_of(said, naming, place if name == OVERALL else f"{place}, {name}")


def _with_epoch(sample: Any, epoch: Any) -> Any:
    return sample if epoch in (None, "") else f"{sample}/{epoch}"


def _graded(given: Any, is_value: bool) -> tuple[Any, dict[str, Any]]:
    if is_value:
        return given, {"answer": VALUE}
    return _GRADES[given] if isinstance(given, str) and given in _GRADES else (given, {})


def _log(place: str, log: Mapping[str, Any], naming: Naming) -> Iterator[Read]:
    """Scores that a person edited, and those that the caller named; a scorer's own are no labels."""
    epochs = mapping(mapping(log["eval"]).get("config")).get("epochs")
    for sample in mappings(log["samples"]):
        where = f"{place}, sample {sample.get('id')}"
        own = _with_epoch(sample.get("id"), sample.get("epoch") if epochs not in (None, 1) else None)
        episode = sample.get(naming.episode) if naming.episode else own
        for name, score in mapping(sample.get("scores")).items():
            yield from _scored(where, name, mapping(score), Said(episode, None, name, None), naming)


def _scored(place: str, name: str, score: Mapping[str, Any], sample: Said, naming: Naming) -> Iterator[Read]:
    given_by = [
        mapping(edit.get("provenance")) for edit in mappings(score.get("history")) if edit.get("value") != _UNCHANGED
    ]
    edits = [provenance for provenance in given_by if provenance.get("author")]
    if not edits and not naming.named(name):
        yield LeftOut(
            place, f"scorer {name}: not edited by a person; if a person gave it, name it with --criterion or --overall"
        )
        return
    metadata = mapping(score.get("metadata"))
    last = edits[-1] if edits else {"author": metadata.get("rater")}
    value = score.get("value")
    for part, given in value.items() if isinstance(value, dict) else [(name, value)]:
        answer, mark = _graded(given, is_value=False)
        said = replace(
            sample, name=part, answer=answer, rater=person(last.get("author")), note=score.get("explanation"),
            at=last.get("timestamp"), about=about(metadata) | mark,
        )  # fmt: skip
        yield label_of(said, naming, f"{place}, {part}")


INSPECT = Form(read, write, looks, looks_table)
SCOUT = Form(read, write_scout)
