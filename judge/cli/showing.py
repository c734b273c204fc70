"""`judge show`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judge.cli.grading import StoreOption

if TYPE_CHECKING:
    from judge.record import GradeRecord


def show(
    episode: Annotated[str, typer.Argument(help="An episode's id, as in the grade record.", show_default=False)],
    grades: Annotated[
        Path | None, typer.Option("--grades", "-g", help="Look in this file of records (default: in the ledger).")
    ] = None,
    rubric: Annotated[
        str | None, typer.Option("--rubric", "-r", help="Show the arithmetic with this rubric's weights.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the record as JSON.")] = False,
    replies: Annotated[
        bool, typer.Option("--replies", help="Show every prompt and reply behind the grade too.")
    ] = False,
    store: StoreOption = None,
) -> None:
    """Explain a grade: the arithmetic, each judge's verdict with reasons and quotes, what changed in the state, every flag.

    Example: judge show a4 --grades grades.jsonl --rubric refund_reply
    """
    from judge.cli.explaining import explain
    from judge.cli.setup import console
    from judge.store.database import masked
    from judge.store.ledger import Ledger, default_path
    from rubrics.loading import library, load

    place = store or default_path()
    record = _from_file(grades, episode) if grades else Ledger(place).latest(episode)
    if record is None:
        where = f"{grades}" if grades else f"the ledger {masked(place)}; name a file with --grades"
        sys.stderr.write(f"judge: no grade of episode {episode!r} in {where}\n")
        raise typer.Exit(2)
    if as_json:
        sys.stdout.write(record.to_json() + "\n")
        return
    name = rubric or (record.rubric.id if record.rubric.id in library() else None)
    out = console()
    explain(record, out, rubric=load(name) if name else None)
    if replies:
        from judge.cli.prompts import show_exchanges

        show_exchanges(Ledger(place).exchanges(record.episode_id), out)


def _from_file(path: Path, episode: str) -> GradeRecord | None:
    from judge.cli.explaining import first_match
    from judge.cli.setup import existing

    return first_match(records_in(existing(path)), episode)


def records_in(path: Path) -> Iterator[GradeRecord]:
    """The records of a file, one a line. Raises InputError that names the line that is none."""
    from pydantic import ValidationError

    from judge.errors import InputError
    from judge.record import GradeRecord

    if path.is_dir():
        raise InputError(f"{path}: is a folder, expected a file of grade records, one a line")
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                try:
                    yield GradeRecord.from_json(line)
                except ValidationError as error:
                    first = error.errors(include_url=False)[0]
                    where = ".".join(map(str, first["loc"]))
                    raise InputError(f"{path}:{number}: is no grade record: {where}: {first['msg']}") from None
