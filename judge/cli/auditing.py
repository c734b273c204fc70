"""`judge audit` and `judge watch`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judge.cli.calibrating import CalibrationOption, interval, number, tell_left_out
from judge.cli.grading import AcceptOption, StoreOption, print_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from calibration.calibration import Calibration
    from calibration.items import Pairing
    from calibration.label import Label
    from calibration.results import Canaries, Drift, Transport
    from judge.record import GradeRecord


def audit(
    labels: Annotated[
        Path, typer.Argument(help="Fresh labels of this policy's episodes, chosen at random.", show_default=False)
    ],
    calibration: CalibrationOption,
    grades: Annotated[
        Path | None,
        typer.Option("--grades", "-g", help="Grades of the labelled episodes (default: their latest in the ledger)."),
    ] = None,
    accept_other: AcceptOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Every figure as JSON.")] = False,
    store: StoreOption = None,
) -> None:
    """Does a calibration still hold for this policy, or for this checkpoint of it? Fresh labels tell: 30 to 60 a checkpoint.

    Exit code 0: it holds; 1: it does not, or too few labels can't say; 2: bad input.

    Example: judge audit fresh-labels.csv --grades fresh.jsonl --calibration calibration.json
    """
    from calibration.loading import load
    from calibration.pairing import pair
    from calibration.reporting import applied_to
    from calibration.transporting import transport
    from calibration.wholes import with_wholes
    from judge.cli.setup import console, existing, read_people

    fitted = load(calibration)
    people = read_people(existing(labels), store)
    records = _labelled(grades, people, store)
    pairing = _fresh(labels, pair(records, people), fitted)
    pairing = with_wholes(records, pairing, gate=fitted.reward.state == "gate")
    found = transport(pairing, applied_to(records, fitted, accept=accept_other))
    tell_left_out(pairing.left_out)
    if as_json:
        print_json([one.model_dump(mode="json") for one in found])
    else:
        _print(_audit_rows(found), (one.reads for one in found), console())
    raise typer.Exit(0 if all(one.holds for one in found) else 1)


def _fresh(place: Path, pairing: Pairing, fitted: Calibration) -> Pairing:
    """The labels that the calibration has not seen: the others always look right. Raises InputError if none is left."""
    from calibration.calibrating import hash_of_item
    from judge.errors import InputError

    known = set(fitted.labels.seen)
    fresh = tuple(p for p in pairing.pairs if hash_of_item(p.item) not in known)
    if pairing.pairs and not fresh:
        raise InputError(
            f"{place}: these are labels that calibration {fitted.id} was fitted on, which always look right; "
            "label 30 to 60 fresh episodes of the policy (`judge plan GRADES -o queue.csv` chooses them)"
        )
    if len(fresh) < len(pairing.pairs):
        sys.stderr.write(
            f"judge: left out {len(pairing.pairs) - len(fresh)} labels that the calibration was fitted on\n"
        )
    return replace(pairing, pairs=fresh)


def _labelled(grades: Path | None, people: Iterable[Label], store: str | None) -> list[GradeRecord]:
    """The grades of the labelled episodes: those of the file, or the latest of each in the ledger."""
    from judge.cli.setup import read_grades
    from judge.errors import InputError
    from judge.store.database import masked
    from judge.store.ledger import Ledger, default_path

    episodes = dict.fromkeys(label.episode for label in people)
    if grades is not None:
        found = [record for record in read_grades(grades) if record.episode_id in episodes]
        if not found:
            raise InputError(f"{grades}: holds no grade of a labelled episode, such as {next(iter(episodes), 'none')}")
        return found
    place = store or default_path()
    ledger = Ledger(place)
    try:
        found = [record for episode in episodes if (record := ledger.latest(episode)) is not None]
    finally:
        ledger.close()
    if not found:
        raise InputError(
            f"the ledger {masked(place)} has no grade of a labelled episode; grade them, or name a file with --grades"
        )
    return found


def _audit_rows(found: Iterable[Transport]) -> list[dict[str, str]]:
    says = {True: "holds", False: "does not hold", None: "can't say"}
    return [
        {
            "policy": one.policy or "–", "step": "–" if one.policy_step is None else str(one.policy_step),
            "labels": str(one.n), "tasks": str(one.tasks), "failures": str(one.failures),
            "truth less reward": interval(one.residual), "p": number(one.p_value),
            "leans on": ", ".join(one.leans) or "–", "verdict": says[one.holds],
        }
        for one in found
    ]  # fmt: skip


def watch(
    anchors: Annotated[
        Path,
        typer.Argument(
            help="Grades of the same episodes again and again, in order: append each day's.", show_default=False
        ),
    ],
    calibration: CalibrationOption,
    baseline: Annotated[int, typer.Option(min=10, help="Passes that later ones are compared with.")] = 30,
    canaries: Annotated[
        Path | None, typer.Option("--canaries", help="Grades of episodes that are all known to be bad.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Every figure as JSON.")] = False,
) -> None:
    """Has a judge drifted on frozen anchors? Grade some 60 of them every day (`--no-cache`), with the rubric and panel in use.

    Exit code 0: steady, or too few passes to say; 1: a judge drifted, the grader is not that of the calibration, or more than 2%
    of canaries pass; 2: bad input.

    Example: judge watch anchors.jsonl --calibration calibration.json
    """
    from calibration.canaries import canaries as put
    from calibration.drifting import drift_of
    from calibration.loading import load
    from judge.cli.setup import console, read_grades

    fitted = load(calibration)
    found = drift_of(read_grades(anchors), baseline=baseline, calibration=fitted)
    birds = None if canaries is None else put(read_grades(canaries), fitted)
    if as_json:
        bad = None if birds is None else birds.model_dump(mode="json")
        print_json({"drift": [one.model_dump(mode="json") for one in found], "canaries": bad})
    else:
        _print(_drift_rows(found), _sentences(found, birds), console())
    raise typer.Exit(1 if _trouble(found, birds) else 0)


def _trouble(found: Iterable[Drift], birds: Canaries | None) -> bool:
    return any(one.drifted_at or one.changed for one in found) or (birds is not None and not birds.holds)


def _sentences(found: Iterable[Drift], birds: Canaries | None) -> list[str]:
    return [*(one.reads for one in found), *([birds.reads] if birds is not None else [])]


def _drift_rows(found: Iterable[Drift]) -> list[dict[str, str]]:
    return [
        {
            "judge": one.judge, "passes": str(one.passes), "anchors": str(one.anchors), "ungraded": str(one.ungraded),
            "change": "–" if one.change.value is None else f"{one.change.value:+.3f}",
            "95%": "–" if one.change.low is None or one.change.high is None else f"{one.change.low:+.3f} to {one.change.high:+.3f}",
            "CUSUM": f"{one.statistic[-1]:.1f} of {one.threshold:g}" if one.statistic else "–",
            "verdict": f"drifted at pass {one.drifted_at}" if one.drifted_at else "steady" if one.statistic else "can't say",
        }
        for one in found
    ]  # fmt: skip


def _print(rows: Sequence[dict[str, str]], sentences: Iterable[str], out: Console) -> None:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in rows[0]:
        table.add_column(name)
    for row in rows:
        table.add_row(*row.values())
    out.print(table)
    for sentence in sentences:
        out.print(f"- {sentence}", markup=False)
