"""`score`: verdicts in, a grade out. Plain arithmetic; it never looks at an episode and never guesses."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from rubrics.criterion import NOT_APPLICABLE, Criterion
from rubrics.grade import Grade
from rubrics.rubric import Rubric
from rubrics.verdict import Verdict

EPSILON = 1e-9


class Bound(NamedTuple):
    """The worst and the best value that a criterion can still turn out to have; equal when it is settled."""

    against: float
    favourable: float


class _Sums(NamedTuple):
    score: float | None
    low: float | None
    high: float | None
    raw: float | None


@dataclass
class _Tally:
    """Where each criterion stands."""

    settled: dict[str, Verdict | None] = field(default_factory=dict)  # None: counted against
    bounds: dict[str, Bound] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    answered: int = 0


def score(
    rubric: Rubric, verdicts: Iterable[Verdict], *, skipped: Collection[str] = (), forfeited: Collection[str] = ()
) -> Grade:
    """The grade that `verdicts` (at most one a criterion) add up to under `rubric`.

    `clip(sum(w*v) / sum(w for w > 0), 0, 1)` over the criteria that apply; 0 behind a closed gate, whatever else is
    missing; None when what is missing could move it by more than `accept_width`, or when nothing that earns applies.
    `skipped` criteria were not asked because a gate was closed already; `forfeited` ones could not be judged because of
    what the agent produced, and count against it.

    Raises ValueError for a verdict on a criterion that the rubric does not have, or two on the same one.
    """
    tally = _tally(rubric, _by_criterion(rubric, verdicts), skipped, forfeited)
    shares = rubric.shares_among(frozenset(tally.bounds))
    closed = [c.id for c in rubric.gates if c.id in tally.bounds and not _open(c, tally, favourable=True)]
    unsure = any(c.id in tally.bounds and not _open(c, tally, favourable=False) for c in rubric.gates)
    raw_low, raw_high = _weighted(rubric, shares, tally)
    if raw_low is None or raw_high is None:
        return _grade(rubric, tally, _Sums(None, None, None, None), closed)
    low = 0.0 if closed or unsure else _clip(raw_low)
    high = 0.0 if closed else _clip(raw_high)
    total = (low + high) / 2 if high - low <= rubric.accept_width + EPSILON else None
    raw = (raw_low + raw_high) / 2 if raw_high - raw_low <= rubric.accept_width + EPSILON else None
    return _grade(rubric, tally, _Sums(total, low, high, raw), closed)


def _by_criterion(rubric: Rubric, verdicts: Iterable[Verdict]) -> dict[str, Verdict]:
    found: dict[str, Verdict] = {}
    for verdict in verdicts:
        if verdict.criterion not in rubric.by_id:
            raise ValueError(f"{verdict.rater} judged {verdict.criterion!r}, expected one of {list(rubric.by_id)}")
        if verdict.criterion in found:
            raise ValueError(f"two verdicts on {verdict.criterion!r}; pool them before scoring")
        found[verdict.criterion] = verdict
    return found


def _tally(
    rubric: Rubric, verdicts: dict[str, Verdict], skipped: Collection[str], forfeited: Collection[str]
) -> _Tally:
    tally = _Tally()
    for criterion in rubric.leaves:
        _place(criterion, verdicts.get(criterion.id), tally, criterion.id in skipped, criterion.id in forfeited)
    return tally


def _place(criterion: Criterion, verdict: Verdict | None, tally: _Tally, skipped: bool, forfeited: bool) -> None:
    unknown = verdict is not None and verdict.level is None
    if verdict is not None and (verdict.level == NOT_APPLICABLE or (unknown and criterion.if_unknown == "exclude")):
        tally.excluded.append(criterion.id)
        return
    if verdict is not None and verdict.value is not None:
        tally.settled[criterion.id] = verdict
        tally.bounds[criterion.id] = Bound(verdict.value, verdict.value)
        tally.answered += 1
        return
    if (unknown and criterion.if_unknown == "against") or (verdict is None and forfeited):
        tally.answered += unknown
        tally.settled[criterion.id] = None
        tally.bounds[criterion.id] = Bound(criterion.worst, criterion.worst)
        return
    (tally.skipped if skipped else tally.missing).append(criterion.id)
    tally.bounds[criterion.id] = Bound(criterion.worst, criterion.best)


def _open(gate: Criterion, tally: _Tally, *, favourable: bool) -> bool:
    """Whether the gate is open, a missing one taken as open (`favourable`) or closed. Gates go by the level."""
    if gate.id in tally.settled:
        verdict = tally.settled[gate.id]
        if verdict is None or verdict.level is None:
            return False
        level = gate.by_name.get(verdict.level)
        reached = verdict.value if level is None or (gate.between and verdict.value is not None) else level.value
        return reached is not None and reached >= gate.threshold - EPSILON
    return favourable


def _weighted(rubric: Rubric, shares: dict[str, float], tally: _Tally) -> tuple[float | None, float | None]:
    """The unclipped weighted mean at its lowest and its highest. None if nothing that earns applies."""
    earning = math.fsum(w for w in shares.values() if w > 0)
    if earning <= 0:
        gates_alone = not any(c.weight for c in rubric.leaves)
        return (1.0, 1.0) if gates_alone and tally.bounds else (None, None)
    worst = math.fsum(w * _end(w, rubric.by_id[i], tally.bounds[i], worst=True) for i, w in shares.items())
    best = math.fsum(w * _end(w, rubric.by_id[i], tally.bounds[i], worst=False) for i, w in shares.items())
    return worst / earning, best / earning


def _end(share: float, criterion: Criterion, bound: Bound, *, worst: bool) -> float:
    """The end of a bound that costs (`worst`) or earns most, given the sign of the criterion's share in the whole.

    Inside a section of negative weight the sign of the share is not the sign of the criterion's own weight.
    """
    if (share < 0) == (criterion.weight < 0):
        return bound.against if worst else bound.favourable
    return bound.favourable if worst else bound.against


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))


def _grade(rubric: Rubric, tally: _Tally, sums: _Sums, closed: list[str]) -> Grade:
    applicable = len(tally.bounds) - len(tally.skipped)
    flags = ["missing"] if tally.missing else []
    if sums.score is not None and sums.low is not None and sums.high is not None and sums.high - sums.low > EPSILON:
        flags.append("accepted_width")
    passed = None if sums.score is None or rubric.pass_mark is None else sums.score >= rubric.pass_mark - EPSILON
    return Grade(
        score=sums.score, low=sums.low, high=sums.high, raw=sums.raw, passed=passed,
        ungated=None if sums.raw is None else _clip(sums.raw),
        values={c.id: tally.bounds[c.id].against if c.id in tally.settled else None for c in rubric.leaves},
        coverage=tally.answered / applicable if applicable else 0.0,
        missing=tuple(tally.missing), skipped=tuple(tally.skipped), not_applicable=tuple(tally.excluded),
        closed_gates=tuple(closed), flags=tuple(flags),
    )  # fmt: skip
