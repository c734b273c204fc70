"""How much of a file is read, how what is left out is said, and what can go wrong."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from judge.errors import InputError, JudgeError
from rubrics.verdict import Kind

MAX_CHARS = 400_000
MAX_ROWS = 5_000
MAX_FILE_BYTES = 100 * 2**20
MAX_UNPACKED_BYTES = 400 * 2**20
MAX_PARTS = 20_000


BROKEN = (zipfile.BadZipFile, KeyError, ValueError, AttributeError, OSError)
"""What the readers of zipped office files raise for one that is broken, beside errors of their own."""


class ArtifactError(JudgeError):
    """A file that can't be turned into text. Its kind: `unreadable` where the agent made it so, `state_unavailable` where it
    is not there, `check_error` where its format is none that is read."""


class MissingReaderError(InputError):
    """The package that reads this format is not installed; the message says what to install."""

    kind: Kind = "check_error"


def missing(package: str, path: Path) -> MissingReaderError:
    """The error for a package that is not installed."""
    return MissingReaderError(f"{path.name} needs the package {package} to be read: pip install 'rubric-judge[office]'")


def unreadable(path: Path, error: object) -> ArtifactError:
    """The error for a file that its reader can't open."""
    message = f"{path.name} can't be opened as {path.suffix}: {error or 'it is broken'}"
    return ArtifactError("unreadable", message[:300])


def cut(text: str) -> str:
    """`text`, or its first 400,000 characters and a line that counts the rest."""
    if len(text) <= MAX_CHARS:
        return text
    return f"{text[:MAX_CHARS]}\n… {len(text) - MAX_CHARS} more characters"


def bounded(lines: Iterable[str], what: str = "lines") -> Iterator[str]:
    """The lines up to the limit of characters, then one that says that there is more."""
    length = 0
    for line in lines:
        length += len(line) + 1
        if length > MAX_CHARS:
            yield f"… more {what}, not shown"
            return
        yield line


@contextmanager
def unpacked(path: Path) -> Iterator[None]:
    """Refuse a zip that would unpack to more than the limit, and tell broken files apart from our own errors."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
        raise unreadable(path, error) from None
    size = sum(part.file_size for part in parts)
    if size > MAX_UNPACKED_BYTES or len(parts) > MAX_PARTS:
        message = f"{path.name} unpacks to {size // 2**20} MB in {len(parts)} parts; that is more than is read"
        raise ArtifactError("unreadable", message)
    yield
