"""A rubric: criteria, or sections of them, that add up to a grade."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Annotated

from pydantic import Field, field_validator, model_validator

from rubrics.criterion import Criterion, CriterionId, Noun, Share, Weight
from rubrics.fingerprints import fingerprint_of

MAX_DEPTH = 50


class Section(Noun):
    """A part of a rubric. Its weight is its share among its siblings; the weights inside it share that out again."""

    id: CriterionId
    title: str = ""
    weight: Weight = 1.0
    criteria: tuple[Criterion, ...] = ()
    sections: tuple[Section, ...] = ()

    @model_validator(mode="after")
    def _holds_something(self) -> Section:
        if not self.criteria and not self.sections:
            raise ValueError("holds no criteria and no sections")
        return self


class Rubric(Noun):
    """What makes an episode good: criteria with weights and gates, read from a file, the library or the episode itself.

    `pass_mark` is the score in [0, 1] needed for `passed` (None: the rubric does not say). `accept_width`: if the score
    could lie only this far apart whatever the missing verdicts are, the midpoint is used and flagged.
    """

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    version: str = "1"
    title: str = ""
    description: str = ""
    pass_mark: Share | None = None
    accept_width: Share = 0.0
    tags: tuple[str, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    sections: tuple[Section, ...] = ()

    @field_validator("version", mode="before")
    @classmethod
    def _version_as_text(cls, version: object) -> object:
        return str(version) if isinstance(version, int | float) and not isinstance(version, bool) else version

    @model_validator(mode="after")
    def _can_score(self) -> Rubric:
        leaves = self.leaves
        if not leaves:
            raise ValueError("holds no criteria, so it can't score anything")
        seen: set[str] = set()
        for node_id in self._ids():
            if node_id in seen:
                raise ValueError(f"id {node_id!r} is given twice; ids must differ")
            seen.add(node_id)
        if all(not c.is_gate for c in leaves) or any(c.weight for c in leaves):
            self._check_it_can_earn()
        return self

    def _check_it_can_earn(self) -> None:
        if not any(weight > 0 for weight in self.shares.values()):
            given = {c.id: c.weight for c in self.leaves[:8]}
            raise ValueError(
                f"no criterion has a positive weight ({given}), so no score is possible; give one a weight"
            )

    def _ids(self) -> Iterator[str]:
        yield from (c.id for c in self.criteria)
        stack = list(self.sections)
        while stack:
            section = stack.pop()
            yield section.id
            yield from (c.id for c in section.criteria)
            stack.extend(section.sections)

    @cached_property
    def leaves(self) -> tuple[Criterion, ...]:
        """Every criterion, in the order written."""
        return tuple(_leaves(self))

    @cached_property
    def by_id(self) -> dict[str, Criterion]:
        """Every criterion by its id."""
        return {c.id: c for c in self.leaves}

    @cached_property
    def shares(self) -> dict[str, float]:
        """Each criterion's weight in the whole when all apply: as written, or multiplied down through the sections."""
        return self.shares_among(frozenset(c.id for c in self.leaves))

    def shares_among(self, applicable: frozenset[str]) -> dict[str, float]:
        """Each applicable criterion's weight in the whole. Sections share their weight out among what applies in them."""
        if not self.sections:
            return {c.id: c.weight for c in self.criteria if c.id in applicable}
        shares: dict[str, float] = {}
        _share_out(self, 1.0, applicable, shares)
        return shares

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hex digits over all of its content."""
        return fingerprint_of(self.model_dump(mode="json", exclude_defaults=True))

    @property
    def gates(self) -> tuple[Criterion, ...]:
        """The criteria that can close the score to 0."""
        return tuple(c for c in self.leaves if c.is_gate)


def _leaves(node: Rubric | Section) -> Iterator[Criterion]:
    yield from node.criteria
    for section in node.sections:
        yield from _leaves(section)


def _share_out(node: Rubric | Section, share: float, applicable: frozenset[str], shares: dict[str, float]) -> None:
    """Weights multiply down: each child gets `share` times its weight over the weights that can earn beside it."""
    criteria = [c for c in node.criteria if c.id in applicable]
    sections = [s for s in node.sections if any(c.id in applicable for c in _leaves(s))]
    weights = [c.weight for c in criteria] + [s.weight for s in sections]
    whole = sum(w for w in weights if w > 0) or sum(abs(w) for w in weights) or 1.0
    for criterion in criteria:
        shares[criterion.id] = share * criterion.weight / whole
    for section in sections:
        _share_out(section, share * section.weight / whole, applicable, shares)
