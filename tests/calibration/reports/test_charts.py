"""Charts: text stays text, names are no formulas, and unknown values leave a gap."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from calibration.reports import charts
from calibration.reports.charts import Dot
from calibration.reports.reliability import reliability
from tests.calibration.reports.samples import escalation, panel


def curve() -> str:
    found = reliability("overall", [(k / 40, float(k % 40 > 20)) for k in range(40)])
    assert found is not None
    return charts.reliability_chart(found, "c", "Reliability")


def dots(*names: str) -> str:
    found = [Dot(name, 0.2 * k, 0.2 * k - 0.1, 0.2 * k + 0.1, mark=0.5) for k, name in enumerate(names)]
    return charts.interval_chart([*found, Dot("unknown", None)], "d", "Kappa", axis="kappa")


DRAWN: dict[str, Callable[[], str]] = {
    "reliability": curve,
    "intervals": lambda: dots("tone", "amount"),
    "correlation": lambda: charts.correlation_chart(panel(), "h", "Errors"),
    "escalation": lambda: charts.escalation_chart(escalation(), "e", "Agreement"),
    "nothing certified": lambda: charts.escalation_chart(escalation(None), "e", "Agreement"),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_chart_is_well_formed_and_its_text_is_text(name: str) -> None:
    svg = DRAWN[name]()
    tree = ElementTree.fromstring(svg.replace("xlink:", ""))
    assert tree.findall(".//text")
    assert tree.find("title") is not None
    assert not re.search(r"<style|<metadata|dc:date|font-family", svg)


@pytest.mark.parametrize("name", DRAWN)
def test_a_chart_is_the_same_each_time(name: str) -> None:
    assert DRAWN[name]() == DRAWN[name]()


def test_names_are_taken_as_they_are() -> None:
    """No formulas, no markup, and signs that the drawing library has no font for (a warning is an error here)."""
    names = ("$x^2$", "<b>&amp;", "顧客への返信", "\U0001f600 emoji", "under_score", "a\x00b\u202ec")
    text = "".join(ElementTree.fromstring(dots(*names).replace("xlink:", "")).itertext())
    for name in (*names[:-1], "a\ufffdb\ufffdc"):
        assert name in text


def test_an_unknown_value_is_a_dash_and_no_mark() -> None:
    svg = charts.interval_chart([Dot("unknown", None)], "d", "Kappa", axis="kappa")
    assert "unknown: –" in svg
    assert ">–<" in svg


def test_colours_follow_the_page() -> None:
    svg = dots("tone")
    assert "var(--blue, #1f5fa8)" in svg
    assert "var(--ink, #1b2330)" in svg


def test_the_words_of_a_chart_hold_its_figures() -> None:
    assert "target 85%; threshold 0.82: 41% stand" in DRAWN["escalation"]()
    assert "no threshold can be certified" in DRAWN["nothing certified"]()
    assert "gpt-large and claude-mid: 0.25" in DRAWN["correlation"]()
