"""How low and how high the weighted mean of a rubric can come out, whatever the missing verdicts turn out to be.

A missing criterion can have any value of its scale; one that may turn out not to apply can also leave both sums, and a
section goes with it when nothing else in it applies. So each part has up to three ways to turn out: it can earn, it can
only cost, or it is not there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from rubrics.rubric import Rubric, Section, sign_of

PRECISION = 1e-12


class Bound(NamedTuple):
    """The worst and the best value a criterion can still turn out to have (equal when it is settled).

    `may_leave` is True if it can still turn out not to apply.
    """

    against: float
    favourable: float
    may_leave: bool = False


class _Part(NamedTuple):
    """One way in which a part can turn out: its lowest and highest contribution, each in [-1, 1]."""

    earns: bool
    low: float
    high: float


class _Option(NamedTuple):
    """What a part adds to the weights that earn, and to the sum of weight times value."""

    weight: float
    amount: float


_Children = list[tuple[float, list[_Part | None]]]


def reach(rubric: Rubric, bounds: Mapping[str, Bound]) -> tuple[float, float] | None:
    """The lowest and highest unclipped weighted mean over the criteria in `bounds`; None if nothing that earns applies."""
    if not any(bound.may_leave for bound in bounds.values()):
        return _reach_of_fixed_shares(rubric, bounds)
    for part in _ways(rubric, 1, bounds):
        if part is not None and part.earns:
            return part.low, part.high
    return None


def _reach_of_fixed_shares(rubric: Rubric, bounds: Mapping[str, Bound]) -> tuple[float, float] | None:
    """The same where all that is in `bounds` certainly applies: by far the most frequent case, and a simple sum."""
    shares = rubric.shares if len(bounds) == len(rubric.leaves) else rubric.shares_among(frozenset(bounds))
    earning = math.fsum(share for share in shares.values() if share > 0)
    if earning <= 0:
        return None
    ends = [sorted((share * bounds[i].against, share * bounds[i].favourable)) for i, share in shares.items()]
    return math.fsum(low for low, _ in ends) / earning, math.fsum(high for _, high in ends) / earning


def _ways(node: Rubric | Section, sign: int, bounds: Mapping[str, Bound]) -> list[_Part | None]:
    children: _Children = []
    for criterion in node.criteria:
        bound = bounds.get(criterion.id)
        if bound is not None and criterion.weight:
            own = sign * sign_of(criterion.weight)
            low, high = sorted((own * bound.against, own * bound.favourable))
            ways: list[_Part | None] = [_Part(own > 0, low, high)]
            children.append((abs(criterion.weight), [*ways, None] if bound.may_leave else ways))
    for section in node.sections:
        if section.weight:
            children.append((abs(section.weight), _ways(section, sign * sign_of(section.weight), bounds)))
    return _combined(children)


def _combined(children: _Children) -> list[_Part | None]:
    ways: list[_Part | None] = []
    if any(part is not None and part.earns for _, parts in children for part in parts):
        ways.append(_Part(True, *_range(children, earning=True)))
    costing: _Children = [(w, [part for part in parts if part is None or not part.earns]) for w, parts in children]
    if all(parts for _, parts in costing):
        if any(part is not None for _, parts in costing for part in parts):
            ways.append(_Part(False, *_range(costing, earning=False)))
        if all(None in parts for _, parts in costing):
            ways.append(None)
    return ways


def _range(children: _Children, *, earning: bool) -> tuple[float, float]:
    """The least and the greatest mean. Only what earns counts in the denominator, unless nothing does."""
    lows, highs = [], []
    for weight, parts in children:
        sizes = [0.0 if part is None or part.earns != earning else weight for part in parts]
        lows.append([_Option(s, 0.0 if p is None else weight * p.low) for s, p in zip(sizes, parts, strict=True)])
        highs.append([_Option(s, 0.0 if p is None else -weight * p.high) for s, p in zip(sizes, parts, strict=True)])
    return _least(lows), -_least(highs)


def _least(options: list[list[_Option]]) -> float:
    """The least ratio of the summed amounts to the summed weights, one option taken of each part, not all weights 0.

    Dinkelbach (1967): at a given ratio each part can choose for itself; the ratio of what they chose is the next one.
    """
    least = math.inf
    chosen = [max(ways) for ways in options]
    while (ratio := math.fsum(o.amount for o in chosen) / math.fsum(o.weight for o in chosen)) < least - PRECISION:
        least = ratio
        if all(len(ways) == 1 for ways in options):
            break
        chosen = _chosen_at(ratio, options)
    return least


def _chosen_at(ratio: float, options: list[list[_Option]]) -> list[_Option]:
    def cost(option: _Option) -> float:
        return option.amount - ratio * option.weight

    chosen = [min(ways, key=cost) for ways in options]
    if any(option.weight for option in chosen):
        return chosen
    # Something must be there to divide by: the part that makes the least difference.
    switches = [(cost(o) - cost(chosen[i]), i, o) for i, ways in enumerate(options) for o in ways if o.weight]
    _, place, option = min(switches)
    return [*chosen[:place], option, *chosen[place + 1 :]]
