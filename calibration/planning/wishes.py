"""What labels are wanted for, and which episodes to label next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from calibration.errors import CalibrationError


@dataclass(frozen=True, slots=True)
class Wish:
    """One of: a pass rate within plus or minus `precision`; grades that may stand because they agree with people in at least
    `certify`, with assurance 1 - `delta`; or kappa of the judge against people within plus or minus `kappa`.

    `rate` is the pass rate that is expected; None: taken from the labels there are, else a half, which takes the most.
    """

    precision: float | None = None
    certify: float | None = None
    kappa: float | None = None
    delta: float = 0.1
    rate: float | None = None

    def __post_init__(self) -> None:
        given = {"precision": self.precision, "certify": self.certify, "kappa": self.kappa}
        named = {name: value for name, value in given.items() if value is not None}
        if len(named) != 1:
            raise CalibrationError(
                f"a plan has one wish, but {' and '.join(named) or 'none'} is given; give one of {list(given)}"
            )
        for name, value in (*named.items(), ("delta", self.delta)):
            if not 0 < value < 1:
                raise CalibrationError(
                    f"{name} {value}: expected a share between 0 and 1, such as 0.05 for five points"
                )
        if self.rate is not None and not 0 <= self.rate <= 1:
            raise CalibrationError(f"rate {self.rate}: expected a share from 0 to 1")


@dataclass(frozen=True, slots=True)
class Queueing:
    """How to choose the episodes to label next.

    `kind` `estimate`: at random, spread over low, middle and high scores, with known probabilities; `debug`: where judges differ or
    waver most, to find faults in the rubric, never for estimates. `size` None: as many as the wish still lacks. `state` by
    episode (does its state check pass?) splits strata, so that agreements of state and panel are looked at beside
    disagreements. A share `double` is to be labelled by two people, who show how far people agree.
    """

    kind: Literal["estimate", "debug"] = "estimate"
    size: int | None = None
    criterion: str | None = None
    state: Mapping[str, bool] | None = None
    double: float = 0.2

    def __post_init__(self) -> None:
        if self.size is not None and self.size < 0:
            raise CalibrationError(f"a queue of {self.size} episodes: expected 0 or more")
        if not 0 <= self.double <= 1:
            raise CalibrationError(f"double {self.double}: expected a share from 0 to 1, such as 0.2")
