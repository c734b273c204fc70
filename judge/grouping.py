"""The siblings of one prompt, judged by one realised panel, so that a substitute's severity never becomes advantage."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from judge.asking import Seat, Sitting
from judge.grading import Bench, Case, ask_seats, replace_judge
from judge.panel import by_criterion, pool
from judge.record import Judgement
from rubrics.criterion import Criterion


async def judge_group(cases: Sequence[Case], bench: Bench, sitting: Sitting) -> frozenset[str]:
    """Ask the same judges about every case. Returns the judges whose verdicts count for none of them.

    A judge that failed on any sibling (other than by the episode's own fault) is replaced on all of them. Without a
    substitute it is left out for all if the others still make a quorum; if not, its siblings stay without a score.
    """
    asked = [case for case in cases if case.to_ask]
    if not asked or not bench.seats:
        return frozenset()
    await _ask_all(asked, bench.seats, bench, sitting)
    ignored: set[str] = set()
    spare = list(bench.substitutes)
    for name in _failed(asked):
        if spare and await _substitute(asked, name, spare, bench, sitting):
            ignored.add(name)
    sound = len(bench.seats) - len(_failed(asked) - ignored) - len(ignored) + _stand_ins(asked, bench, ignored)
    if sound >= bench.panel.needed:
        ignored |= _failed(asked)
    await _escalate(asked, bench, sitting, frozenset(ignored))
    if ignored:
        for case in asked:
            case.flags.append("panel_reduced" if not bench.substitutes else "judge_replaced")
    return frozenset(ignored)


def _stand_ins(cases: Sequence[Case], bench: Bench, ignored: set[str]) -> int:
    names = {seat.judge.name for seat in bench.substitutes} - ignored
    return len({j.judge for case in cases for j in case.judgements if j.judge in names})


async def _ask_all(
    cases: Sequence[Case], seats: Sequence[Seat], bench: Bench, sitting: Sitting
) -> list[list[Judgement]]:
    found = await asyncio.gather(*(ask_seats(case.exhibit, case.to_ask, seats, sitting, bench.panel) for case in cases))
    for case, judgements in zip(cases, found, strict=True):
        case.judgements += judgements
    return list(found)


def _failed(cases: Sequence[Case]) -> set[str]:
    return {j.judge for case in cases for j in case.judgements if any(f.blame != "episode" for f in j.failures)}


async def _substitute(cases: Sequence[Case], name: str, spare: list[Seat], bench: Bench, sitting: Sitting) -> bool:
    """Whether a substitute could judge all the siblings in the place of `name`."""
    while spare:
        seat = spare.pop(0)
        answers = await _ask_all(cases, [seat], bench, sitting)
        if all(not j.failures for judgements in answers for j in judgements):
            for case in cases:
                failed = next(j for j in case.judgements if j.judge == name)
                stand_in = case.judgements.pop()
                replace_judge(case, failed, stand_in)
            return True
        for case in cases:
            case.judgements[-1] = case.judgements[-1].model_copy(
                update={"verdicts": (), "notes": ("could not stand in",)}
            )
    return False


async def _escalate(cases: Sequence[Case], bench: Bench, sitting: Sitting, ignored: frozenset[str]) -> None:
    """What the judges dispute on any sibling is put to the stronger judges on every sibling."""
    disputed = {c.id for case in cases for c in case.to_ask if _is_disputed(case, c, bench, ignored)}
    if not disputed or not bench.escalation:
        return
    for case in cases:
        criteria = [c for c in case.to_ask if c.id in disputed]
        if criteria:
            stronger = await ask_seats(case.exhibit, criteria, bench.escalation, sitting, bench.panel)
            case.judgements += [j.model_copy(update={"notes": (*j.notes, "escalation")}) for j in stronger]
            case.flags.append("escalated")


def _is_disputed(case: Case, criterion: Criterion, bench: Bench, ignored: frozenset[str]) -> bool:
    verdicts = by_criterion([j for j in case.judgements if j.judge not in ignored]).get(criterion.id, [])
    found = pool(criterion, verdicts, bench.panel)
    return found.tie or (found.spread or 0.0) >= bench.panel.escalate_spread
