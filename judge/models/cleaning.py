"""Text that can be encoded: a lone surrogate breaks every request and every log line."""

from __future__ import annotations

NOTE = "lone surrogates replaced by U+FFFD"


def clean(text: str) -> tuple[str, bool]:
    """The text with each lone surrogate as U+FFFD and each pair as its character, and whether anything was changed."""
    if text.isascii():
        return text, False
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), True
    return text, False
