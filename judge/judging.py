"""Asking the panel about an episode, or about the siblings of one prompt.

Siblings are judged by one realised panel, so that a substitute's severity never becomes advantage: who stands in, is left
out or decides a dispute does so for all of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from judge.asking import Seat, Sitting, ask
from judge.grading import Bench, Case, votes
from judge.panel import Panel, average, by_criterion, pool
from judge.record import Judgement, summed
from rubrics.criterion import Criterion
from rubrics.scoring import score
from rubrics.verdict import Verdict


async def judge_cases(cases: Sequence[Case], bench: Bench, sitting: Sitting) -> None:
    """Ask the panel about every case; the judgements are added to the cases, with who counts.

    A judge that failed on any sibling is replaced on all of them, if a substitute does better. Where none does, it is left
    out for all if the others make a quorum; if not, the siblings that it failed on stay without a score.
    """
    asked = [case for case in cases if case.to_ask]
    if not asked or not bench.seats:
        return
    if bench.panel.early_stop and len(asked) == 1:
        await _one_after_another(asked[0], bench, sitting)
    else:
        await _ask_all(asked, bench.seats, bench, sitting)
    spare = list(bench.substitutes)
    for seat in bench.seats:
        if any(judgement.failures for judgement in _of(asked, seat.judge.name)):
            await _replace(asked, seat.judge.name, spare, bench, sitting)
    if len(asked) > 1:
        _leave_out_lost(asked, bench)
    await _escalate(asked, bench, sitting)


def _of(cases: Iterable[Case], name: str) -> list[Judgement]:
    return [judgement for case in cases for judgement in case.judgements if judgement.judge == name]


async def _ask_all(cases: Sequence[Case], seats: Sequence[Seat], bench: Bench, sitting: Sitting) -> None:
    asking = [_ask_seats(case, case.to_ask, seats, sitting, bench.panel) for case in cases]
    found = [await asking[0]] if len(asking) == 1 else await asyncio.gather(*asking)
    for case, judgements in zip(cases, found, strict=True):
        case.judgements += judgements


async def _ask_seats(
    case: Case, criteria: Sequence[Criterion], seats: Sequence[Seat], sitting: Sitting, panel: Panel
) -> list[Judgement]:
    """Each seat's judgement, its repeats averaged into one."""
    calls = [ask(case.exhibit, criteria, seat, sitting, sample=k) for seat in seats for k in range(panel.repeats)]
    if len(calls) == 1:
        return [await calls[0]]
    samples = list(await asyncio.gather(*calls))
    if panel.repeats == 1:
        return samples
    return [_averaged(samples[i : i + panel.repeats], criteria) for i in range(0, len(samples), panel.repeats)]


def _averaged(samples: list[Judgement], criteria: Sequence[Criterion]) -> Judgement:
    gathered = by_criterion(samples)
    verdicts = tuple(average(c, gathered[c.id]) for c in criteria if c.id in gathered)
    failures = tuple(f for s in samples for f in s.failures if f.criterion not in gathered)
    return samples[0].model_copy(
        update={
            "verdicts": verdicts,
            "failures": failures,
            "failure": failures[0] if failures and not verdicts else None,
            "usage": summed([s.usage for s in samples]),
            "seconds": max(s.seconds for s in samples),
            "replies": tuple(key for s in samples for key in s.replies),
            "notes": (*samples[0].notes, f"{len(samples)} samples"),
        }
    )


async def _one_after_another(case: Case, bench: Bench, sitting: Sitting) -> None:
    for count, seat in enumerate(bench.seats, start=1):
        case.judgements += await _ask_seats(case, case.to_ask, [seat], sitting, bench.panel)
        if count < len(bench.seats) and count >= bench.panel.needed and _decided(case, bench):
            case.flags.append("early_stop")
            return


def _decided(case: Case, bench: Bench) -> bool:
    """Whether the judges still to come, all against or all for the agent, would leave `passed` as it is."""
    if case.filled.pass_mark is None:
        return False
    rest = [seat.rater for seat in bench.seats[len(case.judgements) :]]
    said = votes(case, case.seated(bench))
    if any(sum(v.value is not None for v in said.get(c.id, ())) <= len(rest) for c in case.to_ask):
        return False  # the rest could yet make it "could not tell" or "not applicable"
    outcomes = {_passed_if(case, said, rest, bench.panel, worst=worst) for worst in (True, False)}
    return len(outcomes) == 1 and None not in outcomes


def _passed_if(
    case: Case, said: Mapping[str, list[Verdict]], rest: Sequence[str], panel: Panel, *, worst: bool
) -> bool | None:
    """Whether the episode passes if all of `rest` judge at their worst, or at their best; None if that makes a tie."""
    pooled = []
    for criterion in case.to_ask:
        end = case.filled.ends[criterion.id][0 if worst else 1]
        level = next(level.name for level in criterion.levels if level.value == end)
        imagined = [Verdict(criterion=criterion.id, rater=rater, level=level, value=end) for rater in rest]
        found = pool(criterion, [*said.get(criterion.id, []), *imagined], panel)
        if found.tie and (criterion.weight or criterion.is_gate):
            return None
        pooled.append(found.verdict)
    return score(case.filled, [*case.settled, *(v for v in pooled if v)]).passed


async def _replace(cases: Sequence[Case], name: str, spare: list[Seat], bench: Bench, sitting: Sitting) -> None:
    """Ask one substitute after another about all the cases, until one does better than `name`."""
    while spare:
        seat = spare.pop(0)
        await _ask_all(cases, [seat], bench, sitting)
        pairs = list(zip(_of(cases, name), _of(cases, seat.judge.name), strict=True))
        if _does_better(pairs):
            for case in cases:
                case.stand_ins[name] = seat.judge.name
                case.flags.append("judge_replaced")
                _note(case, name, f"replaced by {seat.judge.name}")
            return
        for case, (failed, stand_in) in zip(cases, pairs, strict=True):
            case.excused |= _failed_on(failed, episode=True) & _failed_on(stand_in, episode=False)
            _note(case, seat.judge.name, "could not stand in")


def _does_better(pairs: Sequence[tuple[Judgement, Judgement]]) -> bool:
    """Whether the second of each pair has a verdict wherever the first has, and more of them in all."""
    lost = [({f.criterion for f in a.failures}, {f.criterion for f in b.failures}) for a, b in pairs]
    return all(after <= before for before, after in lost) and any(after < before for before, after in lost)


def _failed_on(judgement: Judgement, *, episode: bool) -> set[str]:
    return {f.criterion for f in judgement.failures if f.criterion and (f.blame == "episode") is episode}


def _note(case: Case, name: str, note: str) -> None:
    case.judgements = [
        j.model_copy(update={"notes": (*j.notes, note)}) if j.judge == name else j for j in case.judgements
    ]


def _leave_out_lost(cases: Sequence[Case], bench: Bench) -> None:
    """Judges that failed on any sibling count for none; where too few are left, only the whole panel counts."""
    seated = cases[0].seated(bench)
    lost = {name for name in seated if any(_failed_on(j, episode=False) for j in _of(cases, name))}
    for case in cases if lost else ():
        if len(seated) - len(lost) >= bench.panel.needed:
            case.left_out |= lost
            case.flags.append("panel_reduced")
        else:
            case.quorum = len(seated)


async def _escalate(cases: Sequence[Case], bench: Bench, sitting: Sitting) -> None:
    """What the judges dispute on any sibling is put to the stronger judges on every sibling."""
    disputed = {c.id for case in cases for c in case.to_ask if _is_disputed(case, c, bench)} if bench.escalation else ()
    if not disputed:
        return
    for case in cases:
        if criteria := [c for c in case.to_ask if c.id in disputed]:
            stronger = await _ask_seats(case, criteria, bench.escalation, sitting, bench.panel)
            case.judgements += [j.model_copy(update={"notes": (*j.notes, "escalation")}) for j in stronger]
            case.flags.append("escalated")
    for criterion in disputed:
        _let_stronger_decide(criterion, [c for c in cases if any(a.id == criterion for a in c.to_ask)], bench)


def _let_stronger_decide(criterion: str, cases: Sequence[Case], bench: Bench) -> None:
    """The stronger judges' verdicts stand if the same ones gave them on every sibling."""
    names = {seat.judge.name for seat in bench.escalation}
    answered = {tuple(v.rater for v in votes(case, names).get(criterion, [])) for case in cases}
    if len(answered) == 1 and answered != {()}:
        for case in cases:
            case.escalated.add(criterion)


def _is_disputed(case: Case, criterion: Criterion, bench: Bench) -> bool:
    found = pool(criterion, votes(case, case.seated(bench)).get(criterion.id, []), bench.panel)
    return found.tie or (found.spread or 0.0) >= bench.panel.escalate_spread
