"""HealthBench's meta-evaluation: what physicians said about criteria, `binary_labels` beside `anonymized_physician_ids`.

A row is one criterion on one completion: `prompt_id, completion_id, rubric` (the criterion's text), `category`. Criteria are
named as `rubrics.importing.from_healthbench` names them, c1, c2, … in the order of the prompt's rubric; without the rubric, in
the order in which their texts first occur for the prompt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from judge.adapters.labels.form import Form
from judge.adapters.labels.naming import Naming
from judge.adapters.labels.remarks import BadRow, LeftOut, Read
from judge.adapters.labels.saying import Said, label_of, person
from judge.adapters.labels.shapes import mappings
from judge.adapters.labels.source import Source
from judge.errors import InputError


def looks(value: Any) -> bool:
    """True for a row of the meta-evaluation."""
    return isinstance(value, dict) and "binary_labels" in value and "rubric" in value


def read(source: Source, naming: Naming) -> Iterator[Read]:
    """A label for each physician of each row; the episode is the completion, unless --episode-field says otherwise."""
    seen: dict[str, dict[str, str]] = {}
    for found in source.values():
        if isinstance(found, BadRow):
            yield found
        elif not looks(found[1]):
            yield BadRow(
                found[0], "is no row of the meta-evaluation (`rubric`, `binary_labels`, `anonymized_physician_ids`)"
            )
        else:
            yield from _row(found[0], found[1], naming, seen)


def _row(place: str, row: Mapping[str, Any], naming: Naming, seen: dict[str, dict[str, str]]) -> Iterator[Read]:
    answers, physicians = row["binary_labels"], row.get("anonymized_physician_ids")
    if not isinstance(answers, list) or not isinstance(physicians, list) or len(answers) != len(physicians):
        yield BadRow(place, "`binary_labels` and `anonymized_physician_ids` must be lists of the same length")
        return
    prompt, text = str(row.get("prompt_id") or ""), str(row["rubric"])
    name = naming.criteria.get(text) or _place(prompt, text, naming, seen)
    if name is None:
        yield LeftOut(place, "a criterion that the prompt's rubric does not hold")
        return
    episode = row.get(naming.episode) if naming.episode else row.get("completion_id") or row.get("prompt_id")
    for answer, physician in zip(answers, physicians, strict=True):
        yield label_of(
            Said(episode, person(physician), name, answer), naming, f"{place}, physician {str(physician)[:12]}"
        )


def _place(prompt: str, text: str, naming: Naming, seen: dict[str, dict[str, str]]) -> str | None:
    if naming.tasks:
        texts = naming.tasks.get(prompt, ())
        return f"c{texts.index(text) + 1}" if text in texts else None
    known = seen.setdefault(prompt, {})
    return known.setdefault(text, f"c{len(known) + 1}")


def tasks_of(path: str | Path) -> dict[str, tuple[str, ...]]:
    """For each prompt of a HealthBench file the texts of its rubric, in their order. Raises InputError if it holds none."""
    found = {}
    for item in Source.at(path).values():
        row = None if isinstance(item, BadRow) else item[1]
        if isinstance(row, dict) and (items := mappings(row.get("rubrics"))):
            found[str(row.get("prompt_id") or "")] = tuple(str(one.get("criterion")) for one in items)
    if not found:
        raise InputError(f"{path}: holds no rows of HealthBench (`prompt_id`, `rubrics`)")
    return found


HEALTHBENCH = Form(read, looks=looks)
