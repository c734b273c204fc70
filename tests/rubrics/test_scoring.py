"""Verdicts in, a grade out: against exact arithmetic, against every completion of what is missing, and by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rubrics import NOT_APPLICABLE, Rubric, RubricError, Section, Verdict, load, score, verdict_on
from tests.rubrics.building import PERSON, answers, contents, criterion, flat, made, randomly

CLOSE = 1e-9


def loaded(content: Mapping[str, Any]) -> Rubric:
    try:
        return load(content)
    except RubricError:
        assume(False)
        raise


def choices(rubric: Rubric, name: str) -> list[str]:
    levels = [level.name for level in rubric.by_id[name].levels]
    return [*levels, NOT_APPLICABLE] if rubric.by_id[name].may_not_apply else levels


def verdicts(rubric: Rubric, levels: Mapping[str, str]) -> list[Verdict]:
    return [verdict_on(rubric.by_id[name], level, rater=PERSON) for name, level in levels.items()]


def exact(node: Rubric | Section, sign: int, values: Mapping[str, Fraction]) -> tuple[bool, Fraction] | None:
    """Whether anything in it can earn, and its weighted mean, by the definition and in fractions."""
    parts = []
    for c in node.criteria:
        if c.id in values and c.weight:
            own = sign * (1 if c.weight > 0 else -1)
            parts.append((abs(Fraction(c.weight)), own > 0, own * values[c.id]))
    for s in node.sections:
        inner = exact(s, sign * (1 if s.weight > 0 else -1), values) if s.weight else None
        if inner is not None:
            parts.append((abs(Fraction(s.weight)), *inner))
    if not parts:
        return None
    earning = [part for part in parts if part[1]]
    return bool(earning), sum(w * u for w, _, u in parts) / sum(w for w, _, _ in earning or parts)


def expected(rubric: Rubric, levels: Mapping[str, str]) -> float | None:
    """The score of full verdicts, by the definition."""
    values = {
        name: Fraction(rubric.by_id[name].by_name[level].value)
        for name, level in levels.items()
        if level != NOT_APPLICABLE
    }
    if any(g.id in values and levels[g.id] != g.levels[-1].name for g in rubric.gates):
        return 0.0
    if rubric.gates_alone:
        return 1.0 if any(g.id in values for g in rubric.gates) else None
    found = exact(rubric, 1, values)
    return float(min(1, max(0, found[1]))) if found is not None and found[0] else None


@st.composite
def graded(draw: st.DrawFn, **how: Any) -> tuple[Rubric, dict[str, str]]:
    rubric = loaded(draw(contents(**how)))
    return rubric, {name: draw(st.sampled_from(choices(rubric, name))) for name in rubric.by_id}


@randomly
@given(graded())
def test_full_verdicts_score_as_exact_arithmetic_says(case: tuple[Rubric, dict[str, str]]) -> None:
    rubric, levels = case
    grade, wanted = score(rubric, verdicts(rubric, levels)), expected(rubric, levels)
    assert (grade.score is None) == (wanted is None)
    if wanted is not None and grade.score is not None:
        assert grade.score == pytest.approx(wanted, abs=CLOSE)
        assert grade.low == grade.high == pytest.approx(grade.score, abs=CLOSE)
    assert grade.missing == ()


def completions(rubric: Rubric, levels: Mapping[str, str], missing: list[str]) -> Iterator[float]:
    for choice in itertools.product(*(choices(rubric, name) for name in missing)):
        found = expected(rubric, {**levels, **dict(zip(missing, choice, strict=True))})
        if found is not None:
            yield found


@settings(randomly, max_examples=250)
@given(graded(), st.data())
def test_low_and_high_are_the_least_and_the_greatest_score_of_any_completion(
    case: tuple[Rubric, dict[str, str]], data: st.DataObject
) -> None:
    rubric, levels = case
    missing = sorted(data.draw(st.sets(st.sampled_from(sorted(levels)), max_size=4)))
    grade = score(rubric, verdicts(rubric, {name: level for name, level in levels.items() if name not in missing}))
    possible = list(completions(rubric, levels, missing))
    if (
        grade.low is None or grade.high is None
    ):  # nothing that earns applies: only a gate that closes could make it a number
        assert grade.score is None
        assert set(possible) <= {0.0}
        return
    # A closed gate is certain whatever else; otherwise both ends are reached, unless a gate and its weight pull apart.
    assert grade.low <= min(possible) + CLOSE
    assert grade.high >= max(possible) - CLOSE
    if not rubric.gates:
        assert grade.low == pytest.approx(min(possible), abs=CLOSE)
        assert grade.high == pytest.approx(max(possible), abs=CLOSE)
    assert grade.score is None or grade.low <= grade.score <= grade.high


@randomly
@given(graded(), st.data())
def test_one_more_verdict_never_widens_what_the_score_could_be(
    case: tuple[Rubric, dict[str, str]], data: st.DataObject
) -> None:
    rubric, levels = case
    order = data.draw(st.permutations(sorted(levels)))
    bounds = []
    for known in range(len(order) + 1):
        grade = score(rubric, verdicts(rubric, {name: levels[name] for name in order[:known]}))
        if grade.low is not None and grade.high is not None:
            bounds.append((grade.low, grade.high))
    for (low, high), (later_low, later_high) in itertools.pairwise(bounds):
        assert low - CLOSE <= later_low <= later_high + CLOSE
        assert later_high <= high + CLOSE


@randomly
@given(graded(section_weights=(0, 1, 3)), st.data())
def test_a_better_verdict_never_lowers_the_score(case: tuple[Rubric, dict[str, str]], data: st.DataObject) -> None:
    rubric, levels = case
    name = data.draw(st.sampled_from(sorted(levels)))
    scale = [level.name for level in rubric.by_id[name].levels]
    scale = scale[::-1] if rubric.by_id[name].weight < 0 else scale
    scores = [score(rubric, verdicts(rubric, {**levels, name: level})).score for level in scale]
    for worse, better in itertools.pairwise(scores):
        assert worse is None or better is None or worse <= better + CLOSE


@randomly
@given(graded(), st.data())
def test_the_order_of_criteria_and_of_verdicts_does_not_matter(
    case: tuple[Rubric, dict[str, str]], data: st.DataObject
) -> None:
    rubric, levels = case
    other = rubric.model_copy(update={"criteria": rubric.criteria[::-1], "sections": rubric.sections[::-1]})
    given_in = data.draw(st.permutations(verdicts(rubric, levels)))
    assert score(other, given_in).score == score(rubric, verdicts(rubric, levels)).score


@randomly
@given(graded(section_weights=(1,)))
def test_a_flat_rubric_scores_as_one_section_of_it_does(case: tuple[Rubric, dict[str, str]]) -> None:
    rubric, levels = case
    whole = load({"id": "flat", "criteria": [c.model_dump(mode="json") for c in rubric.leaves]})
    inside = load(
        {
            "id": "one",
            "sections": [{"id": "all", "weight": 7, "criteria": [c.model_dump(mode="json") for c in rubric.leaves]}],
        }
    )
    first, second = score(whole, verdicts(whole, levels)), score(inside, verdicts(inside, levels))
    assert (first.score is None) == (second.score is None)
    assert first.score is None or first.score == pytest.approx(second.score, abs=CLOSE)


@randomly
@given(graded(gates=False))
def test_shares_are_what_the_score_is_made_of(case: tuple[Rubric, dict[str, str]]) -> None:
    rubric, levels = case
    grade = score(rubric, verdicts(rubric, levels))
    shares = rubric.shares_among(frozenset(name for name, level in levels.items() if level != NOT_APPLICABLE))
    earning = math.fsum(share for share in shares.values() if share > 0)
    if grade.raw is None:
        assert earning == 0
    else:
        assert earning == pytest.approx(1) or not rubric.sections
        total = math.fsum(share * (grade.values[name] or 0.0) for name, share in shares.items())
        assert total / earning == pytest.approx(grade.raw, abs=CLOSE)


@randomly
@given(graded(), st.data())
def test_a_closed_gate_is_zero_whatever_else_is_said_or_missing(
    case: tuple[Rubric, dict[str, str]], data: st.DataObject
) -> None:
    rubric, levels = case
    assume(rubric.gates)
    gate = data.draw(st.sampled_from(rubric.gates))
    kept = data.draw(st.sets(st.sampled_from(sorted(levels))))
    said = {name: level for name, level in levels.items() if name in kept} | {gate.id: gate.levels[0].name}
    grade = score(rubric, verdicts(rubric, said))
    assert (grade.score, grade.low, grade.high) == (0.0, 0.0, 0.0)
    assert gate.id in grade.closed_gates


# The cases that have gone wrong in public, by their names.


@pytest.mark.parametrize("weights", [{"a": 0, "b": 0}, {"a": 0}, {"a": -1, "b": 0}], ids=str)
def test_G01_weights_that_can_earn_nothing_are_refused_at_load_and_named(weights: dict[str, float]) -> None:
    with pytest.raises(RubricError, match="no criterion has a positive weight") as refused:
        flat(**weights)
    assert all(f"'{name}': {weight}" in str(refused.value) for name, weight in weights.items())


def test_G03_a_rubric_of_penalties_alone_is_refused_at_load() -> None:
    with pytest.raises(RubricError, match="no criterion has a positive weight"):
        flat(rude=-3, leaks_id=-5)


def test_G03_penalties_that_remain_alone_give_no_score_and_no_division_by_zero() -> None:
    rubric = flat(answers=1, rude=-3)
    grade = score(rubric, answers(rubric, answers=NOT_APPLICABLE, rude="no"))
    assert (grade.score, grade.low, grade.high, grade.raw) == (None, None, None, None)


def test_G04_the_raw_score_is_kept_beside_the_clipped_one() -> None:
    rubric = flat(answers=5, rude=-8)
    grade = score(rubric, answers(rubric, answers="yes", rude="yes"))
    assert (grade.score, grade.raw, grade.ungated) == (0.0, pytest.approx(-0.6), 0.0)


def test_G05_six_of_twelve_met_and_six_unjudged_is_no_full_score() -> None:
    rubric = flat(**{f"c{i}": 1 for i in range(12)})
    grade = score(rubric, answers(rubric, **{f"c{i}": "yes" for i in range(6)}))
    assert (grade.score, grade.coverage, grade.low, grade.high) == (None, 0.5, 0.5, 1.0)
    assert len(grade.missing) == 6


def test_G07_nothing_judged_is_no_score_and_not_zero() -> None:
    rubric = flat(a=1, b=1)
    grade = score(rubric, [])
    assert (grade.score, grade.coverage, grade.passed) == (None, 0.0, None)


def test_G11_required_criteria_that_nobody_judged_do_not_pass() -> None:
    rubric = made(criterion("a", gate=True), criterion("b", gate=True), criterion("c"), pass_mark=0.5)
    grade = score(rubric, answers(rubric, c="yes"))
    assert (grade.score, grade.passed, grade.low, grade.high) == (None, None, 0.0, 1.0)


def test_G29_a_rubric_without_criteria_is_refused() -> None:
    with pytest.raises(RubricError, match="holds no criteria"):
        load({"id": "empty", "criteria": []})


def test_G48_a_level_of_another_scale_is_refused_and_never_averaged() -> None:
    rubric = made(criterion("a", scale="1-5"))
    old = Verdict(criterion="a", rater="judge:x", level="7", value=6 / 9)
    with pytest.raises(ValueError, match=r"judge:x chose '7' for 'a', expected one of \['1', '2', '3', '4', '5'\]"):
        score(rubric, [old])


def test_G52_scales_of_different_length_are_brought_to_the_same_range() -> None:
    rubric = made(criterion("a", scale="1-5"), criterion("b", scale="0-2"), criterion("c"))
    grade = score(rubric, answers(rubric, a="3", b="1", c="yes"))
    assert grade.score == pytest.approx((0.5 + 0.5 + 1) / 3)


# What design says, by hand.


@pytest.mark.parametrize(
    ("if_unknown", "wanted"),
    [("against", (0.5, 0.5, 0.5)), ("missing", (None, 0.5, 1.0)), ("exclude", (1.0, 1.0, 1.0))],
    ids=["against", "missing", "exclude"],
)
def test_could_not_tell_means_what_the_criterion_says(
    if_unknown: str, wanted: tuple[float | None, float, float]
) -> None:
    rubric = made(criterion("a", if_unknown=if_unknown), criterion("b"))
    grade = score(rubric, answers(rubric, a=None, b="yes"))
    assert (grade.score, grade.low, grade.high) == wanted


def test_could_not_tell_about_a_penalty_counts_as_the_bad_thing() -> None:
    rubric = flat(good=2, bad=-1)
    grade = score(rubric, answers(rubric, good="yes", bad=None))
    assert (grade.score, grade.values["bad"]) == (0.5, 1.0)


def test_inside_a_section_of_negative_weight_not_knowing_counts_against_too() -> None:
    rubric = load(
        {
            "id": "x",
            "criteria": [criterion("good", weight=2)],
            "sections": [{"id": "harm", "weight": -1, "criteria": [criterion("bad")]}],
        }
    )
    assert score(rubric, answers(rubric, good="yes", bad="no")).score == 1.0
    assert score(rubric, answers(rubric, good="yes", bad="yes")).score == 0.5
    assert score(rubric, answers(rubric, good="yes", bad=None)).score == 0.5
    assert score(rubric, answers(rubric, good="yes"), forfeited=["bad"]).score == 0.5


def test_what_may_not_apply_can_still_leave_both_sums_so_high_and_low_allow_for_it() -> None:
    rubric = made(criterion("a", weight=1), criterion("b", weight=3, may_not_apply=True), criterion("rude", weight=-1))
    grade = score(rubric, answers(rubric, a="yes", rude="yes"))
    # b met: (1 + 3 - 1) / 4; b not met: (1 - 1) / 4; b does not apply: (1 - 1) / 1
    assert (grade.low, grade.high) == (0.0, 0.75)
    other = score(rubric, answers(rubric, a="no", rude="no"))
    assert (other.low, other.high) == (0.0, 0.75)
    third = score(rubric, answers(rubric, a="yes", rude="no"))
    assert (third.low, third.high) == (0.25, 1.0)


def test_a_part_in_which_nothing_earns_takes_no_weight_from_the_parts_beside_it() -> None:
    harm = {"id": "harm", "criteria": [criterion("p", weight=-1)]}
    rubric = load(
        {
            "id": "x",
            "sections": [
                {"id": "one", "criteria": [criterion("a")]},
                {"id": "two", "criteria": [criterion("b")], "sections": [harm]},
            ],
        }
    )
    assert rubric.shares == {"a": 0.5, "b": 0.5, "p": -0.5}
    assert score(rubric, answers(rubric, a="yes", b="no", p="no")).score == 0.5


def test_forfeited_criteria_count_at_their_worst_and_are_not_covered() -> None:
    rubric = flat(a=1, b=1)
    grade = score(rubric, answers(rubric, a="yes"), forfeited=["b"])
    assert (grade.score, grade.coverage, grade.missing) == (0.5, 0.5, ())


def test_a_forfeited_gate_is_closed() -> None:
    rubric = made(criterion("g", gate=True), criterion("a"))
    assert score(rubric, answers(rubric, a="yes"), forfeited=["g"]).closed_gates == ("g",)


def test_skipped_criteria_are_not_missing_behind_a_closed_gate() -> None:
    rubric = made(criterion("g", gate=True), criterion("a"))
    grade = score(rubric, answers(rubric, g="no"), skipped=["a"])
    assert (grade.score, grade.missing, grade.skipped, grade.flags) == (0.0, (), ("a",), ())


def test_skipped_criteria_behind_open_gates_leave_the_score_open() -> None:
    rubric = made(criterion("g", gate=True), criterion("a"))
    grade = score(rubric, answers(rubric, g="yes"), skipped=["a"])
    assert (grade.score, grade.low, grade.high) == (None, 0.0, 1.0)


@pytest.mark.parametrize("where", ["skipped", "forfeited"])
def test_a_stranger_among_skipped_or_forfeited_is_refused(where: str) -> None:
    rubric = flat(a=1)
    with pytest.raises(ValueError, match=r"'z' is skipped or forfeited, expected one of \['a'\]"):
        score(rubric, [], **{where: ["z"]})


def test_a_gate_that_does_not_apply_is_open() -> None:
    rubric = made(criterion("g", gate=True), criterion("a"))
    grade = score(rubric, answers(rubric, g=NOT_APPLICABLE, a="yes"))
    assert (grade.score, grade.not_applicable) == (1.0, ("g",))


def test_gates_alone_score_one_when_open_and_nothing_when_none_applies() -> None:
    rubric = made(criterion("g", gate=True), criterion("info", weight=0))
    assert score(rubric, answers(rubric, g="yes", info="no")).score == 1.0
    assert score(rubric, answers(rubric, g=NOT_APPLICABLE, info="yes")).score is None


def test_a_closed_gate_is_zero_even_where_nothing_that_earns_applies() -> None:
    rubric = made(criterion("g", gate=True), criterion("a"))
    grade = score(rubric, answers(rubric, g="no", a=NOT_APPLICABLE))
    assert (grade.score, grade.low, grade.high, grade.raw) == (0.0, 0.0, 0.0, None)


def test_a_gate_goes_by_the_level_and_the_score_by_the_value() -> None:
    rubric = made(criterion("g", gate=True, weight=1), criterion("a"))
    split = Verdict(criterion="g", rater="panel", level="yes", value=0.7)
    grade = score(rubric, [split, *answers(rubric, a="yes")])
    assert (grade.score, grade.closed_gates) == (pytest.approx(0.85), ())


def test_a_gate_with_a_threshold_of_its_own_opens_at_that_level() -> None:
    levels = [{"name": n, "value": v} for n, v in (("bad", 0), ("fair", 0.5), ("good", 1))]
    rubric = made(criterion("g", gate="fair", levels=levels), criterion("a"))
    assert score(rubric, answers(rubric, g="fair", a="yes")).score == 1.0
    assert score(rubric, answers(rubric, g="bad", a="yes")).score == 0.0


def test_behind_a_closed_gate_ungated_says_what_it_would_have_been() -> None:
    rubric = made(criterion("g", gate=True), criterion("a"), criterion("b"))
    grade = score(rubric, answers(rubric, g="no", a="yes", b="no"))
    assert (grade.score, grade.ungated, grade.raw) == (0.0, 0.5, 0.5)


@pytest.mark.parametrize(
    ("width", "wanted"), [(0.0, None), (0.1, 0.95), (0.09, None)], ids=["none", "within", "beyond"]
)
def test_a_width_that_is_accepted_gives_the_midpoint_and_a_flag(width: float, wanted: float | None) -> None:
    rubric = made(criterion("a", weight=9), criterion("b"), accept_width=width, pass_mark=0.9)
    grade = score(rubric, answers(rubric, a="yes"))
    assert grade.score == (None if wanted is None else pytest.approx(wanted))
    assert ("accepted_width" in grade.flags) == (wanted is not None)
    assert (grade.low, grade.high) == (pytest.approx(0.9), 1.0)


def test_what_is_missing_and_weighs_nothing_leaves_the_score_known() -> None:
    rubric = flat(a=1, info=0)
    grade = score(rubric, answers(rubric, a="yes"))
    assert (grade.score, grade.missing, grade.flags) == (1.0, ("info",), ("missing",))


def test_two_verdicts_on_one_criterion_are_refused() -> None:
    rubric = flat(a=1)
    with pytest.raises(ValueError, match="two verdicts on 'a'; pool them before scoring"):
        score(rubric, answers(rubric, a="yes") * 2)


def test_a_verdict_on_a_criterion_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match=r"person:ann judged 'z', expected one of \['a'\]"):
        score(flat(a=1), answers(flat(z=1), z="yes"))


@pytest.mark.parametrize("weight", [1e9, 1e-9], ids=["largest", "smallest"])
def test_weights_at_the_ends_of_what_is_allowed_still_add_up(weight: float) -> None:
    rubric = flat(a=weight, b=weight, c=weight)
    assert score(rubric, answers(rubric, a="yes", b="no", c="yes")).score == pytest.approx(2 / 3)
