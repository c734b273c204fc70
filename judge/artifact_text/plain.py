"""Plain text files, and tables in text form, as they are."""

from __future__ import annotations

from pathlib import Path

from judge.artifact_text.limits import MAX_ROWS, ArtifactError

_BOMS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def plain_text(path: Path) -> str:
    """The text of a file. Raises ArtifactError for one that is no text."""
    return decoded(path.read_bytes(), path)


def csv_text(path: Path) -> str:
    """The rows of a table as written; after 5,000 of them, how many more there are."""
    lines = plain_text(path).splitlines()
    if len(lines) <= MAX_ROWS:
        return "\n".join(lines)
    return "\n".join([*lines[:MAX_ROWS], f"… {len(lines) - MAX_ROWS} more rows"])


def decoded(raw: bytes, path: Path) -> str:
    """Bytes as text: by their byte order mark, as UTF-8, or as Windows' Western European. Raises ArtifactError for binary."""
    for mark, encoding in _BOMS:
        if raw.startswith(mark):
            return raw.decode(encoding, "replace")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", "replace")
    if _is_binary(raw):
        message = f"{path.name} is no text and no format that is read; it has {len(raw)} bytes"
        raise ArtifactError("check_error", message)
    return text


def _is_binary(raw: bytes) -> bool:
    start = raw[:8192]
    controls = sum(byte < 9 or 13 < byte < 32 for byte in start)
    return controls * 20 > len(start) or (
        start[:4] in (b"\x89PNG", b"PK\x03\x04", b"GIF8", b"%PDF", b"\xd0\xcf\x11\xe0")
    )
