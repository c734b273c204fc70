"""The agreement of any two raters: which items, which figures, what is left out and why."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.agreeing import (
    Ratings,
    agreement,
    ratings_of_judge,
    ratings_of_labels,
    ratings_of_panel,
    ratings_of_people,
    ratings_of_person,
    scales_of,
)
from calibration.agreeing.agreement import FIGURES
from calibration.agreeing.comparing import Columns, compared
from calibration.errors import CalibrationError
from calibration.label import Label
from calibration.pairing import pair
from tests.calibration.panels import STARS, YES_NO, records_of, simulate

WHOLE = {"fail": 0.0, "pass": 1.0}


def rated(rater: str, values, criterion: str | None = "tone", scale=YES_NO, **more) -> Ratings:
    """Ratings of episodes e0, e1, … by one rater; None for none."""
    keys = {(f"e{n}", criterion): v for n, v in enumerate(values) if v is not None}
    return Ratings(rater, keys, dict.fromkeys(keys, scale) if scale else {}, **more)


def merged(*parts: Ratings) -> Ratings:
    """The same rater on several criteria."""
    values = {k: v for part in parts for k, v in part.values.items()}
    return Ratings(parts[0].rater, values, {k: s for part in parts for k, s in part.scales.items()})


def test_one_class_only_gives_no_kappa_but_a_sentence_and_all_that_can_be_said() -> None:
    """C01."""
    row = agreement(rated("judge:a", [1] * 4, None, WHOLE), rated("people", [1] * 4, None, WHOLE)).rows[0]
    assert row.kappa.value is None
    assert row.kappa.why == "one class only: all 4 items are 'pass'"
    assert (row.raw.value, row.raw.n) == (1.0, 4)
    assert row.raw.low == pytest.approx(0.5101, abs=1e-4)
    assert row.confusion == ((0, 0), (0, 4))
    assert row.ac1.value == 1.0
    assert row.youden.why == "no item that the truth puts below a half"
    assert row.pearson.why == "a rater gives every item the same value"


def test_kappa_is_never_hidden_behind_accuracy() -> None:
    """C02: always pass on nine passes of ten."""
    row = agreement(rated("judge:a", [1] * 10), rated("people", [1] * 9 + [0])).rows[0]
    assert (row.raw.value, row.kappa.value) == (0.9, 0.0)
    assert (row.rate_a.value, row.rate_b.value) == (1.0, 0.9)
    assert (row.tpr.value, row.tnr.value, row.youden.value) == (1.0, 0.0, 0.0)


def test_what_was_not_graded_is_counted() -> None:
    """C04: 40 labelled, 12 of them ungraded: n 28, coverage 70%."""
    graded = records_of(simulate("corr", 40, np.random.default_rng(1)))
    nothing = {"ungated": None, "score": None, "judgements": (), "verdicts": (), "panel": ()}
    records = [record.model_copy(update=nothing) if n < 12 else record for n, record in enumerate(graded)]
    labels = [Label(episode=f"e{n}", criterion="solved", rater="ann", level="15"[n % 2]) for n in range(40)]
    row = agreement(pair(records, labels)).rows[0]
    assert (row.a, row.b, row.criterion) == ("panel", "people", "solved")
    assert (row.n, row.coverage) == (28, 0.7)
    assert sum(row.left_out.values()) == 12
    assert all(reason.startswith("no grade") for reason in row.left_out)


def test_any_two_raters_are_compared_by_the_same_function() -> None:
    panel = simulate("corr", 60, np.random.default_rng(2))
    labels = [
        Label(episode=f"e{n}", criterion="solved", rater=rater, level="5" if panel.truth[n] != wrong else "1")
        for n in range(60) for rater, wrong in (("ann", 0), ("bob", n % 10 == 0))
    ]  # fmt: skip
    pairing = pair(records_of(panel), labels)
    raters = [
        ratings_of_panel(pairing.items), ratings_of_judge(pairing.items, "j1"), ratings_of_people(pairing),
        ratings_of_person(pairing, "person:ann"), ratings_of_labels(labels, person="person:bob", scales={"solved": STARS}),
    ]  # fmt: skip
    for first in raters:
        for second in raters:
            row = agreement(first, second, resamples=50).rows[0]
            assert row.kappa.value == pytest.approx(1.0) or first is not second
            assert row.n == 60


def test_values_that_are_means_count_at_the_nearest_level_and_as_they_are_in_correlations() -> None:
    panel = rated("panel", [0.1, 0.3, 0.4, 0.9, 1.0, 0.5], scale={"no": 0.0, "half": 0.5, "yes": 1.0})
    people = rated("people", [0, 0.5, 0.5, 1, 1, 0.25], scale={"yes": 1.0, "half": 0.5, "no": 0.0})
    row = agreement(panel, people).rows[0]
    assert row.levels == ("no", "half", "yes")
    assert row.confusion == ((1, 0, 0), (0, 2, 0), (0, 0, 2))
    assert (row.n, row.kappa.n, row.pearson.n) == (6, 5, 6)
    assert row.left_out == {"exactly midway between two levels (only in the correlations)": 1}
    assert row.pearson.value == pytest.approx(
        np.corrcoef([0.1, 0.3, 0.4, 0.9, 1.0, 0.5], [0, 0.5, 0.5, 1, 1, 0.25])[0, 1]
    )


def test_alpha_is_nominal_for_two_levels_and_ordinal_for_more() -> None:
    two = agreement(rated("a", [0, 1, 1, 0, 1]), rated("b", [0, 1, 0, 0, 1])).rows[0]
    assert two.alpha.value == two.alpha_nominal.value
    stars = [
        rated(name, values, scale=STARS) for name, values in (("a", [0, 0.25, 1, 0.5]), ("b", [0.25, 0.25, 0.75, 1]))
    ]
    five = agreement(*stars).rows[0]
    assert five.alpha.value not in (five.alpha_nominal.value, five.alpha_interval.value)
    assert five.weighted_kappa.value > five.kappa.value


def test_missing_answers_are_counted_by_who_gave_none() -> None:
    judge = rated("judge:a", [1, 0, None, None, 1, 0], without={("e2", "tone"): "no grade: timeout (infra)"})
    people = rated("people", [1, 0, 1, 1, None, None], without={("e4", "tone"): "could not tell"})
    row = agreement(judge, people).rows[0]
    assert row.left_out == {
        "no grade: timeout (infra)": 1, "no answer from judge:a": 1, "could not tell": 1, "no answer from people": 1,
    }  # fmt: skip
    assert (row.n, row.coverage) == (2, 0.5)


def test_criteria_have_rows_a_mean_and_a_row_together_and_the_whole_stands_apart() -> None:
    a = merged(rated("a", [1, 0, 1, 0]), rated("a", [1, 1, 0, 0], "amount"), rated("a", [1, 0, 0, 0], None, WHOLE))
    b = merged(rated("b", [1, 0, 1, 1]), rated("b", [1, 1, 0, 0], "amount"), rated("b", [1, 1, 0, 0], None, WHOLE))
    found = agreement(a, b)
    assert [row.criterion for row in found.rows] == ["tone", "amount", None]
    assert found.pooled.criterion == "all criteria"
    assert (found.pooled.n, found.pooled.levels) == (8, ("no", "yes"))
    assert found.pooled.raw.value == 7 / 8
    assert found.macro["raw"].value == pytest.approx((0.75 + 1) / 2)
    assert found.macro["kappa"].n == 2


def test_criteria_on_different_scales_are_pooled_by_the_side_of_a_half() -> None:
    a = merged(rated("a", [1, 0]), rated("a", [0.25, 0.75, 0.5], "stars", STARS))
    b = merged(rated("b", [1, 1]), rated("b", [0, 1, 0], "stars", STARS))
    pooled = agreement(a, b).pooled
    assert pooled.levels == ("fail", "pass")
    assert (pooled.n, pooled.kappa.n, pooled.raw.value) == (5, 4, 0.75)


def test_one_criterion_needs_no_row_for_all() -> None:
    found = agreement(rated("a", [1, 0]), rated("b", [1, 0]))
    assert (found.pooled, found.macro) == (None, {})


def test_items_on_another_scale_are_left_out_and_counted() -> None:
    values = [0.0, 1.0, 0.5, 1.0]
    a = rated("a", values)
    odd = {**a.scales, ("e2", "tone"): {"no": 0.0, "half": 0.5, "yes": 1.0}}
    both = Ratings("a", a.values, odd), Ratings("b", a.values, odd)
    assert agreement(*both).rows[0].left_out == {"on another scale than most items": 1}
    assert agreement(both[0], rated("b", values)).rows[0].left_out == {"the two raters answer on different scales": 1}


def test_without_a_scale_the_values_that_occur_are_the_levels() -> None:
    row = agreement(rated("a", [0.2, 0.7, 0.7], scale=None), rated("b", [0.2, 0.7, 0.2], scale=None)).rows[0]
    assert row.levels == ("0.2", "0.7")
    one = agreement(rated("a", [1, 1], scale=None), rated("b", [1, 1], scale=None)).rows[0]
    assert (one.raw.value, one.kappa.why) == (1.0, "one class only: all 2 items are '1'")
    many = np.linspace(0, 1, 40)
    assert agreement(rated("a", many, scale=None), rated("b", many, scale=None)).rows[0].levels == ("fail", "pass")


def test_few_items_are_warned_of() -> None:
    few = agreement(rated("a", [1, 0] * 10), rated("b", [1, 0] * 10)).rows[0]
    assert few.warnings == (
        "only 20 items: below 30 no figure of agreement means much",
        "only 10 items below a half, fewer than 20 of the rarer class",
    )
    tasks = {f"e{n}": f"t{n % 4}" for n in range(80)}
    clustered = agreement(rated("a", [1, 0] * 40), rated("b", [1, 0] * 40, tasks=tasks)).rows[0]
    assert clustered.warnings == ("the items come from only 4 tasks, which is what the intervals rest on",)
    assert agreement(rated("a", [1, 0] * 40), rated("b", [1, 0] * 40)).rows[0].warnings == ()


def test_items_chosen_with_known_probabilities_are_weighted_by_their_inverse() -> None:
    """Ten of ten agreements and one in ten disagreements: as they were drawn, half of all; weighted, one in eleven wrong."""
    values = [1, 0] * 10
    judge = rated("judge:a", values)
    people = rated("people", [v if n < 10 else 1 - v for n, v in enumerate(values)])
    inclusion = {(f"e{n}", "tone"): 0.1 if n < 10 else 1.0 for n in range(20)}
    weighted = Ratings("people", people.values, people.scales, inclusion=inclusion)
    assert agreement(judge, people).rows[0].raw.value == 0.5
    row = agreement(judge, weighted).rows[0]
    assert row.raw.value == pytest.approx(100 / 110)
    assert row.kappa.value == pytest.approx(2 * 100 / 110 - 1)
    assert row.tpr.value == pytest.approx(50 / 55)
    assert row.confusion == ((5, 5), (5, 5))


def test_two_files_of_labels_are_compared_on_the_scale_of_both() -> None:
    """The first person never used the fifth star."""
    stars = [
        [Label(episode=f"e{n}", criterion="stars", rater=rater, level=level) for n, level in enumerate(levels)]
        for rater, levels in (("ann", "1234"), ("bob", "1235"))
    ]
    scales = scales_of([*stars[0], *stars[1]])
    row = agreement(*(ratings_of_labels(labels, scales=scales) for labels in stars)).rows[0]
    assert row.levels == ("1", "2", "3", "4", "5")
    assert row.confusion[3] == (0, 0, 0, 0, 1)
    apart = agreement(*map(ratings_of_labels, stars)).rows[0]
    assert apart.left_out == {"the two raters answer on different scales": 4}


def test_nothing_in_common_is_an_error_that_names_both() -> None:
    with pytest.raises(CalibrationError, match="judge:a and people answered no question in common"):
        agreement(rated("judge:a", [1, 0]), rated("people", [1, 0], "amount"))
    with pytest.raises(CalibrationError, match="judge:a has nobody to be compared with"):
        agreement(rated("judge:a", [1, 0]))


def test_a_criterion_that_nobody_labelled_has_no_row() -> None:
    a = merged(rated("a", [1, 0]), rated("a", [1, 0], "amount"))
    assert [row.criterion for row in agreement(a, rated("b", [1, 0])).rows] == ["tone"]


def test_the_pairing_brings_its_own_ceiling() -> None:
    labels = [
        Label(episode=f"e{n}", criterion="solved", rater=rater, level="15"[(n + (rater == "bob" and n < 4)) % 2])
        for n in range(40) for rater in ("ann", "bob")
    ]  # fmt: skip
    row = agreement(pair(records_of(simulate("corr", 40, np.random.default_rng(1))), labels)).rows[0]
    assert row.ceiling.n == 40
    assert row.ceiling.raw.value == 0.9
    assert len(row.ceiling.conflicts) == 4


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_every_figure_lies_within_its_interval_and_range_or_says_why(data) -> None:
    n = data.draw(st.integers(1, 25))
    column = st.lists(st.sampled_from([0, 0.25, 0.5, 0.6, 1]), min_size=n, max_size=n)
    tasks = np.array(data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)))
    columns = Columns(np.array(data.draw(column)), np.array(data.draw(column)), tasks, np.ones(n), STARS)
    found = compared(columns, resamples=40)
    assert set(found) == set(FIGURES)
    for name, figure in found.items():
        if figure.value is None:
            assert figure.why, name
            continue
        assert -1 <= figure.value <= 1, name
        if figure.low is not None:
            assert -1 <= figure.low <= figure.value + 1e-12 <= figure.high + 2e-12 <= 1 + 3e-12, name
