"""Word documents as text: headings, paragraphs, lists and tables in their order; what is hidden or deleted is marked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judge.artifact_text.limits import BROKEN, bounded, missing, unpacked, unreadable

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def docx_text(path: Path) -> str:
    """The document's text, with its headers, footers and comments."""
    try:
        import docx
        from docx.opc.exceptions import PackageNotFoundError
        from lxml.etree import XMLSyntaxError
    except ModuleNotFoundError:
        raise missing("python-docx", path) from None
    with unpacked(path):
        try:
            document = docx.Document(str(path))
            return "\n".join(bounded(_lines(document), "paragraphs"))
        except (PackageNotFoundError, XMLSyntaxError, *BROKEN) as error:
            raise unreadable(path, error) from None


def _lines(document: Any) -> Iterator[str]:
    yield from _margins(document, "header")
    yield from _blocks(document.element.body)
    yield from _margins(document, "footer")
    for comment in document.comments:
        yield f"[comment by {comment.author or 'unknown'}: {comment.text}]"


def _margins(document: Any, which: str) -> Iterator[str]:
    texts = (getattr(section, which) for section in document.sections)
    seen = dict.fromkeys(
        "\n".join(_blocks(margin._element)).strip() for margin in texts if not margin.is_linked_to_previous
    )
    yield from (f"[{which}: {text}]" for text in seen if text)


def _blocks(parent: Any) -> Iterator[str]:
    for child in parent.iterchildren():
        if child.tag == f"{_W}p":
            text = _paragraph(child)
            if text.strip():
                yield _heading(child) + text
        elif child.tag == f"{_W}tbl":
            yield from _rows(child)
        elif child.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml"):
            yield from _blocks(child)


def _rows(table: Any) -> Iterator[str]:
    for row in table.iter(f"{_W}tr"):
        cells = [" ⏎ ".join(_blocks(cell)) for cell in row.iterchildren(f"{_W}tc")]
        yield " | ".join(cells)


def _heading(paragraph: Any) -> str:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    name = "" if style is None else str(style.get(f"{_W}val", "")).casefold()
    if name == "title":
        return "# "
    if name.startswith(("heading", "berschrift", "überschrift", "titre")) and name[-1].isdigit():
        return "#" * min(6, int(name[-1]) or 1) + " "
    listed = paragraph.find(f"{_W}pPr/{_W}numPr") is not None or name.startswith("list")
    return "- " if listed else ""


def _paragraph(paragraph: Any) -> str:
    """All text of a paragraph, that of links, insertions and boxes too; hidden and deleted text in brackets."""
    runs = (run for run in paragraph.iter(f"{_W}r") if not any(above.tag == _FALLBACK for above in run.iterancestors()))
    return "".join(_run(run) for run in runs)


def _run(run: Any) -> str:
    text = "".join(_piece(node) for node in run.iterchildren())
    deleted = "".join(node.text or "" for node in run.iterchildren(f"{_W}delText"))
    if deleted:
        text += f"[deleted: {deleted}]"
    return f"[hidden: {text}]" if text.strip() and _is_hidden(run) else text


def _piece(node: Any) -> str:
    if node.tag == f"{_W}t":
        return node.text or ""
    return {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}.get(node.tag, "")


def _is_hidden(run: Any) -> bool:
    properties = run.find(f"{_W}rPr")
    if properties is None:
        return False
    vanish, colour = properties.find(f"{_W}vanish"), properties.find(f"{_W}color")
    vanished = vanish is not None and vanish.get(f"{_W}val", "true") not in ("0", "false")
    return vanished or (colour is not None and str(colour.get(f"{_W}val", "")).upper() == "FFFFFF")
