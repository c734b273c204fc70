"""One rubric file with everything in it, as it is read and as it scores: a change here moves somebody's grades."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rubrics import Rubric, load, score, verdict_on
from tests.rubrics.building import PERSON

GOLDEN = Path(__file__).parent / "golden"
RUNS: dict[str, dict[str, str | None]] = {
    "everything answered": {"gate": "yes", "amount": "yes", "stars": "4", "rude": "no", "tone": "warm", "dates": "no"},
    "a penalty": {"gate": "yes", "amount": "yes", "stars": "4", "rude": "yes", "tone": "fine", "dates": "yes"},
    "a closed gate": {"gate": "no", "amount": "yes"},
    "a judged gate below its level": {
        "gate": "yes",
        "amount": "yes",
        "stars": "4",
        "rude": "no",
        "tone": "cold",
        "dates": "yes",
    },
    "one missing": {"gate": "yes", "amount": "yes", "stars": "4", "rude": "no", "tone": "warm"},
    "could not tell": {"gate": "yes", "amount": None, "stars": None, "rude": None, "tone": "warm", "dates": "yes"},
    "what does not apply": {
        "gate": "yes",
        "amount": "not_applicable",
        "stars": "5",
        "rude": "no",
        "tone": "fine",
        "dates": "not_applicable",
    },
    "nothing": {},
}


def golden(name: str) -> Any:
    return json.loads((GOLDEN / name).read_text(encoding="utf-8"))


def grades(rubric: Rubric) -> dict[str, Any]:
    return {
        name: score(
            rubric, [verdict_on(rubric.by_id[c], level, rater=PERSON) for c, level in levels.items()]
        ).model_dump(mode="json")
        for name, levels in RUNS.items()
    }


def test_the_file_is_read_as_it_always_was() -> None:
    rubric = load(GOLDEN / "rubric.yaml")
    prints = {"rubric": rubric.fingerprint, **{c.id: c.fingerprint for c in rubric.leaves}}
    assert {"rubric": rubric.model_dump(mode="json"), "fingerprints": prints, "shares": rubric.shares} == golden(
        "rubric.json"
    )


def test_what_was_read_is_the_same_rubric_when_it_is_read_again() -> None:
    assert load(golden("rubric.json")["rubric"]) == load(GOLDEN / "rubric.yaml")


def test_it_scores_as_it_always_did() -> None:
    assert json.loads(json.dumps(grades(load(GOLDEN / "rubric.yaml")))) == golden("grade.json")
