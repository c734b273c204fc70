"""From what a user calls a judge (a name, a reference, a function, a model) to a panel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from judge.errors import InputError
from judge.judges import Judge, resolve
from judge.models.exchange import Model
from judge.models.recorded import expand
from judge.models.scripted import Scripted
from judge.panel import Panel

JudgeSource = Judge | Model | Callable[..., Any] | str


def panel_of(
    sources: Panel | Sequence[JudgeSource] | JudgeSource, known: Mapping[str, Judge], base_dir: Path
) -> tuple[Panel, dict[str, Model]]:
    """The panel, and the models of those judges that came as objects, by judge name. Raises InputError."""
    if isinstance(sources, Panel):
        return sources, {}
    if not isinstance(sources, Sequence) or isinstance(sources, str):
        sources = [sources]
    models: dict[str, Model] = {}
    judges: list[Judge] = []
    for source in sources:
        judges += _judges_of(source, known, base_dir, models)
    return make_panel(judges=judges), models


def make_panel(**settings: Any) -> Panel:
    """A Panel of these settings. Raises InputError, in one sentence, if they don't fit together."""
    try:
        return Panel(**settings)
    except ValidationError as error:
        raise InputError("; ".join(_said(e) for e in error.errors())) from None


def _said(problem: Any) -> str:
    place = ".".join(str(part) for part in problem["loc"])
    given = f", got {problem['input']!r}" if place and not isinstance(problem["input"], dict | Judge) else ""
    return f"{f'{place}: ' if place else ''}{problem['msg'].removeprefix('Value error, ')}{given}"


def _judges_of(
    source: JudgeSource, known: Mapping[str, Judge], base_dir: Path, models: dict[str, Model]
) -> list[Judge]:
    if isinstance(source, str):
        return judges_named(source, known, base_dir)
    if isinstance(source, Judge):
        return [source]
    if not isinstance(source, Model) and not callable(source):
        raise InputError(
            f"a judge is a reference such as 'openai/gpt-5-mini', a Judge, a Model or a function, got {type(source).__name__}"
        )
    model = source if isinstance(source, Model) else Scripted(source)
    name = _free_name(model.reference.removeprefix("scripted/"), models)
    models[name] = model
    reference = model.reference if "/" in model.reference else f"scripted/{name}"
    return [Judge(name=name, model=reference)]


def judges_named(name: str, known: Mapping[str, Judge], base_dir: Path) -> list[Judge]:
    """The judge of that name or reference; a recording without #NAME brings every judge that it holds."""
    judge = resolve(name, known)
    if judge.reference.provider == "recorded" and "#" not in judge.reference.name and name not in known:
        return expand(name, base_dir=base_dir)
    return [judge]


def _free_name(name: str, taken: Mapping[str, Model]) -> str:
    if name not in taken:
        return name
    return next(candidate for n in range(2, len(taken) + 3) if (candidate := f"{name}#{n}") not in taken)
