"""`judge agree`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judge.cli.grading import RubricOption, print_json

if TYPE_CHECKING:
    from calibration.agreeing import Ratings
    from calibration.label import Label
    from calibration.results import Agreement, AgreementTable
    from judge.record import GradeRecord

Side = Annotated[
    Path, typer.Argument(help="Grade records or labels (CSV, JSONL or another known export).", show_default=False)
]
COLUMNS = (
    "question",
    "n",
    "tasks",
    "agree",
    "base rates",
    "kappa",
    "weighted",
    "alpha",
    "AC2",
    "TPR",
    "TNR",
    "Spearman",
    "people agree",
)


def agree(
    first: Side,
    second: Side,
    rater: Annotated[
        str | None, typer.Option(help="Of the first file only this judge or person (default: the panel, all people).")
    ] = None,
    other: Annotated[str | None, typer.Option(help="Of the second file only this judge or person.")] = None,
    rubric: RubricOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Every figure as JSON.")] = False,
) -> None:
    """How far two raters agree: grades and labels, two graders, two people. Per criterion and overall, with 95% intervals.

    The second is taken as the truth for TPR and TNR. Beside it stands how far people agree with each other, where several
    labelled: no judge can be shown to be better than that.

    Example: judge agree grades.jsonl labels.csv
    """
    from judge.cli.setup import console, working

    sides = [_read(first), _read(second)]
    for path, (records, _) in zip((first, second), sides, strict=True):
        if (graders := len({record.method for record in records})) > 1:
            sys.stderr.write(f"judge: warning: {path}: holds grades of {graders} graders, taken for one here\n")
    with working("comparing"):
        table, left = _compared(sides, rater, other, _scales(rubric))
    for reason, ids in left:
        sys.stderr.write(f"judge: left out {len(ids)}: {reason}: {'; '.join(ids[:3])}{'; …' if len(ids) > 3 else ''}\n")
    if as_json:
        print_json(table.model_dump(mode="json"))
    else:
        show(table, console())
    raise typer.Exit(0 if any(row.n for row in table.rows) else 1)


def _read(path: Path) -> tuple[list[GradeRecord], list[Label]]:
    """Grade records or labels, whichever the file holds."""
    from judge.cli.setup import existing, read_grades, read_people

    existing(path)
    if path.suffix in (".jsonl", ".json"):
        with path.open(encoding="utf-8") as file:
            line = next((text for text in file if text.strip()), "")
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if isinstance(row, dict) and "rubric" in row and "method" in row:
            return read_grades(path), []
    return [], read_people(path, None)


def _compared(
    sides: list[Any], rater: str | None, other: str | None, scales: Mapping[str | None, Mapping[str, float]]
) -> tuple[AgreementTable, list[tuple[str, tuple[str, ...]]]]:
    from calibration.agreeing import agreement, ceilings_of, ratings_of_people, ratings_of_person, scales_of
    from calibration.pairing import pair

    (records, labels), (more_records, more_labels) = sides
    graded, said = records or more_records, labels or more_labels
    if graded and said:
        pairing = pair(graded, said)
        people = (
            ratings_of_people(pairing)
            if (name := other if records else rater) is None
            else ratings_of_person(pairing, _person(name))
        )
        judge = _of_records(graded, rater if records else other)
        a, b = (judge, people) if records else (people, judge)
        return agreement(a, b, ceilings=ceilings_of(pairing.pairs)), [(x.reason, x.ids) for x in pairing.left_out]
    scales = {**scales_of([*labels, *more_labels]), **scales}
    a = _of_records(records, rater) if records else _of_labels(labels, rater, "first", scales)
    b = _of_records(more_records, other) if more_records else _of_labels(more_labels, other, "second", scales)
    return agreement(a, b), []


def _of_records(records: list[GradeRecord], judge: str | None) -> Ratings:
    from calibration.agreeing import ratings_of_judge, ratings_of_panel
    from calibration.pairing import items_of
    from judge.errors import InputError

    items = list(items_of(records))
    if judge is None:
        return ratings_of_panel(items)
    name = judge.removeprefix("judge:")
    known = sorted({j for item in items for j in item.judges})
    if name not in known:
        raise InputError(f"no judge {name!r} in these grades, expected one of {', '.join(known)}")
    return ratings_of_judge(items, name)


def _of_labels(
    labels: list[Label], person: str | None, which: str, scales: Mapping[str | None, Mapping[str, float]]
) -> Ratings:
    from calibration.agreeing import ratings_of_labels
    from judge.errors import InputError

    for label in labels:
        if label.level is not None and label.settled and label.criterion not in scales:
            raise InputError(
                f"{label.criterion}: the order of levels such as {label.level!r} is not known; name the rubric with --rubric"
            )
    wanted = [x for x in labels if person is None or x.rater == _person(person)]
    name = _person(person) if person else f"people of the {which} file"
    return ratings_of_labels(wanted, rater=name, scales=scales)


def _scales(rubric: str | None) -> dict[str | None, Mapping[str, float]]:
    """The value of each level of a rubric's criteria."""
    from judge.cli.setup import rubric_source

    if rubric is None:
        return {}
    leaves = rubric_source(rubric).leaves
    return {criterion.id: {level.name: level.value for level in criterion.levels} for criterion in leaves}


def _person(name: str) -> str:
    return name if ":" in name else f"person:{name}"


def show(table: AgreementTable, console: Any) -> None:
    """The table, a row for each question; what is undefined is a dash, and the reason stands below."""
    from rich.table import Table

    shown = Table(box=None, header_style="bold", pad_edge=False)
    for name in COLUMNS:
        shown.add_column(name, justify="left" if name == "question" else "right")
    rows = [*table.rows, *([table.pooled] if table.pooled else [])]
    for row in rows:
        shown.add_row(*_cells(row))
    console.print(f"{table.a} against {table.b}", markup=False)
    console.print(shown)
    for said in dict.fromkeys(said for row in rows for said in _remarks(row)):
        console.print(f"- {said}", markup=False)


def _cells(row: Agreement) -> list[str]:
    from judge.cli.calibrating import interval

    rates = (
        "–"
        if row.rate_a.value is None or row.rate_b.value is None
        else f"{row.rate_a.value:.2f} / {row.rate_b.value:.2f}"
    )
    figures = (row.kappa, row.weighted_kappa, row.alpha, row.ac2, row.tpr, row.tnr, row.spearman)
    ceiling = interval(row.ceiling.raw) if row.ceiling is not None else "–"
    return [
        row.criterion or "the whole",
        str(row.n),
        str(row.tasks),
        interval(row.raw),
        rates,
        *map(interval, figures),
        ceiling,
    ]


def _remarks(row: Agreement) -> list[str]:
    about = row.criterion or "the whole"
    undefined = {
        figure.why: None
        for figure in (row.kappa, row.alpha, row.tpr, row.tnr, row.spearman)
        if figure.value is None and figure.why
    }
    left = [f"{about}: left out {n}: {reason}" for reason, n in row.left_out.items()]
    return [*(f"{about}: {why}" for why in undefined), *(f"{about}: {said}" for said in row.warnings), *left]
