"""What a fit is told and what it gives."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.calibration import Candidate, HeldOut
from calibration.items import Floats
from calibration.maps import LinearMap, Map


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How one question is fitted.

    `key` names the map (a criterion, `tag:NAME`, `any`, `overall`). `covariates` are fed in beside the judges; those of them
    in `nuisances` are held at the median of the labelled items when predicting. With a `parent`, coefficients are shrunk
    toward the parent's (partial pooling), and fewer than 15 labels suffice. `resamples` is the size of the bootstrap by task
    behind the intervals; 0 leaves them out.
    """

    key: str = "overall"
    covariates: tuple[str, ...] = ()
    nuisances: tuple[str, ...] = ()
    parent: LinearMap | None = None
    resamples: int = 200


@dataclass(frozen=True, slots=True)
class Fitted:
    """A map and what is known about it.

    `predictions` holds for every pair the probability from fits that had not seen its task; NaN where there is none: a judge
    gave no value, or there is a single task. `heldout` is None where nothing could be cross-fitted.
    """

    map: Map
    candidates: tuple[Candidate, ...]
    heldout: HeldOut | None
    predictions: Floats
    warnings: tuple[str, ...] = ()
