"""A grade explained in the terminal: the arithmetic, each verdict with its reasons, what changed, and every failure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from judge.cli.summary import bar, number
from judge.flags import FLAGS
from judge.record import GradeRecord
from rubrics.rubric import Rubric
from rubrics.verdict import Verdict

if TYPE_CHECKING:
    from rich.console import Console

COLOURS = {"required_made": "green", "required_missing": "red", "made_wrong": "red", "collateral": "red"}
MAX_CHANGES = 60


def explain(record: GradeRecord, console: Console, *, rubric: Rubric | None = None) -> None:
    """Print why the episode has its score. With the rubric, weights and the sum are shown too."""
    _headline(record, console)
    if rubric is not None and rubric.fingerprint == record.rubric.fingerprint:
        _arithmetic(record, rubric, console)
    elif record.raw is not None:
        console.print("  (name the rubric's file with --rubric to see the weights and the sum)", style="dim")
    for verdict in record.verdicts:
        _verdict(verdict, record, console)
    _failures(record, console)
    _changes(record, console)
    _flags(record, console)
    _footer(record, console)


def explain_checks(record: GradeRecord, console: Console) -> None:
    """Print what the checks of one episode found and what changed in its state."""
    closed = f"  [red]gate closed: {', '.join(record.closed_gates)}[/red]" if record.closed_gates else ""
    console.print(f"[bold]{escape(record.episode_id)}[/bold]{closed}")
    for verdict in record.verdicts:
        console.print(f"  {escape(verdict.criterion)}: {_level(verdict)}  {escape(verdict.reason)}")
    for failure in record.failures:
        if failure.blame == "check":
            console.print(
                f"  [yellow]{escape(failure.criterion or '')}: {failure.kind}[/yellow]  {escape(failure.message)}"
            )
    _changes(record, console, indent="  ")


def _headline(record: GradeRecord, console: Console) -> None:
    score = "no score" if record.score is None else f"score {record.score:.4g}"
    passed = {True: "[green]passed[/green]", False: "[red]failed[/red]", None: "open"}[record.passed]
    console.print(f"[bold]{escape(record.episode_id)}[/bold]  {score}  {bar(record.score)}  {passed}")
    console.print(
        f"rubric {record.rubric.id} version {record.rubric.version} ({record.rubric.fingerprint}), method {record.method}"
    )
    if record.score is None:
        bounds = (
            "nothing that earns applies"
            if record.low is None
            else f"between {number(record.low)} and {number(record.high)}"
        )
        console.print(
            f"  it could be {bounds}: {len(record.missing)} verdict(s) missing: {escape(', '.join(record.missing))}"
        )
    if record.closed_gates:
        behind = f"; behind open gates it would be {number(record.ungated)}" if record.ungated is not None else ""
        console.print(f"  [red]closed gate: {escape(', '.join(record.closed_gates))}[/red]{behind}")
    if record.skipped:
        console.print(f"  not asked, since a gate was closed: {escape(', '.join(record.skipped))}")


def _arithmetic(record: GradeRecord, rubric: Rubric, console: Console) -> None:
    shares = rubric.shares_among(frozenset(record.values) - set(record.not_applicable))
    earning = sum(share for share in shares.values() if share > 0)
    terms = [f"{share:.3g}x{number(record.values.get(name))}" for name, share in shares.items() if share]
    if terms and record.raw is not None:
        console.print(f"  ({' + '.join(terms)}) / {earning:.3g} = {record.raw:.4g}")


def _level(verdict: Verdict) -> str:
    if verdict.level is None:
        return "[yellow]could not tell[/yellow]"
    value = "" if verdict.value is None else f" ({verdict.value:.3g})"
    if (
        verdict.rater == "panel"
        and verdict.value is not None
        and verdict.probability is None
        and " | " in verdict.reason
    ):
        return f"[bold]{verdict.value:.3g}[/bold], nearest to {escape(verdict.level)}"
    return f"[bold]{escape(verdict.level)}[/bold]{value}"


def _verdict(verdict: Verdict, record: GradeRecord, console: Console) -> None:
    console.print(f"\n{escape(verdict.criterion)}: {_level(verdict)}  [dim]{escape(verdict.rater)}[/dim]")
    if verdict.rater != "panel":
        console.print(f"  {escape(verdict.reason)}", style="dim")
        return
    for judgement in record.judgements:
        for said in judgement.verdicts:
            if said.criterion == verdict.criterion:
                _said(said, console)


def _said(said: Verdict, console: Console) -> None:
    probability = "" if said.probability is None else f", p {said.probability:.2f}"
    console.print(f"  {escape(said.rater.removeprefix('judge:'))}: {_level(said)}{probability}  {escape(said.reason)}")
    for quote in said.quotes:
        place = f"step {quote.step}" if quote.step is not None else (quote.source or "somewhere")
        mark = {True: "[green]found[/green]", False: "[red]not there[/red]", None: "not looked up"}[quote.verified]
        console.print(f'    "{escape(quote.text)}"  {escape(place)}, {mark}')


def _failures(record: GradeRecord, console: Console) -> None:
    if record.failures:
        console.print("\nfailures")
    for failure in record.failures:
        who = ", ".join(part for part in (failure.rater, failure.criterion) if part)
        console.print(f"  [yellow]{failure.kind}[/yellow] ({failure.blame}) {escape(who)}: {escape(failure.message)}")


def _changes(record: GradeRecord, console: Console, *, indent: str = "") -> None:
    if record.changes and not indent:
        console.print("\nstate, compared with the goal")
    for change in record.changes[:MAX_CHANGES]:
        kind = str(change.get("kind", ""))
        colour = COLOURS.get(kind, "dim")
        console.print(
            f"{indent}  [{colour}]{kind.replace('_', ' ')}[/{colour}] {escape(str(change.get('path', '')))}{_sides(change)}"
        )
    if len(record.changes) > MAX_CHANGES:
        console.print(f"{indent}  and {len(record.changes) - MAX_CHANGES} more")


def _sides(change: dict[str, Any]) -> str:
    parts = [f"{name} {_short(change[name])}" for name in ("was", "now", "wanted") if name in change]
    note = f"  ({change['note']})" if change.get("note") else ""
    return escape((": " if parts else "") + ", ".join(parts) + note)


def _short(value: Any) -> str:
    import json

    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 100 else text[:97] + "…"


def _flags(record: GradeRecord, console: Console) -> None:
    if record.flags:
        console.print("\nflags")
    for flag in record.flags:
        console.print(f"  {flag}: {FLAGS.get(flag, '')}")


def _footer(record: GradeRecord, console: Console) -> None:
    cost = record.cost
    money = "price unknown" if cost.usd is None else f"${cost.usd:.4f}"
    calls = f"{cost.calls} call(s), {cost.avoided_calls} from the ledger, {money}, {record.seconds:.1f} s"
    console.print(
        f"\n[dim]panel {escape(', '.join(record.panel) or 'none')}; {calls}; spread {number(record.spread)}[/dim]"
    )


def first_match(records: Iterable[GradeRecord], episode: str) -> GradeRecord | None:
    """The first record of that episode id or task id."""
    return next((record for record in records if episode in (record.episode_id, record.task_id)), None)
