"""What several commands need: judges by name, the engine, the episodes of a file, the console."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judge.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from calibration.label import Label
    from judge.judges import Judge
    from judge.record import GradeRecord

JUDGE_TOML = Path("judge.toml")


def known_judges(config: Path | None) -> dict[str, Judge]:
    """The judges of `--config`, or of a judge.toml in this folder."""
    from judge.judges import read_judges

    if config is None and not JUDGE_TOML.exists():
        return {}
    return read_judges(config or JUDGE_TOML)


def console(*, stderr: bool = False) -> Console:
    """A console that keeps lines whole where it is no terminal."""
    from rich.console import Console

    made = Console(stderr=stderr, highlight=False, emoji=False)
    if not made.is_terminal:
        made = Console(stderr=stderr, highlight=False, emoji=False, width=1000)
    return made


def existing(path: Path) -> Path:
    """The path, or one sentence that it is not there. `-` is standard input."""
    if str(path) != "-" and not path.exists():
        raise InputError(f"{path}: no such file or folder")
    return path


def rubric_source(rubric: str | None) -> Any:
    """A rubric option as the engine takes it: None, a loaded rubric, from a path or the library."""
    from rubrics.loading import load

    return None if rubric is None else load(rubric)


def read_grades(path: Path) -> list[GradeRecord]:
    """All grade records of a file. Raises InputError that names the line that is none, or that there are none."""
    from judge.cli.showing import records_in

    found = list(records_in(existing(path)))
    if not found:
        raise InputError(
            f"{path}: holds no grade records; make some with `judge grade EPISODES -r RUBRIC -J JUDGE -o {path}`"
        )
    return found


def read_people(labels: Path | None, store: str | None) -> list[Label]:
    """People's labels: of a file, or of the store. Lines that can't be read are told on stderr, and the others are used."""
    from judge.adapters.labels import labels_from
    from judge.store.ledger import default_path

    def tell(bad: Any) -> None:
        sys.stderr.write(f"judge: {bad}\n")

    return list(labels_from(labels, store or default_path(), on_bad=tell))


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show on a terminal that something takes a while."""
    shown = console(stderr=True)
    if not shown.is_terminal:
        yield
        return
    with shown.status(what):
        yield
