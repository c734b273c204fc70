"""Reading rubrics: from a mapping, a YAML or JSON file, or the library by its id."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from rubrics.errors import RubricError
from rubrics.explaining import sentences, suggestion
from rubrics.rubric import MAX_DEPTH, Rubric
from rubrics.yaml_reading import explained, read_yaml

LIBRARY = Path(__file__).parent / "library"
SAMPLES = Path(__file__).parent / "samples"
MAX_BYTES = 2_000_000
FILE_ENDINGS = (".yaml", ".yml", ".json")


def load(source: str | Path | Mapping[str, Any] | Rubric) -> Rubric:
    """The rubric that `source` names: a Rubric, a mapping, a path to a YAML or JSON file, or the id of a library rubric.

    Raises RubricError, naming file, criterion and field, if it can't be found, read or scored.
    """
    if isinstance(source, Rubric):
        return source
    if isinstance(source, Mapping):
        name = source.get("id")
        return rubric_from(source, where=f"inline rubric {name!r}"[:100] if isinstance(name, str) else "inline rubric")
    if isinstance(source, Path):
        return load_file(source)
    if not isinstance(source, str):
        raise RubricError(f"a rubric is a mapping, a file or the id of a library rubric, got {type(source).__name__}")
    if "/" in source or "\\" in source or source.endswith(FILE_ENDINGS):
        return load_file(Path(source))
    return _from_library(source)


def library() -> dict[str, Path]:
    """The ids of the rubrics that come with the product, and their files."""
    return {path.stem: path for path in sorted(LIBRARY.glob("*.yaml"))}


@lru_cache(maxsize=128)
def _from_library(rubric_id: str) -> Rubric:
    known = library()
    if rubric_id not in known:
        near = suggestion(rubric_id, known)
        raise RubricError(
            f"no rubric {rubric_id[:80]!r} in the library{near or '; it has ' + (', '.join(known) or 'none')}. "
            f"A path needs its ending: {' or '.join(FILE_ENDINGS)}"
        )
    return load_file(known[rubric_id])


def load_file(path: Path) -> Rubric:
    """The rubric in a YAML or JSON file of at most 2 MB. Raises RubricError."""
    return rubric_from(read_mapping(path), where=str(path))


def read_mapping(path: Path) -> Mapping[str, Any]:
    """The mapping that a YAML or JSON file holds, without tags, aliases, repeated keys. Raises RubricError."""
    content = parse_text(read_text(path), where=str(path), json_only=path.suffix == ".json")
    if not isinstance(content, Mapping):
        what = "nothing" if content is None else f"a {type(content).__name__}"
        raise RubricError(f"{path}: holds {what}, expected a mapping with `id` and `criteria`")
    return content


def read_text(path: Path) -> str:
    """The text of a file of at most 2 MB. Raises RubricError."""
    try:
        if not path.exists():
            raise RubricError(f"{path}: no such file")
        if not path.is_file():  # a device or a pipe may never end
            raise RubricError(f"{path}: is no file")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise RubricError(f"{path}: has {path.stat().st_size} bytes; at most {MAX_BYTES} are read")
        return content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise RubricError(f"{path}: can't be read as UTF-8 text: {error}") from None


def parse_text(text: str, *, where: str, json_only: bool = False) -> Any:
    """The content of YAML (or JSON) text. Raises RubricError with the line where it breaks."""
    try:
        if json_only:
            return json.loads(text, object_pairs_hook=_no_repeats)
        return read_yaml(text)
    except yaml.YAMLError as error:
        raise RubricError(f"{where}: {explained(error)}") from None
    except ValueError as error:
        raise RubricError(f"{where}: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise RubricError(f"{where}: is nested too deeply") from None


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key[:80]!r} is given twice")
        found[key] = value
    return found


def rubric_from(content: Mapping[str, Any], *, where: str) -> Rubric:
    """The rubric that a mapping holds. Raises RubricError that names `where`, the criterion and the field."""
    if "sections" in content and _too_deep(content):
        raise RubricError(f"{where}: sections are nested more than {MAX_DEPTH} deep")
    try:
        return Rubric.model_validate(content if isinstance(content, dict) else dict(content))
    except ValidationError as error:
        raise RubricError(f"{where}: {sentences(content, error)}") from None
    except RecursionError:
        raise RubricError(f"{where}: is nested too deeply") from None


def _too_deep(content: Mapping[str, Any]) -> bool:
    layer: list[Any] = [content]
    for _ in range(MAX_DEPTH + 1):
        inner = [node.get("sections") for node in layer if isinstance(node, Mapping)]
        layer = [section for sections in inner if isinstance(sections, list | tuple) for section in sections]
        if not layer:
            return False
    return True
