"""A label: the verdict of a person on one criterion of an episode, or on the whole."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from rubrics.criterion import CANNOT_TELL, NOT_APPLICABLE, Noun
from rubrics.grade import Score

PERSON = "person:"
PASS, FAIL = "pass", "fail"
OVERALL_LEVELS = {PASS: 1.0, FAIL: 0.0}
UNSETTLED = (CANNOT_TELL, NOT_APPLICABLE)

Inclusion = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]


class Label(Noun):
    """One person's answer.

    `criterion` None means the episode as a whole: `pass`, `fail` or a value in [0, 1]. Else `level` names a level of the
    criterion's scale, `cannot_tell` or `not_applicable`; a `value` in [0, 1] may stand in its place. `inclusion` is the
    known probability with which this episode was chosen for labelling (None: not known, taken as equal for all). `stratum`
    names the part of a stratified sample. `used_for` marks labels that a judge has seen, which never calibrate it. `place`
    says where the label was read, for messages.
    """

    episode: Annotated[str, Field(min_length=1)]
    rater: Annotated[str, Field(min_length=1)]
    criterion: str | None = None
    level: str | None = None
    value: Score | None = None
    note: str = ""
    inclusion: Inclusion | None = None
    stratum: str | None = None
    at: datetime | None = None
    used_for: Literal["tuning", "example"] | None = None
    place: str = ""

    @field_validator("rater")
    @classmethod
    def _a_person(cls, rater: str) -> str:
        return (
            rater
            if ":" in rater and rater.split(":", 1)[0] in ("person", "check", "judge", "state")
            else PERSON + rater
        )

    @model_validator(mode="after")
    def _says_something(self) -> Label:
        if self.level is None and self.value is None:
            raise ValueError(f"{self.rater} on {self.episode}: neither `level` nor `value` is given")
        if self.criterion is None and self.level is not None and self.level not in (*OVERALL_LEVELS, *UNSETTLED):
            raise ValueError(
                f"{self.rater} on {self.episode}: overall level {self.level!r}, expected pass, fail, cannot_tell or a value 0-1"
            )
        return self

    @property
    def settled(self) -> bool:
        """True if the person chose a level or a value; False for `cannot_tell` and `not_applicable`."""
        return self.level not in UNSETTLED
