"""The checks by name, and asking one: arguments in, a verdict or a failure out."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import lru_cache
from importlib.metadata import entry_points
from inspect import Parameter, signature
from typing import Any, get_type_hints

from pydantic import BaseModel, ValidationError

from judge.checks.calls import called, not_called
from judge.checks.cells import cell
from judge.checks.code import imported, python
from judge.checks.finding import Checked, CheckSettings, Finding
from judge.checks.language import language
from judge.checks.outcomes import outcome
from judge.checks.patterns import length, regex
from judge.checks.says import says
from judge.checks.schemas import json_schema
from judge.checks.states import path, sql, state
from judge.episode import Episode
from judge.state import Options, OptionsError
from rubrics.criterion import Check, Criterion
from rubrics.errors import RubricError
from rubrics.fingerprints import canonical
from rubrics.rubric import Rubric
from rubrics.templates import is_template
from rubrics.verdict import Failure, Kind, Verdict

CheckFunction = Callable[[Episode, Any, CheckSettings], Finding]

CHECKS: dict[str, CheckFunction] = {
    "called": called, "cell": cell, "json_schema": json_schema, "language": language, "length": length,
    "not_called": not_called, "outcome": outcome, "path": path, "python": python, "regex": regex, "says": says, "sql": sql,
    "state": state,
}  # fmt: skip
ENTRY_POINTS = "rubric_judge.checks"


def check(episode: Episode, criterion: Criterion, settings: CheckSettings | None = None) -> Checked:
    """Let code answer a criterion that has a check: a verdict by `check:NAME`, or why there is none. Never raises for it."""
    if criterion.check is None:
        raise ValueError(f"criterion {criterion.id!r} has no check; it is for judges")
    finding = _look(episode, criterion.check, settings or CheckSettings())
    rater = f"check:{criterion.check.name}"
    changes = tuple(finding.changes)
    if finding.kind is not None:
        message = f"{criterion.id}: {finding.reason}"
        return Checked(None, Failure(kind=finding.kind, message=message, criterion=criterion.id, rater=rater), changes)  # type: ignore[call-arg]  # blame follows kind
    level = None if finding.value is None else criterion.level_at(finding.value).name
    verdict = Verdict(
        criterion=criterion.id, rater=rater, episode=episode.id, level=level, value=finding.value, reason=finding.reason
    )
    return Checked(verdict, None, changes)


def _look(episode: Episode, check: Check, settings: CheckSettings) -> Finding:
    try:
        function, args = _ready(check.name, canonical(check.args))
    except ValueError as error:
        return Finding(None, str(error), kind="check_error")
    try:
        finding = function(episode, args, settings)
    # A check may be anybody's code and reads what an agent made: whatever it raises must not end the run, nor pass for a 0.
    except Exception as error:  # noqa: BLE001
        return _failed(f"{type(error).__name__}: {error}"[:500])
    if not isinstance(finding, Finding):
        return _failed(f"check {check.name!r} gave {type(finding).__name__}, expected a Finding")
    if finding.value is not None and not (math.isfinite(finding.value) and 0 <= finding.value <= 1):
        return _failed(f"check {check.name!r} gave {finding.value!r}, expected a number from 0 to 1 or None")
    return finding


def _failed(reason: str, kind: Kind = "check_error") -> Finding:
    return Finding(None, reason, kind=kind)


@lru_cache(maxsize=2048)
def _ready(name: str, args_text: str) -> tuple[CheckFunction, Any]:
    """The function of that name and its arguments, read once for all episodes that share them."""
    function = find(name)
    return function, arguments_of(function, json.loads(args_text), name)


def find(name: str) -> CheckFunction:
    """The check of that name: ours, or one that an installed package adds. Raises RubricError if there is none."""
    if name in CHECKS:
        return CHECKS[name]
    added = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    if name in added:
        try:
            return added[name].load()  # type: ignore[no-any-return]
        except (ImportError, AttributeError) as error:
            raise RubricError(f"check {name!r} of {added[name].value} can't be loaded: {error}") from None
    near = get_close_matches(name, [*CHECKS, *added], n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted([*CHECKS, *added]))}"
    raise RubricError(f"there is no check {name!r}; {hint}")


def arguments_of(function: CheckFunction, args: Mapping[str, Any], name: str, *, filled: bool = True) -> Any:
    """The arguments as the function wants them: by the type of its second parameter, a pydantic model or a mapping.

    Raises RubricError that names the check and the argument. With `filled` False, arguments that still hold a `{{ name }}`
    are not looked at.
    """
    kind = _kind_of_arguments(function)
    try:
        if kind is Options:
            return Options.from_args(args if filled else {k: v for k, v in args.items() if not _holds_template(v)})
        return kind.model_validate(dict(args)) if issubclass(kind, BaseModel) else dict(args)
    except OptionsError as error:
        raise RubricError(str(error)) from None
    except ValidationError as error:
        problems = [
            problem for problem in error.errors(include_url=False)
            if filled or not (problem["loc"] and _holds_template(args.get(str(problem["loc"][0]))))
        ]  # fmt: skip
        if problems:
            raise RubricError(f"check {name!r}: " + "; ".join(_sentence(p, kind) for p in problems[:3])) from None
        return None


def _kind_of_arguments(function: CheckFunction) -> type[Any]:
    names = [p.name for p in signature(function).parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
    kind = get_type_hints(function).get(names[1]) if len(names) > 1 else None
    return kind if isinstance(kind, type) else dict


def _sentence(problem: Any, kind: type[BaseModel]) -> str:
    place = ".".join(str(part) for part in problem["loc"] if not str(part).startswith("function-"))
    message = str(problem["msg"]).removeprefix("Value error, ")
    if problem["type"] == "extra_forbidden":
        takes = ", ".join(field.alias or name for name, field in kind.model_fields.items())
        return f"has no argument {place!r}; it takes {takes}"
    if problem["type"] == "missing":
        return f"needs the argument {place!r}"
    given = f", got {problem['input']!r}"[:80] if place else ""
    return f"{place}: {message}{given}" if place else message


def _holds_template(value: Any) -> bool:
    if isinstance(value, str):
        return is_template(value)
    if isinstance(value, Mapping):
        return any(_holds_template(item) for item in value.values())
    return isinstance(value, list | tuple) and any(_holds_template(item) for item in value)


def validate_checks(rubric: Rubric, settings: CheckSettings | None = None) -> None:
    """Refuse checks that can't work before anything is spent: unknown names, bad arguments, patterns, paths and queries.

    Raises RubricError that names the rubric, the criterion, the check and the argument. With `settings`, also for a
    `python` check that they do not allow or whose function is not there. What is still a `{{ name }}` is looked at when filled.
    """
    for criterion in rubric.leaves:
        if criterion.check is None:
            continue
        try:
            args = arguments_of(find(criterion.check.name), criterion.check.args, criterion.check.name, filled=False)
            if criterion.check.name == "python" and settings is not None and args is not None:
                _check_code(args.function, settings)
        except ValueError as error:
            raise RubricError(f"rubric {rubric.id!r}, criterion {criterion.id!r}: {error}") from None


def _check_code(function: str, settings: CheckSettings) -> None:
    if not settings.allow_code:
        raise RubricError(f"check 'python' would run {function}; allow it with --allow-code if you trust the rubric")
    imported(function)
