"""Whether a judge favours what a model of its own family wrote."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from calibration.biases.excesses import PANEL, Excess
from calibration.figures import Figure
from calibration.records import RecordLike
from calibration.regression import clustered
from calibration.results import Bias

OWN, OWN_FAILURES = "own_family", "own_family_failures"
FEWEST = 5
STEM = re.compile(r"[a-z]+")


def family_of(name: str, families: Mapping[str, str] | None = None) -> str:
    """The family of a model or policy: as `families` says for the name, else the letters that its last part begins with.

    `openai/gpt-4o-2024-11-20` is of `gpt`, `Qwen/Qwen2.5-7B` of `qwen`. Names that hide a kinship (`o3` beside `gpt-4o`, a policy
    called `run-7`) need `families`.
    """
    if families and name in families:
        return families[name]
    found = STEM.match(re.split(r"[/:]", name)[-1].strip().lower())
    return found[0] if found else name.lower()


def models_of(records: Iterable[RecordLike]) -> dict[str, str]:
    """For each judge the model that answered most often in its name."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        for judgement in record.judgements:
            if judgement.model:
                seen[judgement.judge][judgement.model] += 1
    return {judge: models.most_common(1)[0][0] for judge, models in seen.items()}


def own_family(excess: Excess, models: Mapping[str, str], families: Mapping[str, str] | None) -> Iterator[Bias]:
    """How much more the judge gives to policies of its own family than to others, beyond what the truth says of them.

    With labels the excess is regressed on own family, truth and their product (arXiv 2508.06709):
    `own_family` is the effect at the mean truth, `own_family_failures` that on what people fail. Nothing for a judge whose family
    wrote none of the episodes.
    """
    if excess.judge == PANEL:
        return
    known = np.array([item.policy is not None for item in excess.items], dtype=bool)
    excess = excess.among(known)
    family = family_of(models.get(excess.judge, excess.judge), families)
    kin = {name: family_of(name, families) == family for name in {item.policy for item in excess.items}}
    own = np.array([kin[item.policy] for item in excess.items], dtype=bool)
    if not own.any():
        return
    if min(own.sum(), (~own).sum()) < FEWEST:
        why = f"{own.sum()} episodes are by {family}, {(~own).sum()} by others, expected at least {FEWEST} of each"
        yield Bias(
            name=OWN, judge=excess.judge, unit=f"being by {family}", slope=Figure(value=None, n=len(own), why=why)
        )
        return
    yield from _effects(excess, own, family)


def _effects(excess: Excess, own: NDArray[np.bool_], family: str) -> Iterator[Bias]:
    y, ones = excess.within_criteria(excess.values), np.ones(len(own))
    if excess.truth is None or np.ptp(excess.truth) == 0:
        yield _bias(excess, OWN, family, np.column_stack([ones, own]), y)
        return
    middle = excess.truth - np.average(excess.truth, weights=excess.weights)
    yield _bias(excess, OWN, family, np.column_stack([ones, own, middle, own * middle]), y)
    failed = excess.truth < 0.5
    if min((own & failed).sum(), (~own & failed).sum()) >= FEWEST:
        design = np.column_stack([ones, own, excess.truth, own * excess.truth])
        yield _bias(excess, OWN_FAILURES, family, design, y)


def _bias(excess: Excess, name: str, family: str, design: np.ndarray, y: np.ndarray) -> Bias:
    unit = f"being by {family}"
    fit = clustered(design, y, excess.tasks, excess.weights)
    if fit is None:
        why = "too few tasks in which the family or the truth varies"
        return Bias(name=name, judge=excess.judge, unit=unit, slope=Figure(value=None, n=len(y), why=why))
    figure, p = fit.contrast(np.eye(design.shape[1])[1])
    return Bias(
        name=name, judge=excess.judge, unit=unit, slope=figure, p_value=p, reads=_reads(excess, name, family, figure)
    )


def _reads(excess: Excess, name: str, family: str, slope: Figure) -> str:
    value = slope.value or 0.0
    what = f"failed episodes of its own family ({family})" if name == OWN_FAILURES else f"its own family ({family})"
    than = f"than to those of others, beyond what {excess.against}"
    said = f"{excess.judge} gives {abs(value):.2f} {'more' if value >= 0 else 'less'} to {what} {than}"
    if slope.low is None or slope.high is None or slope.low <= 0 <= slope.high:
        return f"{said}, which may be chance ({slope.low or 0:+.2f} to {slope.high or 0:+.2f})"
    return said
