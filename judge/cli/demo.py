"""`judge demo`: the main job on samples, with no key and no server."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from judge.reading import BadLine
    from judge.record import GradeRecord

EMBEDDED = "local/qwen2.5-coder-1.5b"


def demo(
    judge: Annotated[
        str, typer.Option("--judge", "-J", help="The embedded judge for the three short samples.")
    ] = EMBEDDED,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Keep all records in this folder.")] = None,
) -> None:
    """Grade sample episodes: three short ones with the embedded judge, the rest with recorded replies; say which is which.

    The embedded judge's weights are fetched at first use (about 1.1 GB for the default one).
    """
    from judge.cli.setup import console

    out = console()
    folder = output or Path(tempfile.mkdtemp(prefix="judge-demo-"))
    folder.mkdir(parents=True, exist_ok=True)
    embedded = _embedded(judge, folder)
    _recorded_group(folder)
    total = _recorded_library(folder)
    out.print(f"\n{embedded} episodes by the embedded judge {judge}, {total} by recorded replies. Records: {folder}")
    out.print("Look closer: [bold]judge show a2 --grades " + str(folder / "refund_group.jsonl") + "[/bold]")


def _embedded(judge: str, folder: Path) -> int:
    from judge.cli.models import fetch
    from judge.cli.setup import console
    from judge.judges import parse_reference
    from judge.models.weights import installed

    out = console()
    name = parse_reference(judge).name
    if installed(name) is None:
        sys.stderr.write(f"judge: fetching the weights of {name} once\n")
        fetch(name)
    out.print(f"\n[bold]1. Three short replies, judged here by {judge}[/bold]")
    out.print(
        "a small model that reads one probability for each question; see docs/guides/embedded-judge.md for how often it is right\n"
    )
    records = _grade("demo", [judge], folder)
    _table(records)
    return len(records)


def _recorded_group(folder: Path) -> None:
    from judge.cli.explaining import explain
    from judge.cli.setup import console
    from rubrics.loading import load

    out = console()
    out.print("\n[bold]2. Eight attempts at one refund: a state check as gate, and two recorded judges[/bold]")
    records = _grade("refund_group", ["recorded/refund_group.replies.jsonl"], folder, rubric="refund_reply")
    _table(records)
    out.print("\n[bold]why a2 scored 0[/bold]")
    explain(next(r for r in records if r.episode_id == "a2"), out, rubric=load("refund_reply"))


def _recorded_library(folder: Path) -> int:
    from rich.table import Table

    from judge.cli.setup import console
    from judge.cli.summary import bar, number
    from rubrics.loading import library

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("rubric", "episodes", "graded", "mean", ""):
        table.add_column(name)
    total = 8
    for rubric_id in library():
        records = _grade(rubric_id, [f"recorded/{rubric_id}.replies.jsonl"], folder, rubric=rubric_id)
        scores = [r.score for r in records if r.score is not None]
        mean = sum(scores) / len(scores) if scores else None
        table.add_row(rubric_id, str(len(records)), str(len(scores)), number(mean), bar(mean))
        total += len(records)
    out = console()
    out.print("\n[bold]3. The library's rubrics on their own samples, by recorded judges[/bold]")
    out.print(table)
    return total


def _grade(sample: str, judges: Sequence[str], folder: Path, *, rubric: Any = None) -> list[GradeRecord]:
    from judge.engine import Engine
    from judge.reading import read_episodes
    from rubrics.loading import SAMPLES, load

    async def run() -> list[GradeRecord]:
        async with Engine(judges, base_dir=SAMPLES) as engine:
            episodes = read_episodes(SAMPLES / f"{sample}.jsonl", on_bad=_complain)
            return [record async for record in engine.grade_many(episodes, load(rubric) if rubric else None)]

    records = asyncio.run(run())
    (folder / f"{sample}.jsonl").write_text("".join(r.to_json() + "\n" for r in records), encoding="utf-8")
    return records


def _complain(bad: BadLine) -> None:
    sys.stderr.write(f"judge: {bad.source}:{bad.line}: {bad.message}\n")


def _table(records: Sequence[GradeRecord]) -> None:
    from rich.table import Table

    from judge.cli.setup import console
    from judge.cli.summary import bar, number

    criteria = list(dict.fromkeys(name for record in records for name in record.values))
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("episode", "score", "", *criteria, "remarks"):
        table.add_column(name, overflow="fold")
    for record in records:
        remarks = [f"closed: {', '.join(record.closed_gates)}"] if record.closed_gates else []
        remarks += [f"between {number(record.low)} and {number(record.high)}"] if record.score is None else []
        remarks += [flag for flag in record.flags if flag != "missing"]
        values = [number(record.values[name]) if record.values.get(name) is not None else "·" for name in criteria]
        table.add_row(record.episode_id, number(record.score), bar(record.score, 10), *values, ", ".join(remarks))
    console().print(table)
