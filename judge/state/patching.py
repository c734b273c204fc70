"""Patching: RFC 6902 on a state that is shared and must stay as it is.

Only the containers along a patched path are copied; all else is the base's own, so that what did not change is recognised
by identity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from judge.state.errors import StateUnavailable
from judge.state.values import ABSENT, Json, first_words, same

MEMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    "add": ("value",),
    "replace": ("value",),
    "test": ("value",),
    "remove": (),
    "move": ("from",),
    "copy": ("from",),
}


class PatchFailed(ValueError):  # noqa: N818 - never leaves this module
    """One operation cannot be carried out."""


def patched(base: Json, patch: Json, source: str = "the base") -> Json:
    """The base with a patch applied, sharing all that the patch leaves alone; the base is not changed.

    Raises StateUnavailable that names the operation, by its place from 1, and what is wrong with it.
    """
    if not isinstance(patch, list):
        raise StateUnavailable(f"$patch on {source} is {type(patch).__name__}; expected a list of RFC 6902 operations")
    document = _Document(base)
    for number, operation in enumerate(patch, 1):
        try:
            document.apply(operation)
        except PatchFailed as error:
            raise StateUnavailable(f"$patch on {source}, operation {number} ({_shown(operation)}): {error}") from None
    return document.value


def _shown(operation: Json) -> str:
    if not isinstance(operation, dict):
        return repr(operation)[:80]
    return f"{operation.get('op')} {operation.get('path')}"[:200]


def _steps(pointer: Json) -> tuple[str, ...]:
    if not isinstance(pointer, str) or (pointer and not pointer.startswith("/")):
        raise PatchFailed(f"a path is '' or begins with '/', not {pointer!r}")
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


class _Document:
    """A value under patching; ``_own`` holds the containers made here, which alone may be changed in place."""

    def __init__(self, value: Json) -> None:
        self.value = value
        self._own: dict[int, Json] = {}

    def apply(self, operation: Json) -> None:
        if not isinstance(operation, dict) or operation.get("op") not in MEMBERS:
            raise PatchFailed(f"op is one of {', '.join(MEMBERS)}")
        lacking = [name for name in ("path", *MEMBERS[operation["op"]]) if name not in operation]
        if lacking:
            raise PatchFailed(f"{lacking[0]!r} is missing")
        steps = _steps(operation["path"])
        verbs: Mapping[str, Callable[[tuple[str, ...], dict[str, Any]], None]] = {
            "add": lambda steps, op: self._add(steps, op["value"]),
            "replace": self._replace,
            "test": self._test,
            "remove": lambda steps, _: self._remove(steps),
            "move": self._move,
            "copy": self._copy,
        }
        verbs[operation["op"]](steps, operation)

    def _replace(self, steps: tuple[str, ...], operation: dict[str, Any]) -> None:
        self._read(steps)
        if not steps:
            self.value = operation["value"]
            return
        parent = self._owned(steps[:-1])
        parent[_index(parent, steps[-1]) if isinstance(parent, list) else steps[-1]] = operation["value"]

    def _test(self, steps: tuple[str, ...], operation: dict[str, Any]) -> None:
        found = self._read(steps)
        if not same(found, operation["value"]):
            raise PatchFailed(f"found {repr(found)[:80]} there, not {repr(operation['value'])[:80]}")

    def _move(self, steps: tuple[str, ...], operation: dict[str, Any]) -> None:
        source = _steps(operation["from"])
        if steps[: len(source)] == source and steps != source:
            raise PatchFailed("a value cannot be moved into itself")
        value = self._read(source)
        if steps != source:
            self._remove(source)
            self._add(steps, value)

    def _copy(self, steps: tuple[str, ...], operation: dict[str, Any]) -> None:
        value = self._read(_steps(operation["from"]))
        # The value now stands at two places: neither may be changed in place through the other.
        self._own.clear()
        self._add(steps, value)

    def _add(self, steps: tuple[str, ...], value: Json) -> None:
        if not steps:
            self.value = value
            return
        self._read(steps[:-1])
        parent = self._owned(steps[:-1])
        if isinstance(parent, list):
            parent.insert(len(parent) if steps[-1] == "-" else _index(parent, steps[-1], end=1), value)
        else:
            parent[steps[-1]] = value

    def _remove(self, steps: tuple[str, ...]) -> None:
        self._read(steps)
        if not steps:
            raise PatchFailed("the whole state cannot be removed")
        parent = self._owned(steps[:-1])
        del parent[_index(parent, steps[-1]) if isinstance(parent, list) else steps[-1]]

    def _read(self, steps: tuple[str, ...]) -> Json:
        here = self.value
        for n, step in enumerate(steps):
            here = _child(here, step)
            if here is ABSENT:
                raise PatchFailed(f"there is no /{'/'.join(steps[: n + 1])}; {_beside(self._read(steps[:n]))}")
        return here

    def _owned(self, steps: tuple[str, ...]) -> Any:
        """The container at a path, it and all above it being this document's own copies."""
        self.value = here = self._copied(self.value)
        for step in steps:
            key = _index(here, step) if isinstance(here, list) else step
            here[key] = self._copied(here[key])
            here = here[key]
        return here

    def _copied(self, container: Json) -> Json:
        if not isinstance(container, dict | list):
            raise PatchFailed(f"{repr(container)[:80]} is a plain value and holds nothing")
        if id(container) in self._own:
            return container
        copy = container.copy()
        self._own[id(copy)] = copy
        return copy


def _child(value: Json, step: str) -> Json:
    if isinstance(value, dict):
        return value.get(step, ABSENT)
    if isinstance(value, list) and _is_index(step) and int(step) < len(value):
        return value[int(step)]
    return ABSENT


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdigit() and len(step) < 10 and (step == "0" or not step.startswith("0"))


def _index(rows: list[Json], step: str, *, end: int = 0) -> int:
    if not _is_index(step) or int(step) >= len(rows) + end:
        raise PatchFailed(f"{step!r} is no place in a list of {len(rows)}")
    return int(step)


def _beside(value: Json) -> str:
    if isinstance(value, dict):
        return f"there are {first_words(value)}" if value else "that object is empty"
    return f"that list has {len(value)} elements" if isinstance(value, list) else f"{repr(value)[:40]} holds nothing"
