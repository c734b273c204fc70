"""`score`: verdicts in, a grade out. Plain arithmetic; it never looks at an episode and never guesses."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from rubrics.bounds import Bound, reach
from rubrics.criterion import NOT_APPLICABLE, Criterion
from rubrics.grade import Grade
from rubrics.rubric import Rubric
from rubrics.verdict import Verdict

EPSILON = 1e-9


class _Sums(NamedTuple):
    score: float | None = None
    low: float | None = None
    high: float | None = None
    raw: float | None = None
    ungated: float | None = None


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

    Raises ValueError for a verdict on a criterion or a level that the rubric does not have, or two on the same criterion.
    """
    tally = _tally(rubric, _by_criterion(rubric, verdicts), skipped, forfeited)
    closed = [c.id for c in rubric.gates if c.id in tally.bounds and not _open(c, tally, favourable=True)]
    unsure = any(c.id in tally.bounds and not _open(c, tally, favourable=False) for c in rubric.gates)
    reached = _weighted(rubric, tally)
    if reached is None:
        return _grade(rubric, tally, _Sums(score=0.0, low=0.0, high=0.0) if closed else _Sums(), closed)
    raw_low, raw_high = reached
    low = 0.0 if closed or unsure else _clip(raw_low)
    high = 0.0 if closed else _clip(raw_high)
    width = rubric.accept_width
    sums = _Sums(
        score=_midpoint(low, high, width), low=low, high=high, raw=_midpoint(raw_low, raw_high, width),
        ungated=_midpoint(_clip(raw_low), _clip(raw_high), width),
    )  # fmt: skip
    return _grade(rubric, tally, sums, closed)


def _by_criterion(rubric: Rubric, verdicts: Iterable[Verdict]) -> dict[str, Verdict]:
    found: dict[str, Verdict] = {}
    for verdict in verdicts:
        if verdict.criterion not in rubric.by_id:
            raise ValueError(f"{verdict.rater} judged {verdict.criterion!r}, expected one of {list(rubric.by_id)}")
        if verdict.criterion in found:
            raise ValueError(f"two verdicts on {verdict.criterion!r}; pool them before scoring")
        _check_level(rubric.by_id[verdict.criterion], verdict)
        found[verdict.criterion] = verdict
    return found


def _check_level(criterion: Criterion, verdict: Verdict) -> None:
    """A level of another scale is a verdict on another question: its value would be averaged with what it is not."""
    if verdict.level not in (None, NOT_APPLICABLE) and verdict.level not in criterion.by_name:
        names = list(criterion.by_name)
        raise ValueError(f"{verdict.rater} chose {verdict.level!r} for {criterion.id!r}, expected one of {names}")


def _tally(
    rubric: Rubric, verdicts: dict[str, Verdict], skipped: Collection[str], forfeited: Collection[str]
) -> _Tally:
    if strangers := [name for name in (*skipped, *forfeited) if name not in rubric.by_id]:
        raise ValueError(f"{strangers[0]!r} is skipped or forfeited, expected one of {list(rubric.by_id)}")
    tally = _Tally()
    for criterion in rubric.leaves:
        bound = Bound(*rubric.ends[criterion.id], criterion.may_leave)
        if (verdict := verdicts.get(criterion.id)) is not None:
            _place(criterion, verdict, bound, tally)
        elif criterion.id in forfeited:
            _count_against(criterion.id, bound, tally)
        else:
            (tally.skipped if criterion.id in skipped else tally.missing).append(criterion.id)
            tally.bounds[criterion.id] = bound
    return tally


def _place(criterion: Criterion, verdict: Verdict, bound: Bound, tally: _Tally) -> None:
    if verdict.value is not None:
        tally.settled[criterion.id] = verdict
        tally.bounds[criterion.id] = Bound(verdict.value, verdict.value)
        tally.answered += 1
    elif verdict.level == NOT_APPLICABLE or criterion.if_unknown == "exclude":
        tally.excluded.append(criterion.id)
    elif criterion.if_unknown == "against":
        _count_against(criterion.id, bound, tally)
        tally.answered += 1
    else:
        tally.missing.append(criterion.id)
        tally.bounds[criterion.id] = bound


def _count_against(criterion_id: str, bound: Bound, tally: _Tally) -> None:
    tally.settled[criterion_id] = None
    tally.bounds[criterion_id] = Bound(bound.against, bound.against)


def _open(gate: Criterion, tally: _Tally, *, favourable: bool) -> bool:
    """Whether the gate is open, a missing one taken as open (`favourable`) or closed. Gates go by the level."""
    if gate.id in tally.settled:
        verdict = tally.settled[gate.id]
        if verdict is None or verdict.level is None:
            return False
        reached = verdict.value if gate.between else gate.by_name[verdict.level].value
        return reached is not None and reached >= gate.threshold - EPSILON
    return favourable


def _weighted(rubric: Rubric, tally: _Tally) -> tuple[float, float] | None:
    """The unclipped weighted mean at its lowest and its highest. None if nothing that earns applies."""
    if rubric.gates_alone:
        return (1.0, 1.0) if any(gate.id in tally.bounds for gate in rubric.gates) else None
    return reach(rubric, tally.bounds)


def _midpoint(low: float, high: float, width: float) -> float | None:
    return (low + high) / 2 if high - low <= width + EPSILON else None


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))


def _grade(rubric: Rubric, tally: _Tally, sums: _Sums, closed: list[str]) -> Grade:
    applicable = len(tally.bounds) - len(tally.skipped)
    flags = ["missing"] if tally.missing else []
    if sums.score is not None and sums.low is not None and sums.high is not None and sums.high - sums.low > EPSILON:
        flags.append("accepted_width")
    passed = None if sums.score is None or rubric.pass_mark is None else sums.score >= rubric.pass_mark - EPSILON
    return Grade.trusted(
        score=sums.score, low=sums.low, high=sums.high, raw=sums.raw, ungated=sums.ungated, passed=passed,
        values={c.id: tally.bounds[c.id].against if c.id in tally.settled else None for c in rubric.leaves},
        coverage=tally.answered / applicable if applicable else 0.0,
        missing=tuple(tally.missing), skipped=tuple(tally.skipped), not_applicable=tuple(tally.excluded),
        closed_gates=tuple(closed), flags=tuple(flags),
    )  # fmt: skip
