"""Severity of persons."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.fitting import adjusted_truths, severities
from calibration.items import Item, Pair
from tests.calibration.recorded_panels import dialogue_annotators, dialogues


def pair(value: float, raters: dict[str, float]) -> Pair:
    return Pair(Item("e", "t", None, {"j": value}, value, ("j",), {}), sum(raters.values()) / len(raters), raters)


def test_an_offset_is_the_sum_of_residuals_over_the_count_and_four() -> None:
    pairs = [pair(0.5, {"a": 0.9, "b": 0.4}), pair(0.5, {"a": 0.7})]
    found = severities(pairs, expected=np.array([0.5, 0.5]))
    assert found == {"a": pytest.approx(0.6 / 6), "b": pytest.approx(-0.1 / 5)}


def test_lenient_and_severe_people_are_told_apart_from_good_and_bad_items() -> None:
    rng = np.random.default_rng(0)
    leanings = {"a": 0.15, "b": -0.1, "c": -0.05}
    pairs = []
    for _ in range(300):
        quality = rng.uniform(0.3, 0.7)
        who = rng.choice(list(leanings), 2, replace=False)
        pairs.append(pair(quality, {w: quality + leanings[w] + rng.normal(0, 0.05) for w in who}))
    found = severities(pairs)
    for rater, leaning in leanings.items():
        assert found[rater] == pytest.approx(leaning, abs=0.02)
    truths = adjusted_truths(pairs, found)
    quality = np.array([p.item.judges["j"] for p in pairs])
    raw = np.array([p.truth for p in pairs])
    assert np.abs(truths - quality).mean() < 0.6 * np.abs(raw - quality).mean()


def test_a_panel_that_always_says_the_same_leaves_plain_means() -> None:
    found = severities([pair(0.5, {"a": 1.0}), pair(0.5, {"b": 0.0})])
    assert found["a"] == -found["b"] > 0


def test_help_desk_ratings_are_foretold_by_who_rates() -> None:
    """Beside a constant (the ratio of RMSE, about .92) and judges alone (r .12): 178 of 223 dialogues to fit on, 20 splits."""
    panel, who = dialogues(), dialogue_annotators()
    pairs = [pair(float(v), {w: float(t)}) for (v,), t, w in zip(panel.values, panel.truth, who, strict=True)]
    figures = []
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(len(pairs))
        old, new = [pairs[i] for i in order[:178]], [pairs[i] for i in order[178:]]
        offsets = severities(old)
        x = np.array([p.item.judges["j"] for p in old])
        line = np.polynomial.Polynomial.fit(x, adjusted_truths(old, offsets), 1)
        expected = np.array([line(p.item.judges["j"]) + offsets.get(next(iter(p.raters)), 0.0) for p in new])
        truth = np.array([p.truth for p in new])
        flat = np.mean([p.truth for p in old])
        rmse, constant = (float(np.sqrt(np.mean((guess - truth) ** 2))) for guess in (expected, flat))
        figures.append((3 * rmse, rmse / constant, np.corrcoef(expected, truth)[0, 1]))
    rmse, ratio, correlation = np.mean(figures, axis=0)
    assert rmse < 0.74
    assert ratio < 0.94
    assert correlation > 0.36
