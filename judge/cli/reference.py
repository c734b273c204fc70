"""The reference pages of the documentation, made from the code: `python -m judge.cli.reference docs/reference`."""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from inspect import getdoc
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

CHECKS_HEAD = """# Checks

What code settles. A check that cannot look gives no value and says why (`state_unavailable`, `check_error`). `in` says where to look:
`last_reply` (the default), `any_reply`, or `artifact:NAME`. Any argument may hold `{{ names }}` of the episode's context.
"""


def _paragraph(thing: Any) -> str:
    """A docstring as Markdown."""
    text = getdoc(thing) or ""
    return "\n".join(line.replace("``", "`") for line in text.splitlines())


def _arguments(kind: type[Any]) -> list[str]:
    if is_dataclass(kind):
        return [field.name for field in fields(kind)]
    if issubclass(kind, BaseModel):
        return [field.alias or name for name, field in kind.model_fields.items()]
    return []


def checks() -> str:
    """The page of the checks: what each looks at, its arguments and what its value means."""
    from judge.checks.registry import CHECKS, _kind_of_arguments

    lines = [CHECKS_HEAD]
    for name, function in sorted(CHECKS.items()):
        kind = _kind_of_arguments(function)
        takes = ", ".join(f"`{argument}`" for argument in _arguments(kind))
        lines += [f"## `{name}`", "", _paragraph(function), "", f"Arguments: {takes}.", "", _paragraph(kind), ""]
    lines += ["More checks come with packages that declare an entry point in the group `rubric_judge.checks`.", ""]
    return "\n".join(lines)


def rubric_keys() -> str:
    """The page of what a rubric file may hold."""
    from rubrics.criterion import Check, Criterion, Example
    from rubrics.rubric import Rubric, Section
    from rubrics.scales import Level

    lines = ["# Rubric keys", "", "`judge rubric schema` gives the same as a JSON schema for editors.", ""]
    for noun in (Rubric, Section, Criterion, Level, Check, Example):
        lines += [f"## {noun.__name__}", "", _paragraph(noun), "", "| key | default | meaning |", "|---|---|---|"]
        lines += [
            f"| `{name}` | {_default(field)} | {field.description or ''} |" for name, field in noun.model_fields.items()
        ]
        lines.append("")
    lines += [
        "`scale: 1-5` may be written for numbered `levels`; `0-1` counts every number between.",
        "Level names `cannot_tell` and `not_applicable` are kept for raters that can't answer.",
        "",
    ]
    return "\n".join(lines)


def record() -> str:
    """The page of the grade record."""
    from judge.flags import FLAGS
    from judge.record import Cost, GradeRecord, Judgement
    from rubrics.grade import Grade
    from rubrics.verdict import BLAMES, Failure, Quote, Verdict

    lines = ["# Grade record", "", "One JSON line for each episode, in the order of the input.", ""]
    for noun in (GradeRecord, Grade, Verdict, Quote, Judgement, Cost, Failure):
        keys = ", ".join(f"`{field.alias or name}`" for name, field in noun.model_fields.items())
        lines += [f"## {noun.__name__}", "", _paragraph(noun), "", f"Keys: {keys}.", ""]
    lines += ["## Failure kinds", "", "| blame | kinds |", "|---|---|"]
    lines += [f"| {blame} | {', '.join(f'`{kind}`' for kind in kinds)} |" for blame, kinds in BLAMES.items()]
    lines += ["", "## Flags", "", "| flag | meaning |", "|---|---|"]
    lines += [f"| `{flag}` | {meaning} |" for flag, meaning in sorted(FLAGS.items())]
    return "\n".join([*lines, ""])


def commands() -> str:
    """The page of the command line."""
    import typer

    from judge.cli import app

    return "\n".join(["# Command line", "", *_command_lines("judge", typer.main.get_command(app))])


def _command_lines(name: str, command: Any) -> Iterator[str]:
    yield from (f"## `{name}`", "", " ".join((command.help or "").split()), "")
    options = [p for p in command.params if p.name != "help"]
    if options:
        yield from ("| option | meaning |", "|---|---|")
        yield from (f"| {_spelled(p)} | {' '.join((getattr(p, 'help', '') or '').split())} |" for p in options)
        yield ""
    for child, below in sorted(getattr(command, "commands", {}).items()):
        yield from _command_lines(f"{name} {child}", below)


def _spelled(parameter: Any) -> str:
    spellings = (
        [*parameter.opts, *parameter.secondary_opts]
        if parameter.param_type_name == "option"
        else [parameter.name.upper()]
    )
    return " ".join(f"`{spelling}`" for spelling in spellings)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, BaseModel) or (isinstance(value, tuple) and value and isinstance(value[0], BaseModel)):
        return "no, yes"
    return f"`{json.dumps(value, default=list)}`" if value not in ((), {}, "", None) else ""


def python() -> str:
    """The page of what Python code may rely on."""
    import judge
    import rubrics

    lines = ["# Python", "", "`import judge` loads nothing heavy; each name is loaded when it is used.", ""]
    for package in (judge, rubrics):
        lines += [f"## `{package.__name__}`", "", _paragraph(package), ""]
        for name in package.__all__:
            thing = getattr(package, name)
            lines += [f"### `{name}{_signature(thing)}`", "", _paragraph(thing), ""] if callable(thing) else []
    return "\n".join(lines)


def _signature(thing: Any) -> str:
    if isinstance(thing, type):
        return ""
    shown = str(inspect.signature(thing))
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Za-z])", "", shown).replace("'", "")


PAGES: dict[str, Callable[[], str]] = {
    "python.md": python, "checks.md": checks, "commands.md": commands, "rubric-keys.md": rubric_keys, "grade-record.md": record,
}  # fmt: skip


def main() -> None:
    """Write every page into the folder named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in PAGES.items():
        folder.joinpath(name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
