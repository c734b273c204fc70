"""`judge rubric list | show | lint | new | schema | diff`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="The library of rubrics, and help in writing one.", no_args_is_help=True)
RubricArgument = Annotated[str, typer.Argument(help="Library id or file.", show_default=False)]


@app.command("list")
def list_(as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """The rubrics that come with the product."""
    from judge.cli.grading import print_json
    from judge.cli.setup import console
    from rubrics.loading import library, load

    found = [load(rubric_id) for rubric_id in library()]
    if as_json:
        print_json(
            [{"id": r.id, "version": r.version, "title": r.title, "criteria": [c.id for c in r.leaves]} for r in found]
        )
        return
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("id", "version", "criteria", "by code", "title"):
        table.add_column(name)
    for rubric in found:
        by_code = sum(not c.judged for c in rubric.leaves)
        table.add_row(rubric.id, rubric.version, str(len(rubric.leaves)), str(by_code), rubric.title)
    console().print(table)


@app.command()
def show(rubric: RubricArgument, as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """One rubric: what it asks, how answers count, what code settles."""
    from judge.cli.rubric_table import show_rubric
    from judge.cli.setup import console
    from rubrics.loading import load

    found = load(rubric)
    if as_json:
        sys.stdout.write(found.model_dump_json(indent=2, exclude_defaults=True) + "\n")
        return
    show_rubric(found, console())


@app.command()
def lint(
    rubrics: Annotated[list[str], typer.Argument(help="Library ids or files.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Look for what makes judges disagree: double questions, vague words, levels without meaning, dead weight, overlap.

    Exit code 0 if nothing worse than a note was found, 1 if something was, 2 if a rubric can't be used at all.
    """
    from judge.checks import validate_checks
    from judge.cli.grading import print_json
    from judge.cli.setup import console
    from rubrics.linting import lint_file
    from rubrics.loading import load

    found = []
    for name in rubrics:
        validate_checks(load(name))
        found += [(name, finding) for finding in lint_file(name)]
    if as_json:
        print_json([{"rubric": name, **finding.model_dump()} for name, finding in found])
    else:
        from rich.markup import escape

        out = console()
        for name, finding in found:
            where = f"{name}: {finding.criterion}" if finding.criterion else name
            out.print(f"[bold]{escape(where)}[/bold]  {finding.severity} {finding.rule}: {escape(finding.message)}")
            out.print(f"    {finding.hint}", style="dim", markup=False)
        if not found:
            out.print(f"nothing found in {len(rubrics)} rubric(s)")
    raise typer.Exit(1 if any(finding.severity != "note" for _, finding in found) else 0)


@app.command()
def new(
    rubric_id: Annotated[str, typer.Argument(help="Its id: small letters, digits and _.", show_default=False)],
    title: Annotated[str, typer.Option(help="What it grades, in a few words.")] = "",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write it (default: ID.yaml).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> None:
    """Write a commented rubric to start from."""
    from judge.errors import InputError
    from rubrics.scaffold import new_rubric

    path = output or Path(f"{rubric_id}.yaml")
    if path.exists() and not force:
        raise InputError(f"{path} exists; use --force to overwrite it, or another -o")
    path.write_text(new_rubric(rubric_id, title), encoding="utf-8")
    sys.stdout.write(f"{path}: edit it, then `judge rubric lint {path}` and `judge check EPISODES -r {path}`\n")


@app.command()
def schema(
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write it to this file.")] = None,
) -> None:
    """The JSON schema of rubric files, for editors: name it in the file's first line."""
    import json

    from rubrics.schema import schema as made

    text = json.dumps(made(), indent=2) + "\n"
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, encoding="utf-8")


@app.command()
def diff(old: RubricArgument, new: RubricArgument) -> None:
    """What differs between two rubrics, and which stored verdicts stay valid."""
    from judge.cli.setup import console
    from rubrics.diffing import diff as differences
    from rubrics.loading import load

    found = differences(load(old), load(new))
    out = console()
    for line in found:
        out.print(str(line), markup=False)
    if not found:
        out.print("no difference")
