"""The report of results that were really computed, from grade records and labels to the page."""

from __future__ import annotations

from functools import cache

import numpy as np

from calibration.calibrating import fit_in_full
from calibration.label import Label
from calibration.reporting import report
from calibration.reports import Findings, to_html, to_json, to_markdown
from tests.calibration.panels import records_of, simulate
from tests.calibration.reports.test_html import Page


@cache
def computed() -> Findings:
    """300 episodes of a correlated panel, 60 of them labelled by one person, some of these by two."""
    rng = np.random.default_rng(1)
    panel = simulate("corr", 300, rng)
    records = records_of(panel)
    chosen = rng.choice(300, 60, replace=False)
    labels = [Label(episode=f"e{i}", rater="ann", level="pass" if panel.truth[i] else "fail") for i in chosen]
    labels += [Label(episode=f"e{i}", rater="bob", level="pass" if panel.truth[i] else "fail") for i in chosen[:20]]
    made = fit_in_full(records, labels).calibration
    return report(records, labels, made)


def test_every_form_can_be_written() -> None:
    found = computed()
    page = Page(to_html(found))
    assert found.whole.reason in page.text
    assert Findings.model_validate_json(to_json(found)) == found
    assert found.whole.mark in to_markdown(found)


def test_the_verdict_speaks_of_what_was_computed() -> None:
    found = computed()
    assert (found.whole.used, found.whole.labelled, found.sources.raters) == (60, 60, 2)
    assert found.whole.mark == "with care"
    assert {use.name for use in found.uses} == {
        "Single grades without another look", "The rate over all episodes", "A reward in training"
    }  # fmt: skip
    assert [r.key for r in found.reliabilities] == ["overall"]
    assert found.sources.judges.keys() == {"j1", "j2", "j3", "j4", "j5"}
