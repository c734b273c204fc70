"""The page: one file, nothing loaded, nothing run, every text escaped, and readable by a machine that reads aloud."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from calibration.calibration import LabelSet
from calibration.errors import CalibrationError
from calibration.figures import Figure
from calibration.reports import Findings, gather, to_html
from calibration.results import Disagreement
from tests.calibration.reports import samples
from tests.calibration.reports.samples import CRITERIA, agreement, findings

VOID = {"meta", "br", "hr", "img", "wbr", "input", "link"}
EVIL = "<script>alert('x')</script>\u202e\u0007"


class Page(HTMLParser):
    """What stands in a page. Fails on a tag that is not closed where it should be."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        """All that a reader sees, in one line."""
        return " ".join(" ".join(self.words).split())

    def all(self, *names: str) -> list[dict[str, str | None]]:
        """The attributes of every tag of these names, in order."""
        return [attrs for tag, attrs in self.tags if tag in names]


def one_class() -> Findings:
    none = Figure(value=None, why="one class only")
    agreements = [agreement(c, None, youden=none, tnr=none, ceiling=None) for c in (*CRITERIA, None)]
    made = samples.calibration(heldout=(), escalation=None)
    return findings(pairing=samples.pairing(rate=1.0), agreements=agreements, calibration=made)


def bare() -> Findings:
    made = samples.calibration(
        (),
        id="",
        maps={},
        heldout=(),
        candidates=(),
        escalation=None,
        labels=LabelSet(n=0, tasks=0, raters=0, ids_hash=""),
    )
    return gather(made, samples.pairing(n=0, ungraded=0))


REPORTS = {
    "all parts": findings,
    "one class": one_class,
    "no labels": bare,
    "one criterion, one judge": lambda: findings(
        ("tone",), panels=[samples.panel(None, ("solo",), error_correlation=())]
    ),
    "no parts": lambda: gather(samples.calibration(), samples.pairing()),
}


@cache
def page_of(name: str) -> str:
    """Each is drawn once."""
    return to_html(REPORTS[name]())


@pytest.fixture(params=REPORTS)
def html(request: pytest.FixtureRequest) -> str:
    return page_of(request.param)


def test_nothing_is_loaded_and_nothing_runs(html: str) -> None:
    page = Page(html)
    assert not page.all("script", "link", "iframe", "object", "embed", "img", "base", "form", "image")
    assert not re.search(r"@import|@font-face|url\(\s*['\"]?(?!#)", html)
    assert not [a for _, attrs in page.tags for a in attrs if a.startswith("on")]
    assert all(
        str(attrs[key]).startswith("#")
        for _, attrs in page.tags
        for key in ("href", "src", "xlink:href")
        if key in attrs
    )
    policy = next(a["content"] for a in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert str(policy).startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")


def test_headings_are_in_order_and_every_section_has_one(html: str) -> None:
    page = Page(html)
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    named = {a["id"] for a in page.all("h2")}
    assert all(a["aria-labelledby"] in named for a in page.all("section"))


def test_tables_have_captions_and_scopes(html: str) -> None:
    page = Page(html)
    assert len(page.all("table")) == len(page.all("caption")) > 0
    assert {a.get("scope") for a in page.all("th")} == {"col", "row"}


def test_every_chart_says_in_words_what_it_shows(html: str) -> None:
    page = Page(html)
    titles, descriptions = ({a.get("id") for a in page.all(tag)} for tag in ("title", "desc"))
    for chart in page.all("svg"):
        assert chart["role"] == "img"
        title, description = str(chart["aria-labelledby"]).split()
        assert title in titles
        assert description in descriptions


def test_ids_are_unique_and_links_on_the_page_lead_somewhere(html: str) -> None:
    page = Page(html)
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = [str(a[key]) for a in page.all("a", "use") for key in ("href", "xlink:href") if key in a]
    assert {link[1:] for link in links} <= set(ids)
    assert set(re.findall(r"url\(#([^)]*)\)", html)) <= set(ids)


def test_what_is_unknown_is_never_written_as_a_number_or_a_word_of_python(html: str) -> None:
    words = set(re.findall(r"[\w']+", Page(html).text))
    assert not words & {"None", "nan", "NaN", "inf", "True", "False"}


def test_a_dash_says_why_below_its_table() -> None:
    text = Page(page_of("one class")).text
    assert "one class only" in text
    assert "no item was labelled by several people" in text


def test_marks_are_words_and_signs_not_colours_alone() -> None:
    text = Page(page_of("all parts")).text
    assert "✓ trusted" in text
    assert "! with care" in text
    assert "✕ not trusted" in text


def test_the_first_screen_says_whether_where_and_how_far() -> None:
    text = Page(page_of("all parts")).text
    verdict = text[: text.index("Criterion by criterion")]
    assert "May these judges be trusted?" in verdict
    assert "Yes, with care." in verdict
    for part in ("May be trusted for", "Not for, or not yet", "What to do next", "amount_stated, policy_followed and tone",
                 "480 of 500 labelled items used (96% covered)", "ab12cd34ef56ab78"):  # fmt: skip
        assert part in verdict


@pytest.mark.parametrize("where", ["episode", "reason", "criterion", "judge", "title", "warning"])
def test_nobody_s_text_becomes_markup(where: str) -> None:
    evil = Disagreement(
        episode=EVIL if where == "episode" else "e1", task="t", kind="k", reason=EVIL if where == "reason" else ""
    )
    given = {
        "criterion": {"agreements": [agreement(EVIL)]},
        "judge": {"panels": [samples.panel(None, (EVIL, "b"))]},
        "title": {"title": EVIL},
        "warning": {"calibration": samples.calibration(("tone",), warnings=(EVIL,), escalation=None)},
    }.get(where, {"disagreements": [evil]})
    found = samples.few_parts(**given)
    html = to_html(found)
    page = Page(html)
    assert "script" not in {tag for tag, _ in page.tags}
    assert "\u202e" not in html
    assert "\u0007" not in html
    assert "alert" in page.text


def test_an_episode_leads_to_its_page_or_names_the_command() -> None:
    found = samples.few_parts(disagreements=[Disagreement(episode="task 7/0?x", task="t", kind="k")])
    assert "judge show 'task 7/0?x'" in Page(to_html(found)).text
    linked = Page(to_html(found, link="https://judge.example/episodes/{episode}?from=report"))
    assert "https://judge.example/episodes/task%207%2F0%3Fx?from=report" in {a.get("href") for a in linked.all("a")}


@pytest.mark.parametrize(
    "link", ["https://judge.example/", "javascript:alert('{episode}')", "data:text/html,{episode}"]
)
def test_a_link_that_is_none_is_refused(link: str) -> None:
    with pytest.raises(CalibrationError, match="link template"):
        to_html(samples.few_parts(), link=link)


def test_the_same_findings_give_the_same_bytes() -> None:
    given = {
        "panels": [samples.panel()],
        "agreements": [agreement(None)],
        "predictions": samples.predictions(samples.pairing(("tone",))),
    }
    assert to_html(samples.few_parts(**given)) == to_html(samples.few_parts(**given))


def test_twelve_criteria_with_long_names_stay_small() -> None:
    names = tuple(f"the_reply_states_the_refunded_amount_in_the_currency_of_the_order_{k}" for k in range(12))
    html = to_html(findings(names, predictions=samples.predictions(samples.pairing(names[:4]))))
    assert len(html.encode()) < 600_000
    Page(html)
