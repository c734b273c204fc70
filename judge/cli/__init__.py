"""The command `judge`. A face: each command parses, calls one verb and prints."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import version

import typer

from judge.cli import (
    agreeing,
    auditing,
    calibrating,
    checking,
    demo,
    grading,
    health_check,
    label_plan,
    labelling,
    models,
    prompts,
    reporting,
    rubric_commands,
    samples,
    showing,
)

GRADED, SOME_UNGRADED, BAD_INPUT, STOPPED = 0, 1, 2, 3

app = typer.Typer(
    name="judge",
    help=(
        "Grade open-ended office work with a rubric, several judge models and state checks.\n\n"
        "Start: `judge rubric list`, then `judge check EPISODES --rubric ID` (no model, no key), then\n"
        "`judge grade EPISODES --rubric ID --judge openai/gpt-5-mini -o grades.jsonl`.\n\n"
        "`judge --version` says which version this is. Exit codes: 0 all graded, 1 some ungraded, 2 bad input, 3 stopped."
    ),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("grade")(grading.grade)
app.command("check")(checking.check)
app.command("show")(showing.show)
app.command("prompt")(prompts.prompt)
app.command("demo")(demo.demo)
app.command("samples")(samples.samples)
app.add_typer(models.app, name="models")
app.add_typer(rubric_commands.app, name="rubric")
app.command("calibrate")(calibrating.calibrate)
app.command("agree")(agreeing.agree)
app.command("plan")(label_plan.plan)
app.command("report")(reporting.report)
app.command("audit")(auditing.audit)
app.command("watch")(auditing.watch)
app.command("health")(health_check.health)
app.add_typer(labelling.app, name="label")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line (of `sys.argv` if None); an error of input is one sentence on stderr and exit code 2."""
    from calibration.errors import CalibrationError
    from judge.errors import InputError, JudgeError
    from rubrics.errors import RubricError

    try:
        if list(sys.argv[1:] if arguments is None else arguments) == ["--version"]:
            sys.stdout.write(f"rubric-judge {version('rubric-judge')}\n")
            return
        app(args=None if arguments is None else list(arguments), standalone_mode=True)
    except (InputError, RubricError, JudgeError, CalibrationError) as error:
        sys.stderr.write(f"judge: {error}\n")
        raise SystemExit(BAD_INPUT) from None
    except KeyboardInterrupt:
        sys.stderr.write("judge: interrupted\n")
        raise SystemExit(STOPPED) from None
    except BrokenPipeError:
        raise SystemExit(SOME_UNGRADED) from None
