"""The grade record: one line per episode, with the way back from the number to every verdict and failure."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, JsonValue

from rubrics.criterion import Noun
from rubrics.grade import Finite, Grade, Score
from rubrics.references import RubricRef
from rubrics.verdict import Failure, Verdict


class Cost(Noun):
    """What the calls cost. `usd` is None when any call's price is unknown; `usd_at_least` is then what is known.

    `avoided_calls` were answered from the ledger and not paid for again. Tokens count what the providers reported.
    """

    usd: Finite | None = 0.0
    usd_at_least: Finite = 0.0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    avoided_calls: int = 0


class Judgement(Noun):
    """What one judge gave: its verdicts, its failures, and the replies they stand in (`replies` are keys of the ledger).

    `score` is what the rubric makes of this judge's verdicts and the checks' alone, as if every gate were open: None where
    something is missing.
    """

    judge: str
    model: str | None = None
    verdicts: tuple[Verdict, ...] = ()
    failures: tuple[Failure, ...] = ()
    failure: Failure | None = None
    score: Score | None = None
    usage: Cost = Cost()
    seconds: float = 0.0
    sample: int = 0
    replies: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class GradeRecord(Grade):
    """A grade together with whose it is, how it came about and what it cost.

    `method` is the fingerprint of all that can change a grade beside the rubric and the episode, `grader` the fingerprints
    of its parts (each judge, the templates, the pooling), so that a change can be named. `verdicts` are the pooled
    ones that the score was made of, `judgements` those of each judge, `failures` why verdicts are missing and whose fault
    it is. `panel` names the judges whose verdicts count. `changes` is the state comparison. `calibration` is the id of the
    calibration that gave the reward, `calibrated` its value for each criterion.
    """

    schema_: Literal[1] = Field(default=1, alias="schema")
    task_id: str
    episode_id: str
    group_id: str | None = None
    policy: str | None = None
    policy_step: int | None = None
    trial: int | None = None
    rubric: RubricRef
    method: str
    grader: dict[str, str] = {}
    panel: tuple[str, ...] = ()
    calibration: str | None = None
    calibrated: dict[str, Score] = {}
    covariates: dict[str, JsonValue] = {}
    cost: Cost = Cost()
    seconds: float = 0.0
    verdicts: tuple[Verdict, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    failures: tuple[Failure, ...] = ()
    changes: tuple[dict[str, JsonValue], ...] = ()

    def to_json(self) -> str:
        """One line of JSON, without NaN, lone surrogates or NUL."""
        return self.model_dump_json(by_alias=True)

    @classmethod
    def from_json(cls, text: str | bytes) -> GradeRecord:
        """The record of one line. Raises pydantic's ValidationError."""
        return cls.model_validate_json(text)


def summed(costs: list[Cost]) -> Cost:
    """The costs together. One unknown price makes the whole `usd` unknown."""
    if len(costs) == 1:
        return costs[0]
    total: dict[str, Any] = {
        name: sum(getattr(cost, name) for cost in costs)
        for name in ("usd_at_least", "input_tokens", "cached_tokens", "output_tokens", "calls", "avoided_calls")
    }
    known = [cost.usd for cost in costs if cost.usd is not None]
    return Cost(usd=sum(known) if len(known) == len(costs) else None, **total)
