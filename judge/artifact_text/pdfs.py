"""PDF files as text, page by page."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from judge.artifact_text.limits import ArtifactError, bounded, missing, unreadable

MAX_PAGES = 500


def pdf_text(path: Path) -> str:
    """The text of each page; a page without any, such as a scan, is said to have none."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ModuleNotFoundError:
        raise missing("pypdf", path) from None
    with _quiet():
        try:
            reader = PdfReader(path, strict=False)
            locked = reader.is_encrypted and not reader.decrypt("")
            text = "" if locked else "\n".join(bounded(_pages(reader), "pages"))
        # A broken PDF makes its reader raise almost anything, also IndexError, RecursionError or a codec's error.
        except (PyPdfError, ArithmeticError, LookupError, ValueError, TypeError, AttributeError, RuntimeError, OSError,
                NotImplementedError, AssertionError) as error:  # fmt: skip
            raise unreadable(path, f"{type(error).__name__} {error}") from None
        except ImportError:
            raise missing("cryptography", path) from None
    if locked:
        raise ArtifactError("unreadable", f"{path.name} is locked with a password")
    return text


def _pages(reader: Any) -> Iterator[str]:
    for i, page in enumerate(reader.pages, start=1):
        if i > MAX_PAGES:
            yield f"… {len(reader.pages) - MAX_PAGES} more pages"
            return
        yield f"## Page {i}"
        yield page.extract_text().strip() or "(no text on this page: it may be a picture)"
        for note in page.get("/Annots") or ():
            if contents := note.get_object().get("/Contents"):
                yield f"[note: {contents}]"


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what the reader logs about repairs off the terminal."""
    log = logging.getLogger("pypdf")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)
