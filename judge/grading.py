"""Grading one episode: what code settles, before judges are asked, and what all verdicts add up to, after."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from judge.asking import Seat
from judge.checks import Checked, CheckSettings, Unanswerable, check, unanswerable
from judge.episode import Episode
from judge.evidence import suspicious
from judge.exhibits import exhibit_of
from judge.panel import Panel, Pooled, pool
from judge.prompting import Exhibit
from judge.record import GradeRecord, Judgement, summed
from rubrics.criterion import NOT_APPLICABLE, Criterion
from rubrics.filling import applies, fill
from rubrics.grade import Grade
from rubrics.rubric import Rubric
from rubrics.scoring import score
from rubrics.verdict import Failure, Verdict

MOST_IGNORED = 50
FORFEITED = "forfeited"


@dataclass
class Bench:
    """A panel with its seats taken: the judges, substitutes and escalation judges, connected."""

    panel: Panel
    seats: Sequence[Seat] = ()
    substitutes: Sequence[Seat] = ()
    escalation: Sequence[Seat] = ()
    method: str = ""
    grader: dict[str, str] = field(default_factory=dict)


@dataclass
class Case:
    """An episode on its way to a grade: its rubric filled in, what code settled, and what is left to ask.

    Who counts: `stand_ins` are substitutes by the judge that each replaces, `left_out` judges that count for no sibling,
    `quorum` how many must have answered where it is not the panel's, `escalated` the criteria that stronger judges decide.
    `excused` are criteria for which a fallback judge could not be reached, so that nothing is held against the episode.
    """

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
    stand_ins: dict[str, str] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)
    quorum: int | None = None
    excused: set[str] = field(default_factory=set)
    escalated: set[str] = field(default_factory=set)

    def seated(self, bench: Bench) -> set[str]:
        """The names of the judges that count: the panel's, with stand-ins in the places of those they replace."""
        return {self.stand_ins.get(name := seat.judge.name, name) for seat in bench.seats} - self.left_out

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
    if checked.changes:
        known = {(change.get("path"), change.get("kind")) for change in case.changes}
        new = [change for change in checked.changes if (change.get("path"), change.get("kind")) not in known]
        case.changes = _worth_keeping((*case.changes, *new))
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


def votes(case: Case, judges: Collection[str]) -> dict[str, list[Verdict]]:
    """What `judges` said, by criterion.

    A judge that could not judge because of what the agent produced counts as if it had judged at its worst: else a policy
    could choose its panel by being unreadable for the severe ones.
    """
    found: dict[str, list[Verdict]] = {}
    for judgement in case.judgements:
        if judgement.judge in judges:
            for verdict in (*judgement.verdicts, *_forfeits(case, judgement)):
                found.setdefault(verdict.criterion, []).append(verdict)
    return found


def _forfeits(case: Case, judgement: Judgement) -> Iterator[Verdict]:
    for failure in judgement.failures:
        if failure.blame == "episode" and failure.criterion is not None and failure.criterion not in case.excused:
            criterion = case.filled.by_id[failure.criterion]
            worst = criterion.levels[-1 if case.filled.signs[criterion.id] < 0 else 0]
            yield Verdict(
                criterion=criterion.id, rater=f"judge:{judgement.judge}", level=worst.name, value=worst.value,
                reason=failure.message, flags=(FORFEITED,),
            )  # fmt: skip


def close_case(case: Case, bench: Bench) -> GradeRecord:
    """Pool what the judges said, score it, and write the record."""
    counted = _counted(case, bench)
    pooled = _pool_all(case, bench, counted)
    verdicts, failures, forfeited = list(case.settled), list(case.failures), set(case.forfeited)
    tied = False
    for criterion, found in pooled:
        verdict = found.verdict
        if found.tie and (criterion.weight or criterion.is_gate):
            tied = True
        if verdict is None or all(FORFEITED in vote.flags for vote in counted[criterion.id]):
            failures += _failures_on(case, criterion, found, bench)
            forfeited |= {criterion.id} if verdict is not None else set()
        elif not (found.tie and criterion.is_gate):
            verdicts.append(verdict)
    grade = score(case.filled, verdicts, skipped=case.skipped, forfeited=forfeited)
    held_against = any(FORFEITED in vote.flags for said in counted.values() for vote in said)
    extra = ["tie"] if tied else []
    extra += [FORFEITED] if held_against or (forfeited and "no_reply" not in case.flags) else []
    places = {c.id: place for place, c in enumerate(case.filled.leaves)}
    verdicts.sort(key=lambda verdict: places[verdict.criterion])
    return _record(case, bench, grade, verdicts, failures, [found for _, found in pooled], extra)


def _counted(case: Case, bench: Bench) -> dict[str, list[Verdict]]:
    """The verdicts that count on each criterion: the stronger judges' where they decide, else the panel's."""
    first = votes(case, case.seated(bench))
    stronger = votes(case, {seat.judge.name for seat in bench.escalation}) if case.escalated else {}
    return {c.id: (stronger if c.id in case.escalated else first).get(c.id, []) for c in case.to_ask}


def _pool_all(case: Case, bench: Bench, counted: dict[str, list[Verdict]]) -> list[tuple[Criterion, Pooled]]:
    panel = bench.panel if case.quorum is None else bench.panel.model_copy(update={"quorum": case.quorum})
    stronger = bench.panel.model_copy(update={"quorum": 1, "pool": "mean"}) if case.escalated else panel
    return [(c, pool(c, counted[c.id], stronger if c.id in case.escalated else panel)) for c in case.to_ask]


def _failures_on(case: Case, criterion: Criterion, found: Pooled, bench: Bench) -> list[Failure]:
    causes = [f for j in case.judgements for f in j.failures if f.criterion == criterion.id]
    if not bench.seats:
        message = f"{criterion.id!r} needs a judge and none was given; name one with --judge"
        return [Failure(kind="missing", blame="judge", criterion=criterion.id, message=message)]
    return [*causes, *([found.failure] if found.failure and (len(bench.seats) > 1 or not causes) else [])]


def _record(
    case: Case, bench: Bench, grade: Grade, verdicts: list[Verdict], failures: list[Failure], pooled: list[Pooled],
    extra: list[str],
) -> GradeRecord:  # fmt: skip
    episode, tie = case.episode, "tie" in extra
    flags = [*case.flags, *grade.flags, *extra, *(flag for v in verdicts for flag in v.flags)]
    flags += [note for j in case.judgements for note in j.notes if note in ("shortened",)]
    heard = case.seated(bench) | {seat.judge.name for seat in bench.escalation}
    flags += [f for j in case.judgements if j.judge in heard for v in j.verdicts for f in v.flags]
    panel = tuple(j.judge for j in case.judgements if j.verdicts and j.judge in heard)
    return GradeRecord.trusted(
        **{**vars(grade), "passed": None if tie else grade.passed, "flags": tuple(dict.fromkeys(flags)),
           "spread": _spread(case, pooled)},
        task_id=episode.task_id, episode_id=episode.id, group_id=episode.group_id, policy=episode.policy,
        policy_step=episode.policy_step, trial=episode.trial, rubric=case.rubric.reference, method=bench.method, grader=bench.grader,
        panel=panel, covariates=covariates(episode), cost=summed([j.usage for j in case.judgements]),
        seconds=round(time.perf_counter() - case.started, 4), verdicts=tuple(verdicts), judgements=_scored(case, grade),
        failures=tuple(failures), changes=case.changes,
    )  # fmt: skip


def _scored(case: Case, grade: Grade) -> tuple[Judgement, ...]:
    """The judgements, each with what the rubric makes of it alone: a calibration weighs whole judges by it."""
    if len(case.judgements) == 1 and not case.judgements[0].failures:
        return (case.judgements[0].model_copy(update={"score": grade.ungated}),)
    return tuple(j.model_copy(update={"score": _score_alone(case, j)}) if j.verdicts else j for j in case.judgements)


def _score_alone(case: Case, judgement: Judgement) -> float | None:
    said = [*case.settled, *judgement.verdicts, *_forfeits(case, judgement)]
    return score(case.filled, said, forfeited=case.forfeited).ungated


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
        "calls": len([s for s in episode.steps if s.action is not None and s.action.by == "agent"]),
        "errors": len([s for s in episode.steps if s.error]),
    }
