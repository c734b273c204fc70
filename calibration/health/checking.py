"""`health`: from grade records to the state of every policy step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from calibration.figures import Figure
from calibration.health.measuring import measure
from calibration.health.tallies import tally
from calibration.health.warning import trend, warnings_of
from calibration.records import RecordLike
from calibration.results import StepHealth


def health(records: Iterable[RecordLike]) -> tuple[StepHealth, ...]:
    """The state of every policy step, by policy and step; records without a step are one step, which comes first.

    One pass over the records, none of which is kept: memory grows with groups, tasks and criteria only. Later steps are also
    compared with the first of their policy. A step is `healthy` if there is nothing to warn of.
    """
    found: list[StepHealth] = []
    first: dict[str | None, StepHealth] = {}
    tallies = tally(records)
    for policy, step in sorted(tallies, key=lambda key: (key[0] or "", key[1] is not None, key[1] or 0)):
        counted = tallies[policy, step]
        measured = measure(policy, step, counted)
        warnings = [*warnings_of(measured, counted)]
        if step is not None:
            warnings += trend(measured, first.setdefault(policy, measured))
        found.append(measured.model_copy(update={"warnings": tuple(warnings)}))
    return tuple(found)


def rows(steps: Sequence[StepHealth]) -> list[dict[str, str]]:
    """A row of words a step, for a table: shares in per cent, an empty cell where there is no figure."""
    return [
        {
            "policy": step.policy or "", "step": "" if step.policy_step is None else str(step.policy_step),
            "episodes": str(step.episodes), "groups": str(step.groups),
            "without signal": _percent(step.groups_without_signal), "ungraded": _percent(step.ungraded),
            "blame": ", ".join(f"{blame} {n}" for blame, n in step.by_blame.items()), "ties": _percent(step.ties),
            step.paid if step.paid in ("reward", "score") else "reward": _number(step.mean_reward),
            "length": "" if step.length.value is None else f"{step.length.value:.0f}", "per sd of length": _number(step.length_slope),
            "saturated": ", ".join(step.saturated), "dead": ", ".join(step.dead),
        }
        for step in steps
    ]  # fmt: skip


def _percent(figure: Figure) -> str:
    return "" if figure.value is None else f"{figure.value:.0%}"


def _number(figure: Figure) -> str:
    if figure.value is None:
        return ""
    around = "" if figure.low is None or figure.high is None else f" [{figure.low:.2f}, {figure.high:.2f}]"
    return f"{figure.value:.2f}{around}"
