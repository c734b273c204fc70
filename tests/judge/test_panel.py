"""Several judges as one: never by list order, never from too few."""

from __future__ import annotations

import itertools

import pytest

from judge.errors import InputError
from judge.judges import Judge
from judge.panel import Panel, average, nearest, pool
from judge.seating import make_panel
from rubrics import Criterion, Verdict, verdict_on

YES_NO = Criterion(id="a", ask="Is it so?")
TONE = Criterion.model_validate(
    {
        "id": "tone",
        "ask": "How warm?",
        "levels": [{"name": n, "value": v} for n, v in (("cold", 0), ("fine", 0.5), ("warm", 1))],
    }
)


def judges(count: int) -> tuple[Judge, ...]:
    return tuple(Judge(name=f"j{i}", model="scripted/none:none") for i in range(count))


def said(criterion: Criterion, *levels: str | None) -> list[Verdict]:
    return [verdict_on(criterion, level, rater=f"judge:j{i}") for i, level in enumerate(levels)]


@pytest.mark.parametrize("order", list(itertools.permutations(["yes", "yes", "no", "no"]))[:6])
@pytest.mark.parametrize("rule", ["mean", "median", "majority"])
def test_an_even_split_is_a_tie_with_the_mean_in_any_order(order: tuple[str, ...], rule: str) -> None:
    found = pool(YES_NO, said(YES_NO, *order), Panel(judges=judges(4), pool=rule))
    assert found.tie
    assert found.verdict is not None
    assert found.verdict.value == 0.5
    assert found.verdict.level == "no"


def test_a_majority_of_three_decides_and_keeps_the_level() -> None:
    found = pool(YES_NO, said(YES_NO, "yes", "no", "yes"), Panel(judges=judges(3), pool="majority"))
    assert (found.verdict.level, found.verdict.value, found.tie) == ("yes", 1.0, False)  # type: ignore[union-attr]


def test_the_mean_keeps_its_value_and_takes_the_nearest_level() -> None:
    found = pool(YES_NO, said(YES_NO, "yes", "no", "yes"), Panel(judges=judges(3)))
    assert found.verdict.value == pytest.approx(2 / 3)  # type: ignore[union-attr]
    assert found.verdict.level == "yes"  # type: ignore[union-attr]
    assert found.spread == 1.0


def test_between_levels_of_a_longer_scale_there_is_no_tie() -> None:
    found = pool(TONE, said(TONE, "cold", "warm"), Panel(judges=judges(2)))
    assert (found.verdict.level, found.tie) == ("fine", False)  # type: ignore[union-attr]


@pytest.mark.parametrize(("answers", "judged"), [(1, 3), (0, 1), (1, 2)])
def test_below_the_quorum_there_is_a_failure_and_no_number(answers: int, judged: int) -> None:
    found = pool(YES_NO, said(YES_NO, *["yes"] * answers), Panel(judges=judges(judged)))
    assert found.verdict is None
    assert found.failure is not None
    assert found.failure.kind == "below_quorum"


def test_a_quorum_of_three_is_not_met_by_the_one_survivor_of_three() -> None:
    found = pool(YES_NO, said(YES_NO, "yes"), Panel(judges=judges(3), quorum=3))
    assert found.failure is not None


def test_could_not_tell_is_a_vote_of_its_own_kind() -> None:
    panel = Panel(judges=judges(3))
    assert pool(YES_NO, said(YES_NO, None, None, "yes"), panel).verdict.level is None  # type: ignore[union-attr]
    split = pool(YES_NO, said(YES_NO, None, "yes"), Panel(judges=judges(2)))
    assert split.tie
    assert split.verdict.value is None  # type: ignore[union-attr]


def test_weights_move_the_mean_and_none_at_all_is_refused() -> None:
    weighted = Panel(judges=judges(2), pool="weighted", weights={"j0": 3, "j1": 1})
    assert pool(YES_NO, said(YES_NO, "yes", "no"), weighted).verdict.value == 0.75  # type: ignore[union-attr]
    with pytest.raises(InputError, match="needs a weight for 'j1'"):
        make_panel(judges=judges(2), pool="weighted", weights={"j0": 3})


def test_a_judge_named_twice_is_refused_with_the_way_to_ask_twice() -> None:
    with pytest.raises(InputError, match="--repeat"):
        make_panel(judges=(*judges(1), *judges(1)))


def test_samples_of_one_judge_are_averaged_under_its_own_name() -> None:
    mean = average(TONE, [verdict_on(TONE, level, rater="judge:j0") for level in ("warm", "warm", "fine")])
    assert mean.rater == "judge:j0"
    assert mean.value == pytest.approx(5 / 6)
    assert mean.level == nearest(TONE, 5 / 6) == "warm"
