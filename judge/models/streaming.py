"""Server-sent events: read when the stream has ended, since only the whole reply is of use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from judge.models.outcomes import Source, Told, error_inside, told_of


def events_of(body: bytes, source: Source) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream, in order. Raises the failure that one of them tells of."""
    for block in body.replace(b"\r\n", b"\n").split(b"\n\n"):
        data = b"\n".join(line[5:].strip() for line in block.split(b"\n") if line.startswith(b"data:"))
        if not data or data == b"[DONE]":
            continue
        try:
            event = json.loads(data)
        except ValueError:
            continue  # a comment, or the last event of a stream that was cut: the reply is then found incomplete
        if isinstance(event, dict):
            yield _checked(event, source)


def _checked(event: dict[str, Any], source: Source) -> dict[str, Any]:
    if event.get("type") == "error" or event.get("error"):
        raise error_inside(source, told_of(event) or Told(json.dumps(event), frozenset(), None))
    return event
