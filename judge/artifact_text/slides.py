"""Presentations as text: each slide with its title, text, tables, charts and notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judge.artifact_text.limits import BROKEN, bounded, missing, unpacked, unreadable


def pptx_text(path: Path) -> str:
    """The text of every slide, in order; a hidden slide is marked."""
    try:
        import pptx
        from lxml.etree import XMLSyntaxError
        from pptx.exc import PackageNotFoundError
    except ModuleNotFoundError:
        raise missing("python-pptx", path) from None
    with unpacked(path):
        try:
            return "\n".join(bounded(_lines(pptx.Presentation(str(path))), "slides"))
        except (PackageNotFoundError, XMLSyntaxError, *BROKEN) as error:
            raise unreadable(path, error) from None


def _lines(presentation: Any) -> Iterator[str]:
    for i, slide in enumerate(presentation.slides, start=1):
        hidden = " (hidden)" if slide._element.get("show") == "0" else ""
        yield f"## Slide {i}{hidden}"
        yield from _shapes(slide.shapes)
        if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) is not None and notes.text.strip():
            yield f"[notes: {notes.text.strip()}]"
        yield ""


def _shapes(shapes: Any) -> Iterator[str]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes)
        elif getattr(shape, "has_table", False) and shape.has_table:
            yield from (" | ".join(cell.text.replace("\n", " ⏎ ") for cell in row.cells) for row in shape.table.rows)
        elif getattr(shape, "has_chart", False) and shape.has_chart:
            yield from _chart(shape.chart)
        elif shape.has_text_frame:
            if text := shape.text_frame.text.replace("\v", "\n").strip():
                yield text
        elif shape._element.tag.endswith("}pic"):
            described = shape._element.xpath("string(.//p:cNvPr/@descr)")
            yield f"[picture: {described or shape.name}]"


def _chart(chart: Any) -> Iterator[str]:
    title = chart.chart_title.text_frame.text if chart.has_title and chart.chart_title.has_text_frame else "untitled"
    yield f"[chart: {title}]"
    for plot in chart.plots:
        categories = [str(category) for category in plot.categories]
        for series in plot.series:
            labels = (
                categories if len(categories) == len(series.values) else [str(i + 1) for i in range(len(series.values))]
            )
            yield f"{series.name}: " + ", ".join(f"{c} {v}" for c, v in zip(labels, series.values, strict=True))
