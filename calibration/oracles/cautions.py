"""What a reader of an audit has to know before believing its figures, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from calibration.oracles.opinions import Opinions
from calibration.records import RecordLike

FEWEST_FAILURES = 20


def cautions(records: Sequence[RecordLike], found: Sequence[Opinions], *, hidden: bool | None) -> Iterator[str]:
    """The sentences; `hidden` says whether the state was hidden from all judges."""
    yield from _about_cover(records, found)
    yield from _about_looking(found)
    yield from _about_sight(records, hidden)
    yield from _about_failures(found)
    yield from _about_kin(records)


def _about_cover(records: Sequence[RecordLike], found: Sequence[Opinions]) -> Iterator[str]:
    without = len(records) - len(found)
    if without:
        yield (
            f"{without} of {len(records)} episodes have no state verdict; what is found on the others may not hold for them, so "
            "have people label some of those"
        )
    cut = sum(one.cut_off for one in found)
    if cut:
        yield f"{cut} episodes were cut off before the agent finished; they are not listed as gamed"


def _about_looking(found: Sequence[Opinions]) -> Iterator[str]:
    if found and all(one.people is None for one in found):
        yield "no person has labelled these episodes: a disagreement shows that one side is wrong, not which"
    unasked = sum(one.panel is None and bool(one.record.closed_gates) and _is_judged(one.record) for one in found)
    if unasked:
        yield (
            f"judges were not asked behind the closed gates of {unasked} episodes; grade with --behind-gates to find "
            "suspect goals"
        )


def _is_judged(record: RecordLike) -> bool:
    return any(reference.judged for reference in record.rubric.criteria.values())


def _about_sight(records: Sequence[RecordLike], hidden: bool | None) -> Iterator[str]:
    if not any(record.judgements for record in records) or hidden:
        return
    if hidden is None:
        yield "it is not known whether judges saw the state's changes; if they did, their agreement with it is no evidence"
    else:
        yield (
            "judges saw the state's changes, so their agreement with the state check is no evidence; grade once more with "
            "`evidence` that leaves out `state`"
        )


def _about_failures(found: Sequence[Opinions]) -> Iterator[str]:
    """Behind a gate that is in the reward, state passes saturate, so that each checkpoint has ever fewer failures."""
    steps = Counter((one.record.policy, one.record.policy_step) for one in found)
    failures = Counter((one.record.policy, one.record.policy_step) for one in found if not one.state)
    for (policy, step), episodes in steps.items():
        failed = failures[policy, step]
        if failed < FEWEST_FAILURES:
            of = "" if policy is None else f" of {policy}" + ("" if step is None else f" at step {step}")
            yield (
                f"only {failed} of {episodes} episodes{of} fail the state check, fewer than {FEWEST_FAILURES}: "
                "the true negative rate rests on too little"
            )


def _about_kin(records: Sequence[RecordLike]) -> Iterator[str]:
    pairs = {
        (j.judge, _bare(record.policy)) for record in records for j in record.judgements if _same_model(record, j.model)
    }
    for judge, policy in sorted(pairs):
        yield f"judge {judge} is the model that acted ({policy}): how it judges itself says nothing of judges from other vendors"


def _same_model(record: RecordLike, model: str | None) -> bool:
    return bool(model and record.policy) and _bare(model) == _bare(record.policy)


def _bare(name: str | None) -> str:
    return (name or "").rsplit("/", 1)[-1].casefold()
