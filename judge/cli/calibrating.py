"""`judge calibrate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from judge.cli.grading import StoreOption, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibration.calibration import Calibration
    from calibration.items import LeftOut

GradesArgument = Annotated[
    Path, typer.Argument(help="Grade records: the -o file of judge grade, or - for standard input.", show_default=False)
]
LabelsOption = Annotated[
    Path | None,
    typer.Option("--labels", "-l", help="People's labels: CSV, JSONL or another known export (default: the store)."),
]
CalibrationOption = Annotated[
    Path, typer.Option("--calibration", "-c", help="The calibration, as judge calibrate wrote it.", show_default=False)
]
WORRYING = {"worse_than_chance", "no_signal", "uncalibrated"}


def calibrate(
    grades: GradesArgument,
    labels: LabelsOption = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Write the calibration here.")] = Path(
        "calibration.json"
    ),
    force: Annotated[bool, typer.Option("--force", help="Overwrite it.")] = False,
    truth: Annotated[
        Literal["people", "state", "both"], typer.Option(help="Who is right: people, state (the state checks), both.")
    ] = "people",
    state: Annotated[
        Literal["gate", "feature"],
        typer.Option(help="What a closed gate does: gate (the reward is 0), feature (one more input)."),
    ] = "gate",
    form: Annotated[
        Literal["probability", "saturated"],
        typer.Option(help="The reward: probability, or saturated (no credit below 0.2, full above 0.8)."),
    ] = "probability",
    covariate: Annotated[
        list[str] | None, typer.Option(help="A number of the record to predict with, such as steps. Repeatable.")
    ] = None,
    nuisance: Annotated[
        list[str] | None,
        typer.Option(
            help="One to hold at its median, so that it earns nothing (default: log_reply_chars; none: leave it)."
        ),
    ] = None,
    target: Annotated[
        float, typer.Option(min=0.5, max=0.999, help="Agreement that grades which may stand must have.")
    ] = 0.85,
    delta: Annotated[float, typer.Option(min=0.001, max=0.5, help="How often that promise may be broken.")] = 0.1,
    label_free: Annotated[
        bool, typer.Option("--label-free", help="Without labels: by agreement alone (badged).")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of folds and bootstraps.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the calibration as JSON too.")] = False,
    store: StoreOption = None,
) -> None:
    """Fit a calibration: what this grader's answers are worth, by people's labels or the state checks.

    Each question with 15 labels or more gets a map of its own, shrunk toward that of all; the others share one by tag, or
    one for all. Figures are on
    labels that the fit had not seen. Exit code 1: it was written, but something is wrong that you should read.

    Example: judge calibrate grades.jsonl --labels labels.csv -o calibration.json
    """
    import numpy as np

    from calibration.calibrating import FitOptions, fit_in_full
    from calibration.calibration import RewardRule
    from judge.cli.setup import console, read_grades, read_people, working

    records = read_grades(grades)
    _refuse_overwriting(output, force)
    people = [] if truth == "state" or (label_free and labels is None) else read_people(labels, store)
    rule = RewardRule(form=form, state=state)
    options = FitOptions(
        reward=rule, covariates=tuple(covariate or ()), nuisances=_nuisances(nuisance), target=target, delta=delta,
        label_free=label_free,
    )  # fmt: skip
    with working(f"fitting {len(records)} grades on {len(people)} labels"):
        found = fit_in_full(records, people, truth=truth, options=options, rng=np.random.default_rng(seed))
    made = found.calibration
    output.write_text(made.to_json(), encoding="utf-8")
    if as_json:
        print_json(made.model_dump(mode="json", by_alias=True))
    else:
        show(made, console())
    tell_left_out(found.pairing.left_out)
    for warning in made.warnings:
        sys.stderr.write(f"judge: warning: {warning}\n")
    sys.stderr.write(f"judge: calibration {made.id} in {output}\n")
    raise typer.Exit(1 if WORRYING & set(made.badges) else 0)


def _nuisances(given: list[str] | None) -> tuple[str, ...]:
    from calibration.values import LENGTH

    if given is None:
        return (LENGTH,)
    return tuple(name for name in given if name != "none")


def _refuse_overwriting(path: Path, force: bool) -> None:
    from judge.errors import InputError

    if path.is_dir() or not path.absolute().parent.is_dir():
        raise InputError(f"{path}: expected the name of a file in a folder that is there")
    if path.exists() and not force:
        raise InputError(f"{path} exists; use --force to overwrite it, or another -o")


def tell_left_out(left_out: Sequence[LeftOut], *, most: int = 3) -> None:
    """Say on stderr what was not used, and why."""
    for left in left_out:
        shown = "; ".join(left.ids[:most]) + (f"; and {left.n - most} more" if left.n > most else "")
        sys.stderr.write(f"judge: left out {left.n}: {left.reason}: {shown}\n")


def show(made: Calibration, console: Any) -> None:
    """The calibration as a table: every map with its figures on labels that it had not seen."""
    from rich.table import Table

    from calibration.calibration import OVERALL

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("question", "labels", "tasks", "fit", "Brier", "base rate alone", "accuracy", "J", "says"):
        table.add_column(
            name,
            justify="right" if name in ("labels", "tasks", "Brier", "base rate alone", "accuracy", "J") else "left",
        )
    held = {figures.key: figures for figures in made.heldout}
    for key in sorted(made.maps, key=lambda name: name == OVERALL):
        fitted, figures = made.maps[key], held.get(key)
        row = [key, str(fitted.n), str(fitted.tasks), fitted.rung]
        if figures is None:
            row += ["–", "–", "–", "–", "too few labels to check"]
        else:
            row += [
                number(figures.brier.value), number(figures.reference_brier), number(figures.accuracy.value),
                interval(figures.youden), "signal" if figures.signal else "no signal",
            ]  # fmt: skip
        table.add_row(*row)
    console.print(table)
    console.print(
        f"{made.labels.n} labelled items of {made.labels.tasks} tasks by {made.labels.raters} rater(s)"
        + (f", {made.labels.coverage:.0%} of what was labelled has a grade" if made.labels.coverage is not None else "")
    )
    console.print(_escalation_words(made))
    if made.badges:
        console.print(f"badges that travel with every grade: {', '.join(made.badges)}")


def _escalation_words(made: Calibration) -> str:
    found = made.escalation
    if found is None:
        return "which grades may stand: not asked, as no labels are about whole episodes"
    promise = f"agreement of at least {found.target:.0%} with probability {1 - found.delta:.0%}"
    if found.threshold is None:
        return f"which grades may stand: {promise} can't be certified: {found.why}"
    return f"which grades may stand: {found.coverage or 0:.0%} of them, those {found.threshold:.2f} sure or more ({promise})"


def number(value: float | None) -> str:
    """Three digits, or a dash for none."""
    return "–" if value is None else f"{value:.3f}"


def interval(figure: Any) -> str:
    """A figure with its interval, or a dash."""
    if figure.value is None:
        return "–"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.2f}"
    return f"{figure.value:.2f} \\[{figure.low:.2f}, {figure.high:.2f}]"
