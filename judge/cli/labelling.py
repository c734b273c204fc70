"""`judge label import | export | list | conflicts`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judge.cli.grading import StoreOption, print_json

if TYPE_CHECKING:
    from calibration.label import Label

app = typer.Typer(help="People's labels: import, export, count them, find contradictions.", no_args_is_help=True)

LabelsOption = Annotated[
    Path | None, typer.Option("--labels", "-l", help="Labels in this file, of any known form (default: the store).")
]
JsonOption = Annotated[bool, typer.Option("--json", help="As JSON.")]
RubricOption = Annotated[
    str | None, typer.Option("--rubric", "-r", help="Library id or file: check criteria and levels against it.")
]
CriterionOption = Annotated[
    str | None, typer.Option("--criterion", help="Only this criterion ('' for overall labels).")
]
RaterOption = Annotated[str | None, typer.Option("--rater", help="Only this person.")]


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="The file, or - for standard input.", show_default=False)],
    form: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="csv, jsonl, label-studio, argilla, langfuse, mlflow, inspect, healthbench (default: what it looks like).",
        ),
    ] = None,
    rater: Annotated[str | None, typer.Option(help="Who labelled, where the file does not say.")] = None,
    rubric: RubricOption = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(help="NAME=ID: what the file calls NAME is criterion ID (NAME=ID_note: its note). Repeatable."),
    ] = None,
    overall: Annotated[
        list[str] | None, typer.Option(help="NAME: an answer under NAME is about the whole episode. Repeatable.")
    ] = None,
    level: Annotated[
        list[str] | None, typer.Option(help="ANSWER=LEVEL: such as 'not sure=cannot_tell'. Repeatable.")
    ] = None,
    episode_field: Annotated[
        str | None, typer.Option(help="The column, data field or metadata that names the episode.")
    ] = None,
    used_for: Annotated[
        str | None, typer.Option(help="tuning or example: mark all as seen by a judge; such labels never calibrate it.")
    ] = None,
    tasks: Annotated[
        Path | None, typer.Option(help="HealthBench's own rows, whose rubrics give criteria their ids.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and report; store nothing.")] = False,
    as_json: JsonOption = False,
    store: StoreOption = None,
) -> None:
    """Put people's labels into the store: from a table, or from what a labelling tool exports.

    A table has the columns episode_id, criterion (empty: the episode as a whole), rater, level or value, and if known note,
    inclusion_probability, stratum, at, used_for. Overall labels are pass or fail, or a number from 0 to 1. Importing a file
    twice adds nothing; different answers of one person are all kept, and told. Exit code 1 if some rows could not be read, 2
    if none could.

    Example: judge label import labels.csv --rubric refund_reply

    Example: judge label import export.json --from label-studio --criterion 'amount stated=amount' --overall verdict
    """
    from judge.cli.label_import import import_labels, naming_from

    naming = naming_from(
        episode=episode_field, criteria=criterion, overall=overall, levels=level, rater=rater, rubric=rubric,
        used_for=used_for, tasks=tasks,
    )  # fmt: skip
    found = import_labels(file, form, naming)
    if not dry_run:
        found.keep(store)
    raise typer.Exit(found.report(as_json=as_json))


@app.command("export")
def export(
    form: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="csv, jsonl, label-studio, argilla, langfuse, mlflow, inspect, scout (default: csv, or as -o ends).",
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file (default: stdout).")] = None,
    criterion: CriterionOption = None,
    rater: RaterOption = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    labels: LabelsOption = None,
    store: StoreOption = None,
) -> None:
    """Write labels to a file, in our own form or that of a tool. What a form can't hold is told on stderr (exit code 1).

    Example: judge label export --to langfuse -o scores.jsonl

    Example: judge label export --labels export.json --to csv -o labels.csv
    """
    from judge.adapters.labels.reading import written
    from judge.cli.label_import import count_reasons
    from judge.errors import InputError

    if output is not None and output.exists() and not force:
        raise InputError(f"{output} exists; use --force to overwrite it, or another -o")
    ending = output.suffix.removeprefix(".") if output is not None else ""
    found = _chosen(labels, store, criterion, rater)
    text, left = written(found, form or (ending if ending in ("csv", "jsonl") else "csv"))
    if output is None:
        sys.stdout.write(text)
    else:
        _write(output, text)
        sys.stderr.write(f"judge: {output}: {len(found) - len(left)} labels\n")
    for reason, places in count_reasons(left).items():
        sys.stderr.write(f"judge: left out: {len(places)} {reason} ({places[0]})\n")
    raise typer.Exit(1 if left else 0)


@app.command("list")
def list_(
    rubric: RubricOption = None,
    labels: LabelsOption = None,
    as_json: JsonOption = False,
    store: StoreOption = None,
) -> None:
    """Count labels for each question: people, episodes, base rate, could not tell, how many are labelled twice.

    With --rubric, levels have values, so that scales such as 1-5 get a base rate too.

    Example: judge label list --rubric refund_reply
    """
    from calibration.label_counts import count_labels
    from judge.cli.label_tables import counts_table
    from judge.cli.setup import console, rubric_source

    found = rubric_source(rubric)
    scales = {c.id: {level.name: level.value for level in c.levels} for c in found.leaves} if found else None
    counts = count_labels(_chosen(labels, store), scales)
    if as_json:
        print_json([count.model_dump() for count in counts])
    else:
        console().print(counts_table(counts))


@app.command("conflicts")
def conflicts_(labels: LabelsOption = None, as_json: JsonOption = False, store: StoreOption = None) -> None:
    """Every question that one person answered differently at different times. Exit code 1 if there are any.

    Nothing is decided here: ask the person, and correct the file. Until then, such answers count for nothing.

    Example: judge label conflicts --labels labels.csv
    """
    from calibration.conflicts import conflicts
    from judge.cli.label_tables import conflict_row

    found = conflicts(_chosen(labels, store))
    if as_json:
        print_json([conflict_row(conflict) for conflict in found])
    else:
        sys.stdout.write("".join(f"{conflict}\n" for conflict in found) or "no conflicts\n")
    raise typer.Exit(1 if found else 0)


def _chosen(
    labels: Path | None, store: str | None, criterion: str | None = None, rater: str | None = None
) -> list[Label]:
    """The labels of a file or the store; bad rows of a file are told on stderr. Raises InputError if there are none."""
    from judge.adapters.labels import labels_from
    from judge.errors import InputError

    def tell(bad: object) -> None:
        sys.stderr.write(f"judge: {bad}\n")

    found = list(labels_from(labels, store, on_bad=tell))
    kept = [
        label
        for label in found
        if (criterion is None or (label.criterion or "") == criterion)
        and (rater is None or label.rater in (rater, f"person:{rater}"))
    ]
    if not kept:
        raise InputError(f"none of {len(found)} labels is of criterion {criterion!r} and rater {rater!r}")
    return kept


def _write(path: Path, text: str) -> None:
    from judge.errors import InputError

    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise InputError(f"{path}: can't be written: {error.strerror or error}") from None
