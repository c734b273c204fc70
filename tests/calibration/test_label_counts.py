"""How many labels there are, by whom, and what they say at large."""

from __future__ import annotations

import pytest

from calibration.label import Label
from calibration.label_counts import count_labels


def test_each_question_is_counted_on_its_own_the_whole_first() -> None:
    labels = [
        Label(episode="a", criterion="tone", rater="ann", level="yes"),
        Label(episode="a", criterion="tone", rater="ben", level="no"),
        Label(episode="b", criterion="tone", rater="ann", level="cannot_tell"),
        Label(episode="a", rater="ann", level="pass", used_for="tuning"),
        Label(episode="b", rater="ann", value=0.5),
    ]
    whole, tone = count_labels(labels)
    assert (whole.criterion, whole.labels, whole.base_rate, whole.used, whole.double_share) == (None, 2, 0.75, 1, 0.0)
    assert whole.answers == {"pass": 1, "value": 1}
    assert (tone.labels, tone.episodes, tone.raters) == (3, 2, ("person:ann", "person:ben"))
    assert (tone.base_rate, tone.cannot_tell, tone.double_share) == (0.5, 1, 0.5)


@pytest.mark.parametrize(
    ("scales", "rate"), [(None, None), ({"tone": {"1": 0.0, "5": 1.0}}, 0.5), ({"tone": {"1": 0.0}}, None)]
)
def test_a_base_rate_needs_the_value_of_every_level(
    scales: dict[str, dict[str, float]] | None, rate: float | None
) -> None:
    labels = [Label(episode=level, criterion="tone", rater="ann", level=level) for level in ("1", "5")]
    assert count_labels(labels, scales)[0].base_rate == rate


def test_answers_that_settle_nothing_give_no_base_rate() -> None:
    assert count_labels([Label(episode="a", rater="ann", level="cannot_tell")])[0].base_rate is None
    assert count_labels([]) == []
