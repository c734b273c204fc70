"""The human ceiling."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from calibration.agreeing import ceiling, ceilings_of
from calibration.agreeing.gwet import gwet_ac
from calibration.agreeing.krippendorff import krippendorff_alpha
from calibration.items import Item, Pair
from tests.calibration.agreeing.tables import random_ratings
from tests.calibration.panels import STARS, YES_NO


def rated(n: int, raters: dict[str, float], *, criterion: str | None = "tone", scale=YES_NO, task: str = "") -> Pair:
    item = Item(
        episode=f"e{n}", task=task or f"t{n}", criterion=criterion, judges={"j": 0.5}, pooled=0.5, panel=("j",),
        covariates={}, levels=scale,
    )  # fmt: skip
    return Pair(item, sum(raters.values()) / len(raters), {f"person:{name}": v for name, v in raters.items()})


def pairs_of(ratings: np.ndarray, scale=STARS) -> list[Pair]:
    """One pair a unit of ratings 1 to 5; NaN for missing."""
    return [
        rated(n, {f"p{r}": (v - 1) / 4 for r, v in enumerate(row) if not np.isnan(v)}, scale=scale)
        for n, row in enumerate(ratings) if not np.isnan(row).all()
    ]  # fmt: skip


def test_its_coefficients_are_those_of_the_units_with_two_raters() -> None:
    for ratings in random_ratings(15):
        found = ceiling(pairs_of(ratings), resamples=20)
        several = ratings[(~np.isnan(ratings)).sum(axis=1) >= 2]
        assert found.n == len(several)
        expected = krippendorff_alpha(several, measurement="ordinal").value
        assert found.alpha.value == pytest.approx(expected, abs=1e-9)
        ac2 = gwet_ac(several, weights="quadratic", levels=np.arange(1.0, 6.0)).value
        assert found.ac2.value == pytest.approx(ac2, abs=1e-9)


def test_kappa_is_that_of_all_pairs_of_people_in_both_roles() -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(1, 6, 50)
    b = np.where(rng.random(50) < 0.6, a, rng.integers(1, 6, 50))
    found = ceiling(pairs_of(np.column_stack((a, b)).astype(float)), resamples=20)
    both = cohen_kappa_score(np.concatenate((a, b)), np.concatenate((b, a)))
    assert found.kappa.value == pytest.approx(both, abs=1e-9)
    assert found.raw.value == pytest.approx(np.mean(a == b))


def test_conflicts_are_listed_with_what_each_said() -> None:
    """C03: twins labelled differently."""
    found = ceiling([rated(1, {"ann": 1, "bob": 0}), rated(2, {"ann": 1, "bob": 1}), rated(3, {"ann": 1})])
    assert found.conflicts == ("e1/tone: ann yes, bob no",)
    assert (found.n, found.raters, found.raw.value, found.tasks) == (2, 2, 0.5, 2)
    assert found.warnings == ("only 2 items have two raters: below 30 the ceiling is rough",)


def test_without_a_second_rater_there_is_no_ceiling_and_it_says_so() -> None:
    found = ceiling([rated(1, {"ann": 1})])
    assert found.n == 0
    assert {found.raw.why, found.kappa.why, found.alpha.why, found.ac2.why} == {"no item has two raters"}
    assert ceilings_of([rated(1, {"ann": 1})]) == {}
    assert ceiling([]).raw.value is None


def test_one_class_only_is_undefined_and_raw_agreement_is_shown() -> None:
    found = ceiling([rated(n, {"ann": 1, "bob": 1}) for n in range(4)])
    assert (found.raw.value, found.kappa.value) == (1.0, None)
    assert found.kappa.why == "one class only: all 4 items are 'yes'"


def test_each_criterion_has_its_own_and_all_have_one_together() -> None:
    pairs = [rated(n, {"ann": n % 2, "bob": n % 2}) for n in range(8)]
    pairs += [rated(n, {"ann": n % 2, "bob": 0}, criterion="amount", scale=STARS) for n in range(8)]
    pairs += [rated(n, {"ann": 1, "bob": 1}, criterion=None, scale={"fail": 0.0, "pass": 1.0}) for n in range(8)]
    found = ceilings_of(pairs)
    assert list(found) == ["tone", "amount", None, "all criteria"]
    assert found["tone"].raw.value == 1.0
    assert (found["all criteria"].n, found["all criteria"].raw.value) == (16, 0.75)


def test_rollouts_of_one_task_are_not_new_tasks() -> None:
    apart = [rated(n, {"ann": n % 2, "bob": n % 3 % 2}) for n in range(80)]
    tied = [rated(n, {"ann": (n // 8) % 2, "bob": (n // 8) % 3 % 2}, task=f"t{n // 8}") for n in range(80)]
    width = {
        which: (c := ceiling(pairs)).kappa.high - c.kappa.low for which, pairs in (("apart", apart), ("tied", tied))
    }
    assert width["tied"] > 1.8 * width["apart"]
