"""Each judge against the database, with the state hidden from it and shown, told apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from calibration.diagnosing.rates import rate, youden
from calibration.items import Floats, Pair, Pairing, tasks_of, truths_of
from calibration.oracles.circularity import recorded_judges, state_in_evidence, state_shown
from calibration.oracles.facts import STATE_RATER
from calibration.records import RecordLike
from calibration.results import AgainstState, Agreement

PANEL = "panel"
HALF = 0.5


class _Question(NamedTuple):
    criterion: str | None
    judge: str
    shown: bool | None


def against_state(
    records: Sequence[RecordLike], pairs: Sequence[Pair], *, hidden: bool | None = None
) -> tuple[AgainstState, ...]:
    """TPR, TNR and accuracy of every judge and of the panel on `pairs`, whose truth is the state check's.

    Rows come by criterion (the whole last), judge, and whether the state was hidden from it; `hidden` answers that where the
    records can't say.
    """
    by_episode = {record.episode_id: record for record in records}
    rows: dict[_Question, list[tuple[Pair, float]]] = defaultdict(list)
    for pair_ in pairs:
        for question, value in _answers(pair_, by_episode[pair_.item.episode], hidden):
            rows[question].append((pair_, value))
    return tuple(_against(question, rows[question]) for question in sorted(rows, key=_place))


def panel_against_state(
    records: Sequence[RecordLike], pairing: Pairing, rng: np.random.Generator
) -> tuple[Agreement, ...]:
    """Every figure of agreement between the panel and the state check, by criterion, the whole last.

    Gates stand open, since one that is the state check would make the panel agree with it by construction. What judges saw the state
    of is left out, unless that is all there is.
    """
    from calibration.agreeing import agreement, ratings_of_panel, ratings_of_person

    by_episode = {record.episode_id: record for record in records}
    blind = [p for p in pairing.pairs if not state_shown(by_episode[p.item.episode], p.item.criterion)]
    pairs = [_opened(p) for p in blind or pairing.pairs]
    if not pairs:
        return ()
    labelled = Pairing(tuple(pairs), tuple(p.item for p in pairs))
    table = agreement(ratings_of_panel(labelled.items), ratings_of_person(labelled, STATE_RATER), ceilings={}, rng=rng)
    return table.rows


def _opened(pair_: Pair) -> Pair:
    closed = pair_.item.closed and pair_.item.criterion is None
    return replace(pair_, item=replace(pair_.item, closed=False)) if closed else pair_


def _place(question: _Question) -> tuple[bool, str, bool, str, str]:
    return (
        question.criterion is None,
        question.criterion or "",
        question.judge == PANEL,
        question.judge,
        str(question.shown),
    )


def _answers(pair_: Pair, record: RecordLike, hidden: bool | None) -> Iterator[tuple[_Question, float]]:
    item, recorded = pair_.item, recorded_judges(record)
    evident = state_in_evidence(record, item.criterion)
    for judge, value in (*item.judges.items(), *([(PANEL, item.pooled)] if len(item.judges) > 1 else [])):
        shown = None if judge in recorded or (judge == PANEL and recorded) else evident
        if shown is None and hidden is not None:
            shown = not hidden
        if value is not None:
            yield _Question(item.criterion, judge, shown), value


def _against(question: _Question, rows: Sequence[tuple[Pair, float]]) -> AgainstState:
    pairs = [pair_ for pair_, _ in rows]
    truth, tasks = truths_of(pairs) > HALF, tasks_of([pair_.item for pair_ in pairs])
    said = _cut(np.array([value for _, value in rows]))
    each = np.ones(len(rows))
    tpr = rate(np.where(truth, said, np.nan), each, tasks, of="episodes that the database passes")
    tnr = rate(np.where(truth, np.nan, 1 - said), each, tasks, of="episodes that the database fails")
    return AgainstState(
        judge=question.judge, criterion=question.criterion, shown=question.shown, n=len(rows), tasks=len(np.unique(tasks)),
        failures=int((~truth).sum()), rate=rate(said, each, tasks, of="episodes"),
        base_rate=rate(truth.astype(float), each, tasks, of="episodes"),
        accuracy=rate(np.where(truth, said, 1 - said), each, tasks, of="episodes"), tpr=tpr, tnr=tnr, youden=youden(tpr, tnr),
    )  # fmt: skip


def _cut(values: Floats) -> Floats:
    """1 above a half, 0 below it; NaN for a tie."""
    return np.where(values == HALF, np.nan, (values > HALF).astype(float))
