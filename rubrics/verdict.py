"""What one rater says about one criterion of one episode."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from rubrics.criterion import CANNOT_TELL, NOT_APPLICABLE, Criterion, Noun

Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]

Kind = Literal[
    "rate_limited", "timeout", "connection", "provider_error", "quota", "auth", "model_not_found", "bad_endpoint", "budget",
    "interrupted", "judge_refused", "empty", "truncated", "parse_error", "missing", "duplicate_verdict", "unknown_id",
    "off_scale", "not_finite", "inconsistent_verdict", "below_quorum", "context_length", "content_filter", "unreadable",
    "state_unavailable", "check_error",
]  # fmt: skip
Blame = Literal["infra", "judge", "episode", "check"]

BLAMES: dict[Blame, tuple[str, ...]] = {
    "infra": ("rate_limited", "timeout", "connection", "provider_error", "quota", "auth", "model_not_found", "bad_endpoint",
              "budget", "interrupted"),
    "judge": ("judge_refused", "empty", "truncated", "parse_error", "missing", "duplicate_verdict", "unknown_id", "off_scale",
              "not_finite", "inconsistent_verdict", "below_quorum"),
    "episode": ("context_length", "content_filter", "unreadable"),
    "check": ("state_unavailable", "check_error"),
}  # fmt: skip
BLAME_OF: dict[str, Blame] = {kind: blame for blame, kinds in BLAMES.items() for kind in kinds}


class Quote(Noun):
    """Words that a rater cites, and where: a step (its `t`) or a source (`policy`, `state`, `artifact:NAME`).

    `verified` is True if they stand there, False if they don't, None if nobody looked.
    """

    text: str
    step: int | None = None
    source: str | None = None
    verified: bool | None = None


class Verdict(Noun):
    """One answer: a level of the criterion's scale, `not_applicable`, or None (the rater looked and could not tell).

    `rater` is `judge:NAME`, `panel`, `check:NAME` or `person:NAME`. `value` is in [0, 1], and None without a level on the
    scale. `probability` is the rater's own for that level, where it gives one.
    """

    criterion: str
    rater: str
    episode: str | None = None
    level: str | None = None
    value: Probability | None = None
    probability: Probability | None = None
    reason: str = ""
    quotes: tuple[Quote, ...] = ()
    flags: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _value_goes_with_level(self) -> Verdict:
        if (self.value is None) != (self.level in (None, NOT_APPLICABLE)):
            raise ValueError(
                f"{self.rater} on {self.criterion}: level {self.level!r} and value {self.value!r} don't agree"
            )
        return self

    @property
    def answered(self) -> bool:
        """True if the rater chose a level of the scale."""
        return self.value is not None


class Failure(Noun):
    """Why there is no verdict: a kind of the closed list, whose fault it is, and a sentence. Never a number."""

    kind: Kind
    message: str
    blame: Blame
    criterion: str | None = None
    rater: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _blame_follows_kind(cls, given: object) -> object:
        if isinstance(given, dict) and "blame" not in given and given.get("kind") in BLAME_OF:
            return {**given, "blame": BLAME_OF[given["kind"]]}
        return given


def verdict_on(criterion: Criterion, level: str | None, *, rater: str, **more: Any) -> Verdict:
    """A verdict with the value that the criterion's scale gives to `level`. `cannot_tell` means level None.

    Raises ValueError if the scale has no such level, naming the rater, the criterion and the levels expected.
    """
    if level in (None, CANNOT_TELL):
        return Verdict(criterion=criterion.id, rater=rater, level=None, value=None, **more)
    if level == NOT_APPLICABLE:
        return Verdict(criterion=criterion.id, rater=rater, level=NOT_APPLICABLE, value=None, **more)
    if level not in criterion.by_name:
        raise ValueError(f"{rater} chose {level!r} for {criterion.id!r}, expected one of {list(criterion.by_name)}")
    value = criterion.by_name[level].value
    return Verdict(criterion=criterion.id, rater=rater, level=level, value=value, **more)
