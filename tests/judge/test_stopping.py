"""When a run has no point any more, and what is said then."""

from __future__ import annotations

import pickle
import re
from typing import Any

import pytest

import judge
from judge.engine import Engine, UngradableError
from judge.episode import Episode, Step
from judge.errors import InputError, JudgeError
from judge.models.budget import Budget
from judge.models.exchange import Usage
from judge.options import Options
from judge.stopping import Watch
from tests.judge.fakes import Fake

RUBRIC = {"id": "r", "criteria": [{"id": "a", "ask": "A?"}]}


def episodes(count: int) -> list[Episode]:
    return [Episode(task_id=f"e{n}", steps=(Step(t=0, text=f"No {n}."),)) for n in range(count)]


@pytest.mark.parametrize(
    ("usd", "asked", "said"),
    [
        (0.01, 3, "is spent: \\$0.0300; raise --budget; then .* --resume"),
        (None, 1, "can't be kept: 1 of 1 calls.*`price`"),
    ],
    ids=["spent", "unknown price"],
)
async def test_a_budget_that_is_spent_or_cannot_be_kept_stops_the_run(usd: float | None, asked: int, said: str) -> None:
    model = Fake({"a": "yes"}, usd=usd)
    reasons = []
    async with Engine([model], options=Options(budget=0.025, concurrency=1, window=1)) as engine:
        watch = Watch(engine.bench)
        async for record in engine.grade_many(episodes(6), RUBRIC):
            reasons.append(watch.reason(record))
    assert model.asked == asked
    assert reasons[:asked] == [None] * asked
    assert re.search(said, reasons[-1] or "")


def test_a_few_calls_without_a_price_do_not_end_a_budget() -> None:
    budget = Budget(1.0)
    for usd in (0.1, None, 0.1, None):
        budget.spend(Usage(usd=usd))
        budget.check()
    budget.spend(Usage(usd=None))
    with pytest.raises(JudgeError, match="3 of 5 calls"):
        budget.check()


@pytest.mark.parametrize("given", [None, 3, [None]], ids=["none", "number", "list of none"])
def test_what_is_no_judge_is_refused_with_what_a_judge_is(given: Any) -> None:
    with pytest.raises(InputError, match="a judge is a reference such as"):
        judge.grade_sync(episodes(1)[0], RUBRIC, judges=given)


def test_errors_come_whole_out_of_another_process() -> None:
    error = JudgeError("rate_limited", "slow down", retry_after=2.0)
    again = pickle.loads(pickle.dumps(error))
    assert (again.kind, again.message, again.retry_after, str(again)) == ("rate_limited", "slow down", 2.0, "slow down")
    ungradable = pickle.loads(pickle.dumps(UngradableError(episodes(1)[0], "why")))
    assert (ungradable.episode.id, str(ungradable)) == ("e0", "why")
