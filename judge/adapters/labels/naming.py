"""How the words of a file become ours: which field names the episode, which name is which criterion, which answer which level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import TypeAdapter, ValidationError

from rubrics.criterion import Criterion
from rubrics.explaining import suggestion
from rubrics.nouns import CriterionId
from rubrics.rubric import Rubric

OVERALL = "overall"
NOTE = "note"
_NOTE_OF = "_note"
_ID = TypeAdapter(CriterionId)


class UnmappedError(ValueError):
    """A name that stands for no criterion; the sentence says what to do."""


@dataclass(frozen=True)
class Naming:
    """What the caller says about a file's words. Names that are not given stand for themselves; nothing is guessed.

    `episode` is the field that names the episode. `criteria` maps a name in the file to a criterion's id, `levels` an
    answer to a level (or `cannot_tell`, `not_applicable`). Names in `overall` mean the episode as a whole. `rater` names
    the person where the file does not, `used_for` marks labels that were used for tuning or as examples. With `rubric`,
    criteria and levels are checked against it. `tasks` gives, for a prompt of HealthBench, its rubric's texts in their order.
    """

    episode: str | None = None
    criteria: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, str] = field(default_factory=dict)
    overall: frozenset[str] = frozenset({OVERALL})
    rater: str | None = None
    used_for: str | None = None
    rubric: Rubric | None = None
    tasks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def criterion(self, name: str) -> str | None:
        """The criterion that a name stands for, None for the episode as a whole. Raises UnmappedError."""
        mapped = self.criteria.get(name, name)
        if self.rubric is not None and mapped in self.rubric.by_id:
            return mapped
        if name in self.overall or not name:
            return None
        if self.rubric is not None:
            near = suggestion(mapped, self.rubric.by_id)
            raise UnmappedError(
                f"{mapped!r} is no criterion of rubric {self.rubric.id}{near}; map it with --criterion or --overall"
            )
        try:
            return _ID.validate_python(mapped)
        except ValidationError:
            raise UnmappedError(
                f"{mapped[:60]!r} is no criterion's id; say which it is: --criterion NAME=ID, or --overall NAME"
            ) from None

    def named(self, name: str) -> bool:
        """True if the caller spoke of this name: then an answer counts that would else not be taken for a person's label."""
        return name in self.criteria or (name in self.overall and name != OVERALL)

    def scale(self, criterion: str | None) -> Criterion | None:
        """The criterion whose scale answers must be on; None where no rubric says."""
        return None if self.rubric is None or criterion is None else self.rubric.by_id.get(criterion)

    def note_about(self, name: str) -> str | None:
        """The name whose note a text answer is: `amount_note` belongs to `amount`, `note` to the whole; None for no note."""
        mapped = self.criteria.get(name, name)
        if mapped == NOTE:
            return OVERALL
        return mapped.removesuffix(_NOTE_OF) if mapped.endswith(_NOTE_OF) and mapped != _NOTE_OF else None
