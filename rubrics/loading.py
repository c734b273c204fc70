"""Reading rubrics: from a mapping, a YAML or JSON file, or the library by its id."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from rubrics.errors import RubricError
from rubrics.rubric import Rubric

LIBRARY = Path(__file__).parent / "library"
SAMPLES = Path(__file__).parent / "samples"
MAX_BYTES = 2_000_000
MAX_NESTING = 120


class _PlainYaml(yaml.SafeLoader):
    """YAML as people write it: no tags, no aliases (bombs), no repeated keys; only true and false are booleans."""

    yaml_implicit_resolvers = {
        first: [(tag, regex) for tag, regex in resolvers if tag.rsplit(":", 1)[1] in ("null", "float")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()  # type: ignore[no-untyped-call]  # PyYAML has no types for its parser
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise yaml.MarkedYAMLError(problem="anchors and aliases are not allowed", problem_mark=event.start_mark)
        if getattr(event, "tag", None) is not None:
            raise yaml.MarkedYAMLError(problem=f"the tag {event.tag!r} is not allowed", problem_mark=event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        keys = [key.value for key, _ in node.value]
        if repeated := next((key for key in keys if keys.count(key) > 1), None):
            raise yaml.MarkedYAMLError(problem=f"the key {repeated!r} is given twice", problem_mark=node.start_mark)
        return super().construct_mapping(node, deep=True)


_PlainYaml.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false|True|False)$"), list("tTfF"))
_PlainYaml.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$"), list("-+0123456789"))


def load(source: str | Path | Mapping[str, Any] | Rubric) -> Rubric:
    """The rubric that `source` names: a Rubric, a mapping, a path to a YAML or JSON file, or the id of a library rubric.

    Raises RubricError, naming file, criterion and field, if it can't be found, read or scored.
    """
    if isinstance(source, Rubric):
        return source
    if isinstance(source, Mapping):
        return rubric_from(source, where="inline rubric")
    if isinstance(source, Path) or "/" in source or source.endswith((".yaml", ".yml", ".json")):
        return load_file(Path(source))
    return _from_library(source)


def library() -> dict[str, Path]:
    """The ids of the rubrics that come with the product, and their files."""
    return {path.stem: path for path in sorted(LIBRARY.glob("*.yaml"))}


@lru_cache(maxsize=128)
def _from_library(rubric_id: str) -> Rubric:
    known = library()
    if rubric_id not in known:
        raise RubricError(
            f"no rubric {rubric_id!r} in the library; it has {', '.join(known) or 'none'}. A path needs its ending."
        )
    return load_file(known[rubric_id])


def load_file(path: Path) -> Rubric:
    """The rubric in a YAML or JSON file of at most 2 MB. Raises RubricError."""
    return rubric_from(read_mapping(path), where=str(path))


def read_mapping(path: Path) -> Mapping[str, Any]:
    """The mapping that a YAML or JSON file holds, without tags, aliases, repeated keys. Raises RubricError."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise RubricError(f"{path}: has {path.stat().st_size} bytes; at most {MAX_BYTES} are read")
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise RubricError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RubricError(f"{path}: can't be read as UTF-8 text: {error}") from None
    content = parse_text(text, where=str(path), json_only=path.suffix == ".json")
    if not isinstance(content, Mapping):
        raise RubricError(f"{path}: holds a {type(content).__name__}, expected a mapping with `id` and `criteria`")
    return content


def parse_text(text: str, *, where: str, json_only: bool = False) -> Any:
    """The content of YAML (or JSON) text. Raises RubricError with the line where it breaks."""
    _check_nesting(text, where)
    try:
        if json_only:
            return json.loads(text, object_pairs_hook=_no_repeats)
        return yaml.load(text, Loader=_PlainYaml)  # noqa: S506 - it is a stricter SafeLoader
    except (yaml.YAMLError, ValueError) as error:
        raise RubricError(f"{where}: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise RubricError(f"{where}: is nested too deeply") from None


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is given twice")
    return found


def _check_nesting(text: str, where: str) -> None:
    depth = 0
    for character in re.findall(r"[\[\]{}]", text):
        depth += 1 if character in "[{" else -1
        if depth > MAX_NESTING:
            raise RubricError(f"{where}: is nested more than {MAX_NESTING} deep")


def rubric_from(content: Mapping[str, Any], *, where: str) -> Rubric:
    """The rubric that a mapping holds. Raises RubricError that names `where`, the criterion and the field."""
    try:
        return Rubric.model_validate(content)
    except ValidationError as error:
        lines = [_sentence(content, problem) for problem in error.errors(include_url=False)]
        shown = lines[:5] + ([f"and {len(lines) - 5} more"] if len(lines) > 5 else [])
        raise RubricError(f"{where}: " + "; ".join(shown)) from None
    except RecursionError:
        raise RubricError(f"{where}: sections are nested too deeply") from None


def _sentence(content: Any, problem: Any) -> str:
    place, here = [], content
    for part in problem["loc"]:
        here = _step(here, part)
        name = here.get("id") if isinstance(here, Mapping) else None
        place.append(f"{part} ({name})" if isinstance(part, int) and name else str(part))
    message = str(problem["msg"]).removeprefix("Value error, ")
    given = problem.get("input")
    shown = f", got {given!r}"[:90] if not isinstance(given, Mapping | list | tuple | Rubric) else ""
    return f"{'.'.join(place) or 'rubric'}: {message}{shown}"


def _step(here: Any, part: Any) -> Any:
    if isinstance(here, Mapping):
        return here.get(part)
    return here[part] if isinstance(here, list | tuple) and isinstance(part, int) and part < len(here) else None
