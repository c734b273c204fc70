"""HTML as text: blocks as lines, tables as rows, links with where they lead; what a page hides is marked."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from judge.artifact_text.plain import decoded

_BLOCKS = frozenset(
    "address article aside blockquote br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main "
    "nav ol p pre section summary table tbody tfoot thead title tr ul".split()
)
_UNSHOWN = frozenset({"script", "style", "template"})
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])")


def page_text(path: Path) -> str:
    """The text of an HTML file."""
    return html_text(decoded(path.read_bytes(), path))


def html_text(html: str) -> str:
    """The text that a reader of the page would see, and in brackets what is there and not shown."""
    parser = _Page()
    parser.feed(html)
    parser.close()
    lines = (re.sub(r"[ \t\r\f\n]+", " ", line).strip(" ") for line in "".join(parser.parts).split(_BREAK))
    return "\n".join(line for line in lines if line)


_BREAK = "\x1e"


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.unshown = 0
        self.hidden: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in _UNSHOWN:
            self.unshown += 1
        if tag in _BLOCKS:
            self.parts.append(_BREAK + _prefix(tag))
        if tag not in _VOID:
            self._open(tag, given)
        if tag in ("td", "th"):
            self.parts.append(" | ")
        if tag == "img" and given.get("alt"):
            self.parts.append(f"[picture: {given['alt']}]")
        if tag == "input" and given.get("value") and given.get("type") != "hidden":
            self.parts.append(f"[field: {given['value']}]")

    def _open(self, tag: str, given: dict[str, str | None]) -> None:
        if tag == "a":
            self.links.append(given.get("href") or "")
        hides = "hidden" in given or _HIDING.search((given.get("style") or "").casefold())
        if self.hidden:
            self.hidden.append(tag)
        elif hides:
            self.hidden.append(tag)
            self.parts.append("[hidden: ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSHOWN:
            self.unshown = max(0, self.unshown - 1)
        if tag == "a" and self.links and (href := self.links.pop()).startswith(("http", "mailto:")):
            self.parts.append(f" ({href})")
        if tag in self.hidden:
            while self.hidden.pop() != tag:
                pass
            if not self.hidden:
                self.parts.append("]")
        if tag in _BLOCKS:
            self.parts.append(_BREAK)

    def handle_data(self, data: str) -> None:
        if not self.unshown:
            self.parts.append(data)


def _prefix(tag: str) -> str:
    if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
        return "#" * int(tag[1]) + " "
    return "- " if tag == "li" else ""
