"""`gather`: all that is known about a calibrated grader in one record, from which every form of the report is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from calibration.calibration import ANY, OVERALL, TAG, Calibration, Candidate, Escalation, HeldOut, LabelSet, Truth
from calibration.items import Item, Pairing
from calibration.reports.counting import Count, counts_of, hash_of_truth
from calibration.reports.evidence import Evidence, Trust
from calibration.reports.reliability import Reliability, reliability
from calibration.reports.steps import steps_of
from calibration.reports.trust import Use, pass_rate, single_grades, training_reward, trust_in, trust_in_all
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
    Transport,
)
from calibration.values import LENGTH
from calibration.wholes import DERIVED
from rubrics.criterion import Noun

PEOPLE: dict[Truth, str] = {"people": "people", "state": "the state check", "both": "people and the state check"}
PANEL = "panel"
LENGTH_BIAS = "length"
FEWEST_PREDICTIONS = 20
IDS_KEPT = 50

Predictions = Mapping[tuple[str, str | None], float]


class Omission(Noun):
    """What was left out, for which reason, how much of it, and the first ids."""

    reason: str
    n: int
    ids: tuple[str, ...] = ()


class Sources(Noun):
    """What a report rests on, so that two reports can be told apart: who graded, which questions, which labels.

    `labels_hash` is over the labels as used here, `calibration_labels` those that the calibration was fitted on. `derived` counts
    episodes whose label as a whole was added up from those of their criteria; `used` and `labelled` leave these out. `rubrics`
    and `criteria` are by their fingerprints. `episodes` were judged; `tasks` are those of the labelled ones.
    """

    calibration: str
    method: str
    grader: dict[str, str]
    judges: dict[str, tuple[str, ...]]
    truth: Truth
    rubrics: dict[str, str]
    criteria: dict[str, str]
    labels_hash: str
    calibration_labels: LabelSet
    episodes: int
    tasks: int
    used: int
    labelled: int
    raters: int
    derived: int = 0
    fitted: str = ""

    @property
    def same_labels(self) -> bool:
        """True if the calibration was fitted on these very labels, so that its figures are cross-fitted, not fresh."""
        return self.labels_hash == self.calibration_labels.ids_hash


class Findings(Noun):
    """A whole report: the verdict in words, and every figure behind it.

    `whole` and `criteria` say how far the judges may be trusted, `uses` what for, `steps` what to do next, the most urgent
    first. `asked` counts criteria that were judged, labelled or not. `disputed` are items on which people disagree. The rest are
    the results of this package as they are.
    """

    schema_: Annotated[Literal[1], Field(alias="schema")] = 1
    title: str
    created: str = ""
    people: str
    sources: Sources
    whole: Trust
    uses: tuple[Use, ...]
    criteria: tuple[Trust, ...]
    asked: int
    steps: tuple[str, ...]
    reliabilities: tuple[Reliability, ...] = ()
    heldout: tuple[HeldOut, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    alt_tests: tuple[AltTest, ...] = ()
    panels: tuple[PanelDiagnosis, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    differences: tuple[Difference, ...] = ()
    escalation: Escalation | None = None
    biases: tuple[Bias, ...] = ()
    transports: tuple[Transport, ...] = ()
    state: StateAudit | None = None
    state_uses: tuple[StateUse, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    plan: Plan | None = None
    candidates: tuple[Candidate, ...] = ()
    left_out: tuple[Omission, ...] = ()
    disputed: Omission | None = None
    badges: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def gather(
    calibration: Calibration, pairing: Pairing, *, agreements: Sequence[Agreement] = (), panels: Sequence[PanelDiagnosis] = (),
    estimates: Sequence[Estimate] = (), differences: Sequence[Difference] = (), biases: Sequence[Bias] = (),
    alt_tests: Sequence[AltTest] = (), transports: Sequence[Transport] = (), disagreements: Sequence[Disagreement] = (),
    state: StateAudit | None = None, state_uses: Sequence[StateUse] = (), plan: Plan | None = None, predictions: Predictions | None = None,
    title: str = "", created: str = "", labels_hash: str = "", rng: np.random.Generator | None = None,
) -> Findings:  # fmt: skip
    """The findings of one calibration on one pairing of grades and labels.

    `agreements` between the panel and people decide a criterion's mark; others (single judges, two people) are shown beside
    them. `predictions` are cross-fitted probabilities by episode and criterion, as `fit_in_full` gives them. The first of
    `estimates` that has a value is the one that the verdict quotes. `created` stands in the report as it is given.
    `labels_hash` is that of all labels, by `hash_of`; without it one is made of those that were used.
    """
    known = _Known(calibration, pairing, agreements=agreements, biases=biases, transports=transports)
    criteria = tuple(trust_in(known.about(c)) for c in _in_order(pairing.items, known.counts))
    evidence = known.about(None)
    sources = _sources(calibration, pairing, known.counts, labels_hash)
    whole = trust_in(evidence) if evidence.used else trust_in_all(criteria, sources.used, sources.labelled)
    people = PEOPLE[calibration.truth]
    uses = (
        single_grades(calibration.escalation, whole, people),
        pass_rate(estimates),
        training_reward(evidence, whole),
    )
    return Findings(
        title=title or f"Judge report: {', '.join(sources.rubrics) or 'no rubric'}", created=created, people=people,
        sources=sources, whole=whole, uses=uses, criteria=criteria,
        asked=len({item.criterion for item in pairing.items if item.criterion is not None}),
        steps=steps_of(whole, criteria, panels, plan, state),
        reliabilities=_reliabilities(pairing, predictions or {}, rng), heldout=calibration.heldout,
        agreements=tuple(agreements), alt_tests=tuple(alt_tests), panels=tuple(panels), estimates=tuple(estimates),
        differences=tuple(differences), escalation=calibration.escalation, biases=tuple(biases),
        transports=tuple(transports), state=state, state_uses=tuple(state_uses), disagreements=tuple(disagreements), plan=plan,
        candidates=calibration.candidates, disputed=_disputed(pairing),
        left_out=tuple(Omission(reason=x.reason, n=x.n, ids=x.ids[:IDS_KEPT]) for x in pairing.left_out),
        badges=calibration.badges, warnings=calibration.warnings,
    )  # fmt: skip


class _Known:
    """What the parts say about one criterion, looked up once."""

    def __init__(
        self, calibration: Calibration, pairing: Pairing, *, agreements: Sequence[Agreement], biases: Sequence[Bias],
        transports: Sequence[Transport],
    ) -> None:  # fmt: skip
        self.calibration = calibration
        self.counts = counts_of(pairing)
        self.tags = {item.criterion: item.tags for item in pairing.items}
        self.heldout = {held.key: held for held in calibration.heldout}
        self.agreements: dict[str | None, Agreement] = {}
        for found in sorted(agreements, key=lambda a: a.a != PANEL):
            self.agreements.setdefault(found.criterion, found)
        held = {LENGTH_BIAS if name == LENGTH else name for name in calibration.covariates}
        self.leanings = tuple(b for b in biases if b.flagged and b.judge == PANEL and b.name not in held)
        self.transports = tuple(transports)

    def about(self, criterion: str | None) -> Evidence:
        """The evidence on one criterion, or on the whole."""
        calibration, n = self.calibration, self.counts.get(criterion, Count())
        key = self._key(criterion)
        whole = criterion is None
        return Evidence(
            criterion=criterion, used=n.used, labelled=n.labelled, passes=n.passes, fails=n.fails,
            agreement=self.agreements.get(criterion), heldout=self.heldout.get(key) if key else None, key=key,
            people=PEOPLE[calibration.truth], badges=calibration.badges if whole or "label_free" in calibration.badges else (),
            transports=self.transports if whole else (), escalation=calibration.escalation if whole else None,
            leanings=self.leanings if whole else (),
        )  # fmt: skip

    def _key(self, criterion: str | None) -> str | None:
        maps = self.calibration.maps
        if criterion is None:
            return OVERALL if OVERALL in maps else None
        if criterion in maps:
            return criterion
        tagged = [TAG + tag for tag in self.tags.get(criterion, ()) if TAG + tag in maps]
        return max(tagged, key=lambda key: maps[key].n) if tagged else ANY if ANY in maps else None


def _in_order(items: Iterable[Item], counts: Mapping[str | None, Count]) -> list[str]:
    """The criteria that have labels, in the order of their rubric."""
    seen = dict.fromkeys(item.criterion for item in items)
    return [c for c in (*seen, *(c for c in counts if c not in seen)) if c is not None and c in counts]


def _reliabilities(
    pairing: Pairing, predictions: Predictions, rng: np.random.Generator | None
) -> tuple[Reliability, ...]:
    rows: dict[str, list[tuple[float, float]]] = {OVERALL: []}
    for pair in pairing.pairs:
        if (p := predictions.get((pair.item.episode, pair.item.criterion))) is not None:
            rows.setdefault(pair.item.criterion or OVERALL, []).append((p, pair.truth))
    found = (reliability(key, found, rng) for key, found in rows.items() if len(found) >= FEWEST_PREDICTIONS)
    return tuple(one for one in found if one is not None)


def _disputed(pairing: Pairing) -> Omission | None:
    """The items on which people disagree. They are used all the same, with the mean of what people say."""
    ids = pairing.conflicts
    return (
        Omission(reason="people disagree (kept: the mean of their answers)", n=len(ids), ids=ids[:IDS_KEPT])
        if ids
        else None
    )


def _sources(
    calibration: Calibration, pairing: Pairing, counts: Mapping[str | None, Count], labels_hash: str
) -> Sources:
    wholes = [item for item in pairing.items if item.criterion is None]
    rubrics = {item.rubric: item.fingerprint for item in wholes if item.rubric}
    criteria = {item.criterion: item.fingerprint for item in pairing.items if item.criterion is not None}
    said = [pair for pair in pairing.pairs if set(pair.raters) != {DERIVED}]
    labelled = {pair.item.episode: pair.item.task for pair in said}
    ungraded = {name for count in counts.values() for name in count.ungraded}
    return Sources(
        calibration=calibration.id, method=calibration.method, grader=calibration.grader,
        judges={judge: calibration.models.get(judge, ()) for judge in calibration.panel}, truth=calibration.truth,
        rubrics={**calibration.scope.rubrics, **rubrics}, criteria={**calibration.scope.criteria, **criteria},
        labels_hash=labels_hash or hash_of_truth(pairing), calibration_labels=calibration.labels, episodes=len(wholes),
        tasks=len(set(labelled.values())), used=len(said), labelled=len(said) + len(ungraded), derived=len(pairing.pairs) - len(said),
        raters=len({rater for pair in pairing.pairs for rater in pair.raters} - {DERIVED}), fitted=calibration.created,
    )  # fmt: skip
