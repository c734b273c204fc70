"""The alternative-annotator test of Calderon, Reichart and Dror (ACL 2025)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from calibration.agreeing import alternative_annotator_test
from calibration.agreeing.alternative import _discoveries
from calibration.items import Item, Pair
from tests.calibration.panels import STARS, YES_NO


def pairs_of(people: np.ndarray, judge: np.ndarray, *, scale=YES_NO, rollouts: int = 1) -> list[Pair]:
    """One pair a row of people's values (NaN for none), with one judge `j`."""
    found = []
    for n, (row, value) in enumerate(zip(people.tolist(), judge.tolist(), strict=True)):
        said = {f"person:p{r}": v for r, v in enumerate(row) if not np.isnan(v)}
        item = Item(
            episode=f"e{n}", task=f"t{n // rollouts}", criterion="tone", judges={"j": value}, pooled=value, panel=("j",),
            covariates={}, levels=scale,
        )  # fmt: skip
        found.append(Pair(item, sum(said.values()) / len(said), said))
    return found


def crowd(n: int, *, person: float, judge: float, seed: int = 0, k: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Three people and a judge who give the right level with these probabilities."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    right = [np.where(rng.random(n) < p, truth, rng.integers(0, k, n)) for p in (person, person, person, judge)]
    said = np.column_stack(right) / (k - 1)
    return said[:, :3], said[:, 3]


def test_a_judge_as_good_as_people_passes_and_a_worse_one_fails() -> None:
    good = alternative_annotator_test(pairs_of(*crowd(100, person=0.8, judge=0.95)), "j")
    assert (good.winning_rate, good.passes) == (1.0, True)
    assert good.advantage > 0.8
    bad = alternative_annotator_test(pairs_of(*crowd(100, person=0.9, judge=0.2)), "j")
    assert (bad.winning_rate, bad.passes, bad.replaced) == (0.0, False, ())


@pytest.mark.parametrize(("scale", "k"), [(YES_NO, 2), (STARS, 5)], ids=["same level", "distance"])
def test_p_values_are_those_of_scipys_t_test(scale, k) -> None:
    people, judge = crowd(60, person=0.7, judge=0.7, k=k)
    found = alternative_annotator_test(pairs_of(people, judge, scale=scale), "j", epsilon=0.1)
    for person in range(3):
        others = np.delete(people, person, axis=1)

        def near(values: np.ndarray, others: np.ndarray = others) -> np.ndarray:
            if k == 2:
                return (others == values[:, None]).mean(axis=1)
            return -np.round(np.sqrt(((others - values[:, None]) ** 2).mean(axis=1)), 9)

        human, machine = near(people[:, person]), near(judge)
        differences = (human >= machine).astype(float) - (machine >= human)
        expected = stats.ttest_1samp(differences, 0.1, alternative="less").pvalue
        assert found.p_values[f"person:p{person}"] == pytest.approx(expected, abs=1e-9)


def test_false_discoveries_are_held_as_scipy_does() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        p = rng.uniform(0, 0.08, rng.integers(1, 9))
        corrected = stats.false_discovery_control(p, method="by")
        expected = tuple(sorted(f"p{n}" for n in np.flatnonzero(corrected <= 0.05)))
        assert _discoveries({f"p{n}": float(value) for n, value in enumerate(p)}) == expected


def test_a_larger_epsilon_never_makes_it_harder() -> None:
    pairs = pairs_of(*crowd(80, person=0.8, judge=0.75, seed=3))
    rates = [alternative_annotator_test(pairs, "j", epsilon=e).winning_rate for e in (0.0, 0.1, 0.2, 0.5)]
    assert rates == sorted(rates)
    assert rates[-1] == 1.0


def test_too_few_people_or_items_give_no_answer_but_a_reason() -> None:
    people, judge = crowd(40, person=0.8, judge=0.8)
    two = alternative_annotator_test(pairs_of(people[:, :2], judge), "j")
    assert (two.winning_rate, two.advantage, two.passes) == (None, None, None)
    assert two.why == "2 people rated 30 items that others rated too, at least 3 are needed"
    few = alternative_annotator_test(pairs_of(people[:29], judge[:29]), "j")
    assert few.why.startswith("0 people")
    assert (few.raters, few.n) == (3, 29)
    assert alternative_annotator_test([], "j").why.startswith("0 people")


def test_a_person_with_few_items_stands_among_the_others_but_is_not_tested() -> None:
    people, judge = crowd(60, person=0.8, judge=0.9)
    fourth = np.where(np.arange(60) < 10, people[:, 0], np.nan)
    found = alternative_annotator_test(pairs_of(np.column_stack((people, fourth)), judge), "j")
    assert sorted(found.p_values) == ["person:p0", "person:p1", "person:p2"]


def test_rollouts_of_one_task_prove_less() -> None:
    people, judge = crowd(30, person=0.8, judge=0.8, seed=1)
    eight = np.repeat(people, 8, axis=0), np.repeat(judge, 8)
    once = alternative_annotator_test(pairs_of(people, judge), "j")
    clustered = alternative_annotator_test(pairs_of(*eight, rollouts=8), "j")
    naive = alternative_annotator_test(pairs_of(*eight), "j")
    for person, p in once.p_values.items():
        assert clustered.p_values[person] == pytest.approx(p, rel=1e-6)
        assert naive.p_values[person] < p


def test_the_panel_may_be_tested_too() -> None:
    pairs = pairs_of(*crowd(60, person=0.8, judge=0.9))
    panel = alternative_annotator_test(pairs, "panel")
    assert panel.p_values == alternative_annotator_test(pairs, "j").p_values
    assert (panel.judge, panel.criterion) == ("panel", "tone")


def test_one_that_is_always_the_same_as_all_people_replaces_them_all() -> None:
    people = np.tile([[1.0], [0.0]], (20, 3))
    found = alternative_annotator_test(pairs_of(people, people[:, 0]), "j")
    assert (found.winning_rate, found.advantage) == (1.0, 1.0)
