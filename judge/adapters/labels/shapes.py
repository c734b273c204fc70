"""Looking into other people's JSON without trusting its shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def mapping(given: Any) -> Mapping[str, Any]:
    """A JSON object, or an empty one where something else stands."""
    return given if isinstance(given, dict) else {}


def mappings(given: Any) -> list[Mapping[str, Any]]:
    """The objects in a list; none where no list stands."""
    return [item for item in given if isinstance(item, dict)] if isinstance(given, list) else []


def listed(given: Any) -> list[Any]:
    """A list, or an empty one where something else stands."""
    return given if isinstance(given, list) else []


def first(name: str, places: Iterable[Mapping[str, Any]]) -> Any:
    """What the first of several objects that says anything under this name says; None if none does."""
    return next((place[name] for place in places if place.get(name) not in (None, "")), None)
