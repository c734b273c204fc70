"""What several commands need: judges by name, the engine, the episodes of a file, the console."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from judge.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from judge.judges import Judge

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
