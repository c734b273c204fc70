"""The charts of a report. Each takes results and gives SVG; what it shows is said in words too, for who cannot see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from calibration.calibration import Escalation
from calibration.reports.drawing import BLUE, GREEN, GRID, INK, MUTED, ORANGE, PAPER, drawn, margin_for
from calibration.reports.reliability import BARS, Reliability
from calibration.reports.wording import DASH, number, percent, plural, short
from calibration.results import PanelDiagnosis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Write = Callable[[float | None], str]

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
ROW = 0.3


class Dot(NamedTuple):
    """One row of an interval chart: a value with its interval (drawn if it has one), and perhaps a second mark to compare."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    mark: float | None = None
    plain: bool = False


def reliability_chart(found: Reliability, name: str, title: str) -> str:
    """How often it was so against the probability given, in bins with Wilson's bars; below it, how often each was given."""
    rows = "; ".join(
        f"said {percent(b.predicted)}, was {percent(b.observed.value)} "
        f"({percent(b.observed.low)} to {percent(b.observed.high)}, {plural(b.observed.n, 'label')})" for b in found.bins
    )  # fmt: skip

    def paint(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        axes.text(1.0, 1.05, "perfect", ha="right", color=MUTED, fontsize=8.25)
        x = [b.predicted for b in found.bins]
        y = [b.observed.value or 0.0 for b in found.bins]
        axes.vlines(
            x, [b.observed.low or 0.0 for b in found.bins], [b.observed.high or 0.0 for b in found.bins], color=BLUE
        )
        axes.plot(x, y, color=BLUE, marker="o", markersize=5, markeredgecolor=PAPER, linewidth=1)
        highest = max(found.bars) or 1
        middles = [(k + 0.5) / BARS for k in range(BARS)]
        axes.vlines(middles, -0.24, [0.18 * n / highest - 0.24 for n in found.bars], color=MUTED, linewidth=6)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.24, 1.03), xlabel="probability given", ylabel="how often it was so")
        _shares(axes.xaxis)
        _shares(axes.yaxis)
        axes.axhline(0, color=GRID, linewidth=0.8)
        axes.spines["left"].set_bounds(0, 1)

    return drawn(paint, name=name, title=title, text=rows, size=(3.4, 3.7), inside=(0.66, 0.14, 0.52, 0.2))


def interval_chart(
    dots: Sequence[Dot], name: str, title: str, *, axis: str, ends: tuple[float, float] | None = None, write: Write = number
) -> str:  # fmt: skip
    """Values with their intervals, a row each, written by `write` at the right. The axis spans `ends` at least."""
    names = [short(dot.name) for dot in dots]
    rows = "; ".join(f"{dot.name}: {write(dot.value)}{_between(dot, write)}" for dot in dots)

    def paint(axes: Axes) -> None:
        for row, dot in enumerate(dots):
            _dot(axes, row, dot)
        axes.set(ylim=(len(dots) - 0.4, -0.6), xlabel=axis)
        axes.set_yticks(range(len(dots)), names)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x")
        axes.axvline(0, color=MUTED, linewidth=1)
        axes.margins(x=0.05)
        if ends is not None:
            axes.plot(ends, (0, 0), alpha=0)
        axes.locator_params(axis="x", nbins=5)
        axes.xaxis.set_major_formatter(lambda value, _: write(value))
        _values(axes, dots, write)

    left = margin_for(names)
    return drawn(
        paint,
        name=name,
        title=title,
        text=rows,
        size=(left + 4.6, 0.65 + ROW * len(dots)),
        inside=(left, 1.55, 0.55, 0.1),
    )


def _between(dot: Dot, write: Write) -> str:
    return f", {write(dot.low)} to {write(dot.high)}" if dot.low is not None and dot.high is not None else ""


def _dot(axes: Axes, row: int, dot: Dot) -> None:
    colour = ORANGE if dot.plain else BLUE
    if dot.low is not None and dot.high is not None:
        axes.plot([dot.low, dot.high], [row, row], color=colour, linewidth=2, solid_capstyle="butt")
    if dot.value is not None:
        axes.plot(dot.value, row, marker="D" if dot.plain else "o", color=colour, markersize=6, markeredgecolor=PAPER)
    if dot.mark is not None:
        axes.plot(dot.mark, row, marker="|", color=INK, markersize=13, markeredgewidth=2)


def _values(axes: Axes, dots: Sequence[Dot], write: Write) -> None:
    for row, dot in enumerate(dots):
        axes.annotate(
            write(dot.value) + _between(dot, write), (1, row), xycoords=("axes fraction", "data"), xytext=(8, 0),
            textcoords="offset points", va="center", fontsize=8.25, color=INK if dot.value is not None else MUTED,
        )  # fmt: skip


def correlation_chart(panel: PanelDiagnosis, name: str, title: str) -> str:
    """The correlation of judges' errors, a number in each cell; the darker, the more they err together."""
    judges = [short(judge.judge, 18) for judge in panel.judges]
    table = panel.error_correlation
    pairs = [(i, j) for i in range(len(judges)) for j in range(i)]
    text = "; ".join(f"{judges[j]} and {judges[i]}: {number(table[i][j])}" for i, j in pairs)

    def paint(axes: Axes) -> None:
        for i, row in enumerate(table):
            for j, value in enumerate(row):
                _cell(axes, i, j, value)
        axes.set(xlim=(-0.5, len(judges) - 0.5), ylim=(len(judges) - 0.5, -0.5))
        axes.set_xticks(range(len(judges)), judges, rotation=30, ha="left", rotation_mode="anchor")
        axes.set_yticks(range(len(judges)), judges)
        axes.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False, pad=5)
        for spine in axes.spines.values():
            spine.set_visible(False)

    left, top, right = margin_for(judges), 0.2 + 0.55 * (margin_for(judges) - 0.1), 0.9 * (margin_for(judges) - 0.1)
    size = (left + right + 0.56 * len(judges), top + 0.1 + 0.42 * len(judges))
    return drawn(paint, name=name, title=title, text=text, size=size, inside=(left, right, 0.1, top))


def _cell(axes: Axes, i: int, j: int, value: float | None) -> None:
    from matplotlib.patches import Rectangle

    if i == j:
        axes.text(j, i, DASH, ha="center", va="center", color=MUTED)
        return
    if value is not None:
        colour = BLUE if value >= 0 else ORANGE
        axes.add_patch(
            Rectangle(
                (j - 0.47, i - 0.46), 0.94, 0.92, facecolor=colour, alpha=0.1 + 0.5 * min(1.0, abs(value)), linewidth=0
            )
        )
    axes.text(j, i, number(value), ha="center", va="center", color=INK)


def escalation_chart(found: Escalation, name: str, title: str) -> str:
    """Agreement against the share of grades that stand, with its lower bound, the target, and the threshold if there is one."""
    rows = sorted((coverage, agreement, bound, threshold) for threshold, coverage, agreement, bound in found.curve)
    stands = (
        f"threshold {number(found.threshold)}: {percent(found.coverage)} stand" if found.threshold is not None
        else "no threshold can be certified"
    )  # fmt: skip

    def paint(axes: Axes) -> None:
        coverage, agreement, bound, _ = zip(*rows, strict=True)
        axes.fill_between(coverage, bound, agreement, color=BLUE, alpha=0.15, linewidth=0)
        axes.plot(coverage, agreement, color=BLUE, marker="o", markersize=3)
        axes.plot(coverage, bound, color=BLUE, linewidth=1, linestyle=(0, (4, 2)))
        axes.axhline(found.target, color=ORANGE, linewidth=1.4)
        floor = max(0.0, min(0.5, *bound, found.target - 0.1) - 0.03)
        axes.set(xlim=(0, 1.02), ylim=(floor, 1.02), xlabel="share of episodes that stand without another look")
        axes.set_ylabel("agreement with the truth")
        _shares(axes.xaxis)
        axes.yaxis.set_major_formatter(lambda share, _: percent(share))
        axes.grid(axis="y")
        _beside(
            axes,
            {"agreement": agreement[-1], "lower bound": bound[-1], f"target {percent(found.target)}": found.target},
            1.02 - floor,
        )
        if found.threshold is not None and found.coverage is not None:
            axes.axvline(found.coverage, color=GREEN, linewidth=1.4, linestyle=(0, (2, 2)))
            axes.text(found.coverage, 1.035, stands, ha="center", color=GREEN, fontsize=8.25)

    text = f"target {percent(found.target)}; {stands}; " + "; ".join(
        f"{percent(c)} stand, agreement {percent(a)}, at least {percent(b)}" for c, a, b, _ in rows
    )
    return drawn(paint, name=name, title=title, text=text, size=(5.6, 3.2), inside=(0.66, 1.15, 0.52, 0.3))


def _beside(axes: Axes, heights: Mapping[str, float], span: float) -> None:
    """The names of lines at their right ends, pushed apart where they would meet."""
    lowest = -1.0
    for words, height in sorted(heights.items(), key=lambda item: item[1]):
        lowest = max(height, lowest + 0.075 * span)
        colour = ORANGE if words.startswith("target") else BLUE
        axes.annotate(
            words,
            (1.02, lowest),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            annotation_clip=False,
        )


def _shares(axis: Any) -> None:
    axis.set_ticks(SHARES, [percent(share) for share in SHARES])
