"""`ask`: one judge, one episode, some criteria. Compose, call, parse, verify quotes, and one re-ask that says what was wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field

from judge.errors import JudgeError
from judge.judges import Judge
from judge.models.calling import Caller
from judge.models.exchange import Prompt, Reply, Usage
from judge.options import Options
from judge.parsing import Parsed, complaint, parse
from judge.prompting import Exhibit, batches, compose
from judge.quoting import verify
from judge.record import Cost, Judgement, summed
from judge.replies import Keeper, reply_key
from rubrics.criterion import Criterion
from rubrics.fingerprints import canonical
from rubrics.verdict import Failure, Verdict

LOCAL_WINDOW = 8192

MENDABLE = frozenset(
    "parse_error missing duplicate_verdict unknown_id off_scale not_finite inconsistent_verdict empty judge_refused".split()
)


def window_of(judge: Judge) -> int | None:
    """The judge's context in tokens: as set, or what the embedded judge reads; None if it is not known."""
    return judge.window or (LOCAL_WINDOW if judge.reference.provider == "local" else None)


@dataclass
class Seat:
    """A judge that is connected and can be asked. `identity` is all that can change its answers, as canonical text."""

    judge: Judge
    caller: Caller
    identity: str

    @classmethod
    def of(cls, judge: Judge, caller: Caller) -> Seat:
        """The seat of a judge behind its caller."""
        return cls(judge, caller, canonical({"judge": judge.fingerprint, **caller.model.identity}))

    @property
    def rater(self) -> str:
        """The name under which its verdicts stand."""
        return f"judge:{self.judge.name}"

    @property
    def window(self) -> int | None:
        """The judge's context in tokens; None if it is not known."""
        return window_of(self.judge)

    @property
    def mends(self) -> bool:
        """True if asking again can bring another answer: recordings repeat themselves, and the embedded judge is exact."""
        return not self.offline and self.judge.reference.provider != "local"

    @property
    def offline(self) -> bool:
        """True for judges that cost nothing and whose replies are kept elsewhere."""
        return self.caller.model.offline


@dataclass
class _Take:
    """What came of one call and its re-ask."""

    verdicts: tuple[Verdict, ...] = ()
    failures: tuple[Failure, ...] = ()
    costs: list[Cost] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    model: str | None = None


@dataclass(frozen=True)
class Sitting:
    """What all calls of one run share: its options, the ledger (None: nothing is kept) and when this episode is late."""

    options: Options
    ledger: Keeper | None = None
    deadline: float | None = None


async def ask(
    exhibit: Exhibit, criteria: Sequence[Criterion], seat: Seat, sitting: Sitting, *, sample: int = 0
) -> Judgement:
    """What the judge says on `criteria`, each with a verdict or a failure. Never raises for what a judge or network does."""
    start = asyncio.get_running_loop().time()
    size = seat.judge.batch or sitting.options.batch
    groups = batches(criteria, size, f"{sitting.options.seed}:{sample}")
    takes = await _all([_ask_batch(exhibit, group, seat, sitting, sample) for group in groups])
    seconds = asyncio.get_running_loop().time() - start
    return _judgement(seat, takes, seconds, sample)


async def _all(coroutines: Sequence[Coroutine[None, None, _Take]]) -> list[_Take]:
    return [await coroutines[0]] if len(coroutines) == 1 else list(await asyncio.gather(*coroutines))


def _judgement(seat: Seat, takes: list[_Take], seconds: float, sample: int) -> Judgement:
    verdicts = tuple(v for take in takes for v in take.verdicts)
    failures = tuple(f for take in takes for f in take.failures)
    return Judgement.trusted(
        judge=seat.judge.name, model=next((t.model for t in takes if t.model), None), verdicts=verdicts, failures=failures,
        failure=failures[0] if failures and not verdicts else None, usage=summed([c for t in takes for c in t.costs]),
        seconds=round(seconds, 4), sample=sample, replies=tuple(key for t in takes for key in t.replies),
        notes=tuple(dict.fromkeys(note for t in takes for note in t.notes)),
    )  # fmt: skip


async def _ask_batch(
    exhibit: Exhibit, criteria: Sequence[Criterion], seat: Seat, sitting: Sitting, sample: int
) -> _Take:
    take = _Take()
    parsed = await _attempt(exhibit, criteria, seat, sitting, sample, take, None)
    tries = 1 + _is_unreadable(parsed) if sitting.options.reask and seat.mends else 0
    while tries and (bad := [f for f in parsed.failures if f.kind in MENDABLE]):
        again = [c for c in criteria if c.id in {f.criterion for f in bad}]
        wrong = complaint(Parsed(verdicts=parsed.verdicts, failures=tuple(bad), notes=()), again)
        second = await _attempt(exhibit, again, seat, sitting, sample, take, wrong)
        kept = tuple(f for f in parsed.failures if f not in bad)
        parsed = Parsed(verdicts=parsed.verdicts + second.verdicts, failures=kept + second.failures, notes=())
        tries -= 1
    take.verdicts, take.failures = parsed.verdicts, parsed.failures
    return take


def _is_unreadable(parsed: Parsed) -> bool:
    """True if nothing at all could be read: noise, which is worth one more try than an answer that is off."""
    return not parsed.verdicts and all(f.kind in ("parse_error", "empty") for f in parsed.failures)


async def _attempt(
    exhibit: Exhibit,
    criteria: Sequence[Criterion],
    seat: Seat,
    sitting: Sitting,
    sample: int,
    take: _Take,
    wrong: str | None,
) -> Parsed:
    """One prompt, answered or failed; what it cost is added to `take`."""
    try:
        prompt = compose(exhibit, criteria, window=seat.window, complaint=wrong, instructions=seat.judge.template)
        key, reply = await _fetch(prompt, seat, sitting, sample)
    except JudgeError as error:
        take.costs.append(_cost_of(error.usage) if isinstance(error.usage, Usage) else Cost())
        failures = tuple(error.failure(rater=seat.rater, criterion=c.id) for c in criteria)
        return Parsed(verdicts=(), failures=failures, notes=())
    take.costs.append(_cost_of(reply.usage, avoided=reply.cached))
    take.notes += [*reply.notes, *prompt.flags]
    take.model = reply.model or take.model
    parsed = parse(reply, criteria, rater=seat.rater)
    verdicts, void = verify(parsed.verdicts, exhibit.sources, criteria)
    parsed = Parsed(verdicts=tuple(verdicts), failures=parsed.failures + tuple(void), notes=parsed.notes)
    take.notes += parsed.notes
    if not parsed.failures and not seat.offline:
        take.replies += [key] if key else []
        if sitting.ledger is not None and not reply.cached:
            reference = str(seat.judge.reference)
            sitting.ledger.put(key, prompt, reply, judge=seat.judge.name, reference=reference, sample=sample)
    return parsed


async def _fetch(prompt: Prompt, seat: Seat, sitting: Sitting, sample: int) -> tuple[str, Reply]:
    if seat.offline or sitting.ledger is None:
        return "", await seat.caller.call(prompt, deadline=sitting.deadline, sample=sample)
    key = reply_key(seat.identity, prompt.key, sample)
    stored = sitting.ledger.get(key) if sitting.options.cache else None
    return key, stored or await seat.caller.call(prompt, deadline=sitting.deadline, sample=sample)


def _cost_of(usage: Usage, *, avoided: bool = False) -> Cost:
    return Cost.trusted(
        usd=usage.usd, usd_at_least=usage.usd or 0.0, input_tokens=usage.input_tokens or 0,
        cached_tokens=usage.cached_tokens or 0, output_tokens=usage.output_tokens or 0,
        calls=0 if avoided else usage.calls, avoided_calls=1 if avoided else 0,
    )  # fmt: skip
