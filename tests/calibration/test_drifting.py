"""Drift on frozen anchors, what else changed, and canaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.drift import Watch, watched
from calibration.canaries import canaries
from calibration.cusum import cumulative, standardised
from calibration.drifting import drift, drift_of
from calibration.errors import CalibrationError
from judge.record import GradeRecord
from tests.calibration.panels import Panel, records_of

ANCHORS = 40


def passes_of(table: Any) -> list[dict[str, float | None]]:
    return [{f"a{i}": None if np.isnan(x) else float(x) for i, x in enumerate(row)} for row in np.asarray(table)]


def noisy(passes: int, *, since: int | None = None, by: float = 0.0, seed: int = 0) -> Any:
    """Values of anchors with a retest sd of .1; from the pass `since` (from 1) they lie higher `by` so much."""
    rng = np.random.default_rng(seed)
    values = rng.uniform(0, 1, ANCHORS) + 0.1 * rng.standard_normal((passes, ANCHORS))
    if since is not None:
        values[since - 1 :] += by
    return values


def test_a_steady_judge_is_steady() -> None:
    found = drift(passes_of(noisy(60)), judge="a")
    assert found.drifted_at is None
    assert (found.passes, found.baseline_passes, found.anchors, found.first) == (60, 30, ANCHORS, 11)
    assert len(found.statistic) == 50
    assert found.change.low is not None
    assert found.change.high is not None
    assert found.change.low < 0 < found.change.high
    assert found.reads.startswith("Judge a is steady over 60 passes")
    assert found.why == ""


@pytest.mark.parametrize("by", [0.05, -0.05], ids=["up", "down"])
def test_a_shift_is_found_and_sized_and_dated(by: float) -> None:
    found = drift(passes_of(noisy(50, since=41, by=by)), judge="a")
    assert found.drifted_at is not None
    assert 41 <= found.drifted_at <= 46
    assert found.began_at is not None
    assert 40 <= found.began_at <= 42
    assert found.change.value == pytest.approx(by, abs=0.015)
    assert f"its values are 0.0{'4' if abs(found.change.value or 0) < 0.045 else '5'}" in found.reads
    assert ("higher" if by > 0 else "lower") in found.reads


def test_any_change_of_a_judge_that_never_varied_is_drift() -> None:
    table = np.full((40, 5), 0.7)
    assert drift(passes_of(table)).drifted_at is None
    table[35:, 2] = 0.71
    assert drift(passes_of(table)).drifted_at == 36


def test_two_changes_that_cancel_out_are_drift_too_where_nothing_ever_varied() -> None:
    table = np.tile([0.2, 0.5, 0.8], (40, 1))
    table[39] = [0.3, 0.4, 0.8]
    assert drift(passes_of(table)).drifted_at == 40


def test_a_judge_that_changed_its_mind_once_may_do_so_again() -> None:
    table = np.tile((np.arange(60) % 2).astype(float), (45, 1))
    table[20, 3] = 0.0
    table[35, 8] = 1.0
    table[40, [4, 7]] = [1.0, 0.0]
    assert drift(passes_of(table)).drifted_at is None
    table[40:, :12] = 1.0
    assert drift(passes_of(table)).drifted_at == 41


def test_anchors_missing_in_a_pass_are_left_out_of_it_and_counted() -> None:
    table = noisy(45)
    table[40, table[0] > np.median(table[0])] = np.nan  # the high ones: unpaired, the mean would drop by a quarter
    table[41] = np.nan
    found = drift(passes_of(table))
    assert found.drifted_at is None
    assert found.ungraded == ANCHORS // 2 + ANCHORS
    assert max(found.statistic) < 8


def test_ten_passes_are_too_few_but_the_change_from_first_to_last_is_told() -> None:
    table = noisy(10, since=6, by=0.2)
    found = drift(passes_of(table))
    assert found.drifted_at is None
    assert found.statistic == ()
    assert found.change.value == pytest.approx(float((table[-1] - table[0]).mean()))
    assert "can't be told yet" in found.reads
    assert "1 more passes" in found.why


def test_before_the_baseline_is_full_large_drifts_are_seen_and_what_is_missing_is_said() -> None:
    found = drift(passes_of(noisy(20, since=15, by=0.1)))
    assert found.drifted_at is not None
    assert 15 <= found.drifted_at <= 17
    assert found.baseline_passes == 19
    assert "11 more passes are needed for a full baseline" in found.why


def test_a_single_pass_says_nothing() -> None:
    found = drift(passes_of(noisy(1)))
    assert found.change.value is None
    assert "two passes" in found.change.why


def test_days_on_which_all_anchors_swing_together_do_not_alarm() -> None:
    rng = np.random.default_rng(1)
    table = noisy(90) + 0.05 * rng.standard_normal((90, 1))
    assert drift(passes_of(table)).drifted_at is None


@given(st.integers(0, 10_000), st.floats(-3, 3), st.floats(0.1, 10))
@settings(max_examples=20, deadline=None)
def test_what_is_standardised_depends_neither_on_the_origin_nor_on_the_unit(
    seed: int, origin: float, unit: float
) -> None:
    table = noisy(20, seed=seed)
    assert standardised(origin + unit * table) == pytest.approx(standardised(table), abs=1e-6)
    assert standardised(-table) == pytest.approx(-standardised(table), abs=1e-9)


def test_sums_are_pages() -> None:
    up, down = cumulative(np.array([2.0, 0.0, -3.0, 1.0]), k=0.5)
    assert up == pytest.approx([1.5, 1.0, 0.0, 0.5])
    assert down == pytest.approx([0.0, 0.0, 2.5, 1.0])


def test_nothing_to_compare_is_said() -> None:
    with pytest.raises(CalibrationError, match="no anchor has a value"):
        drift([{"a": None}])
    with pytest.raises(CalibrationError, match="expected 10 or more"):
        drift(passes_of(noisy(3)), baseline=3)
    with pytest.raises(CalibrationError, match="there are no grades"):
        drift_of([])


def graded(passes: int, *, bump: Sequence[int] = (), **more: Any) -> list[GradeRecord]:
    """Six anchors, judged by two judges again and again; in the passes `bump` judge j1 gives a level more."""
    rng = np.random.default_rng(0)
    base = rng.integers(0, 4, (6, 2)) / 4
    found = []
    for n in range(passes):
        values = base + np.array([0.25 if n in bump else 0.0, 0.0])
        found += records_of(Panel(values, np.zeros(6), np.zeros(6), np.arange(6)), **more)
    return found


def test_each_judge_and_the_panel_are_watched_from_grade_records() -> None:
    found = {one.judge: one for one in drift_of(graded(15, bump=(13, 14)))}
    assert list(found) == ["j1", "j2", "panel"]
    assert (found["j1"].drifted_at, found["j2"].drifted_at, found["panel"].drifted_at) == (15, None, 15)
    assert found["j1"].change.value == pytest.approx(0.25)
    assert found["panel"].change.value == pytest.approx(0.125)
    assert all(one.changed == () for one in found.values())


def test_one_judge_alone_is_its_own_panel() -> None:
    values = np.full((6, 1), 0.5)
    records = records_of(Panel(values, np.zeros(6), np.zeros(6), np.arange(6))) * 12
    assert [one.judge for one in drift_of(records)] == ["j1"]


def test_what_else_changed_is_named_for_whom_it_concerns() -> None:
    before = graded(6, grader={"judge:j1": "1" * 16, "judge:j2": "2" * 16, "template": "3" * 16})
    after = graded(6, grader={"judge:j1": "9" * 16, "judge:j2": "2" * 16, "template": "3" * 16}, method="n" * 16)
    found = {one.judge: one for one in drift_of([*before, *after])}
    assert found["j1"].changed == ("judge j1 changed (11111111 to 99999999)",)
    assert found["j2"].changed == ()
    assert found["panel"].changed == ("judge j1 changed (11111111 to 99999999)",)
    assert "What else changed: judge j1 changed" in found["j1"].reads


def test_a_model_that_answers_under_the_same_name_is_named() -> None:
    records = graded(11)
    last = [
        r.model_copy(
            update={"judgements": tuple(j.model_copy(update={"model": f"{j.model}-new"}) for j in r.judgements)}
        )
        for r in graded(1)
    ]
    (first, *_) = drift_of([*records, *last])
    assert first.changed == ("judge j1 answered as j1-new, before as j1",)


def test_a_judge_that_gave_nothing_is_counted_as_ungraded() -> None:
    records = graded(12)
    silent = records[-1].model_copy(update={"judgements": records[-1].judgements[1:]})
    found = {one.judge: one for one in drift_of([*records[:-1], silent])}
    assert (found["j1"].ungraded, found["j2"].ungraded) == (1, 0)


def test_a_canary_that_passes_is_named_and_more_than_two_percent_fail() -> None:
    values = np.zeros((100, 2))
    values[7] = 1.0
    records = records_of(Panel(values, np.zeros(100), np.zeros(100), np.arange(100)))
    found = canaries(records)
    assert (found.passed, found.holds, found.n) == (("e7",), True, 100)
    assert canaries(records[:40]).holds is False
    assert "1 of 40 episodes that are known to be bad pass: e7" in canaries(records[:40]).reads


def test_canaries_that_were_not_graded_neither_pass_nor_count() -> None:
    records = records_of(Panel(np.zeros((2, 2)), np.zeros(2), np.zeros(2), np.arange(2)))
    ungraded = [r.model_copy(update={"score": None, "passed": None}) for r in records]
    found = canaries(ungraded)
    assert (found.holds, found.n, found.ungraded) == (None, 0, 2)
    with pytest.raises(CalibrationError, match="no grades"):
        canaries([])


def test_sixty_steady_days_hardly_ever_alarm_and_a_shift_is_soon_seen() -> None:
    rng = np.random.default_rng(0)
    assert watched(Watch(shift=0.0), 60, rng).alarms <= 1 / 60
    assert watched(Watch(shift=0.1, days=20), 60, rng).delay <= 7
    assert watched(Watch(shift=0.2, days=20), 60, rng).delay <= 3
