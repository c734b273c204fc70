"""`judge grade --dry-run`: calls, tokens and cost, before anything is spent."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judge.cli.grading import print_json
from judge.cli.setup import console
from judge.engine import UngradableError
from judge.errors import InputError, JudgeError
from judge.planning import output_tokens, prompts_for
from judge.prompting import tokens_in
from rubrics.errors import RubricError

if TYPE_CHECKING:
    from judge.cli.running import Run
    from judge.episode import Episode
    from judge.judges import Judge


@dataclass
class Plan:
    """What one judge would be sent. `usd` is None if its price is unknown."""

    judge: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    overlong: int = 0
    usd: float | None = 0.0


def show_plan(run: Run, *, as_json: bool) -> int:
    """Compose everything, send nothing, print the plan. Returns the exit code: 0, or 2 if nothing could be read."""
    plans = {judge.name: Plan(judge.name) for judge in run.engine.panel.judges}
    counts: Counter[str] = Counter()
    for episode in run.episodes():
        counts["episodes"] += 1
        _plan_episode(run, episode, plans, counts)
    for judge in run.engine.panel.judges:
        plans[judge.name].usd = _price(judge, plans[judge.name])
    if as_json:
        print_json({**counts, "judges": [vars(plan) for plan in plans.values()]})
    else:
        _show(plans, counts)
    if not counts["episodes"]:
        sys.stderr.write(f"judge: {run.path}: no episode could be read\n")
        return 2
    return 1 if run.summary.unreadable else 0


def _plan_episode(run: Run, episode: Episode, plans: dict[str, Plan], counts: Counter[str]) -> None:
    try:
        case = run.engine.open(episode, run.rubric)
    except (RubricError, InputError) as error:
        run.ungradable(UngradableError(episode, str(error)))
        return
    counts["closed_by_code"] += bool(case.skipped)
    for judge in run.engine.panel.judges:
        plan = plans[judge.name]
        try:
            prompts = prompts_for(case, judge, run.engine.options)
        except JudgeError:
            plan.overlong += 1
            continue
        repeats = run.engine.panel.repeats
        plan.calls += len(prompts) * repeats
        plan.input_tokens += sum(map(tokens_in, prompts)) * repeats
        plan.output_tokens += sum(output_tokens(prompt.criteria) for prompt in prompts) * repeats


def _price(judge: Judge, plan: Plan) -> float | None:
    from judge.models.prices import list_price

    if judge.reference.provider in ("local", "recorded", "scripted"):
        return 0.0
    price = judge.price or list_price(judge.reference.provider, judge.reference.name)
    if price is None:
        return None
    return (plan.input_tokens * price.input + plan.output_tokens * price.output) / 1e6


def _show(plans: dict[str, Plan], counts: Counter[str]) -> None:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("judge", "calls", "tokens in", "tokens out", "too long for it", "cost"):
        table.add_column(name, justify="left" if name == "judge" else "right")
    for plan in plans.values():
        cost = "price unknown" if plan.usd is None else f"${plan.usd:.4f}"
        row = (f"{plan.calls:,}", f"{plan.input_tokens:,}", f"{plan.output_tokens:,}", str(plan.overlong or ""), cost)
        table.add_row(plan.judge, *row)
    out = console()
    out.print(table)
    out.print(f"{counts['episodes']} episodes, {counts['closed_by_code']} settled by code alone; nothing was sent")
    out.print("tokens are estimated from characters; cached input and the ledger can only make it cheaper", style="dim")
