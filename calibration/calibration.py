"""A calibration: what a grader's answers are worth, fitted on labels, as a plain JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from calibration.figures import Figure, Finite
from calibration.maps import Map
from rubrics.criterion import Noun
from rubrics.fingerprints import fingerprint_of
from rubrics.grade import Score

Truth = Literal["people", "state", "both"]
OVERALL, ANY, TAG = "overall", "any", "tag:"


class Scope(Noun):
    """What the calibration was fitted on: criteria by the fingerprint of their content, tags, and rubrics for the whole.

    A map of one criterion serves that criterion; a map of a tag every criterion that has it; `any` every other one.
    """

    rubrics: dict[str, str] = {}
    questions: tuple[str, ...] = ()
    """For each rubric that was graded with, a fingerprint of its judged questions and its pass mark: what a whole is about."""
    criteria: dict[str, str] = {}
    tags: tuple[str, ...] = ()


class LabelSet(Noun):
    """The labels that were used: how many items, tasks and raters, and the hash of them all."""

    n: int
    tasks: int
    raters: int
    ids_hash: str
    left_out: dict[str, int] = {}
    coverage: Score | None = None
    seen: tuple[str, ...] = ()
    """A short hash of each labelled item and what judges said of it, so that an audit can tell fresh labels from these."""


class Candidate(Noun):
    """One way to fit a map with its cross-validated figures; `chosen` marks the winner.

    `brier` is the mean squared error of the probability against the truth, `error` its standard error by task.
    """

    key: str
    rung: str
    brier: Finite
    error: Finite | None = None
    accuracy: Score | None = None
    n: int
    chosen: bool = False
    why: str = ""


class HeldOut(Noun):
    """Figures on labels that the fit had not seen, cross-fitted in folds by task; `key` is the map's."""

    key: str
    n: int
    tasks: int
    base_rate: Score
    brier: Figure
    reference_brier: Finite
    """That of always predicting the base rate: what a judge without signal reaches."""
    accuracy: Figure
    youden: Figure
    """TPR + TNR - 1 of the pooled judges, cut at a half."""
    gain: Figure = Figure(value=None, why="not measured")
    """The reference's Brier score less the map's, on the same labels."""
    signal: bool
    """True if the gain is above 0 with its interval; or if J is with its, and the gain is a twentieth of the reference or more."""


class Escalation(Noun):
    """Above which confidence a grade may stand without another look.

    `threshold` is the confidence max(p, 1-p) at or above which agreement with the truth is at least `target` with
    probability 1 - `delta` over calibrations; None where the labels can't certify it, and `why` then says so. `coverage` is
    the share of episodes above it.
    """

    threshold: Score | None
    target: Score
    delta: Score
    coverage: Score | None = None
    agreement: Figure | None = None
    n: int = 0
    tasks: int = 0
    curve: tuple[tuple[Score, Score, Score, Score], ...] = ()
    """Rows of threshold, coverage, agreement and its lower bound."""
    why: str = ""

    def escalates(self, p: float) -> bool | None:
        """Whether a grade with calibrated probability `p` needs another look; None where no threshold was certified."""
        return None if self.threshold is None else max(p, 1.0 - p) < self.threshold


class RewardRule(Noun):
    """How a calibrated probability becomes a reward.

    `probability`: as it is. `saturated`: clip((p - 0.2) / 0.6, 0, 1), which gives less credit to what is likely wrong.
    `state` `gate`: 0 behind a closed gate; `feature`: the gate is a covariate of the map, and the reward is not cut.
    """

    form: Literal["probability", "saturated"] = "probability"
    state: Literal["gate", "feature"] = "gate"


class Calibration(Noun):
    """What `fit` gives and `apply` uses.

    `method` is the fingerprint of the grader, `grader` those of its parts, `models` the models that answered for each judge.
    `panel` names the judges that `maps` need; `panels` holds maps for other panels that really answered, by `a+b`. Maps are
    by criterion id, `tag:NAME`, `any` (every criterion without one) and `overall` (the episode as a whole). `badges` are
    words that travel with every grade: `uncalibrated`, `no_signal`, `worse_than_chance`, `label_free`, `state_truth`.
    """

    schema_: Annotated[Literal[1], Field(alias="schema")] = 1
    id: str = ""
    method: str
    grader: dict[str, str] = {}
    models: dict[str, tuple[str, ...]] = {}
    scope: Scope
    truth: Truth
    panel: tuple[str, ...]
    maps: dict[str, Map]
    panels: dict[str, dict[str, Map]] = {}
    covariates: dict[str, Finite] = {}
    reward: RewardRule = RewardRule()
    escalation: Escalation | None = None
    labels: LabelSet
    severities: dict[str, Finite] = {}
    """How lenient (+) or strict each person is, on scales of more than two levels; taken off before fitting."""
    heldout: tuple[HeldOut, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    warnings: tuple[str, ...] = ()
    badges: tuple[str, ...] = ()
    created: str = ""

    def identified(self) -> Calibration:
        """The same with its id: sixteen hex digits over all of it but when it was made."""
        content = self.model_dump(mode="json", exclude={"id", "created"})
        return self.model_copy(update={"id": fingerprint_of(content)})

    def to_json(self) -> str:
        """The document as it is written to a file."""
        return self.model_dump_json(by_alias=True, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Calibration:
        """The calibration of a document. Raises pydantic's ValidationError."""
        return cls.model_validate_json(text)

    def maps_for(self, panel: frozenset[str]) -> Mapping[str, Map] | None:
        """The maps for the judges that really answered; None if no map was fitted for them."""
        if panel == frozenset(self.panel):
            return self.maps
        return self.panels.get("+".join(sorted(panel)))
