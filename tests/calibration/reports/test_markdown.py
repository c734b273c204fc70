"""Markdown and JSON say what the page says."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.reports import Findings, to_json, to_markdown
from calibration.reports.links import Link
from calibration.reports.markdown import plain
from calibration.reports.sections import sections_of
from calibration.results import Disagreement
from tests.calibration.reports import samples
from tests.calibration.reports.samples import findings
from tests.calibration.reports.test_html import REPORTS, Page, page_of


@pytest.fixture(params=["all parts", "one class", "no labels"])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def found(name: str) -> Findings:
    return REPORTS[name]()


def words(text: str) -> str:
    """Without the signs of Markdown, in one line."""
    return " ".join(re.sub(r"[\\*`|#]", "", text).split())


def test_markdown_has_the_headings_and_the_verdict_of_the_page(found: Findings, name: str) -> None:
    markdown, page = to_markdown(found), Page(page_of(name))
    for section in sections_of(found, Link()):
        assert f"## {plain(section.title)}\n" in markdown
        assert section.title in page.text
    for trust in (found.whole, *found.criteria):
        assert words(trust.reason) in words(markdown)
        assert " ".join(trust.reason.split()) in page.text
    for step in found.steps:
        assert words(step) in words(markdown)
        assert step in page.text


def test_markdown_and_page_have_the_same_tables(found: Findings, name: str) -> None:
    markdown = to_markdown(found)
    assert markdown.count("\n| --- |") == len(Page(page_of(name)).all("table"))


def test_rows_of_a_table_have_one_cell_for_each_heading(found: Findings) -> None:
    for block in re.findall(r"(?:^\|.*\n?)+", to_markdown(found), flags=re.MULTILINE):
        counts = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(counts) == 1


def test_json_holds_every_figure_and_comes_back_the_same(found: Findings) -> None:
    text = to_json(found)
    assert Findings.model_validate_json(text) == found
    read = json.loads(text)
    assert read["schema"] == 1
    assert [c["mark"] for c in read["criteria"]] == [t.mark for t in found.criteria]
    assert "NaN" not in text


def test_unknown_is_a_dash_in_markdown(found: Findings) -> None:
    assert not {"None", "nan", "NaN", "True", "False"} & set(re.findall(r"\w+", to_markdown(found)))


def test_nobody_s_text_becomes_markup_or_ends_a_cell() -> None:
    evil = Disagreement(
        episode="a|b`c", task="t", kind="k", reason="<script>x</script>\n# not a heading | [x](http://a.b)"
    )
    markdown = to_markdown(samples.few_parts(disagreements=[evil]))
    assert "<script>" not in markdown
    assert "\n# not a heading" not in markdown
    assert r"\[x\](http" in markdown
    assert r"a\|b\`c" in markdown


def test_an_episode_leads_to_its_page() -> None:
    markdown = to_markdown(findings(), link="https://judge.example/{episode}")
    assert "[`task-0/0`](<https://judge.example/task-0%2F0>)" in markdown
    assert "`judge show task-0/0`" in to_markdown(findings())


def test_what_is_left_out_is_named_with_its_reason() -> None:
    markdown = to_markdown(findings())
    assert "| no grade: no verdict of a judge: timeout (infra) | 20 |" in markdown
    assert "| people disagree (kept: the mean of their answers) | 1 | task-1/0/tone |" in markdown


@given(st.text(max_size=60))
def test_any_text_stays_on_one_line_and_is_no_markup(text: str) -> None:
    line = plain(text)
    assert "\n" not in line
    assert "<" not in line
    assert not re.search(r"(?<!\\)[|`*_\[\]]", line.replace("\\\\", ""))


def test_candidates_that_lost_are_listed_with_their_figures() -> None:
    markdown = to_markdown(findings())
    for candidate in samples.calibration().candidates:
        assert f"{candidate.brier:.3f}" in markdown
    assert "| lost |" in markdown
