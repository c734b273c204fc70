"""Does a calibration still hold for another policy? A test of its residuals on fresh labels (the transport audit)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.calibration import ANY
from calibration.errors import CalibrationError
from calibration.figures import Figure
from calibration.items import Floats, Pair, Pairing, tasks_of, truths_of, weights_of
from calibration.regression import FEWEST_CLUSTERS, clustered
from calibration.results import Transport
from calibration.values import LENGTH

FEWEST, FEWEST_FAILURES, LEVEL = 20, 20, 0.05
COVARIATES = (LENGTH, "steps")
LONGER = {LENGTH: "longer replies", "steps": "episodes with more steps"}


def transport(
    pairing: Pairing, predictions: Mapping[tuple[str, str | None], float], *, covariates: Sequence[str] = COVARIATES
) -> tuple[Transport, ...]:
    """Whether calibrated probabilities (by episode and criterion) are right on fresh labels, for each policy and step.

    Whole episodes are tested where there are labels of them, else all criteria together (`any`). For each policy and step:
    a t-test of the mean residual, truth less probability, and of its slope on each covariate that all items have, errors
    clustered by task. `holds` is False if the mean is not 0 at 5%, None with fewer than 20 labels or labels of fewer than 5
    tasks. Slopes are told (`leans`) but don't decide, as a lean may have been there when the calibration was fitted. The means
    of a policy's steps are adjusted for being several (Holm, 1979), and so are its slopes. Fresh labels must be a random sample
    of the policy's episodes, or bring their inclusion probabilities. Raises CalibrationError if nothing is labelled.
    """
    whole = any(p.item.criterion is None for p in pairing.pairs)
    groups: dict[tuple[str | None, int | None], list[Pair]] = defaultdict(list)
    for pair in pairing.pairs:
        if (pair.item.criterion is None) == whole:
            groups[pair.item.policy, pair.item.policy_step].append(pair)
    if not groups:
        why = "; ".join(f"{left.n} {left.reason} ({', '.join(left.ids[:3])})" for left in pairing.left_out)
        raise CalibrationError(
            f"audit: no fresh label meets a grade{': ' + why if why else ''}; grade the labelled episodes, or label graded ones"
        )
    order = sorted(groups, key=lambda one: (one[0] or "", -1 if one[1] is None else one[1]))
    tested = [_tested(who, groups[who], predictions, covariates) for who in order]
    by_policy = [[one for one in tested if one.policy == policy] for policy in dict.fromkeys(who[0] for who in order)]
    return tuple(_judged(one) for tests in by_policy for one in _adjusted(tests))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """P-values adjusted for being several, by Holm's step-down procedure (1979). None stays None and does not count."""
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - rank)))
        adjusted[place] = highest
    return adjusted


class _Contrast(NamedTuple):
    figure: Figure
    p_value: float | None


@dataclass(frozen=True)
class _Test:
    """The tests of one policy and step, before it is said what they mean."""

    policy: str | None
    step: int | None
    criterion: str | None
    n: int
    tasks: int
    failures: int
    left_out: int
    mean: _Contrast
    slopes: dict[str, _Contrast]


def _tested(
    who: tuple[str | None, int | None], pairs: Sequence[Pair], predictions: Mapping[tuple[str, str | None], float],
    covariates: Sequence[str],
) -> _Test:  # fmt: skip
    kept = [p for p in pairs if (p.item.episode, p.item.criterion) in predictions]
    items, truth = [p.item for p in kept], truths_of(kept)
    residual = truth - np.array([predictions[item.episode, item.criterion] for item in items], dtype=float)
    tasks, weights = tasks_of(items), weights_of(kept)
    found = {"": _contrast(np.ones((len(kept), 1)), residual, tasks, weights)}
    for name in covariates:
        column = np.array([item.covariates.get(name, np.nan) for item in items])
        if len(kept) >= FEWEST and not np.isnan(column).any() and column.std() > 0:
            scaled = (column - column.mean()) / column.std()
            found[name] = _contrast(np.column_stack([np.ones(len(kept)), scaled]), residual, tasks, weights)
    return _Test(
        *who, ANY if any(p.item.criterion is not None for p in pairs) else None, len(kept), len(set(tasks.tolist())),
        int((truth < 0.5).sum()), len(pairs) - len(kept), found.pop(""), found,
    )  # fmt: skip


def _adjusted(tests: Sequence[_Test]) -> Iterator[_Test]:
    """The tests of one policy, with p-values adjusted over its means and over its slopes."""
    means = iter(holm([one.mean.p_value for one in tests]))
    slopes = iter(holm([slope.p_value for one in tests for slope in one.slopes.values()]))
    for one in tests:
        leaning = {name: slope._replace(p_value=next(slopes)) for name, slope in one.slopes.items()}
        yield replace(one, mean=one.mean._replace(p_value=next(means)), slopes=leaning)


def _contrast(design: Floats, response: Floats, tasks: NDArray[np.int64], weights: Floats) -> _Contrast:
    """The last coefficient with its p-value; without an interval where there are too few tasks for one."""
    fitted = clustered(design, response, tasks, weights)
    if fitted is not None:
        return _Contrast(*fitted.contrast(np.eye(design.shape[1])[-1]))
    mean = float(np.average(response, weights=weights)) if len(response) and design.shape[1] == 1 else None
    why = f"{len(set(tasks.tolist()))} tasks are too few for an interval: it takes {FEWEST_CLUSTERS}"
    return _Contrast(Figure(value=mean, n=len(response), why=why), None)


def _judged(test: _Test) -> Transport:
    enough = test.n >= FEWEST and test.mean.p_value is not None
    leans = tuple(name for name, slope in test.slopes.items() if _rejected(slope)) if enough else ()
    holds = not _rejected(test.mean) if enough else None
    return Transport(
        policy=test.policy, policy_step=test.step, criterion=test.criterion, n=test.n, tasks=test.tasks,
        residual=test.mean.figure, p_value=test.mean.p_value,
        slopes={name: slope.figure for name, slope in test.slopes.items()}, leans=leans, holds=holds,
        failures=test.failures, left_out=test.left_out, reads=". ".join(_sentences(test, leans, enough=enough)),
    )  # fmt: skip


def _rejected(one: _Contrast) -> bool:
    return one.p_value is not None and one.p_value < LEVEL


def _sentences(test: _Test, leans: Sequence[str], *, enough: bool) -> list[str]:
    who, mean = _who(test), test.mean.figure
    have = f"{test.n} fresh label{'s' if test.n != 1 else ''}"
    if test.tasks < test.n:
        have += f" of {test.tasks} task{'s' if test.tasks != 1 else ''}"
    if mean.value is None or not enough:
        needed = f"at least {FEWEST}" if test.n < FEWEST else f"labels of at least {FEWEST_CLUSTERS} tasks"
        return [f"{have} can't say whether {who} are right: it takes {needed}, and 30 to 60 see most faults"]
    if _rejected(test.mean):
        size = f"{abs(mean.value):.2f} too {'high' if mean.value < 0 else 'low'}"
        said = [f"{_upper(who)} are {size} on average ({_ends(mean)}; {have}): fit again with labels of this policy"]
    else:
        said = [f"No fault seen in {who}: on average they are between {_between(mean)} ({have})"]
    said += [_leaning(name, test.slopes[name].figure.value or 0.0) for name in leans]
    if test.failures < FEWEST_FAILURES:
        said.append(
            f"Only {test.failures} of these labels are failures: too few to say whether failures are still recognised, "
            f"which takes {FEWEST_FAILURES}"
        )
    return said


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _leaning(name: str, slope: float) -> str:
    what = _upper(LONGER.get(name, f"episodes with more {name.replace('_', ' ')}"))
    return f"{what} are rated too {'high' if slope < 0 else 'low'}, by {abs(slope):.2f} for each standard deviation"


def _ends(residual: Figure) -> str:
    """The 95% interval of how far off they are, in the direction of the mean."""
    sign = -1.0 if (residual.value or 0.0) < 0 else 1.0
    low, high = sorted((sign * (residual.low or 0.0), sign * (residual.high or 0.0)))
    return f"{low:.2f} to {high:.2f}"


def _between(residual: Figure) -> str:
    """The 95% interval as it reads where it may hold 0."""
    ends = [-(residual.high or 0.0), -(residual.low or 0.0)]
    return " and ".join(f"{abs(end):.2f} too {'high' if end > 0 else 'low'}" for end in ends)


def _who(test: _Test) -> str:
    what = "rewards" if test.criterion is None else "probabilities of the criteria"
    if test.policy is None and test.step is None:
        return f"{what} of these episodes"
    whose = f"policy {test.policy}" if test.policy else "the policy"
    return f"{what} of {whose}" + (f" at step {test.step}" if test.step is not None else "")
