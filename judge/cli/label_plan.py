"""`judge plan`."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from judge.cli.calibrating import LabelsOption
from judge.cli.grading import StoreOption, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibration.items import Pairing
    from calibration.results import Queued


def plan(
    grades: Annotated[
        Path | None,
        typer.Argument(help="Grade records, to choose from and to learn from (without: the arithmetic alone)."),
    ] = None,
    labels: LabelsOption = None,
    precision: Annotated[
        float | None, typer.Option(min=0.001, max=0.5, help="Wish: the pass rate within this much either way.")
    ] = None,
    certify: Annotated[
        float | None,
        typer.Option(min=0.5, max=0.999, help="Wish: grades that may stand agree with people at least so often."),
    ] = None,
    kappa: Annotated[
        float | None, typer.Option(min=0.01, max=1, help="Wish: kappa within this much either way.")
    ] = None,
    rate: Annotated[float | None, typer.Option(min=0, max=1, help="The pass rate, where you know it roughly.")] = None,
    criterion: Annotated[str | None, typer.Option(help="Plan for this criterion (default: whole episodes).")] = None,
    size: Annotated[
        int | None, typer.Option("--queue", min=1, help="Choose so many (default: what is lacking).")
    ] = None,
    kind: Annotated[
        Literal["estimate", "audit", "debug"],
        typer.Option(
            help="How: estimate (at random, over low to high scores); audit (state check against panel); debug (odd ones)."
        ),
    ] = "estimate",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the chosen episodes to this CSV, to be filled in.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the choice.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    store: StoreOption = None,
) -> None:
    """How many labels a wish takes, and which episodes to label next, each with the known chance with which it was chosen.

    Example: judge plan grades.jsonl --labels labels.csv --precision 0.05 -o queue.csv
    """
    import numpy as np

    from calibration.planning import Queueing, Wish
    from calibration.planning import plan as make
    from judge.cli.setup import console
    from judge.errors import InputError

    if sum(wish is not None for wish in (precision, certify, kappa)) != 1:
        raise InputError("give one wish: --precision 0.05, --certify 0.85 or --kappa 0.15")
    pairing = None if grades is None else _pairing(grades, labels, store)
    rng = np.random.default_rng(seed)
    wish = Wish(precision=precision, certify=certify, kappa=kappa, rate=rate)
    queueing = Queueing(size=size, kind="estimate" if kind == "audit" else kind, criterion=criterion)
    found = make(wish, pairing, queue=queueing, rng=rng)
    queue: Sequence[Queued] = found.queue
    if kind == "audit":
        queue = _audit(grades, size or len(queue), seed)
    if output is not None:
        write_queue(output, queue, criterion)
    if as_json:
        print_json(found.model_copy(update={"queue": tuple(queue)}).model_dump(mode="json"))
        return
    out = console()
    out.print(f"{found.wish}: {found.reads}", markup=False)
    for one in queue[:10]:
        chance = "chosen for its difficulty" if one.inclusion is None else f"chance {one.inclusion:.3f}"
        twice = f", {one.raters} people" if one.raters > 1 else ""
        out.print(f"  {one.episode}  ({chance}{twice}{', ' + one.stratum if one.stratum else ''})", markup=False)
    if len(queue) > 10:
        out.print(f"  and {len(queue) - 10} more" + ("" if output else "; -o FILE writes them all"))
    if output is not None:
        sys.stderr.write(
            f"judge: {len(queue)} episodes to label in {output}: fill in rater and level, then judge label import\n"
        )


def _pairing(grades: Path, labels: Path | None, store: str | None) -> Pairing:
    from calibration.pairing import pair
    from calibration.wholes import with_wholes
    from judge.cli.setup import read_grades, read_people
    from judge.errors import InputError

    records = read_grades(grades)
    try:
        people = read_people(labels, store)
    except InputError:
        if labels is not None:
            raise
        people = []  # a plan is what one makes before there are labels
    return with_wholes(records, pair(records, people), gate=True)


def _audit(grades: Path | None, size: int, seed: int) -> tuple[Queued, ...]:
    import numpy as np

    from calibration.audit_queue import queue_for_audit
    from judge.cli.setup import read_grades
    from judge.errors import InputError

    if grades is None:
        raise InputError("--kind audit chooses from graded episodes: name the file of grade records")
    return queue_for_audit(read_grades(grades), size, np.random.default_rng(seed))


def write_queue(path: Path, queue: Sequence[Queued], criterion: str | None) -> None:
    """The chosen episodes as a labels file with rater and level left open; a row for each person who is to label one."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["episode_id", "criterion", "rater", "level", "inclusion_probability", "stratum"])
        for one in queue:
            chance = "" if one.inclusion is None else f"{one.inclusion:.6g}"
            for _ in range(one.raters):
                writer.writerow([one.episode, criterion or "", "", "", chance, one.stratum])
