"""Secrets taken out of every text that a person, a log or a file may see."""

from __future__ import annotations

import re
from collections.abc import Iterable

HIDDEN = "[redacted]"

_KEYS = re.compile(
    r"""\b(?:sk|pk|rk|gsk|xai|hf|pplx|nvapi|AIza|ya29|glpat|ghp|key)[-_A-Za-z0-9.*]{6,}  # keys by how they begin
    |(?i:bearer)\s+[A-Za-z0-9._~+/=*-]{6,} | (?i:basic)\s+[A-Za-z0-9+/=]{16,}
    |(?<=://)[^\s/@]+:[^\s/@]+(?=@)                                                      # user:password in a URL
    """,
    re.VERBOSE,
)
_NAMED = re.compile(
    r"""(?ix)\b((?:x-)?api[-_]?key|access[-_]?token|auth[-_]?token|client[-_]?secret|secret|password|token|key
    |authorization|signature|sig)(["']?\s*[=:]\s*["']?)([^\s"'&,;})\]]{4,})"""
)
_PROVIDED = re.compile(r"(?i)(api[ _-]?key (?:provided|given|used)?\s*:?\s*)(['\"]?[\w*.\-]{6,})")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without keys, bearer tokens, passwords in URLs, and without any of `secrets` whatever they look like."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, HIDDEN)
    text = _KEYS.sub(HIDDEN, text)
    text = _NAMED.sub(_hide_value, text)
    return _PROVIDED.sub(_hide_key, text)


def _hide_value(match: re.Match[str]) -> str:
    # Words such as "key: expected a string" are no secrets: one has a digit, or is long.
    value = match[3]
    if value.startswith(HIDDEN[:4]) or not (any(c.isdigit() for c in value) or len(value) >= 20):
        return match[0]
    return f"{match[1]}{match[2]}{HIDDEN}"


def _hide_key(match: re.Match[str]) -> str:
    return f"{match[1]}{HIDDEN}" if any(c.isdigit() or c == "*" for c in match[2]) else match[0]
