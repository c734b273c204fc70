"""`judge check`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judge.cli.grading import EpisodesArgument, RubricOption


def check(
    episodes: EpisodesArgument,
    rubric: RubricOption = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write one record a line to this file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the output file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the records as JSON lines, and no table.")] = False,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N episodes.")] = None,
    explain: Annotated[
        bool, typer.Option("--explain", "-e", help="Say for each episode what was found and what changed.")
    ] = False,
    allow_code: Annotated[
        bool, typer.Option("--allow-code", help="Let `python` checks run the functions they name.")
    ] = False,
) -> None:
    """Check only what code settles: no model, no key, no cost.

    Each criterion with a `check` gets its verdict; judged criteria stay missing, so that a rubric that has any shows low and
    high instead of a score. A closed gate is 0 all the same. Exit code 0 if every check could look, 1 if some could not.

    Example: judge check episodes.jsonl -r refund_reply --explain
    """
    from judge.cli.check_run import CheckRun
    from judge.cli.setup import existing, rubric_source
    from judge.engine import Engine
    from judge.options import Options

    engine = Engine((), options=Options(allow_code=allow_code, behind_gates=True))
    run = CheckRun(engine, existing(episodes), rubric_source(rubric), limit=limit, explain=explain)
    raise typer.Exit(run.check(output, force=force, as_json=as_json))
