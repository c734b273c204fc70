"""What a server does with one request: bytes to send, pauses, and whether it hangs up."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

REASONS = {200: b"OK", 307: b"Temporary Redirect", 400: b"Bad Request", 401: b"Unauthorized", 404: b"Not Found",
           429: b"Too Many Requests", 500: b"Internal Server Error"}  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """`parts` are sent one after the other, with `pause` seconds between; then the line is cut if `hangs_up`.

    With `silent` nothing more ever comes, and the line stays open.
    """

    parts: tuple[bytes, ...] = ()
    pause: float = 0.0
    hangs_up: bool = False
    silent: bool = False


def response(status: int, body: Any, headers: dict[str, str] | None = None) -> bytes:
    """A whole HTTP response. `body` is bytes, text (HTML) or what becomes JSON."""
    kind = "application/json" if not isinstance(body, str) else "text/html; charset=utf-8"
    raw = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    return head(status, {"content-type": kind, "content-length": str(len(raw)), **(headers or {})}) + raw


def head(status: int, headers: dict[str, str]) -> bytes:
    """The status line and the headers."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return b"HTTP/1.1 %d %s\r\n%s\r\n" % (status, REASONS.get(status, b"-"), lines.encode("latin-1"))


def stream(events: list[str], *, end: bool = True, pause: float = 0.0) -> Plan:
    """Server-sent events in chunks; without `end`, the line is cut after the last."""
    begin = head(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked"})
    chunks = [b"%x\r\n%s\r\n" % (len(event.encode()), event.encode()) for event in events]
    if end:
        chunks.append(b"0\r\n\r\n")
    if not pause:
        return Plan((begin + b"".join(chunks),), hangs_up=not end)
    return Plan((begin, *chunks), pause=pause, hangs_up=not end)
