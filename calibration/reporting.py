"""`report`: every figure about a calibrated grader, from its records and labels, in one record for all forms of the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

import numpy as np

from calibration.agreeing import agreement, alternative_annotator_test
from calibration.applying import apply
from calibration.biases import biases, biases_unlabelled
from calibration.calibrating import FitOptions, Predictions, fit_in_full, hash_of
from calibration.calibration import ANY, Calibration, RewardRule
from calibration.diagnosing import diagnose, diagnose_unlabelled
from calibration.errors import CalibrationError, OtherGraderError
from calibration.estimating import difference, estimate, sample_of
from calibration.items import Pair, Pairing
from calibration.label import Label
from calibration.maps import LinearMap
from calibration.naming import changes_between
from calibration.pairing import pair
from calibration.planning import Queueing, Wish, plan
from calibration.records import RecordLike
from calibration.reports import Findings, gather
from calibration.results import (
    Agreement,
    AltTest,
    Bias,
    Difference,
    Disagreement,
    Estimate,
    PanelDiagnosis,
    Plan,
    StateAudit,
    StateUse,
)
from calibration.state_auditing import audit_state
from calibration.state_use import gate_or_feature
from calibration.transporting import transport
from calibration.wholes import labels_in_use, with_wholes

WORST = 15
FEWEST_PEOPLE = 3
MOST_POLICIES = 4
PRECISION = 0.05
T = TypeVar("T")


def report(
    records: Iterable[RecordLike], labels: Iterable[Label], calibration: Calibration, *, title: str = "", accept: bool = False,
    rng: np.random.Generator | None = None,
) -> Findings:  # fmt: skip
    """What the calibration and the grades are worth, by these labels.

    With the labels that it was fitted on, probabilities are cross-fitted again, so that no label is predicted by a map that
    has seen it; with others they are those that the calibration gives. Raises OtherGraderError for grades of another grader,
    unless `accept`.
    """
    records, given = list(records), list(labels)
    rng = rng or np.random.default_rng(0)
    used = labels_in_use(records, given, calibration.truth, calibration.reward)
    seen = hash_of(used) == calibration.labels.ids_hash
    _refuse_another(records, calibration, accept)
    if seen:
        pairing, predictions = _cross_fitted(records, given, calibration, rng)
    else:
        pairing, predictions = with_wholes(records, pair(records, used), gate=calibration.reward.state == "gate"), {}
    open_ = {item.episode for item in pairing.items if (item.episode, item.criterion) not in predictions}
    rest = [record for record in records if record.episode_id in open_]
    predictions = {**applied_to(rest, calibration, accept=accept), **predictions}
    parts = _Parts(records, pairing, predictions, rng)
    estimates, differences = parts.estimates()
    return gather(
        calibration, pairing, agreements=parts.agreements(), panels=parts.panels(), estimates=estimates,
        differences=differences, biases=parts.biases(), alt_tests=parts.alt_tests(), disagreements=parts.worst(),
        state=parts.state(given), state_uses=parts.state_uses(given), plan=parts.plan(),
        transports=() if seen else _given(lambda: transport(pairing, predictions)) or (),
        predictions={key: p for key, p in predictions.items() if key in parts.labelled}, title=title,
        labels_hash=hash_of(used),
        created=datetime.now(UTC).isoformat(timespec="minutes"), rng=rng,
    )  # fmt: skip


def applied_to(records: Iterable[RecordLike], calibration: Calibration, *, accept: bool = False) -> Predictions:
    """The calibrated probability of every item, as the calibration gives it; gates left aside."""
    plain = calibration.model_copy(update={"reward": RewardRule(state="feature")})
    found: Predictions = {}
    for record in records:
        graded = apply(plain, record, accept=accept)
        found |= {(record.episode_id, criterion): p for criterion, p in graded.calibrated.items()}
        if graded.reward is not None:
            found[record.episode_id, None] = graded.reward
    return found


def _refuse_another(records: Sequence[RecordLike], calibration: Calibration, accept: bool) -> None:
    changed = dict.fromkeys(word for record in records for word in changes_between(calibration, record))
    if changed and not accept:
        raise OtherGraderError(
            f"these grades are of another grader than calibration {calibration.id}: {'; '.join(changed)}; calibrate them, or accept "
            "them as they are (--accept-other-grader)"
        )


def _cross_fitted(
    records: Sequence[RecordLike], labels: Sequence[Label], calibration: Calibration, rng: np.random.Generator
) -> tuple[Pairing, Predictions]:
    linear = [m for m in calibration.maps.values() if isinstance(m, LinearMap)]
    nuisances = tuple(dict.fromkeys(name for m in linear for name in m.references))
    covariates = tuple(dict.fromkeys(name for m in linear for name in m.slopes if name not in nuisances))
    options = FitOptions(reward=calibration.reward, covariates=covariates, nuisances=nuisances, resamples=0)
    found = fit_in_full(records, labels, truth=calibration.truth, options=options, rng=rng)
    return found.pairing, found.predictions


@dataclass
class _Parts:
    """The parts of a report. One that the data can't give is left out, and the others stand."""

    records: Sequence[RecordLike]
    pairing: Pairing
    predictions: Mapping[tuple[str, str | None], float]
    rng: np.random.Generator

    def __post_init__(self) -> None:
        self.labelled = {(p.item.episode, p.item.criterion) for p in self.pairing.pairs}
        criteria = Counter(p.item.criterion for p in self.pairing.pairs)
        self.whole = None in criteria
        self.criteria = [c for c in criteria if c is not None]
        self.stated = any(not c.judged for record in self.records for c in record.rubric.criteria.values())

    def agreements(self) -> tuple[Agreement, ...]:
        """Panel against people, by criterion, for the whole, and over all criteria."""
        table = _given(lambda: agreement(self.pairing, rng=self.rng))
        if table is None:
            return ()
        return (*table.rows, *((table.pooled,) if table.pooled is not None else ()))

    def panels(self) -> tuple[PanelDiagnosis, ...]:
        """The panel on episodes as a whole and on all criteria together."""
        return tuple(filter(None, (self._panel(about) for about in (None, ANY))))

    def _panel(self, about: str | None) -> PanelDiagnosis | None:
        return _given(lambda: diagnose(self.pairing.pairs, criterion=about, rng=self.rng)) or _given(
            lambda: diagnose_unlabelled(self.pairing.items, criterion=about, rng=self.rng)
        )

    def estimates(self) -> tuple[list[Estimate], list[Difference]]:
        """The pass rate over all episodes (or each criterion's mean), and the differences of policies with labels."""
        about = [None] if self.whole else self.criteria
        found = [e for c in about if (e := _given(lambda c=c: self._estimate(self.pairing, c))) is not None]  # type: ignore[misc]
        return found, list(self._differences()) if self.whole else []

    def _estimate(self, pairing: Pairing, criterion: str | None) -> Estimate:
        found = estimate(sample_of(pairing, criterion, values=self.predictions), rng=self.rng)
        return found.model_copy(update={"criterion": criterion})

    def _differences(self) -> Iterator[Difference]:
        labelled = Counter(p.item.policy for p in self.pairing.pairs if p.item.policy and p.item.criterion is None)
        most = [policy for policy, _ in labelled.most_common(MOST_POLICIES) if policy is not None]
        for other in most[1:]:
            names = (most[0], other)
            samples = [sample_of(self._of_policy(name), None, values=self.predictions) for name in names]
            found = _given(lambda a=samples[0], b=samples[1], n=names: difference(a, b, names=n, rng=self.rng))  # type: ignore[misc]
            if found is not None:
                yield found

    def _of_policy(self, policy: str) -> Pairing:
        pairs = tuple(p for p in self.pairing.pairs if p.item.policy == policy)
        return Pairing(pairs, tuple(item for item in self.pairing.items if item.policy == policy))

    def biases(self) -> tuple[Bias, ...]:
        """What judges lean towards that people do not."""
        if self.pairing.pairs:
            return _given(lambda: biases(self.pairing.pairs, self.records, rng=self.rng)) or ()
        return _given(lambda: biases_unlabelled(self.pairing.items, self.records)) or ()

    def alt_tests(self) -> tuple[AltTest, ...]:
        """Whether the panel may stand in for a person, for each question that three people or more answered."""
        found = []
        for criterion in (*self.criteria, *([None] if self.whole else [])):
            pairs = [p for p in self.pairing.pairs if p.item.criterion == criterion]
            if len({rater for p in pairs for rater in p.raters}) >= FEWEST_PEOPLE:
                found.append(alternative_annotator_test(pairs, "panel"))
        return tuple(found)

    def worst(self) -> tuple[Disagreement, ...]:
        """The labelled items on which the calibrated probability and people are farthest apart."""
        apart = [(abs(p - pair_.truth), p, pair_) for pair_ in self.pairing.pairs if (p := self._of(pair_)) is not None]
        apart.sort(key=lambda row: (-row[0], row[2].item.episode, row[2].item.criterion or ""))
        reasons = {(r.episode_id, v.criterion): v.reason for r in self.records for v in r.verdicts}
        return tuple(_disagreement(pair_, p, reasons) for gap, p, pair_ in apart[:WORST] if gap > 0.5)

    def _of(self, pair_: Pair) -> float | None:
        return self.predictions.get((pair_.item.episode, pair_.item.criterion))

    def plan(self) -> Plan | None:
        """How many labels would bring the rate within five points, and which to label next."""
        about = None if self.whole or not self.criteria else self.criteria[0]
        return _given(
            lambda: plan(Wish(precision=PRECISION), self.pairing, queue=Queueing(criterion=about), rng=self.rng)
        )

    def state(self, labels: Sequence[Label]) -> StateAudit | None:
        """The audit of the state check, where there is one."""
        if not self.stated:
            return None
        found = _given(lambda: audit_state(self.records, [x for x in labels if x.criterion is None], rng=self.rng))
        return found if found is not None and found.n else None

    def state_uses(self, labels: Sequence[Label]) -> tuple[StateUse, ...]:
        """The state check as a gate and as a feature, where people's labels can tell."""
        if not self.stated:
            return ()
        return _given(lambda: gate_or_feature(self.records, labels, rng=self.rng)) or ()


def _given(part: Callable[[], T]) -> T | None:
    """A part of the report, or None where the data can't give it."""
    try:
        return part()
    except CalibrationError:
        return None


def _disagreement(pair_: Pair, p: float, reasons: Mapping[tuple[str, str], str]) -> Disagreement:
    item = pair_.item
    return Disagreement(
        episode=item.episode, task=item.task, criterion=item.criterion, panel=item.pooled, people=pair_.truth, p=p,
        kind="judges pass, people fail" if p > pair_.truth else "judges fail, people pass",
        reason=reasons.get((item.episode, item.criterion or ""), ""),
    )  # fmt: skip
