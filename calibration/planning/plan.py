"""`plan`: how many labels a wish takes, and which episodes to label next."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from calibration.certifying import accepted_to_certify, least_accepted
from calibration.estimating import Sample, estimate, sample_of
from calibration.estimating.clusters import Spread
from calibration.items import Pairing
from calibration.planning.queueing import queue_of
from calibration.planning.sizes import (
    USUAL_SAVING,
    explained_by,
    labels_alone,
    labels_assisted,
    labels_clustered,
    labels_for_kappa,
)
from calibration.planning.wishes import Queueing, Wish
from calibration.results import Plan

ENOUGH = 30
UNKNOWN_RATE = 0.5
DEFAULT_QUEUE = 50
USUAL_KAPPA = 0.6


class Need(NamedTuple):
    """How many labels, with the judge and alone (None: can't be said, or no number would do), and a sentence about it."""

    labels: int | None
    alone: int | None
    says: str
    basis: Literal["labels", "usual"] | None = None


def plan(
    wish: Wish, pairing: Pairing | None = None, *, queue: Queueing | None = None, rng: np.random.Generator | None = None
) -> Plan:
    """The number of labels that `wish` takes and, with a `pairing` of grades and the labels there are, the next to label.

    Without a pairing, or below 30 labels, the judges' help is taken to be the usual: 1.5 times fewer labels.
    """
    queue, rng = queue or Queueing(), rng or np.random.default_rng(0)
    sample = None if pairing is None else sample_of(pairing, queue.criterion)
    have = 0 if sample is None else sample.labelled
    need = (
        _certifying(wish, sample) if wish.certify else _kappa(wish, sample) if wish.kappa else _precision(wish, sample)
    )
    lacking = DEFAULT_QUEUE if need.labels is None else max(0, need.labels - have)
    size = lacking if queue.size is None else queue.size
    queued = () if pairing is None else queue_of(pairing, size, queue, rng)
    reads = f"{need.says}; {have} {'is' if have == 1 else 'are'} there" if pairing is not None else need.says
    return Plan(
        wish=_named(wish),
        labels=need.labels,
        labels_alone=need.alone,
        have=have,
        queue=queued,
        reads=reads,
        basis=need.basis,
    )


def _named(wish: Wish) -> str:
    if wish.certify is not None:
        return f"grades that agree with people in at least {wish.certify:.0%}"
    if wish.kappa is not None:
        return f"kappa within ±{wish.kappa:g}"
    return f"a pass rate within ±{100 * (wish.precision or 0):g} points"


def _rate(wish: Wish, sample: Sample | None) -> float:
    if wish.rate is not None:
        return wish.rate
    if sample is None or sample.labelled < ENOUGH:
        return UNKNOWN_RATE
    return estimate(sample).value or 0.0


def _precision(wish: Wish, sample: Sample | None) -> Need:
    half = wish.precision or 0.0
    rate = _rate(wish, sample)
    independent = labels_alone(half, rate)
    explained, basis = _explained(sample)
    assisted = labels_assisted(independent, len(sample) if sample else 0, explained)
    alone, labels = _spread_out(independent, sample), _spread_out(assisted, sample)
    help_ = (
        "as measured on the labels there are" if basis == "labels" else "if they help as much as is usual, 1.5 times"
    )
    if labels is None:
        tasks = 0 if sample is None else len(sample.labelled_groups)
        says = f"{_named(wish)} can't be had from {tasks} tasks, however many rollouts of them are labelled: add tasks"
    else:
        less = "more than there are tasks for" if alone is None else f"{alone:,}"
        says = f"{_named(wish)} near {rate:.0%} takes {less} labels alone, {labels:,} with the judges' help ({help_})"
    if labels is not None and sample is not None and labels > len(sample):
        says += f", more than the {len(sample):,} episodes graded: grade more"
    return Need(labels, alone, says, basis)


def _explained(sample: Sample | None) -> tuple[float, Literal["labels", "usual"]]:
    usual = 1.0 - 1.0 / USUAL_SAVING
    if sample is None or sample.labelled < ENOUGH:
        return usual, "usual"
    ratio = estimate(sample).variance_ratio
    if ratio is None or sample.labelled == len(sample):
        return usual, "usual"
    return explained_by(ratio, sample.labelled, len(sample)), "labels"


def _spread_out(labels: int, sample: Sample | None) -> int | None:
    if sample is None:
        return labels
    return labels_clustered(labels, len(sample.labelled_groups), Spread(sample).likely_correlation)


def _kappa(wish: Wish, sample: Sample | None) -> Need:
    rate = _rate(wish, sample)
    labels = labels_for_kappa(wish.kappa or 0.0, USUAL_KAPPA, min(0.99, max(0.01, rate)))
    says = f"{_named(wish)} takes {labels:,} labels of different tasks, where kappa is near {USUAL_KAPPA} and {rate:.0%} pass"
    return Need(labels, None, says)


def _certifying(wish: Wish, sample: Sample | None) -> Need:
    """By the escalation rule: so many of the grades above the threshold, half of all, must agree."""
    target = wish.certify or 0.0
    least = least_accepted(target, wish.delta)
    start = (
        f"to certify {target:.0%} agreement with {1 - wish.delta:.0%} assurance takes at least {least} labelled grades above the "
        "threshold, of different tasks, that all agree"
    )
    seen = None if sample is None else _agreement_of_surer_half(sample)
    likely = seen if seen is not None else target + 2 / 3 * (1 - target)
    accepted = accepted_to_certify(likely, target, wish.delta)
    where = f"the surer half of grades agrees in {likely:.0%}" if seen is not None else f"they agree in {likely:.0%}"
    if accepted is None:
        return Need(
            None, None, f"{start}; but {where}, so that more labels would not help: improve the judges first", "labels"
        )
    labels = 2 * accepted
    says = f"{start}; if {where}, {accepted:,} make it as likely as not: {labels:,} labels, if half of the grades lie above"
    return Need(labels, None, says, None if seen is None else "labels")


def _agreement_of_surer_half(sample: Sample) -> float | None:
    """How often the half of labelled grades that lie furthest from a half agree with the truth, with one success and one failure
    added; None below 30 labels."""
    if sample.labelled < ENOUGH:
        return None
    asked = sample.known[~sample.settled[sample.known]]
    surest = asked[np.argsort(-np.abs(sample.judged[asked] - 0.5), kind="stable")][: len(asked) // 2]
    agrees = (sample.judged[surest] >= 0.5) == (sample.truth[surest] >= 0.5)
    return float((agrees.sum() + 1) / (len(surest) + 2))
