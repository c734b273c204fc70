"""How the judges of the panel hang together: severity, errors in common, and who adds nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from calibration.reports.blocks import Block, Cell, Chart, Charts, Items, Section, Text, figure_cell, table
from calibration.reports.charts import Dot, correlation_chart, interval_chart
from calibration.reports.findings import Findings
from calibration.reports.links import Link
from calibration.reports.overview import name_cell
from calibration.reports.wording import count, ended, listed, number, percent, signed
from calibration.results import JudgeDiagnosis, PanelDiagnosis


def panel_section(findings: Findings, _link: Link) -> Section:
    """Severity, error correlation, effective number of judges, and who adds nothing: in full for the whole, in short else."""
    lead = "Judges that err together count as fewer than they are; one that is merely severe can be corrected."
    title = "The judges among themselves"
    if not findings.panels:
        return Section("panel", title, lead, (Text("The panel was not diagnosed."),))
    main = next((p for p in findings.panels if p.criterion is None), findings.panels[0])
    blocks: list[Block] = [Text(main.reads)] if main.reads else []
    charts = _charts(main)
    blocks += [*([Charts(charts)] if charts else []), _judges_table(main.judges)]
    if main.variance:
        blocks.append(Text(_variance(main)))
    rest = [p for p in findings.panels if p is not main]
    if rest and len(main.judges) > 1:
        blocks.append(_short_table([main, *rest]))
    warnings = tuple(dict.fromkeys(ended(w) for p in findings.panels for w in p.warnings))
    return Section("panel", title, lead, (*blocks, *([Items(warnings)] if warnings else [])))


def _charts(panel: PanelDiagnosis) -> tuple[Chart, ...]:
    severity = [Dot(j.judge, j.severity.value, j.severity.low, j.severity.high) for j in panel.judges]
    title, axis = "Severity of each judge", "severe (−) or lenient (+) beside the panel's mean"
    shown = Chart(
        title,
        partial(interval_chart, severity, "severity", title, axis=axis, write=signed),
        "A judge at 0 is as severe as the panel.",
    )
    if len(panel.judges) < 2 or not panel.error_correlation:
        return (shown,) if any(dot.value is not None for dot in severity) and len(panel.judges) > 1 else ()
    together = Chart(
        "Correlation of judges' errors",
        partial(correlation_chart, panel, "correlation", "Correlation of judges' errors"),
        f"On average {number(panel.mean_correlation.value)}, so that {count(len(panel.judges))} judges are worth "
        f"{number(panel.effective.value, 1)} independent ones.",
    )  # fmt: skip
    return shown, together


def _judges_table(judges: Sequence[JudgeDiagnosis]) -> Block:
    adds = {True: "nothing measurable", False: "yes", None: "–"}
    few = "too few labels to say what it adds"
    rows = [
        (
            Cell(j.judge, code=True), figure_cell(j.accuracy, share=True), figure_cell(j.tpr, share=True), figure_cell(j.tnr, share=True),
            figure_cell(j.youden), figure_cell(j.severity),
            Cell(adds[j.adds_nothing], number(j.gain.value, 4), why=(j.gain.why or few) if j.adds_nothing is None else ""),
            Cell(count(j.n)),
        )
        for j in judges
    ]  # fmt: skip
    head = ("judge", "accuracy", "TPR", "TNR", "J", "severity", "does it add anything?", "n")
    return table("Each judge by itself (what it adds: how much worse the Brier score gets without it)", head, rows)


def _variance(panel: PanelDiagnosis) -> str:
    shares = {k: panel.variance.get(k) for k in ("episode", "judge", "rest")}
    said = (
        f"Of the variance of the judges' values {percent(shares['episode'])} lies between episodes, {percent(shares['judge'])} between "
        f"judges (severity), and {percent(shares['rest'])} in the rest."
    )
    if panel.dependability:
        worth = [f"{number(g)} and {number(phi)} with {n}" for n, (g, phi) in panel.dependability.items()]
        said += f" Dependability (relative and absolute, G and Phi): {listed(worth)}. It says how consistent they are, not how right."
    return said


def _short_table(panels: Sequence[PanelDiagnosis]) -> Block:
    rows = []
    for p in panels:
        idle = [j.judge for j in p.judges if j.adds_nothing]
        by_severity = sorted(
            (j for j in p.judges if j.severity.value is not None), key=lambda j: j.severity.value or 0.0
        )
        ends = f"{by_severity[0].judge} to {by_severity[-1].judge}" if len(by_severity) > 1 else "–"
        rows.append(
            (name_cell(p.criterion), figure_cell(p.effective), figure_cell(p.mean_correlation), Cell(ends, wide=True),
             Cell(listed(idle) or "none", wide=True), Cell(count(p.n)))
        )  # fmt: skip
    head = (
        "criterion",
        "worth of independent judges",
        "correlation of errors",
        "severest to most lenient",
        "add nothing measurable",
        "n",
    )
    return table("The same, criterion by criterion", head, rows)
