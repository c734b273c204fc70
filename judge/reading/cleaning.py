"""Text that any log, terminal, request or database takes."""

from __future__ import annotations


def clean_text(text: str) -> str:
    """`text` with each lone surrogate as U+FFFD and each NUL as ␀; halves of one character that stand side by side are joined.

    An episode keeps its text as it came; this is for where text leaves the process.
    """
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\x00", "\u2400") if "\x00" in text else text
