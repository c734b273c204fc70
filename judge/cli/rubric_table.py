"""A rubric in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape

from rubrics.criterion import Criterion
from rubrics.rubric import Rubric

if TYPE_CHECKING:
    from rich.console import Console


def show_rubric(rubric: Rubric, console: Console) -> None:
    """Its head, then each criterion with what it weighs, asks and means."""
    console.print(
        f"[bold]{rubric.id}[/bold] version {rubric.version}  {escape(rubric.title)}  [dim]{rubric.fingerprint}[/dim]"
    )
    if rubric.description:
        console.print(escape(rubric.description.strip()))
    mark = "no pass mark" if rubric.pass_mark is None else f"passes at {rubric.pass_mark:g}"
    console.print(
        f"{mark}; {len(rubric.leaves)} criteria, {sum(not c.judged for c in rubric.leaves)} settled by code\n"
    )
    for criterion in rubric.leaves:
        _show(criterion, rubric.shares.get(criterion.id, 0.0), console)


def _show(criterion: Criterion, share: float, console: Console) -> None:
    gate = (
        "  [red]gate[/red]"
        if criterion.gate is True
        else (f"  [red]gate at {criterion.gate}[/red]" if criterion.gate else "")
    )
    code = f"  [cyan]check {criterion.check.name}[/cyan]" if criterion.check else ""
    console.print(f"[bold]{criterion.id}[/bold]  weight {share:.3g}{gate}{code}")
    if criterion.ask:
        console.print(f"  {escape(criterion.ask.strip())}")
    if criterion.applies_if:
        console.print(f"  only if {escape(criterion.applies_if)}", style="dim")
    for level in criterion.levels:
        if level.means:
            console.print(f"    {escape(level.name)} ({level.value:g}): {escape(level.means.strip())}", style="dim")
