"""`judge prompt`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judge.cli.grading import ConfigOption, RubricOption, StoreOption

if TYPE_CHECKING:
    from rich.console import Console

    from judge.models.exchange import Prompt


def prompt(
    episode: Annotated[str, typer.Argument(help="An episode's id.", show_default=False)],
    episodes: Annotated[
        Path | None,
        typer.Option(
            "--episodes", "-e", help="Compose it from this file (default: show what was sent, from the ledger)."
        ),
    ] = None,
    rubric: RubricOption = None,
    judge: Annotated[
        str | None, typer.Option("--judge", "-J", help="Compose it for this judge's window and batch.")
    ] = None,
    batch: Annotated[int | None, typer.Option(min=1, help="Criteria in one call (default: the judge's, or 8).")] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Show the JSON schema of the reply too.")] = False,
    config: ConfigOption = None,
    store: StoreOption = None,
) -> None:
    """Show the exact prompt that would be sent, or that was sent, for an episode. Nothing is sent.

    Example: judge prompt a1 --episodes episodes.jsonl --rubric refund_reply --judge openai/gpt-5-mini
    """
    from judge.cli.setup import console, existing

    out = console()
    if episodes is None:
        from judge.store.database import masked
        from judge.store.ledger import Ledger, default_path

        place = store or default_path()
        sent = Ledger(place).exchanges(episode)
        if not sent:
            sys.stderr.write(
                f"judge: nothing about {episode!r} was sent according to {masked(place)}; compose it with --episodes FILE\n"
            )
            raise typer.Exit(2)
        show_exchanges(sent, out)
        return
    for position, made in enumerate(_composed(existing(episodes), episode, rubric, judge, batch, config)):
        _show(made, out, title=f"call {position + 1}", schema=schema)


def _composed(
    path: Path, wanted: str, rubric: str | None, judge: str | None, batch: int | None, config: Path | None
) -> list[Prompt]:
    from judge.cli.setup import known_judges, rubric_source
    from judge.engine import Engine
    from judge.options import Options
    from judge.planning import prompts_for
    from judge.reading import read_episodes
    from judge.seating import judges_named

    bad: list[str] = []
    found = next(
        (e for e in read_episodes(path, on_bad=lambda b: bad.append(b.message)) if wanted in (e.id, e.task_id)), None
    )
    if found is None:
        sys.stderr.write(
            f"judge: no episode {wanted!r} in {path}" + (f" ({len(bad)} unreadable line(s))\n" if bad else "\n")
        )
        raise typer.Exit(2)
    engine = Engine((), options=Options(behind_gates=True, **({"batch": batch} if batch else {})))
    seated = judges_named(judge, known_judges(config), Path())[0] if judge else None
    case = engine.open(found, rubric_source(rubric))
    if Engine().open(found, rubric_source(rubric)).skipped:
        sys.stderr.write(
            "judge: a check has closed a gate, so `judge grade` would ask nobody (without --behind-gates)\n"
        )
    return prompts_for(case, seated, engine.options)


def _show(made: Prompt, out: Console, *, title: str, schema: bool) -> None:
    from judge.prompting import tokens_in

    out.print(f"--- {title}: system ---", style="dim")
    out.print(made.system, markup=False, soft_wrap=True)
    out.print(f"--- {title}: user; about {tokens_in(made):,} tokens in all ---", style="dim")
    out.print(made.user, markup=False, soft_wrap=True)
    if schema:
        from judge.cli.grading import print_json

        print_json(made.schema)


def show_exchanges(exchanges: list[dict[str, Any]], out: Console) -> None:
    """Every prompt and reply, one after another."""
    for exchange in exchanges:
        out.print(
            f"--- to {exchange['judge']} ({exchange['reference']}), sample {exchange['sample']} ---",
            style="dim",
            markup=False,
        )
        out.print(exchange["system"], markup=False, soft_wrap=True)
        out.print(exchange["evidence"] + exchange["questions"], markup=False, soft_wrap=True)
        out.print("--- reply ---", style="dim")
        reply = exchange["reply"]
        out.print(
            reply["text"] if reply["text"] is not None else str(reply["probabilities"]), markup=False, soft_wrap=True
        )
