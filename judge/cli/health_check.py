"""`judge health`."""

from __future__ import annotations

from typing import Annotated

import typer

from judge.cli.calibrating import GradesArgument
from judge.cli.grading import print_json


def health(
    grades: GradesArgument,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON.")] = False,
) -> None:
    """Look at grades as a trainer meets them, policy step by policy step.

    Groups without signal, ungraded episodes by blame, ties, what is paid and how it goes with the length of the reply, criteria
    that everybody earns or nobody does. Exit code 1: there is something to look at.

    Example: judge health grades.jsonl
    """
    from rich.table import Table

    from calibration.health import health as examine
    from calibration.health import rows
    from judge.cli.setup import console, existing, working
    from judge.cli.showing import records_in
    from judge.errors import InputError

    with working(f"reading {grades}"):
        found = examine(records_in(existing(grades)))
    if not found:
        raise InputError(f"{grades}: holds no grade records")
    if as_json:
        print_json([step.model_dump(mode="json") for step in found])
    else:
        out, lines = console(), rows(found)
        table = Table(box=None, header_style="bold", pad_edge=False)
        for name in lines[0]:
            table.add_column(name)
        for line in lines:
            table.add_row(*line.values())
        out.print(table)
        for step in found:
            for warning in step.warnings:
                out.print(f"- {warning}", markup=False)
    raise typer.Exit(0 if all(step.healthy for step in found) else 1)
