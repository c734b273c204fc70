"""Grading one episode: check, ask, pool, score, in that order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from judge.asking import Seat, Sitting, ask
from judge.checks import Checked, CheckSettings, Unanswerable, check, unanswerable
from judge.episode import Episode
from judge.evidence import suspicious
from judge.exhibits import exhibit_of
from judge.panel import Panel, Pooled, average, by_criterion, pool
from judge.prompting import Exhibit
from judge.record import GradeRecord, Judgement, RubricRef, summed
from rubrics.criterion import NOT_APPLICABLE, Criterion
from rubrics.filling import applies, fill
from rubrics.grade import Grade
from rubrics.rubric import Rubric
from rubrics.scoring import score
from rubrics.verdict import Failure, Verdict

MOST_IGNORED = 50


@dataclass
class Bench:
    """A panel with its seats taken: the judges, substitutes and escalation judges, connected."""

    panel: Panel
    seats: Sequence[Seat] = ()
    substitutes: Sequence[Seat] = ()
    escalation: Sequence[Seat] = ()
    method: str = ""


@dataclass
class Case:
    """An episode on its way to a grade: its rubric filled in, what code settled, and what is left to ask."""

    episode: Episode
    rubric: Rubric
    filled: Rubric
    settings: CheckSettings
    started: float = field(default_factory=time.perf_counter)
    settled: list[Verdict] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    forfeited: set[str] = field(default_factory=set)
    changes: tuple[dict[str, Any], ...] = ()
    to_ask: list[Criterion] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)

    @cached_property
    def exhibit(self) -> Exhibit:
        """What judges are shown of the episode. Raises InputError where a package is missing that reads its files."""
        return exhibit_of(
            self.episode, self.settings.states, artifacts=any("artifacts" in c.evidence for c in self.to_ask)
        )


def open_case(episode: Episode, rubric: Rubric, settings: CheckSettings, *, behind_gates: bool = False) -> Case:
    """Everything that needs no judge: names filled in, what applies, checks, gates. Raises FillError for a missing name."""
    filled = fill(rubric, episode.names)
    case = Case(episode, rubric, filled, settings, flags=list(suspicious(episode)))
    if episode.truncated:
        case.flags.append("episode_truncated")
    for criterion in filled.leaves:
        if not applies(criterion, episode.names):
            case.settled.append(
                Verdict(criterion=criterion.id, rater="rubric", level=NOT_APPLICABLE, reason="applies_if is false")
            )
        elif criterion.check is not None:
            _settle(case, criterion, check(episode, criterion, settings))
        else:
            case.to_ask.append(criterion)
    if not behind_gates and case.to_ask and _closed_by_code(case):
        case.skipped = [c.id for c in case.to_ask]
        case.to_ask = []
    nothing = unanswerable(episode) if case.to_ask else None
    if nothing is not None and not nothing.acted:
        _forfeit(case, nothing)
    return case


def _settle(case: Case, criterion: Criterion, checked: Checked) -> None:
    if checked.changes and not case.changes:
        case.changes = _worth_keeping(checked.changes)
    if checked.verdict is not None:
        case.settled.append(checked.verdict)
    if checked.failure is not None:
        case.failures.append(checked.failure)
        if checked.failure.blame == "episode":  # a policy must not gain by leaving a file that can't be opened
            case.forfeited.add(criterion.id)


def _worth_keeping(changes: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """All changes that matter; of those that the check ignores, which may be one a row, the first few and a count."""
    ignored = [change for change in changes if change.get("kind") == "ignored"]
    if len(ignored) <= MOST_IGNORED:
        return tuple(changes)
    shown = set(map(id, ignored[:MOST_IGNORED]))
    kept = [change for change in changes if change.get("kind") != "ignored" or id(change) in shown]
    note = f"and {len(ignored) - MOST_IGNORED} more that the check ignores"
    return (*kept, {"path": "", "kind": "ignored", "note": note})


def _closed_by_code(case: Case) -> bool:
    gates = {gate.id for gate in case.filled.gates}
    return any(v.criterion in gates for v in case.settled) and bool(score(case.filled, case.settled).closed_gates)


def _forfeit(case: Case, nothing: Unanswerable) -> None:
    """Nothing was said and nothing done: there is nothing to judge, and a judge would make something up."""
    message = f"{case.episode.id}: {nothing.reason}, called nothing and left nothing"
    for criterion in case.to_ask:
        case.failures.append(Failure(kind="unreadable", blame="episode", criterion=criterion.id, message=message))
        case.forfeited.add(criterion.id)
    case.flags.append(nothing.kind)
    case.to_ask = []


async def judge_case(case: Case, bench: Bench, sitting: Sitting) -> None:
    """Ask the panel, replacing judges that fail. The judgements are added to the case."""
    if not case.to_ask or not bench.seats:
        return
    exhibit = case.exhibit
    if bench.panel.early_stop:
        await _one_after_another(case, exhibit, bench, sitting)
    else:
        case.judgements += await ask_seats(exhibit, case.to_ask, bench.seats, sitting, bench.panel)
    spare = list(bench.substitutes)
    for failed in [j for j in case.judgements if j.failures]:
        if not spare:
            break
        substitute = (await ask_seats(exhibit, case.to_ask, [spare.pop(0)], sitting, bench.panel))[0]
        if not substitute.failures:
            replace_judge(case, failed, substitute)
        else:
            case.judgements.append(substitute)
    await _escalate(case, exhibit, bench, sitting)


def replace_judge(case: Case, failed: Judgement, substitute: Judgement) -> None:
    """The substitute takes the failed judge's place: what that one did say no longer counts, but its failures are kept."""
    at = case.judgements.index(failed)
    note = f"replaced by {substitute.judge}"
    case.judgements[at] = failed.model_copy(update={"verdicts": (), "notes": (*failed.notes, note)})
    case.judgements.append(substitute)
    case.flags.append("judge_replaced")


async def ask_seats(
    exhibit: Exhibit, criteria: Sequence[Criterion], seats: Sequence[Seat], sitting: Sitting, panel: Panel
) -> list[Judgement]:
    """Each seat's judgement, its repeats averaged into one."""
    calls = [ask(exhibit, criteria, seat, sitting, sample=k) for seat in seats for k in range(panel.repeats)]
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


async def _one_after_another(case: Case, exhibit: Exhibit, bench: Bench, sitting: Sitting) -> None:
    for count, seat in enumerate(bench.seats, start=1):
        case.judgements += await ask_seats(exhibit, case.to_ask, [seat], sitting, bench.panel)
        if count < len(bench.seats) and count >= bench.panel.needed and _decided(case, bench):
            case.flags.append("early_stop")
            return


def _decided(case: Case, bench: Bench) -> bool:
    """Whether the judges still to come, all against or all for the agent, would leave `passed` as it is."""
    if case.filled.pass_mark is None:
        return False
    rest = [seat.rater for seat in bench.seats[len(case.judgements) :]]
    outcomes = set()
    for worst in (True, False):
        pooled = []
        for criterion in case.to_ask:
            said = by_criterion(case.judgements).get(criterion.id, [])
            end = criterion.worst if worst else criterion.best
            level = next(level.name for level in criterion.levels if level.value == end)
            imagined = [Verdict(criterion=criterion.id, rater=rater, level=level, value=end) for rater in rest]
            pooled.append(pool(criterion, [*said, *imagined], bench.panel).verdict)
        outcomes.add(score(case.filled, [*case.settled, *(v for v in pooled if v)]).passed)
    return len(outcomes) == 1 and None not in outcomes


async def _escalate(case: Case, exhibit: Exhibit, bench: Bench, sitting: Sitting) -> None:
    if not bench.escalation:
        return
    gathered = by_criterion(case.judgements)
    disputed = []
    for criterion in case.to_ask:
        pooled = pool(criterion, gathered.get(criterion.id, []), bench.panel)
        if pooled.tie or (pooled.spread or 0.0) >= bench.panel.escalate_spread:
            disputed.append(criterion)
    if disputed:
        stronger = await ask_seats(exhibit, disputed, bench.escalation, sitting, bench.panel)
        case.judgements += [j.model_copy(update={"notes": (*j.notes, "escalation")}) for j in stronger]
        case.flags.append("escalated")


def close_case(case: Case, bench: Bench, *, ignore: frozenset[str] = frozenset()) -> GradeRecord:
    """Pool what the judges said, score it, and write the record. Verdicts of judges in `ignore` do not count."""
    pooled = _pool_all(case, bench, ignore)
    verdicts, failures, forfeited = list(case.settled), list(case.failures), set(case.forfeited)
    tied = False
    for criterion, found in pooled:
        verdict = found.verdict
        if found.tie and (criterion.weight or criterion.is_gate):
            tied = True
        if verdict is not None and not (found.tie and criterion.is_gate):
            verdicts.append(verdict)
        elif verdict is None:
            failures += _failures_on(case, criterion, found, bench)
            if _is_the_episodes_fault(case, criterion):
                forfeited.add(criterion.id)
    grade = score(case.filled, verdicts, skipped=case.skipped, forfeited=forfeited)
    extra = ["tie"] if tied else []
    extra += ["forfeited"] if forfeited and "no_reply" not in case.flags else []
    places = {c.id: place for place, c in enumerate(case.filled.leaves)}
    verdicts.sort(key=lambda verdict: places[verdict.criterion])
    return _record(case, bench, grade, verdicts, failures, [found for _, found in pooled], extra, ignore)


def _pool_all(case: Case, bench: Bench, ignore: frozenset[str]) -> list[tuple[Criterion, Pooled]]:
    strong = {seat.judge.name for seat in bench.escalation}
    counted = [j for j in case.judgements if j.judge not in ignore]
    first = by_criterion([j for j in counted if j.judge not in strong])
    stronger = by_criterion([j for j in counted if j.judge in strong])
    alone = bench.panel.model_copy(update={"quorum": 1, "pool": "mean"}) if stronger else bench.panel
    return [
        (c, pool(c, stronger[c.id], alone) if c.id in stronger else pool(c, first.get(c.id, []), bench.panel))
        for c in case.to_ask
    ]


def _failures_on(case: Case, criterion: Criterion, found: Pooled, bench: Bench) -> list[Failure]:
    causes = [f for j in case.judgements for f in j.failures if f.criterion == criterion.id]
    if not bench.seats:
        message = f"{criterion.id!r} needs a judge and none was given; name one with --judge"
        return [Failure(kind="missing", blame="judge", criterion=criterion.id, message=message)]
    return [*causes, *([found.failure] if found.failure and (len(bench.seats) > 1 or not causes) else [])]


def _is_the_episodes_fault(case: Case, criterion: Criterion) -> bool:
    """True if judges failed on it and each of them because of what the agent produced: then it counts against it."""
    causes = [f for j in case.judgements for f in j.failures if f.criterion == criterion.id]
    return bool(causes) and all(f.blame == "episode" for f in causes)


def _record(
    case: Case, bench: Bench, grade: Grade, verdicts: list[Verdict], failures: list[Failure], pooled: list[Pooled],
    extra: list[str], ignore: frozenset[str],
) -> GradeRecord:  # fmt: skip
    episode, tie = case.episode, "tie" in extra
    flags = [*case.flags, *grade.flags, *extra, *(flag for v in verdicts for flag in v.flags)]
    flags += [note for j in case.judgements for note in j.notes if note in ("shortened",)]
    flags += [f for j in case.judgements if j.judge not in ignore for v in j.verdicts for f in v.flags]
    panel = tuple(j.judge for j in case.judgements if j.verdicts and j.judge not in ignore)
    return GradeRecord(
        **{**{name: getattr(grade, name) for name in Grade.model_fields}, "passed": None if tie else grade.passed,
           "flags": tuple(dict.fromkeys(flags)), "spread": _spread(case, pooled)},
        task_id=episode.task_id, episode_id=episode.id, group_id=episode.group_id, policy=episode.policy,
        policy_step=episode.policy_step, trial=episode.trial, rubric=RubricRef.of(case.rubric), method=bench.method, panel=panel,
        covariates=covariates(episode), cost=summed([j.usage for j in case.judgements]),
        seconds=round(time.perf_counter() - case.started, 4), verdicts=tuple(verdicts), judgements=tuple(case.judgements),
        failures=tuple(failures), changes=case.changes,
    )  # fmt: skip


def _spread(case: Case, pooled: list[Pooled]) -> float | None:
    weighed = [(abs(c.weight), p.spread) for c, p in zip(case.to_ask, pooled, strict=True) if p.spread is not None]
    whole = sum(weight for weight, _ in weighed)
    return sum(weight * spread for weight, spread in weighed) / whole if whole else None


def covariates(episode: Episode) -> dict[str, Any]:
    """What a calibration may hold a judge's leanings against: length of the last reply in characters and words, steps, calls."""
    reply = episode.last_reply or ""
    return {
        "reply_chars": len(reply),
        "reply_words": len(reply.split()),
        "steps": len(episode.steps),
        "calls": len(list(episode.calls())),
        "errors": len([step for step in episode.steps if step.error]),
    }
