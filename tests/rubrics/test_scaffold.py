"""The rubric that a newcomer starts from."""

from __future__ import annotations

import pytest

from rubrics import Rubric, RubricError, load
from rubrics.linting import lint
from rubrics.loading import parse_text
from rubrics.scaffold import new_rubric


def loaded(text: str) -> Rubric:
    return load(parse_text(text, where="new"))


def test_it_loads_lints_clean_and_shows_each_kind_of_criterion() -> None:
    text = new_rubric("order_reply", "Reply about an order")
    rubric = loaded(text)
    assert (rubric.id, rubric.title) == ("order_reply", "Reply about an order")
    assert lint(rubric, text=text) == []
    assert any(c.is_gate for c in rubric.leaves)
    assert any(c.weight < 0 for c in rubric.leaves)
    assert any(len(c.levels) > 2 for c in rubric.leaves)
    assert {c.judged for c in rubric.leaves} == {True, False}


@pytest.mark.parametrize(
    "title", ['A "quoted" title: with # and {{ braces }}', "\n- x: 1", "é — ü", "yes", "", "{0} {id} %s"]
)
def test_any_title_is_kept_as_it_is(title: str) -> None:
    assert loaded(new_rubric("mine", title)).title == (title.strip() or "Mine")


def test_the_first_line_tells_an_editor_where_the_schema_is() -> None:
    assert new_rubric("mine", schema="../s.json").splitlines()[0] == "# yaml-language-server: $schema=../s.json"


@pytest.mark.parametrize("rubric_id", ["Mine", "1st", "a b", "", "a\n", "../x"])
def test_what_can_be_no_id_is_refused(rubric_id: str) -> None:
    with pytest.raises(RubricError, match="must be small letters, digits and _"):
        new_rubric(rubric_id)
