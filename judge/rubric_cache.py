"""Rubrics by where they come from, loaded and checked once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rubrics.errors import RubricError
from rubrics.loading import library, load, load_file
from rubrics.rubric import Rubric

Validate = Callable[[Rubric], None]


class RubricCache:
    """Named rubrics are kept for a run; a rubric inside an episode is loaded when it is met."""

    def __init__(self) -> None:
        self._named: dict[tuple[str, Path], Rubric] = {}
        self._checked: set[str] = set()

    def given(self, source: Any, *, check: Validate) -> Rubric:
        """The rubric that the user named: anything that `rubrics.load` takes. Raises RubricError."""
        if isinstance(source, Rubric | Mapping):
            return self._validated(load(source), check)
        key = (str(source), Path())
        if key not in self._named:
            self._named[key] = self._validated(load(source), check)
        return self._named[key]

    def of_episode(self, source: Any, *, base_dir: Path, check: Validate) -> Rubric:
        """The rubric that an episode carries or names: its files must lie below `base_dir`. Raises RubricError."""
        if isinstance(source, str):
            key = (source, base_dir)
            if key not in self._named:
                self._named[key] = self._validated(_named(source, base_dir), check)
            return self._named[key]
        if isinstance(source, Mapping):
            rubric = load(source)
            check(rubric)
            return rubric
        raise RubricError(f"a rubric is a mapping, a file or the id of a library rubric, got {type(source).__name__}")

    def _validated(self, rubric: Rubric, check: Validate) -> Rubric:
        if rubric.fingerprint not in self._checked:
            check(rubric)
            self._checked.add(rubric.fingerprint)
        return rubric


def _named(source: str, base_dir: Path) -> Rubric:
    if source in library():
        return load(source)
    path = (base_dir / source).resolve()
    if not path.is_relative_to(base_dir.resolve()):
        raise RubricError(
            f"rubric {source!r} lies outside {base_dir}; an episode can name only files beside or below it"
        )
    return load_file(path) if path.suffix in (".yaml", ".yml", ".json") else load(source)
