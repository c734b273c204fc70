"""What one rater said: from items, from pairings, from labels that stand alone."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.agreeing.ratings import (
    ratings_of_judge,
    ratings_of_labels,
    ratings_of_panel,
    ratings_of_people,
    ratings_of_person,
    scales_of,
)
from calibration.items import Item
from calibration.label import Label
from calibration.pairing import pair
from tests.calibration.panels import STARS, records_of, simulate


@pytest.fixture
def pairing():
    labels = [
        Label(episode="e0", criterion="solved", rater="ann", level="5"),
        Label(episode="e0", criterion="solved", rater="bob", level="3"),
        Label(episode="e1", criterion="solved", rater="ann", level="cannot_tell"),
        Label(episode="e1", criterion="solved", rater="bob", level="1"),
        Label(episode="e2", criterion="solved", rater="ann", level="not_applicable"),
        Label(episode="e9", criterion="solved", rater="ann", level="1"),
        Label(episode="e3", criterion="solved", rater="ann", level="9", place="row 7"),
        Label(episode="e4", rater="bob", level="pass", inclusion=0.25),
    ]
    return pair(records_of(simulate("corr", 6, np.random.default_rng(1))), labels)


def test_people_are_the_mean_over_persons(pairing) -> None:
    found = ratings_of_people(pairing)
    assert found.values == {("e0", "solved"): 0.75, ("e1", "solved"): 0.0, ("e4", None): 1.0}
    assert found.inclusion == {("e4", None): 0.25}
    assert found.tasks["e3"] == "t3"


def test_what_has_no_value_has_a_reason(pairing) -> None:
    assert ratings_of_people(pairing).without == {
        ("e2", "solved"): "the people could not tell, or said that it does not apply",
        ("e3", "solved"): "level not on the scale",
        ("e9", "solved"): "no grade record of this episode",
    }


def test_one_person_could_not_tell_where_another_could(pairing) -> None:
    ann = ratings_of_person(pairing, "person:ann")
    assert ann.values == {("e0", "solved"): 1.0}
    assert ann.without[("e1", "solved")] == "could not tell, or said that it does not apply"


def test_panel_and_judge_rate_every_item(pairing) -> None:
    panel, judge = ratings_of_panel(pairing.items), ratings_of_judge(pairing.items, "j1")
    assert (panel.rater, judge.rater) == ("panel", "judge:j1")
    assert len(panel.values) == len(judge.values) == 12
    assert panel.scales[("e0", "solved")] == STARS


def item(criterion: str | None, **more) -> Item:
    return Item(episode="e", task="t", criterion=criterion, judges={"j": 0.8}, panel=("j",), covariates={}, **more)


def test_a_closed_gate_makes_the_whole_0_for_the_panel_and_not_for_a_judge() -> None:
    items = [item(None, pooled=0.8, closed=True), item("tone", pooled=0.8, closed=True)]
    assert ratings_of_panel(items).values == {("e", None): 0.0, ("e", "tone"): 0.8}
    assert ratings_of_judge(items, "j").values == {("e", None): 0.8, ("e", "tone"): 0.8}


def test_an_ungraded_item_says_why() -> None:
    found = ratings_of_panel([item("tone", pooled=None, ungraded="timeout (infra)")])
    assert not found.values
    assert found.without == {("e", "tone"): "no grade: timeout (infra)"}


def label(episode: str, level: str, rater: str = "ann", criterion: str = "tone", **more) -> Label:
    return Label(episode=episode, criterion=criterion, rater=rater, level=level, **more)


def test_labels_that_stand_alone_are_the_mean_over_persons_or_one_of_them() -> None:
    given = [label("e1", "yes"), label("e1", "no", "bob"), label("e2", "cannot_tell")]
    both, ann = ratings_of_labels(given), ratings_of_labels(given, person="person:ann")
    assert both.values == {("e1", "tone"): 0.5}
    assert both.without == {("e2", "tone"): "could not tell, or said that it does not apply"}
    assert (ann.rater, ann.values) == ("person:ann", {("e1", "tone"): 1.0})
    named = ratings_of_labels(given, rater="people of the first file")
    assert (named.rater, named.values) == ("people of the first file", both.values)


def test_a_person_who_contradicts_himself_says_nothing() -> None:
    found = ratings_of_labels([label("e1", "yes"), label("e1", "no"), label("e1", "no", "bob"), label("e2", "yes")])
    assert found.values == {("e1", "tone"): 0.0, ("e2", "tone"): 1.0}
    alone = ratings_of_labels([label("e1", "yes"), label("e1", "no")])
    assert alone.without == {("e1", "tone"): "gave different answers to the same question"}


def test_scales_that_speak_for_themselves() -> None:
    given = [label("e1", "4", criterion="stars"), label("e2", "2", criterion="stars"), label("e3", "no")]
    given += [label("e4", "warm", criterion="manner"), Label(episode="e5", rater="ann", level="pass")]
    found = scales_of(given)
    assert found["stars"] == {"2": 0.0, "4": 1.0}
    assert found["tone"] == {"no": 0.0, "yes": 1.0}
    assert found[None] == {"pass": 1.0, "fail": 0.0}
    assert "manner" not in found


def test_levels_of_an_unknown_scale_are_left_out_and_say_so() -> None:
    found = ratings_of_labels([label("e4", "warm")])
    assert found.without == {("e4", "tone"): "the scale is not known: give the rubric, or the grades"}
    known = ratings_of_labels([label("e4", "warm"), label("e5", "hot")], scales={"tone": {"cold": 0.0, "warm": 1.0}})
    assert known.values == {("e4", "tone"): 1.0}
    assert known.without == {("e5", "tone"): "level not on the scale"}


def test_labels_that_a_judge_has_seen_are_no_evidence() -> None:
    found = ratings_of_labels([label("e1", "yes", used_for="example")])
    assert found.without == {("e1", "tone"): "marked as used for tuning or as an example"}
