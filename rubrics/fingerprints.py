"""Fingerprints: sixteen hex digits over content, so that two things with one fingerprint are the same thing."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical(content: Any) -> str:
    """JSON text that is the same for equal content: sorted keys, no spaces, no NaN."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def fingerprint_of(content: Any) -> str:
    """The first 16 hex digits of the SHA-256 of the canonical JSON of `content`."""
    return hashlib.sha256(canonical(content).encode("utf-8", "surrogatepass")).hexdigest()[:16]
