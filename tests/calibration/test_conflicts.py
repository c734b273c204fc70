"""One person, one question, answers that differ: all are kept and named."""

from __future__ import annotations

import pytest

from calibration.conflicts import conflicts
from calibration.label import Label


def label(
    level: str | None = None, value: float | None = None, *, criterion: str | None = None, rater: str = "ann"
) -> Label:
    return Label(episode="e1", criterion=criterion, rater=rater, level=level, value=value)


@pytest.mark.parametrize(
    ("said", "contradict"),
    [
        ([label("pass"), label("fail")], True),
        ([label("pass"), label("pass")], False),
        ([label("pass"), label(value=1.0)], False),
        ([label("pass"), label(value=0.8)], True),
        ([label("pass"), label("cannot_tell")], True),
        ([label("pass"), label("fail", rater="ben")], False),
        ([label("yes", criterion="tone"), label("fail")], False),
        ([label("4", criterion="tone"), label("5", criterion="tone")], True),
        ([label("4", criterion="tone"), label(value=0.75, criterion="tone")], False),
        ([label(value=0.7, criterion="tone"), label("4", criterion="tone"), label(value=0.75, criterion="tone")], True),
    ],
)
def test_only_answers_that_can_be_compared_contradict_each_other(said: list[Label], contradict: bool) -> None:
    assert bool(conflicts(said)) == contradict


def test_each_answer_is_listed_once_in_its_order() -> None:
    (found,) = conflicts([label("fail"), label("pass"), label("fail")])
    assert [x.level for x in found.labels] == ["fail", "pass"]
    assert str(found) == "e1: person:ann said 'fail' and 'pass'"
