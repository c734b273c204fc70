"""A rubric: criteria, or sections of them, that add up to a grade."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Annotated

from pydantic import Field, field_validator, model_validator

from rubrics.criterion import Criterion
from rubrics.fingerprints import fingerprint_of
from rubrics.nouns import CriterionId, Noun, Share, Weight
from rubrics.references import CriterionRef, RubricRef

MAX_DEPTH = 50
MAX_CRITERIA = 5_000


class Section(Noun):
    """A part of a rubric. Its weight is its share among its siblings; the weights inside it share that out again.

    Inside a section of negative weight every sign turns round: what its criteria find is a penalty.
    """

    id: Annotated[CriterionId, Field(description="Its name; no two criteria or sections have the same.")]
    title: Annotated[str, Field(description="What it is about, for people.")] = ""
    weight: Annotated[Weight, Field(description="Its share among its siblings, shared out again inside it.")] = 1.0
    criteria: Annotated[tuple[Criterion, ...], Field(description="Its criteria.")] = ()
    sections: Annotated[tuple[Section, ...], Field(description="Sections inside it.")] = ()

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

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", description="Its name: small letters, digits and _.")]
    version: Annotated[str, Field(description="Raise it when a question changes.")] = "1"
    title: Annotated[str, Field(description="What it grades, in a few words.")] = ""
    description: Annotated[str, Field(description="What good work is, for people who write or read the rubric.")] = ""
    pass_mark: Annotated[Share | None, Field(description="The score, 0 to 1, that an episode needs to pass.")] = None
    accept_width: Annotated[
        Share, Field(description="Missing verdicts that could move the score by no more than this are put up with.")
    ] = 0.0
    tags: Annotated[tuple[str, ...], Field(description="Words for finding and grouping rubrics.")] = ()
    criteria: Annotated[tuple[Criterion, ...], Field(description="The criteria.")] = ()
    sections: Annotated[
        tuple[Section, ...], Field(description="Sections of criteria; their weights multiply down.")
    ] = ()

    @field_validator("version", mode="before")
    @classmethod
    def _version_as_text(cls, version: object) -> object:
        return str(version) if isinstance(version, int | float) and not isinstance(version, bool) else version

    @model_validator(mode="after")
    def _can_score(self) -> Rubric:
        leaves = self.leaves
        if not leaves:
            raise ValueError("holds no criteria, so it can't score anything")
        if len(leaves) > MAX_CRITERIA:
            raise ValueError(f"holds {len(leaves)} criteria; at most {MAX_CRITERIA} are allowed")
        seen: set[str] = set()
        for node_id in self._ids():
            if node_id in seen:
                raise ValueError(f"id {node_id!r} is given twice; ids must differ")
            seen.add(node_id)
        if not self.gates_alone and not can_earn(self, frozenset(self.by_id)):
            given = {c.id: c.weight for c in leaves[:8]}
            which = "the gate, say," if any(c.is_gate for c in leaves) else "one"
            raise ValueError(
                f"no criterion has a positive weight ({given}), so no score is possible; give {which} a weight"
            )
        return self

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
        return tuple(_leaves(self)) if self.sections else self.criteria

    @cached_property
    def by_id(self) -> dict[str, Criterion]:
        """Every criterion by its id."""
        return {c.id: c for c in self.leaves}

    @cached_property
    def shares(self) -> dict[str, float]:
        """Each criterion's weight in the whole when all apply: as written, or multiplied down through the sections."""
        return self.shares_among(frozenset(c.id for c in self.leaves))

    def shares_among(self, applicable: frozenset[str]) -> dict[str, float]:
        """Each applicable criterion's weight in the whole, in the order written.

        As written if there are no sections. Else sections share their weight out among what applies in them, so that the
        positive shares add up to 1; a part in which nothing can earn takes no weight from the parts beside it.
        """
        if not self.sections:
            return {c.id: c.weight for c in self.criteria if c.id in applicable}
        shares: dict[str, float] = {}
        _share_out(self, 1.0, applicable, shares)
        return shares

    @cached_property
    def signs(self) -> dict[str, int]:
        """For each criterion, whether a high value earns (1), costs (-1) or counts for nothing (0) in the whole."""
        return dict(_signs(self, 1))

    @cached_property
    def ends(self) -> dict[str, tuple[float, float]]:
        """For each criterion the value that costs and the one that earns most in the whole.

        They change places where the sign does: for a penalty, and inside a section of negative weight.
        """
        found = {}
        for criterion in self.leaves:
            lowest, highest = criterion.levels[0].value, criterion.levels[-1].value
            found[criterion.id] = (highest, lowest) if self.signs[criterion.id] < 0 else (lowest, highest)
        return found

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hex digits over all of its content."""
        return fingerprint_of(self.model_dump(mode="json", exclude_defaults=True))

    @cached_property
    def reference(self) -> RubricRef:
        """What a grade record carries of it."""
        return RubricRef.trusted(
            id=self.id, version=self.version, fingerprint=self.fingerprint, pass_mark=self.pass_mark,
            criteria={c.id: CriterionRef.of(c, self.shares[c.id]) for c in self.leaves},
        )  # fmt: skip

    @cached_property
    def gates(self) -> tuple[Criterion, ...]:
        """The criteria that can close the score to 0."""
        return tuple(c for c in self.leaves if c.is_gate)

    @property
    def gates_alone(self) -> bool:
        """True if there are gates, and nothing in the rubric has a weight: then all gates open is a score of 1."""
        return any(c.is_gate for c in self.leaves) and not any(c.weight for c in self.leaves)


def _leaves(node: Rubric | Section) -> Iterator[Criterion]:
    yield from node.criteria
    for section in node.sections:
        yield from _leaves(section)


def sign_of(weight: float) -> int:
    """1, -1 or 0."""
    return (weight > 0) - (weight < 0)


def _signs(node: Rubric | Section, sign: int) -> Iterator[tuple[str, int]]:
    yield from ((c.id, sign * sign_of(c.weight)) for c in node.criteria)
    for section in node.sections:
        yield from _signs(section, sign * sign_of(section.weight))


def can_earn(node: Rubric | Section, applicable: frozenset[str], sign: int = 1) -> bool:
    """Whether a high value of some applicable criterion inside raises the score; `sign` is that of the weights above."""
    if any(c.weight * sign > 0 and c.id in applicable for c in node.criteria):
        return True
    return any(s.weight and can_earn(s, applicable, sign * sign_of(s.weight)) for s in node.sections)


def _share_out(node: Rubric | Section, share: float, applicable: frozenset[str], shares: dict[str, float]) -> None:
    """Weights multiply down: each child gets `share` times its weight over the weights of those that can earn beside it.

    Where none can earn, over those that can cost.
    """
    criteria = [c for c in node.criteria if c.id in applicable]
    sections = [s for s in node.sections if any(c.id in applicable for c in _leaves(s))]
    sign = sign_of(share) or 1
    whole = 0.0
    for wanted in (sign, -sign):
        earning = [c.weight for c in criteria if c.weight * wanted > 0]
        earning += [s.weight for s in sections if can_earn(s, applicable, wanted * sign_of(s.weight))]
        whole = whole or sum(map(abs, earning))
    for criterion in criteria:
        shares[criterion.id] = share * criterion.weight / (whole or 1.0)
    for section in sections:
        _share_out(section, share * section.weight / (whole or 1.0), applicable, shares)
