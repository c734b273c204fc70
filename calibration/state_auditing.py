"""The audit of a state check: panel and people against it, both ways, with what it takes to read the figures rightly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.baselines import auc, intraclass, pairwise, same_outcome, trivial_predictors, worth
from calibration.diagnosing.rates import rate
from calibration.figures import Figure
from calibration.items import Floats
from calibration.label import Label
from calibration.oracles.against import against_state, panel_against_state
from calibration.oracles.cautions import cautions
from calibration.oracles.circularity import state_shown
from calibration.oracles.disagreements import gamed, suspect_goals
from calibration.oracles.opinions import Opinions, opinions
from calibration.pairing import pair
from calibration.records import RecordLike
from calibration.results import StateAudit
from calibration.state_truth import state_truth


def audit_state(
    records: Iterable[RecordLike], labels: Iterable[Label] = (), *, hidden: bool | None = None,
    rng: np.random.Generator | None = None,
) -> StateAudit:  # fmt: skip
    """Panel and people against the state check, over the episodes that have a state verdict.

    `labels` are people's, of whole episodes. `hidden` says whether the state was hidden from judges where the records can't say,
    as for recorded judges. Raises CalibrationError for `shadows` that can't be read, LabelError for an episode graded twice.
    """
    records, rng = list(records), rng or np.random.default_rng(0)
    found = opinions(records, labels)
    truth = state_truth(records)
    pairing = pair(records, truth.labels)
    agreements = panel_against_state(records, pairing, rng)
    was_hidden = _hidden(records, hidden)
    figures = vars(_Figures.of(found, rng))
    return StateAudit(
        n=len(found), tasks=len({one.record.task_id for one in found}), state_hidden=was_hidden,
        judges=against_state(records, pairing.pairs, hidden=hidden), empty_goals=truth.empty_goals,
        agreement=next((a for a in agreements if a.criterion is None), None),
        shadowed=tuple(a for a in agreements if a.criterion is not None),
        suspect_goals=tuple(suspect_goals(found)), gamed=tuple(gamed(found)),
        left_out={left.reason: left.n for left in truth.left_out},
        warnings=tuple(cautions(records, found, hidden=was_hidden)), **figures,
    )  # fmt: skip


@dataclass(frozen=True)
class _Figures:
    """The figures of an audit that are about all episodes with a state verdict."""

    baselines: dict[str, Figure]
    pass_rate: Figure | None = None
    intraclass: Figure | None = None
    worth: float | None = None
    same_outcome: int = 0
    repeated: int = 0
    within_tasks: Figure | None = None
    within_tasks_people: Figure | None = None

    @classmethod
    def of(cls, found: Sequence[Opinions], rng: np.random.Generator) -> _Figures:
        if not found:
            return cls(baselines={})
        truth = np.array([float(one.state) for one in found])
        _, tasks = np.unique([one.record.task_id for one in found], return_inverse=True)
        correlation = intraclass(truth, tasks, rng)
        same, repeated = same_outcome(truth, tasks)
        panel, people = (_column([getattr(one, name) for one in found]) for name in ("panel", "people"))
        trivial = trivial_predictors([one.record for one in found], truth, tasks)
        labelled = ~np.isnan(people)
        return cls(
            baselines={name: auc(scores, truth, tasks) for name, scores in trivial.items()},
            pass_rate=rate(truth, np.ones(len(truth)), tasks, of="episodes"), intraclass=correlation,
            worth=None if correlation.value is None else worth(len(truth), int(tasks.max()) + 1, correlation.value),
            same_outcome=same, repeated=repeated, within_tasks=pairwise(panel, truth, tasks),
            within_tasks_people=pairwise(panel[labelled], people[labelled], tasks[labelled]) if labelled.any() else None,
        )  # fmt: skip


def _column(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values])


def _hidden(records: Sequence[RecordLike], given: bool | None) -> bool | None:
    """Whether the state was hidden from all judges; None where that is not known or there are none."""
    seen = {state_shown(record) for record in records if any(j.verdicts for j in record.judgements)}
    seen = {(not given) if shown is None and given is not None else shown for shown in seen}
    return None if not seen or (None in seen and True not in seen) else True not in seen
