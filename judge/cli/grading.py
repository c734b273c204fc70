"""`judge grade`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from judge.judges import Judge

RubricOption = Annotated[
    str | None, typer.Option("--rubric", "-r", help="Library id or file. Without it, each episode's own rubric.")
]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", help="judge.toml with named judges (default: ./judge.toml if it is there).")
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        help="Ledger: a SQLite file or a database URL (default: in your data folder).",
        envvar="RUBRIC_JUDGE_STORE",
    ),
]
AcceptOption = Annotated[
    bool,
    typer.Option("--accept-other-grader", help="Use the calibration though the grader is another; grades are flagged."),
]
EpisodesArgument = Annotated[
    Path, typer.Argument(help="Episodes: .jsonl, .json, .gz, a folder, or - for standard input.", show_default=False)
]


def grade(
    episodes: EpisodesArgument,
    rubric: RubricOption = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            "--judge", "-J", help="A judge: PROVIDER/MODEL or a name of judge.toml. Give it again for a panel."
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write one record a line to this file.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the output file; keep what is graded.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the output file.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="JSON on stdout instead of a table: the records, or with -o the summary.")
    ] = False,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N episodes.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show calls, tokens and cost; ask nobody.")] = False,
    budget: Annotated[
        float | None, typer.Option("--budget", min=0, help="Stop when so many US dollars are spent.")
    ] = None,
    concurrency: Annotated[
        int, typer.Option("--max-concurrency", "-j", min=1, help="Calls in flight for each endpoint.")
    ] = 64,
    pool: Annotated[str, typer.Option(help="How judges become one: mean, median, majority.")] = "mean",
    quorum: Annotated[
        int | None, typer.Option(min=1, help="Judges that must answer (default: more than half).")
    ] = None,
    substitute: Annotated[
        list[str] | None, typer.Option(help="A judge that takes the place of one that failed.")
    ] = None,
    escalate_to: Annotated[
        list[str] | None, typer.Option(help="A stronger judge, asked where the others disagree.")
    ] = None,
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="Samples of each judge, averaged.")] = 1,
    early_stop: Annotated[bool, typer.Option(help="Ask judges in turn; stop when `passed` can't change.")] = False,
    batch: Annotated[int, typer.Option(min=1, help="Criteria in one call.")] = 8,
    seed: Annotated[int, typer.Option(help="Orders the criteria in a call.")] = 0,
    deadline: Annotated[
        float | None, typer.Option(min=0.001, help="Seconds for an episode, all retries included.")
    ] = None,
    behind_gates: Annotated[bool, typer.Option(help="Ask judges even where a check has closed a gate.")] = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Ask again, whatever the ledger holds.")] = False,
    hedge: Annotated[bool, typer.Option(help="Send a second request for stragglers (both are paid).")] = False,
    allow_code: Annotated[
        bool, typer.Option("--allow-code", help="Let `python` checks run the functions they name.")
    ] = False,
    patience: Annotated[int, typer.Option(min=0, help="Stop after so many failures in a row (0: never).")] = 25,
    calibration: Annotated[
        Path | None,
        typer.Option("--calibration", "-c", help="Give rewards with this calibration (see judge calibrate)."),
    ] = None,
    accept_other: AcceptOption = False,
    config: ConfigOption = None,
    store: StoreOption = None,
) -> None:
    """Grade episodes with a rubric, judges and checks.

    Replies are kept in a ledger, so that running the same command again pays only for what is missing. The output has one
    record per episode, in the order of the input; lines that can't be read go to OUT.errors.jsonl. With --calibration each
    record has a reward with its interval, and says whether it needs another look.

    Example: judge grade episodes.jsonl -r refund_reply --judge openai/gpt-5-mini --judge anthropic/claude-sonnet-4-5 -o grades.jsonl
    """
    from judge.cli.rewarding import rewarding
    from judge.cli.running import Run
    from judge.cli.setup import existing, known_judges, rubric_source
    from judge.engine import Engine
    from judge.errors import InputError
    from judge.options import Options
    from judge.store.ledger import default_path

    if resume and output is None:
        raise InputError("--resume needs the output file to go on with: -o FILE")
    known = known_judges(config)
    options = Options(
        batch=batch, seed=seed, deadline=deadline, behind_gates=behind_gates, cache=not no_cache, hedge=hedge,
        allow_code=allow_code, budget=budget, concurrency=concurrency,
    )  # fmt: skip
    settings: dict[str, Any] = {"pool": pool, "quorum": quorum, "repeats": repeat, "early_stop": early_stop}
    panel = _panel(known, judge or [], substitute or [], escalate_to or [], settings)
    engine = Engine(panel, options=options, store=None if dry_run else (store or default_path()))
    rewards = rewarding(engine, calibration, accept=accept_other) if calibration else None
    source = existing(episodes)
    run = Run(engine, source, rubric_source(rubric), limit=limit, patience=patience, calibration=rewards)
    if dry_run:
        from judge.cli.dry_run import show_plan

        raise typer.Exit(show_plan(run, as_json=as_json))
    raise typer.Exit(run.grade(output, resume=resume, force=force, as_json=as_json))


def _panel(
    known: dict[str, Judge], names: list[str], substitutes: list[str], stronger: list[str], settings: dict[str, Any]
) -> Any:
    from judge.seating import judges_named, make_panel

    def seated(wanted: list[str]) -> tuple[Judge, ...]:
        return tuple(found for name in wanted for found in judges_named(name, known, Path()))

    if not names:
        sys.stderr.write("judge: no --judge given: only checks are made, and judged criteria stay missing\n")
    return make_panel(judges=seated(names), substitutes=seated(substitutes), escalate_to=seated(stronger), **settings)


def print_json(content: Any) -> None:
    """One JSON document on stdout, without NaN."""
    sys.stdout.write(json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n")
