"""From a matplotlib figure to inline SVG: text stays text, colours follow the page, and the same data give the same bytes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any

from calibration.reports.wording import columns, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, MUTED, GRID, PAPER = "#1b2330", "#5a6472", "#d5dae1", "#fdfdfe"
BLUE, ORANGE, GREEN = "#1f5fa8", "#b4540a", "#1d7a4c"
ROLES = {INK: "ink", MUTED: "muted", GRID: "line", PAPER: "paper", BLUE: "blue", ORANGE: "orange", GREEN: "green"}
SMALL = 9
CHARACTER = 0.07  # inches a character of the chart's text is wide, at most

STYLE: Any = {
    "svg.fonttype": "none", "font.family": "DejaVu Sans", "font.size": SMALL, "text.parse_math": False, "text.color": INK,
    "axes.edgecolor": MUTED, "axes.labelcolor": INK, "axes.linewidth": 0.8, "axes.spines.top": False,
    "axes.spines.right": False, "axes.labelsize": SMALL, "xtick.color": MUTED, "ytick.color": MUTED,
    "xtick.labelcolor": INK, "ytick.labelcolor": INK, "xtick.labelsize": SMALL, "ytick.labelsize": SMALL,
    "xtick.major.size": 3, "ytick.major.size": 3, "figure.facecolor": "none", "axes.facecolor": "none",
    "axes.axisbelow": True, "grid.color": GRID, "grid.linewidth": 0.8, "lines.linewidth": 1.6, "axes.unicode_minus": True,
}  # fmt: skip
NO_METADATA = {"Creator": None, "Date": None, "Format": None, "Type": None}

Rectangle = tuple[float, float, float, float]


def drawn(
    paint: Callable[[Axes], Any], *, name: str, title: str, text: str, size: tuple[float, float], inside: Rectangle
) -> str:  # fmt: skip
    """The SVG of one chart. `size` is in inches, `inside` the margins left, right, bottom and top of the axes in inches.

    `title` and `text` are what a screen reader says; `name` keeps ids apart from those of other charts on the page.
    """
    from matplotlib import rc_context
    from matplotlib.backends import backend_svg
    from matplotlib.figure import Figure

    width, height = size
    left, right, bottom, top = inside
    written = StringIO()
    with rc_context({**STYLE, "svg.hashsalt": name}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the reader's browser has the font
        figure = Figure(figsize=size)
        place = (left / width, bottom / height, (width - left - right) / width, (height - bottom - top) / height)
        paint(figure.add_axes(place))
        canvas: Any = backend_svg.FigureCanvasSVG(figure)
        canvas.print_svg(written, metadata=NO_METADATA)
    return _inline(written.getvalue(), name, title, text, size)


def _inline(svg: str, name: str, title: str, text: str, size: tuple[float, float]) -> str:
    body = svg[svg.index(">", svg.index("<svg")) + 1 : svg.rindex("</svg>")]
    body = re.sub(r"<style.*?</style>|<metadata>.*?</metadata>|<!--.*?-->", "", body, flags=re.DOTALL)
    body = re.sub(r"<defs>\s*</defs>", "", body)
    body = re.sub(r"(?<=; )?font-family: [^;\"]*;? ?", "", body)
    for prefix in ('id="', 'href="#', "url(#"):
        body = body.replace(prefix, f"{prefix}{name}-")
    for colour, role in ROLES.items():
        body = body.replace(f": {colour}", f": var(--{role}, {colour})")
    width, height = (round(96 * inches) for inches in size)
    return (
        f'<svg role="img" aria-labelledby="{name}-t {name}-d" width="{width}" height="{height}" '
        f'viewBox="0 0 {72 * size[0]:g} {72 * size[1]:g}"><title id="{name}-t">{escape(visible(title))}</title>'
        f'<desc id="{name}-d">{escape(visible(text))}</desc>{body.strip()}</svg>'
    )


def margin_for(names: list[str]) -> float:
    """The inches that these names need at the left of a chart."""
    return 0.25 + CHARACTER * max((columns(name) for name in names), default=0)
