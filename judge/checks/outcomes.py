"""Check `outcome`: what the environment itself recorded, such as its tests or its reward."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from judge.checks.finding import Arguments, CheckSettings, Finding, short, yes_or_no
from judge.checks.matching import number_of, same
from judge.episode import Episode, Json

_GOOD = frozenset(
    "pass passed success succeeded successful resolved solved true yes ok correct done complete completed".split()
)
_BAD = frozenset("fail failed failure error unresolved unsolved false no incorrect incomplete aborted".split())
_ABSENT = object()


class Outcome(Arguments):
    """`equals` the recorded value, or it is `at_least` a number; without both, whether it says success (true, 1, "passed").

    `of` names what is asked: `outcome` or `reward` (the first that is there, by default), `terminated`, `truncated`, or a
    dotted place such as `outcome.tests` or `metadata.db_match`.
    """

    equals: Any = None
    at_least: float | None = Field(None, allow_inf_nan=False)
    of: str | None = Field(None, pattern=r"^(outcome|reward|terminated|truncated|metadata)(\.[^.]+)*$")
    tolerance: float = Field(1e-9, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _asks_one_thing(self) -> Outcome:
        if "equals" in self.model_fields_set and self.at_least is not None:
            raise ValueError("give `equals` or `at_least`, not both")
        return self


def outcome(episode: Episode, args: Outcome, _settings: CheckSettings) -> Finding:
    """Compare what the environment recorded; what it did not record is not known."""
    name, recorded = _recorded(episode, args.of)
    if recorded is _ABSENT or recorded is None:
        reason = f"the environment recorded no {name}"
        return Finding(None, reason, kind="state_unavailable")
    seen = f"the environment recorded {name} {short(recorded)}"
    if "equals" in args.model_fields_set:
        return yes_or_no(same(args.equals, recorded, args.tolerance), f"{seen}, expected {short(args.equals)}")
    if args.at_least is not None:
        number = number_of(recorded)
        if number is None:
            return Finding(None, f"{seen}, which is no number", kind="check_error")
        return yes_or_no(
            float(number) >= args.at_least - args.tolerance, f"{seen}, expected at least {args.at_least:g}"
        )
    success = _says_success(recorded)
    if success is None:
        return Finding(None, f"{seen}, which says neither success nor failure; give `equals`", kind="check_error")
    return yes_or_no(success, seen)


def _recorded(episode: Episode, of: str | None) -> tuple[str, Any]:
    if of is None:
        of = "reward" if episode.outcome is None else "outcome"
    value: Any = episode
    for i, part in enumerate(of.split(".")):
        if i == 0:
            value = getattr(episode, part)
        elif isinstance(value, dict) and part in value:
            value = value[part]
        else:
            return of, _ABSENT
    return of, value


def _says_success(recorded: Json) -> bool | None:
    if isinstance(recorded, bool):
        return recorded
    number = number_of(recorded)
    if number is not None:
        return number >= 1
    word = recorded.strip().casefold() if isinstance(recorded, str) else None
    return True if word in _GOOD else False if word in _BAD else None
