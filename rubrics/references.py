"""What a grade record carries of its rubric, so that it can be calibrated and explained without the rubric at hand."""

from __future__ import annotations

from pydantic import JsonValue

from rubrics.criterion import Criterion, Evidence, Noun
from rubrics.fingerprints import fingerprint_of
from rubrics.grade import Finite, Score


class CriterionRef(Noun):
    """One criterion of a record's rubric.

    `fingerprint` covers all that can change an answer to the question. `weight` is its share of the whole when every
    criterion applies, negative for a penalty. `levels` gives each level's value. `shadows` names the part of the state
    comparison that decides the same question. `check` is what settles it by code, as the rubric writes it, and `evidence` what a
    judge may see; each is None where the other holds, and both are in records that say neither.
    """

    fingerprint: str
    weight: Finite
    levels: dict[str, Score]
    judged: bool = True
    gate: bool = False
    tags: tuple[str, ...] = ()
    shadows: dict[str, JsonValue] | None = None
    check: dict[str, JsonValue] | None = None
    evidence: tuple[Evidence, ...] | None = None

    @classmethod
    def of(cls, criterion: Criterion, weight: float) -> CriterionRef:
        """The reference to `criterion`, whose share of the whole is `weight`."""
        return cls.trusted(
            fingerprint=criterion.fingerprint, weight=weight, levels={level.name: level.value for level in criterion.levels},
            judged=criterion.judged, gate=criterion.is_gate, tags=criterion.tags, shadows=criterion.shadows,
            check=criterion.check and criterion.check.model_dump(mode="json"),
            evidence=criterion.evidence if criterion.judged else None,
        )  # fmt: skip


class RubricRef(Noun):
    """Which rubric graded: its id, version, the fingerprint of its content, and its criteria by id."""

    id: str
    version: str
    fingerprint: str
    pass_mark: Score | None = None
    criteria: dict[str, CriterionRef] = {}

    @property
    def questions(self) -> str:
        """A fingerprint of its judged questions and its pass mark: an edited weight leaves it, an edited question does not."""
        asked = sorted(reference.fingerprint for reference in self.criteria.values() if reference.judged)
        return fingerprint_of({"asked": asked, "pass_mark": self.pass_mark})
