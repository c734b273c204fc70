"""Several judges as one: how their verdicts on a criterion become one, and when enough of them have answered."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, model_validator

from judge.judges import Judge
from judge.record import Judgement
from rubrics.criterion import NOT_APPLICABLE, Criterion, Noun
from rubrics.verdict import Failure, Verdict

Pool = Literal["mean", "median", "majority", "weighted"]
PANEL = "panel"


class Panel(Noun):
    """The judges of a run and how they make one verdict.

    `quorum` is how many must have answered a criterion (None: more than half). `substitutes` take the place of judges
    that failed, in their order. `escalate_to` are stronger judges, asked only about criteria on which the others tie or
    lie `escalate_spread` or more apart; their verdict then stands. `weights` (for `weighted`) are by judge name. `repeats`
    is how many samples of each judge are taken and averaged. With `early_stop`, judges are asked one after another and no
    more once the rest can't change whether the episode passed.
    """

    judges: tuple[Judge, ...] = ()
    pool: Pool = "mean"
    quorum: Annotated[int, Field(ge=1)] | None = None
    weights: dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]] = {}
    substitutes: tuple[Judge, ...] = ()
    escalate_to: tuple[Judge, ...] = ()
    escalate_spread: Annotated[float, Field(ge=0, le=1)] = 0.5
    repeats: Annotated[int, Field(ge=1)] = 1
    early_stop: bool = False

    @model_validator(mode="after")
    def _fits_together(self) -> Panel:
        everyone = [judge.name for judge in (*self.judges, *self.substitutes, *self.escalate_to)]
        if twice := [name for name, count in Counter(everyone).items() if count > 1]:
            raise ValueError(
                f"judge {twice[0]!r} is named twice; use `repeats` (--repeat) to ask one judge several times"
            )
        if self.quorum is not None and self.judges and self.quorum > len(self.judges):
            raise ValueError(f"a quorum of {self.quorum} can't be reached by {len(self.judges)} judge(s)")
        if self.pool == "weighted" and (unweighted := [j.name for j in self.judges if j.name not in self.weights]):
            raise ValueError(f"pool `weighted` needs a weight for {unweighted[0]!r}")
        return self

    @property
    def needed(self) -> int:
        """How many judges must have answered: the quorum, or more than half of the panel."""
        return self.quorum if self.quorum is not None else len(self.judges) // 2 + 1


@dataclass(frozen=True, slots=True)
class Pooled:
    """One criterion's pooled verdict, or why there is none; `spread` is the largest less the smallest value (None: < 2)."""

    verdict: Verdict | None = None
    failure: Failure | None = None
    spread: float | None = None
    tie: bool = False


def pool(criterion: Criterion, verdicts: Sequence[Verdict], panel: Panel) -> Pooled:
    """The verdicts of different judges on one criterion as one. A tie gives the mean and is marked, never list order.

    Below the quorum there is a failure and no verdict. Judges that say `not_applicable` or could not tell are votes of
    their own kind: the kind that most chose stands; between kinds, a tie is "could not tell".
    """
    if len(verdicts) < panel.needed:
        message = (
            f"{len(verdicts)} of {len(panel.judges)} judges answered {criterion.id!r}, expected at least {panel.needed}"
        )
        return Pooled(
            failure=Failure(kind="below_quorum", blame="judge", criterion=criterion.id, rater=PANEL, message=message)
        )
    answered = [v for v in verdicts if v.value is not None]
    not_applicable = sum(v.level == NOT_APPLICABLE for v in verdicts)
    unknown = len(verdicts) - len(answered) - not_applicable
    if len(answered) > max(not_applicable, unknown):
        return _pool_values(criterion, answered, panel)
    level = NOT_APPLICABLE if not_applicable > max(len(answered), unknown) else None
    kinds = (len(answered), not_applicable, unknown)
    tie = kinds.count(max(kinds)) > 1
    return Pooled(verdict=Verdict(criterion=criterion.id, rater=PANEL, level=level, reason=_reasons(verdicts)), tie=tie)


def _pool_values(criterion: Criterion, verdicts: Sequence[Verdict], panel: Panel) -> Pooled:
    values = [v.value for v in verdicts if v.value is not None]
    spread = max(values) - min(values) if len(values) > 1 else None
    if len(verdicts) == 1:
        return Pooled(verdict=verdicts[0].model_copy(update={"rater": PANEL}))
    value, level, tie = _centre(criterion, verdicts, values, panel)
    verdict = Verdict(
        criterion=criterion.id, rater=PANEL, level=level, value=value, reason=_reasons(verdicts),
        quotes=tuple(dict.fromkeys(quote for v in verdicts for quote in v.quotes if quote.verified)),
        flags=("tie",) if tie else (),
    )  # fmt: skip
    return Pooled(verdict=verdict, spread=spread, tie=tie)


def _centre(
    criterion: Criterion, verdicts: Sequence[Verdict], values: list[float], panel: Panel
) -> tuple[float, str, bool]:
    weights = (
        [panel.weights[v.rater.removeprefix("judge:")] for v in verdicts]
        if panel.pool == "weighted"
        else [1.0] * len(values)
    )
    if not sum(weights):
        weights = [1.0] * len(values)
    votes: dict[str, float] = {}
    for verdict, weight in zip(verdicts, weights, strict=True):
        votes[verdict.level or ""] = votes.get(verdict.level or "", 0.0) + weight
    mean = sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)
    most = max(votes.values())
    leaders = [level for level, count in votes.items() if count >= most - 1e-12]
    if panel.pool == "majority":
        if most * 2 > sum(weights) + 1e-12:
            return criterion.by_name[leaders[0]].value, leaders[0], False
        return mean, nearest(criterion, mean), True
    value = statistics.median(values) if panel.pool == "median" else mean
    tie = len(leaders) > 1 and len(criterion.levels) == 2  # on a longer scale the middle is an answer, not a tie
    return value, nearest(criterion, value), tie


def nearest(criterion: Criterion, value: float) -> str:
    """The name of the level whose value is nearest to `value`; between two equally near, the lower."""
    return min(criterion.levels, key=lambda level: (round(abs(level.value - value), 9), level.value)).name


def _reasons(verdicts: Sequence[Verdict]) -> str:
    said = [f"{v.rater.removeprefix('judge:')}: {v.level or 'could not tell'}. {v.reason}".strip() for v in verdicts]
    return " | ".join(said)


def average(criterion: Criterion, samples: Sequence[Verdict]) -> Verdict:
    """Several samples of one judge as one verdict: the mean value at the nearest level; kinds go by the most."""
    if len(samples) == 1:
        return samples[0]
    alone = Panel(quorum=1)
    pooled = pool(criterion, samples, alone).verdict
    first = samples[0]
    if pooled is None:
        return first
    flags = tuple(dict.fromkeys(flag for sample in samples for flag in sample.flags))
    return pooled.model_copy(
        update={"rater": first.rater, "reason": first.reason, "quotes": first.quotes, "flags": flags}
    )


def by_criterion(judgements: Sequence[Judgement]) -> Mapping[str, list[Verdict]]:
    """Every judge's verdicts, gathered by criterion."""
    found: dict[str, list[Verdict]] = {}
    for judgement in judgements:
        for verdict in judgement.verdicts:
            found.setdefault(verdict.criterion, []).append(verdict)
    return found
