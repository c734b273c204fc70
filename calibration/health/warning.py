"""What is wrong with a step, in plain sentences, alone and beside the first step of its policy."""

from __future__ import annotations

import math
from collections.abc import Iterator

from calibration.figures import Figure
from calibration.health.tallies import Tally
from calibration.results import StepHealth

FEWEST_GROUPS = 5
SILENT = 0.5
UNGRADED = 0.05
TIED = 0.2
FORFEITED = 0.05
STEEP = 0.02
GROWTH = 1.1
MOST_NAMED = 8
BLAME_WORDS = {
    "infra": "network or provider", "judge": "unusable answers of judges", "episode": "what the agent produced",
    "check": "checks that could not look", "tie": "ties on a gate", "nothing_applies": "no criterion applies",
    "unknown": "no reason recorded",
}  # fmt: skip


def warnings_of(step: StepHealth, tally: Tally) -> Iterator[str]:
    """What the step alone shows."""
    yield from _about_grades(step, tally)
    yield from _about_criteria(step, tally)
    silent = step.groups_without_signal
    if step.groups >= FEWEST_GROUPS and silent.value is not None and silent.value > SILENT:
        yield f"{silent.value:.0%} of {step.groups} groups pay all siblings alike: nothing is learnt from them"
    for slope, where in (
        (step.length_slope, "longer replies"),
        (step.length_within_groups, "the longer of two siblings"),
    ):
        if slope.low is not None and slope.low > 0 and (slope.value or 0) >= STEEP:
            yield f"{where} earn more: {slope.value:+.2f} per standard deviation of length ({slope.low:+.2f} to {slope.high:+.2f})"


def _about_grades(step: StepHealth, tally: Tally) -> Iterator[str]:
    if step.paid == "nothing":
        yield f"none of {step.episodes} episodes is paid anything"
    if step.paid == "both":
        yield f"{tally.paid['reward']} episodes have a calibrated reward and {tally.paid['score']} only a score: they do not compare"
    for seen, what in ((tally.graders, "graders"), (tally.calibrations, "calibrations")):
        if len(seen) > 1:
            yield f"the step was graded by {len(seen)} {what} ({_listed(sorted(seen))}): their rewards do not compare"
    if (step.ungraded.value or 0) > UNGRADED:
        causes = ", ".join(f"{n} for {BLAME_WORDS.get(blame, blame)}" for blame, n in step.by_blame.items())
        yield f"{step.ungraded.value:.0%} of episodes have no grade: {causes}"
    if (step.ties.value or 0) > TIED:
        yield f"{step.ties.value:.0%} of episodes are ties between judges: an odd panel or a stronger judge would decide them"
    if (step.forfeited.value or 0) > FORFEITED:
        yield f"{step.forfeited.value:.0%} of episodes could not be read by judges for what the agent produced: look at some"


def _about_criteria(step: StepHealth, tally: Tally) -> Iterator[str]:
    if full := [name for name in step.saturated if tally.criteria[name].earns]:
        yield f"nearly all episodes earn all of {_listed(full)}: it no longer tells them apart"
    if step.dead:
        yield f"nearly no episode earns anything of {_listed(list(step.dead))}, or all the same: it teaches nothing"


def trend(step: StepHealth, first: StepHealth) -> Iterator[str]:
    """What has changed since the first step of the same policy, where it is more than chance."""
    since = f"since step {first.policy_step}"
    longer = _ratio(step.length, first.length)
    if _rose(step.mean_reward, first.mean_reward) and _rose(step.length, first.length) and longer >= GROWTH:
        yield (
            f"{since} the mean reward rose from {first.mean_reward.value:.2f} to {step.mean_reward.value:.2f} while replies grew "
            f"by {longer - 1:.0%}: see on fresh labels whether length is what is paid for"
        )
    if _rose(step.ungraded, first.ungraded):
        yield f"{since} episodes without a grade rose from {first.ungraded.value:.0%} to {step.ungraded.value:.0%}"
    if _rose(step.forfeited, first.forfeited):
        yield (
            f"{since} episodes that judges could not read rose from {first.forfeited.value:.0%} to {step.forfeited.value:.0%}: "
            "the policy may be learning to be unreadable"
        )
    if _rose(first.coverage, step.coverage):
        yield f"{since} the share of criteria with a verdict fell from {first.coverage.value:.0%} to {step.coverage.value:.0%}"


def _rose(now: Figure, before: Figure) -> bool:
    """True if the difference is above 0 by more than 1.96 standard errors, read off the two intervals (Newcombe, 1998)."""
    if None in (now.value, now.low, before.value, before.high):
        return False
    reach = math.hypot((now.value or 0) - (now.low or 0), (before.high or 0) - (before.value or 0))
    return (now.value or 0) - (before.value or 0) > reach


def _ratio(now: Figure, before: Figure) -> float:
    return now.value / before.value if now.value and before.value else 1.0


def _listed(names: list[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")
