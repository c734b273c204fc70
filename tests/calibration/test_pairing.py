"""Pairing: by episode and criterion, once; what is left out is said."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.errors import LabelError
from calibration.label import Label
from calibration.pairing import pair
from tests.calibration.panels import records_of, simulate


def records(n: int = 6):
    return records_of(simulate("corr", n, np.random.default_rng(1)))


def test_labels_meet_grades_by_episode_and_criterion() -> None:
    found = pair(
        records(),
        [
            Label(episode="e2", criterion="solved", rater="ann", level="5"),
            Label(episode="e3", rater="ann", level="pass"),
        ],
    )
    assert [(p.item.episode, p.item.criterion, p.truth) for p in found.pairs] == [
        ("e2", "solved", 1.0),
        ("e3", None, 1.0),
    ]
    assert len(found.items) == 12
    assert not found.left_out


def test_the_truth_is_the_mean_over_people_and_conflicts_are_listed() -> None:
    """C06: kept per annotator; no silent last-wins."""
    labels = [Label(episode="e1", rater="a", level="pass"), Label(episode="e1", rater="b", level="fail")]
    found = pair(records(), labels)
    assert found.pairs[0].truth == 0.5
    assert found.pairs[0].raters == {"person:a": 1.0, "person:b": 0.0}
    assert found.conflicts == ("e1",)


def test_a_level_off_the_scale_is_refused_with_its_place() -> None:
    found = pair(records(), [Label(episode="e2", criterion="solved", rater="a", level="7", place="labels.csv line 4")])
    assert not found.pairs
    assert found.left_out[0].reason == "level not on the scale"
    assert "labels.csv line 4" in found.left_out[0].ids[0]
    assert "['1', '2', '3', '4', '5']" in found.left_out[0].ids[0]


def test_a_rater_who_contradicts_himself_is_left_out_and_others_stay() -> None:
    labels = [
        Label(episode="e1", rater="a", level="pass", place="row 2"),
        Label(episode="e1", rater="a", level="fail", place="row 9"),
        Label(episode="e1", rater="b", level="pass"),
    ]
    found = pair(records(), labels)
    assert found.pairs[0].raters == {"person:b": 1.0}
    assert "row 2" in found.left_out[0].ids[0]
    assert "row 9" in found.left_out[0].ids[0]


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        (Label(episode="e9", rater="a", level="pass"), "no grade record of this episode"),
        (
            Label(episode="e1", criterion="tone", rater="a", level="yes"),
            "no grade: the episode's rubric has no such criterion",
        ),
        (
            Label(episode="e1", rater="a", level="cannot_tell"),
            "the people could not tell, or said that it does not apply",
        ),
        (
            Label(episode="e1", rater="a", level="pass", used_for="tuning"),
            "marked as used for tuning or as an example (tuning)",
        ),
    ],
    ids=["episode", "criterion", "could not tell", "tuning"],
)
def test_what_is_left_out_says_why(label: Label, reason: str) -> None:
    found = pair(records(), [label])
    assert not found.pairs
    assert [left.reason for left in found.left_out] == [reason]


def test_an_ungraded_episode_stays_in_the_count() -> None:
    """C04: n used and coverage beside every number."""
    graded = records(4)
    ungraded = graded[3].model_copy(
        update={"ungated": None, "score": None, "judgements": (), "verdicts": (), "panel": ()}
    )
    labels = [Label(episode=f"e{i}", rater="a", level="pass") for i in range(4)]
    found = pair([*graded[:3], ungraded], labels)
    assert len(found.pairs) == 3
    assert found.coverage == 0.75


def test_an_episode_graded_twice_is_an_error() -> None:
    with pytest.raises(LabelError, match="graded twice, such as e0"):
        pair([*records(2), *records(1)], [])
