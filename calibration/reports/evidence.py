"""What is known about one criterion, and the mark that says how far the judge may be trusted with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from calibration.calibration import Escalation, HeldOut
from calibration.figures import Figure
from calibration.reports.wording import short
from calibration.results import Agreement, Bias, Ceiling, Transport
from rubrics.criterion import Noun
from rubrics.grade import Score

Mark = Literal["trusted", "with care", "not trusted", "no signal", "not enough labels"]
MARKS: tuple[Mark, ...] = ("trusted", "with care", "not trusted", "no signal", "not enough labels")
FEWEST_TWICE = 10


class Trust(Noun):
    """What may be done with one criterion, or with the whole (`criterion` None), and why.

    `rule` names the rule that decided; `cautions` are what else speaks against it. `used` of `labelled` episodes had both a
    label and a grade. `steps` say what to do next, the most useful first. `agreement` is the share on which judge and truth
    agree (on a scale of more than two levels: on pass or fail), `ceiling` that of people with each other. `map_key` names the
    map that gives its probabilities.
    """

    criterion: str | None
    mark: Mark
    rule: str
    reason: str
    cautions: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    used: int = 0
    labelled: int = 0
    agreement: Figure | None = None
    ceiling: Figure | None = None
    map_key: str | None = None

    @property
    def coverage(self) -> Score | None:
        """The share of labelled episodes that have a grade; None without labels."""
        return self.used / self.labelled if self.labelled else None


@dataclass(frozen=True)
class Evidence:
    """All that is known about one criterion. `key` is the map that serves it, `people` whom the truth comes from."""

    criterion: str | None
    used: int = 0
    labelled: int = 0
    passes: int = 0
    fails: int = 0
    agreement: Agreement | None = None
    heldout: HeldOut | None = None
    key: str | None = None
    people: str = "people"
    badges: tuple[str, ...] = ()
    transports: tuple[Transport, ...] = ()
    leanings: tuple[Bias, ...] = ()
    escalation: Escalation | None = None

    @property
    def name(self) -> str:
        """How a sentence calls it, shortened in the middle."""
        return name_of(self.criterion)

    @property
    def rarer(self) -> int:
        """How many labels are of the rarer class, cut at a half."""
        return min(self.passes, self.fails)

    @property
    def youden(self) -> Figure:
        """J of the pooled judges against the truth, on held-out labels where there are any."""
        if self.heldout is not None and self.heldout.youden.value is not None:
            return self.heldout.youden
        return self.agreement.youden if self.agreement else Figure(value=None, why="nothing to compare")

    @property
    def kappa(self) -> Figure:
        """Agreement beyond chance: Cohen's kappa, quadratic weighted where the scale has more than two levels."""
        if self.agreement is None:
            return Figure(value=None, why="nothing to compare")
        weighted = self.agreement.weighted_kappa
        return weighted if self.graded and weighted.value is not None else self.agreement.kappa

    @property
    def saved(self) -> float | None:
        """The share of the base rate's Brier score that the probabilities save on labels that the fit had not seen."""
        if self.heldout is None or self.heldout.brier.value is None or not self.heldout.reference_brier:
            return None
        return 1 - self.heldout.brier.value / self.heldout.reference_brier

    @property
    def graded(self) -> bool:
        """True if the scale has more than two levels, on which answers need not be equal to agree."""
        return self.agreement is not None and len(self.agreement.levels) > 2

    @property
    def agrees(self) -> Figure | None:
        """The share on which judge and truth agree: on the level, or for a graded scale on pass or fail."""
        if self.agreement is None:
            return self.heldout.accuracy if self.heldout else None
        return self.heldout.accuracy if self.graded and self.heldout else None if self.graded else self.agreement.raw

    @property
    def ceiling(self) -> Ceiling | None:
        """The agreement of people with each other, where enough items were labelled twice to speak of it."""
        found = self.agreement.ceiling if self.agreement else None
        return found if found and found.n >= FEWEST_TWICE else None

    @property
    def failed(self) -> tuple[Transport, ...]:
        """The policies for which the calibration no longer holds."""
        return tuple(t for t in self.transports if t.holds is False)


def name_of(criterion: str | None) -> str:
    """How a sentence calls a criterion, shortened in the middle."""
    return "the whole" if criterion is None else short(criterion, 40)


Told = tuple[str, str] | None
"""Why, and what to do about it (or nothing); None where the rule does not apply."""


class Rule(NamedTuple):
    """When it applies (for the reader of a report), the mark it gives, and what it says about some evidence."""

    name: str
    mark: Mark
    when: str
    tell: Callable[[Evidence], Told]
