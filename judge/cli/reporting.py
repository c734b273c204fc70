"""`judge report` and `judge agree`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judge.cli.calibrating import CalibrationOption, GradesArgument, LabelsOption
from judge.cli.grading import AcceptOption, StoreOption

if TYPE_CHECKING:
    from calibration.reports import Findings


def report(
    grades: GradesArgument,
    calibration: CalibrationOption,
    labels: LabelsOption = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to: .html (self-contained), .md or .json.")
    ] = Path("report.html"),
    link: Annotated[
        str | None, typer.Option("--link", help="An address with {episode} in it, to which episodes are linked.")
    ] = None,
    title: Annotated[str, typer.Option(help="Its title.")] = "",
    accept_other: AcceptOption = False,
    store: StoreOption = None,
) -> None:
    """Write a report by which a person can decide whether, where and how far the judges may be trusted.

    With the labels that the calibration was fitted on, all figures are cross-fitted; with fresh labels they are a test.

    Example: judge report grades.jsonl --labels labels.csv --calibration calibration.json -o report.html
    """
    from calibration.loading import load
    from calibration.reporting import report as make
    from judge.cli.setup import console, read_grades, read_people, working
    from judge.errors import InputError

    if output.suffix not in (".html", ".md", ".json"):
        raise InputError(f"{output}: expected a file that ends in .html, .md or .json")
    if output.is_dir() or not output.absolute().parent.is_dir():
        raise InputError(f"{output}: expected the name of a file in a folder that is there")
    records, fitted = read_grades(grades), load(calibration)
    people = read_people(labels, store) if fitted.truth != "state" or labels else []
    with working("working out the report"):
        findings = make(records, people, fitted, title=title, accept=accept_other)
        output.write_text(_written(findings, output.suffix, link), encoding="utf-8")
    out = console()
    for said in (findings.whole.reason, *(f"{use.name}: {use.mark}: {use.says}" for use in findings.uses)):
        out.print(said, markup=False)
    sys.stderr.write(f"judge: report in {output}\n")
    raise typer.Exit(0 if findings.sources.used else 1)


def _written(findings: Findings, suffix: str, link: str | None) -> str:
    from calibration.reports import to_html, to_json, to_markdown

    if suffix == ".md":
        return to_markdown(findings)
    return to_json(findings) if suffix == ".json" else to_html(findings, link=link)
