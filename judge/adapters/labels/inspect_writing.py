"""Labels as Inspect reads them: precomputed scores, and cases for Scout. Both hold one person's answers for a sample."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from calibration.label import FAIL, PASS, UNSETTLED, Label
from judge.adapters.labels.naming import OVERALL
from judge.adapters.labels.remarks import LeftOut
from judge.adapters.labels.writing import rater_name
from judge.errors import InputError


def write(labels: Sequence[Label]) -> tuple[str, list[LeftOut]]:
    """Precomputed scores, one sample a line. Raises InputError if an episode was labelled by several people."""
    kept, left = _tellable(labels)
    rows = [json.dumps(_score(episode, said), ensure_ascii=False) + "\n" for episode, said in _by_episode(kept).items()]
    return "".join(rows), left


def write_scout(labels: Sequence[Label]) -> tuple[str, list[LeftOut]]:
    """A table of Scout's cases. Raises InputError if an episode was labelled by several people."""
    kept, left = _tellable(labels)
    left += [
        LeftOut(x.place or x.episode, "an episode whose id holds a comma, which Scout takes for several")
        for x in kept
        if "," in x.episode
    ]
    kept = [label for label in kept if "," not in label.episode]
    names = sorted({label.criterion or OVERALL for label in kept})
    columns = {name: "target" if names == [OVERALL] else f"target_{name}" for name in names}
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, ["id", *columns.values(), "split"], lineterminator="\n")
    writer.writeheader()
    for episode, said in _by_episode(kept).items():
        split = next((label.used_for for label in said.values() if label.used_for), "")
        targets = {columns[name]: json.dumps(_plain(label)).strip('"') for name, label in said.items()}
        writer.writerow({"id": episode, **targets, "split": {"tuning": "dev"}.get(str(split), split)})
    return out.getvalue(), left


def _tellable(labels: Sequence[Label]) -> tuple[list[Label], list[LeftOut]]:
    left = [
        LeftOut(x.place or x.episode, f"{x.level}, for which Inspect has no word")
        for x in labels
        if x.level in UNSETTLED
    ]
    return [label for label in labels if label.level not in UNSETTLED], left


def _by_episode(labels: Sequence[Label]) -> dict[str, dict[str, Label]]:
    found: dict[str, dict[str, Label]] = {}
    for label in labels:
        said = found.setdefault(label.episode, {})
        name = label.criterion or OVERALL
        if name in said or any(other.rater != label.rater for other in said.values()):
            raise InputError(
                f"episode {label.episode!r} has labels of several people or answers, of which Inspect's files hold one for a sample; "
                f"choose a person with --rater"
            )
        said[name] = label
    return found


def _plain(label: Label) -> Any:
    if label.level is None:
        return label.value
    return {PASS: True, FAIL: False}.get(label.level, label.level) if label.criterion is None else label.level


def _score(episode: str, said: Mapping[str, Label]) -> dict[str, Any]:
    first = next(iter(said.values()))
    answers = {
        name: {PASS: "C", FAIL: "I"}.get(str(x.level), x.level) if x.level else x.value for name, x in said.items()
    }
    metadata = {
        "rater": rater_name(first), "at": first.at.isoformat() if first.at else None,
        "inclusion_probability": first.inclusion, "stratum": first.stratum, "used_for": first.used_for,
        "notes": {name: label.note for name, label in said.items() if label.note} or None,
        "values": [name for name, label in said.items() if label.level is None] or None,
    }  # fmt: skip
    overall = said.get(OVERALL)
    return {
        "id": episode, "value": answers[OVERALL] if list(said) == [OVERALL] else answers,
        **({"explanation": overall.note} if overall and overall.note else {}),
        "metadata": {key: value for key, value in metadata.items() if value is not None},
    }  # fmt: skip
