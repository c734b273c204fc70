"""Whether the probabilities come true, and which ways to fit them lost."""

from __future__ import annotations

from functools import partial

from calibration.calibration import ANY, OVERALL, HeldOut
from calibration.reports.blocks import Block, Cell, Chart, Charts, Section, Text, figure_cell, table
from calibration.reports.charts import reliability_chart
from calibration.reports.findings import Findings
from calibration.reports.links import Link
from calibration.reports.reliability import Reliability
from calibration.reports.wording import DASH, count, number, percent, plural

MOST_CHARTS = 24
RUNGS = {
    "mean": "plain mean", "weighted_platt": "shrunk weighted mean + Platt", "ridge": "ridge stacking", "isotonic": "isotonic",
    "venn_abers": "Venn–Abers", "beta": "beta", "dawid_skene": "Dawid–Skene",
}  # fmt: skip


def reliability_section(findings: Findings, _link: Link) -> Section:
    """Reliability diagrams with the Brier score against the base rate's, and the calibration error with its floor."""
    lead = "When the calibrated grade says 80%, is it so in 80 of 100? On labels that the fit had not seen."
    if not findings.reliabilities and not findings.heldout:
        return Section(
            "reliability", "Do the probabilities come true?", lead, (Text("Too few labels to look: 20 are needed."),)
        )
    charts = tuple(_chart(found, k) for k, found in enumerate(findings.reliabilities[:MOST_CHARTS]))
    blocks: list[Block] = [Charts(charts)] if charts else []
    seen, held = {r.key: r for r in findings.reliabilities}, {h.key: h for h in findings.heldout}
    rows = [_row(key, seen.get(key), held.get(key)) for key in dict.fromkeys((*seen, *held))]
    head = (
        "map",
        "Brier score",
        "of the base rate",
        "saved",
        "calibration error",
        "by chance alone",
        "slope",
        "accuracy",
        "J",
        "n",
    )
    blocks.append(table("How far probabilities hold on labels that the fit had not seen", head, rows))
    return Section("reliability", "Do the probabilities come true?", lead, tuple(blocks))


def key_name(key: str) -> str:
    """How a reader calls the map `key`."""
    return {OVERALL: "the whole", ANY: "all criteria together"}.get(key, key.replace("tag:", "tag "))


def _chart(found: Reliability, k: int) -> Chart:
    name = key_name(found.key)
    return Chart(name, partial(reliability_chart, found, f"reliability-{k}", f"Reliability: {name}"), _says(found))


def _says(found: Reliability) -> str:
    gap = "more than" if found.error > found.floor_high else "no more than"
    return (
        f"Off by {percent(found.error)} on average, {gap} chance alone shows with "
        f"{plural(found.n, 'label')} (about {percent(found.floor)}, up to {percent(found.floor_high)})."
    )


def _row(key: str, found: Reliability | None, held: HeldOut | None) -> tuple[Cell, ...]:
    few = "drawn criterion by criterion, from 20 labels on"
    unfitted = "no map of its own was fitted"
    brier = held.brier.value if held else found.brier if found else None
    reference = held.reference_brier if held else found.reference_brier if found else None
    saved = 1 - brier / reference if brier is not None and reference else None
    shown = (
        (Cell(number(found.error)), Cell(number(found.floor), f"up to {number(found.floor_high)}"), figure_cell(found.slope)) if found
        else (Cell(DASH, why=few),) * 3
    )  # fmt: skip
    return (
        Cell(key_name(key)), figure_cell(held.brier) if held else Cell(number(brier)), Cell(number(reference)), Cell(percent(saved)),
        *shown, figure_cell(held.accuracy, share=True) if held else Cell(DASH, why=unfitted),
        figure_cell(held.youden) if held else Cell(DASH, why=unfitted), Cell(count(held.n if held else found.n if found else 0)),
    )  # fmt: skip


def candidates_section(findings: Findings, _link: Link) -> Section | None:
    """Every way to fit that was tried, with its figures; those that lost too."""
    if not findings.candidates:
        return None
    rows = [
        (
            Cell(key_name(c.key)), Cell(RUNGS.get(c.rung, c.rung.replace("_", " "))), Cell("chosen" if c.chosen else "lost"),
            Cell(number(c.brier, 3), f"± {number(c.error, 3)}" if c.error is not None else ""), Cell(percent(c.accuracy)),
            Cell(count(c.n)), Cell(c.why, wide=True),
        )
        for c in findings.candidates
    ]  # fmt: skip
    head = ("map", "how it is fitted", "", "Brier score", "accuracy", "n", "why")
    lead = "Ways to turn what judges said into a probability, tried in folds by task; a richer one must win by more than its error."
    return Section(
        "candidates",
        "What else was tried, and lost",
        lead,
        (table("Ways to fit, with cross-validated figures", head, rows),),
    )
