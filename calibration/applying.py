"""`apply`: a grade record in, the same with its reward, interval and whether it needs another look. No numpy is loaded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from calibration.calibration import ANY, OVERALL, TAG, Calibration, RewardRule
from calibration.errors import OtherGraderError
from calibration.maps import Calibrated, Map
from calibration.naming import changes_between
from calibration.records import RecordLike
from calibration.values import covariates_of, scores_by_judge, values_by_judge
from rubrics.references import CriterionRef

R = TypeVar("R", bound=RecordLike)

OTHER_GRADER = "other_grader"
OUTSIDE = "outside_calibration"
FORFEITS = frozenset({"forfeited", "no_reply"})
SATURATED_FROM, SATURATED_OVER = 0.2, 0.6


def apply(calibration: Calibration, record: R, *, accept: bool = False) -> R:
    """`record` with `reward` in [0, 1], `reward_low`, `reward_high`, `escalate`, `calibrated` and `calibration`.

    The reward is the calibrated probability that people (or the state check) would say so, 0 behind a closed gate, and None
    where the record has no score, where a gate could not be looked behind, or where it lies outside what was calibrated
    (flag `outside_calibration`). `escalate` is None where no threshold was certified. With `accept`, grades of another grader are
    calibrated all the same and flagged `other_grader`, and values without a map count as they are.

    Raises OtherGraderError, which names what changed, for a grade of another grader.
    """
    flags = list(calibration.badges)
    if (changed := changes_between(calibration, record)) and not accept:
        raise OtherGraderError(
            f"{record.episode_id}: graded by another grader than calibration {calibration.id}: {'; '.join(changed)}; "
            "calibrate these grades, or accept them as they are (--accept-other-grader), and they are flagged"
        )
    flags += [OTHER_GRADER] if changed else []
    found = _Worth(calibration, record, accept)
    if found.outside:
        flags.append(OUTSIDE)
    update: dict[str, Any] = {
        "calibration": calibration.id, "calibrated": {k: v.value for k, v in found.criteria.items()},
        "reward": None, "reward_low": None, "reward_high": None, "escalate": None,
    }  # fmt: skip
    if found.whole is not None:
        update |= _reward(calibration, found.whole, closed=found.closed)
        if found.outside or changed or not found.by_whole:
            update["escalate"] = None  # nothing was certified about these
    return record.model_copy(update={**update, "flags": tuple(dict.fromkeys((*record.flags, *flags)))})


def _reward(calibration: Calibration, whole: Calibrated, *, closed: bool) -> dict[str, Any]:
    if closed:
        return {"reward": 0.0, "reward_low": 0.0, "reward_high": 0.0, "escalate": False}
    value, low, high = (shaped(calibration.reward, p) for p in whole)
    escalation = calibration.escalation
    escalate = None if escalation is None else escalation.escalates(whole.value)
    return {"reward": value, "reward_low": low, "reward_high": high, "escalate": escalate}


def shaped(rule: RewardRule, p: float) -> float:
    """The reward for a probability under the rule's form."""
    if rule.form == "probability":
        return p
    return min(1.0, max(0.0, (p - SATURATED_FROM) / SATURATED_OVER))


@dataclass
class _Worth:
    """What a record's values are worth: each criterion and the whole, or that they lie outside the calibration."""

    calibration: Calibration
    record: RecordLike
    accept: bool

    def __post_init__(self) -> None:
        self.outside = False
        self.by_whole = True
        self.covariates = covariates_of(self.record)
        self.closed = bool(self.record.closed_gates) and self.calibration.reward.state == "gate"
        self.criteria = self._criteria()
        self.whole = Calibrated(0.0, 0.0, 0.0) if self.closed else self._whole()

    def _criteria(self) -> dict[str, Calibrated]:
        values = values_by_judge(self.record)
        found = {}
        for criterion, reference in self.record.rubric.criteria.items():
            if reference.judged and (judges := values.get(criterion)):
                worth = self._worth(self._map_for(criterion, reference, frozenset(judges)), judges)
                if worth is not None:
                    found[criterion] = worth
        return found

    def _map_for(self, criterion: str, reference: CriterionRef, panel: frozenset[str]) -> Map | None:
        maps = self.calibration.maps_for(panel) or {}
        if self.calibration.scope.criteria.get(criterion) == reference.fingerprint and criterion in maps:
            return maps[criterion]
        tagged = [maps[TAG + tag] for tag in reference.tags if TAG + tag in maps]
        return max(tagged, key=lambda m: m.n) if tagged else maps.get(ANY)

    def _worth(self, fitted: Map | None, judges: Mapping[str, float]) -> Calibrated | None:
        worth = None if fitted is None else fitted.at(judges, self.covariates)
        if worth is None and self.accept and judges:
            mean = math.fsum(judges.values()) / len(judges)
            self.outside = True
            return Calibrated(mean, 0.0, 1.0)
        return worth

    def _whole(self) -> Calibrated | None:
        record = self.record
        gates = {c for c, reference in record.rubric.criteria.items() if reference.gate}
        if record.score is None or gates & set(record.missing):
            return None
        if not any(reference.judged for reference in record.rubric.criteria.values()):
            return Calibrated(record.score, record.score, record.score)  # settled by code alone: nothing to calibrate
        judges = scores_by_judge(record)
        if not judges and FORFEITS & set(record.flags):
            return Calibrated(0.0, 0.0, record.score)  # the low bound: nobody may gain by being unreadable
        if not any(OVERALL in maps for maps in (self.calibration.maps, *self.calibration.panels.values())):
            return self._expected()
        if record.rubric.questions not in self.calibration.scope.questions and not self.accept:
            return self._expected()  # another rubric: its questions may have maps, the whole has none
        worth = self._worth((self.calibration.maps_for(frozenset(judges)) or {}).get(OVERALL), judges)
        self.outside |= worth is None
        return worth

    def _expected(self) -> Calibrated | None:
        """The score that the calibrated values add up to. Its interval lets all maps err the same way, so it is never too narrow."""
        record = self.record
        self.by_whole = False
        sums = [0.0, 0.0, 0.0]
        earning = 0.0
        for criterion, reference in record.rubric.criteria.items():
            if not reference.weight or criterion in record.not_applicable:
                continue
            worth = self.criteria.get(criterion) if reference.judged else None
            if worth is None:
                value = record.values.get(criterion)
                if value is None or (reference.judged and not FORFEITS & set(record.flags)):
                    self.outside |= value is not None
                    return None
                worth = Calibrated(value, value, value)
            ends = worth if reference.weight > 0 else Calibrated(worth.value, worth.high, worth.low)
            sums = [total + reference.weight * part for total, part in zip(sums, ends, strict=True)]
            earning += max(0.0, reference.weight)
        if not earning:
            return Calibrated(record.score, record.score, record.score) if record.score is not None else None
        return Calibrated(*(min(1.0, max(0.0, total / earning)) for total in sums))
