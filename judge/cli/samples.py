"""`judge samples`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer


def samples(
    folder: Annotated[Path, typer.Argument(help="Where to put them.")] = Path("samples"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")] = False,
) -> None:
    """Copy the sample episodes and recorded judges of the library into a folder, to try things on and to start from."""
    from judge.errors import InputError
    from rubrics.loading import SAMPLES

    if folder.exists() and not force:
        raise InputError(f"{folder} exists; use --force to overwrite what is in it, or name another folder")
    shutil.copytree(SAMPLES, folder, dirs_exist_ok=True)
    count = len(list(folder.glob("*.jsonl")))
    sys.stdout.write(
        f"{folder}: {count} files; try `judge check {folder}/refund_group.jsonl -r refund_reply --explain`\n"
    )
