"""The files that an agent left, as text for a judge or a check."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath, PureWindowsPath

from judge.artifact_text.documents import docx_text
from judge.artifact_text.limits import MAX_FILE_BYTES, ArtifactError, MissingReaderError, cut
from judge.artifact_text.mails import eml_text
from judge.artifact_text.pages import html_text, page_text
from judge.artifact_text.pdfs import pdf_text
from judge.artifact_text.plain import csv_text, plain_text
from judge.artifact_text.slides import pptx_text
from judge.artifact_text.workbooks import open_workbook, xlsx_text
from judge.episode import Artifact

__all__ = ["READERS", "ArtifactError", "MissingReaderError", "file_of", "open_workbook", "text_of"]

READERS: Mapping[str, Callable[[Path], str]] = {
    ".xlsx": xlsx_text, ".xlsm": xlsx_text, ".docx": docx_text, ".docm": docx_text, ".pptx": pptx_text, ".pptm": pptx_text,
    ".pdf": pdf_text, ".eml": eml_text, ".html": page_text, ".htm": page_text, ".xhtml": page_text, ".csv": csv_text,
    ".tsv": csv_text,
}  # fmt: skip
_MEDIA_TYPES = {
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/pdf": ".pdf", "message/rfc822": ".eml", "text/html": ".html", "text/csv": ".csv",
}  # fmt: skip


def text_of(artifact: Artifact, base_dir: Path | None) -> str:
    """What the file says, as text: values with their formulas, tables as rows, what is hidden marked as such.

    At most 400,000 characters; what is left out is counted in a last line. A file is read once per process while it stays
    the same. Raises ArtifactError for a file that is not there, leads out of `base_dir`, is broken or of no known format,
    MissingReaderError where the package that reads it is not installed.
    """
    ending = _ending(artifact)
    if artifact.text is not None:
        return cut(html_text(artifact.text) if READERS.get(ending) is page_text else artifact.text)
    path = file_of(artifact, base_dir)
    status = path.stat()
    return _read(str(path), ending, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=16)
def _read(path: str, ending: str, modified: int, size: int) -> str:
    del modified
    if size > MAX_FILE_BYTES:
        raise ArtifactError("unreadable", f"{Path(path).name} has {size} bytes; at most {MAX_FILE_BYTES} are read")
    return cut(READERS.get(ending, plain_text)(Path(path)))


def _ending(artifact: Artifact) -> str:
    ending = PurePosixPath(artifact.path or artifact.name).suffix.lower() or PurePosixPath(artifact.name).suffix.lower()
    if ending not in READERS and artifact.media_type:
        return _MEDIA_TYPES.get(artifact.media_type.split(";")[0].strip().lower(), ending)
    return ending


def file_of(artifact: Artifact, base_dir: Path | None) -> Path:
    """The file on disk. Raises ArtifactError if there is none, or if its path leads out of the episodes file's folder."""
    name, given = artifact.name, artifact.path
    if given is None:
        what = "is given as text, not as a file" if artifact.text is not None else "has neither `path` nor `text`"
        raise ArtifactError("state_unavailable", f"artifact {name} {what}")
    if PurePosixPath(given).is_absolute() or PureWindowsPath(given).drive or "\0" in given or given.startswith("\\"):
        raise ArtifactError(
            "state_unavailable", f"artifact {name}: {given!r} must be a path relative to the episodes file"
        )
    if base_dir is None:
        message = (
            f"artifact {name}: its path {given!r} needs the folder that it is relative to; read the episode from a file"
        )
        raise ArtifactError("state_unavailable", message)
    folder, path = Path(os.path.realpath(base_dir)), Path(os.path.realpath(base_dir / given))
    if not path.is_relative_to(folder):
        message = f"artifact {name}: {given!r} leads out of the episodes file's folder; move the file inside"
        raise ArtifactError("state_unavailable", message)
    if not path.is_file():
        raise ArtifactError(
            "state_unavailable", f"artifact {name}: there is no file {given!r} beside the episodes file"
        )
    return path
