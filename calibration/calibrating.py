"""`fit`: from grade records and labels to a calibration: a map for every question that has labels, for every panel that answered."""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from calibration.calibration import (
    ANY,
    OVERALL,
    TAG,
    Calibration,
    Candidate,
    Escalation,
    HeldOut,
    LabelSet,
    RewardRule,
    Scope,
    Truth,
)
from calibration.errors import CalibrationError, OtherGraderError
from calibration.escalating import escalation
from calibration.fitting import FitSettings, Fitted, fit_question
from calibration.items import Item, Pair, Pairing, truths_of, weights_of
from calibration.label import Label
from calibration.label_free import INFERRED, inferred
from calibration.maps import LinearMap, Map
from calibration.naming import parts_changed
from calibration.pairing import pair
from calibration.questions import is_criterion, questions_of, restricted, without_severity
from calibration.records import RecordLike
from calibration.values import GATES_OPEN, LENGTH
from calibration.wholes import DERIVED, labels_in_use, with_wholes

FEWEST = 15
"""Labels that a criterion or tag needs for a map of its own, which is shrunk toward that of its tag or of all."""
MOST_PANELS = 8
TWO = 2

Predictions = dict[tuple[str, str | None], float]


@dataclass(frozen=True)
class FitOptions:
    """How to fit. `covariates` are fed in as they are, `nuisances` held at a reference when predicting, so that nothing is
    earned by them. `target` and `delta` are of the escalation: agreement above the threshold is at least `target` with
    probability 1 - `delta`. `label_free` allows Dawid-Skene in place of labels."""

    reward: RewardRule = field(default_factory=RewardRule)
    covariates: tuple[str, ...] = ()
    nuisances: tuple[str, ...] = (LENGTH,)
    target: float = 0.85
    delta: float = 0.1
    resamples: int = 200
    label_free: bool = False


@dataclass(frozen=True)
class Fit:
    """A calibration with what it was made from: the pairing, and for every labelled item the probability that maps fitted
    without its task gave it."""

    calibration: Calibration
    pairing: Pairing
    predictions: Predictions


def fit(
    records: Iterable[RecordLike], labels: Iterable[Label] = (), *, truth: Truth = "people",
    options: FitOptions | None = None, rng: np.random.Generator | None = None,
) -> Calibration:  # fmt: skip
    """A calibration of the grader that made `records`, against people's labels, the state checks, or both.

    Each criterion with 15 labels or more has a map of its own, shrunk toward that of its tag and of all criteria; the others
    use these. Raises CalibrationError where there is nothing to fit, OtherGraderError where grades of several graders are mixed.
    """
    return fit_in_full(records, labels, truth=truth, options=options, rng=rng).calibration


def fit_in_full(
    records: Iterable[RecordLike], labels: Iterable[Label] = (), *, truth: Truth = "people",
    options: FitOptions | None = None, rng: np.random.Generator | None = None,
) -> Fit:  # fmt: skip
    """The same, with the pairing and the cross-fitted probabilities that a report shows."""
    options = options or FitOptions()
    records = list(records)
    method = _one_method(records)
    labels = labels_in_use(records, labels, truth, options.reward)
    pairing = with_wholes(records, pair(records, labels), gate=options.reward.state == "gate")
    if options.label_free:
        pairing = inferred(pairing)
    if not pairing.pairs:
        raise CalibrationError(_nothing(pairing, labels, truth))
    work = _Work(pairing, options, rng or np.random.default_rng(0))
    maps = work.maps(work.main)
    if not maps:
        raise CalibrationError(f"no question has a label on an episode that {' and '.join(work.main)} judged together")
    others = {"+".join(panel): found for panel in work.others if (found := work.maps(panel))}
    primary = OVERALL if OVERALL in maps else ANY
    badges = _badges(maps[primary], work.heldout_of(primary), truth, label_free=options.label_free)
    made = Calibration(
        method=method, grader=dict(records[0].grader), models=_models(records), scope=_scope(records, maps, pairing),
        truth=truth, panel=work.main, maps=maps, panels=others, covariates=work.references(maps), reward=options.reward,
        escalation=None if options.label_free else work.escalation(maps), labels=_label_set(labels, pairing),
        severities=work.severities, heldout=() if options.label_free else tuple(work.heldout),
        candidates=() if options.label_free else tuple(work.candidates),
        warnings=tuple(dict.fromkeys(work.warnings)), badges=tuple(badges),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )  # fmt: skip
    return Fit(made.identified(), pairing, work.predictions)


def _one_method(records: Sequence[RecordLike]) -> str:
    if not records:
        raise CalibrationError("there are no grade records; grade some episodes with `judge grade … -o grades.jsonl`")
    by_method: dict[str, list[RecordLike]] = defaultdict(list)
    for record in records:
        by_method[record.method].append(record)
    if len(by_method) > 1:
        (first, a), (second, b), *_ = by_method.items()
        changed = "; ".join(parts_changed(a[0].grader, b[0].grader)) or f"methods {first} and {second}"
        raise OtherGraderError(
            f"grades of {len(by_method)} graders are mixed: {a[0].episode_id} ({len(a)} such) and {b[0].episode_id} ({len(b)}) "
            f"differ: {changed}; calibrate each by itself"
        )
    return records[0].method


def _nothing(pairing: Pairing, labels: Sequence[Label], truth: Truth) -> str:
    if not labels and truth != "people":
        return (
            "no state check gives a label: none of these rubrics has a judged criterion with `shadows` that a state check decides; "
            "declare `shadows`, or calibrate against people"
        )
    if not labels:
        return "there are no labels; import some with `judge label import FILE`, or give --labels FILE"
    why = "; ".join(f"{left.n} {left.reason} ({', '.join(left.ids[:3])}…)" for left in pairing.left_out)
    return f"none of {len(labels)} labels can be used: {why}"


class _Work:
    """The maps of one fit, panel by panel, with all that was noticed on the way."""

    def __init__(self, pairing: Pairing, options: FitOptions, rng: np.random.Generator) -> None:
        self.options = options
        self.rng = rng
        self.severities, pairs = without_severity(pairing.pairs)
        self.questions = questions_of(pairs)
        panels = Counter(tuple(sorted(p.item.judges)) for p in pairing.pairs)
        self.main = max(panels, key=lambda panel: (panels[panel], len(panel)))
        seen = Counter(tuple(sorted(item.judges)) for item in pairing.items if item.judges)
        self.others = [panel for panel, _ in seen.most_common(MOST_PANELS + 1) if panel != self.main][:MOST_PANELS]
        self.predictions: Predictions = {}
        self.heldout: list[HeldOut] = []
        self.candidates: list[Candidate] = []
        self.warnings: list[str] = _about_weights(pairs)
        self.fallen: set[str] = set()
        self._check_names(pairing)

    def _check_names(self, pairing: Pairing) -> None:
        """Raise CalibrationError for a covariate that was asked for and that no record has."""
        known = {name for item in pairing.items for name in item.covariates}
        asked = (*self.options.covariates, *(n for n in self.options.nuisances if n != LENGTH))
        if unknown := [name for name in asked if name not in known]:
            raise CalibrationError(
                f"no record has a covariate {unknown[0]!r}, expected one of {', '.join(sorted(known)) or 'none'}"
            )

    def maps(self, panel: tuple[str, ...]) -> dict[str, Map]:
        """The maps for one panel: `any` first, then tags and criteria, each shrunk toward the one before it."""
        maps: dict[str, Map] = {}
        for key, parents in self._order():
            pairs = [reduced for p in self.questions[key] if (reduced := restricted(p, panel)) is not None]
            if not pairs or (len(pairs) < FEWEST and key not in (ANY, OVERALL)):
                continue
            parent = next((maps[name] for name in parents if name in maps), None)
            fitted = fit_question(pairs, panel, settings=self._settings(key, pairs, parent), rng=self.rng)
            maps[key] = self._rising(key, fitted.map, pairs)
            if panel == self.main:
                self._note(key, pairs, fitted)
        return maps

    def _rising(self, key: str, fitted: Map, pairs: Sequence[Pair]) -> Map:
        """The map; held flat at the base rate where it falls, or whoever pleases no judge would be paid most."""
        if not fitted.falls:
            return fitted
        self.warnings.append(
            f"{key}: judges say the opposite of the truth, so that they are not heeded: the map is flat"
        )
        self.fallen.add(key)
        base = min(0.999, max(0.001, float(np.average(truths_of(pairs), weights=weights_of(pairs)))))
        flat = dict.fromkeys(fitted.weights, 0.0)
        return LinearMap(
            rung="flat", intercept=math.log(base / (1 - base)), weights=flat, n=fitted.n, tasks=fitted.tasks
        )

    def _order(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        keys = self.questions
        if ANY in keys:
            yield ANY, ()
        yield from ((key, (ANY,)) for key in keys if key.startswith(TAG))
        for key, pairs in keys.items():
            if key not in (ANY, OVERALL) and not key.startswith(TAG):
                yield key, (*(TAG + tag for tag in pairs[0].item.tags), ANY)
        if OVERALL in keys:
            yield OVERALL, ()

    def _settings(self, key: str, pairs: Sequence[Pair], parent: Map | None) -> FitSettings:
        known = set.intersection(*(set(p.item.covariates) for p in pairs))
        gates = (GATES_OPEN,) if self.options.reward.state == "feature" and key == OVERALL else ()
        wanted = dict.fromkeys((*gates, *self.options.covariates, *self.options.nuisances))
        return FitSettings(
            key=key, covariates=tuple(name for name in wanted if name in known),
            nuisances=tuple(name for name in self.options.nuisances if name in known),
            parent=parent if isinstance(parent, LinearMap) else None, resamples=self.options.resamples,
        )  # fmt: skip

    def _note(self, key: str, pairs: Sequence[Pair], fitted: Fitted) -> None:
        self.candidates += fitted.candidates
        self.warnings += fitted.warnings
        if fitted.heldout is not None:
            self.heldout.append(fitted.heldout)
        for pair_, p in zip(pairs, fitted.predictions, strict=True):
            if np.isfinite(p) and not (key == ANY or key.startswith(TAG)):
                self.predictions[pair_.item.episode, pair_.item.criterion] = float(p)
            elif np.isfinite(p):
                self.predictions.setdefault((pair_.item.episode, pair_.item.criterion), float(p))

    def heldout_of(self, key: str) -> HeldOut | None:
        """The held-out figures of one map."""
        return next((held for held in self.heldout if held.key == key), None)

    def references(self, maps: Mapping[str, Map]) -> dict[str, float]:
        """The reference values of nuisance covariates, over all maps."""
        return {k: v for m in maps.values() if isinstance(m, LinearMap) for k, v in m.references.items()}

    def escalation(self, maps: Mapping[str, Map]) -> Escalation | None:
        """The certified threshold for the whole."""
        if OVERALL not in maps:
            return None
        if why := self._uncertifiable():
            return Escalation(threshold=None, target=self.options.target, delta=self.options.delta, why=why)
        found = [
            (pair_, p)
            for pair_ in self.questions[OVERALL]
            if (p := self.predictions.get((pair_.item.episode, None))) is not None
        ]
        if not found:
            return None
        return escalation(
            [max(p, 1 - p) for _, p in found], [agreeing(pair_, p) for pair_, p in found],
            tasks=[pair_.item.task for pair_, _ in found], weights=weights_of([pair_ for pair_, _ in found]),
            target=self.options.target, delta=self.options.delta,
        )  # fmt: skip

    def _uncertifiable(self) -> str:
        """Why no threshold can be certified, whatever the figures; empty if it can be tried."""
        if OVERALL in self.fallen:
            return "judges say the opposite of the truth"
        if len({p.truth > 0.5 for p in self.questions[OVERALL]}) < TWO:
            return "all labels are of one class, so that nothing tells whether judges see the other"
        return ""


def _about_weights(pairs: Sequence[Pair]) -> list[str]:
    weights = weights_of(pairs)
    worth = float(weights.sum() ** 2 / (weights**2).sum()) if len(pairs) else 0.0
    if worth >= len(pairs) / 2:
        return []
    return [
        f"inclusion probabilities are so unequal that {len(pairs)} labels are worth {worth:.0f}: a few of them decide the figures"
    ]


def agreeing(pair_: Pair, p: float) -> float:
    """The share of the raters who fall on the same side of a half as the probability; a value of a half is on neither."""
    votes = [(p >= 0.5) == (value > 0.5) if value != 0.5 else 0.5 for value in pair_.raters.values()]
    return sum(votes) / len(votes)


def _scope(records: Sequence[RecordLike], maps: Mapping[str, Map], pairing: Pairing) -> Scope:
    asked_of = questions_of(pairing.pairs)
    criteria = {key: asked_of[key][0].item.fingerprint for key in maps if key in asked_of and is_criterion(key)}
    asked = {p.item.criterion: p.item.fingerprint for p in pairing.pairs if p.item.criterion is not None}
    tags = tuple(key.removeprefix(TAG) for key in maps if key.startswith(TAG))
    rubrics = {record.rubric.id: record.rubric.fingerprint for record in records}
    questions = tuple(sorted({record.rubric.questions for record in records}))
    return Scope(rubrics=rubrics, questions=questions, criteria={**asked, **criteria}, tags=tags)


def _models(records: Iterable[RecordLike]) -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = defaultdict(set)
    for record in records:
        for judgement in record.judgements:
            if judgement.model:
                found[judgement.judge].add(judgement.model)
    return {judge: tuple(sorted(models)) for judge, models in sorted(found.items())}


def hash_of(labels: Iterable[Label]) -> str:
    """Sixteen hex digits over who said what about which episode: a changed label set can be told from the old one."""
    rows = sorted(f"{x.episode}\t{x.criterion or ''}\t{x.rater}\t{x.level}\t{x.value}" for x in labels)
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]


def hash_of_item(item: Item) -> str:
    """Ten hex digits over an item and what judges said of it: the same episode of another policy is another item."""
    said = sorted(item.judges.items())
    content = repr((item.episode, item.criterion, item.policy, item.policy_step, said, sorted(item.covariates.items())))
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def _label_set(labels: Sequence[Label], pairing: Pairing) -> LabelSet:
    given = [p for p in pairing.pairs if DERIVED not in p.raters and INFERRED not in p.raters]
    return LabelSet(
        n=len(given), tasks=len({p.item.task for p in given}), raters=len({rater for p in given for rater in p.raters}),
        ids_hash=hash_of(labels), left_out={left.reason: left.n for left in pairing.left_out}, coverage=pairing.coverage,
        seen=tuple(sorted({hash_of_item(p.item) for p in given})),
    )  # fmt: skip


def _badges(primary: Map, held: HeldOut | None, truth: Truth, *, label_free: bool) -> Iterator[str]:
    if label_free:
        yield "label_free"
        return
    if primary.rung == "mean":
        yield "uncalibrated"
    if held is not None and not held.signal:
        yield "no_signal"
    if held is not None and held.youden.low is not None and held.youden.low <= 0:
        yield "worse_than_chance"
    if truth == "state":
        yield "state_truth"
