"""The first screen: what may be trusted, what not, and why, in words that need no statistics."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.reports.evidence import Mark
from calibration.reports.findings import Findings
from calibration.reports.trust import ANSWERS, by_mark
from calibration.reports.wording import DASH, count, number, percent, plural


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that grades may or may not be used for."""

    name: str
    says: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class Tile:
    """One number with what it is, and what it rests on."""

    value: str
    name: str
    rests_on: str


@dataclass(frozen=True, slots=True)
class Opening:
    """What the first screen says."""

    asks: str
    answer: str
    mark: Mark
    because: str
    cautions: tuple[str, ...]
    trusted_for: tuple[Line, ...]
    not_for: tuple[Line, ...]
    steps: tuple[str, ...]
    tiles: tuple[Tile, ...]
    about: str


def opening_of(findings: Findings) -> Opening:
    """The first screen of these findings."""
    whole = findings.whole
    lines = [Line(use.name, use.says, use.mark) for use in findings.uses]
    marks: tuple[Mark, ...] = ("trusted", "with care", "not trusted", "no signal", "not enough labels")
    lines += [
        Line("Criteria" if "," in names or " and " in names else "Criterion", names, mark)
        for mark in marks
        if (names := by_mark(findings.criteria, mark))
    ]
    good = tuple(line for line in lines if line.mark in ("trusted", "with care"))
    bad = tuple(line for line in lines if line.mark not in ("trusted", "with care"))
    bad += tuple(Line("", use.but, "not trusted") for use in findings.uses if use.but)
    return Opening(
        asks="May this judge be trusted?" if len(findings.sources.judges) == 1 else "May these judges be trusted?",
        answer=ANSWERS[whole.mark], mark=whole.mark, because=whole.reason, cautions=whole.cautions, trusted_for=good, not_for=bad,
        steps=findings.steps, tiles=_tiles(findings), about=_about(findings),
    )  # fmt: skip


def _about(findings: Findings) -> str:
    sources = findings.sources
    judges = plural(len(sources.judges), "judge")
    cover = f" ({percent(sources.used / sources.labelled)} covered)" if sources.labelled else ""
    if not sources.labelled:
        return f"{judges}: {', '.join(sources.judges) or DASH}. {plural(sources.episodes, 'episode')} judged, none labelled."
    return (
        f"{judges}: {', '.join(sources.judges) or DASH}. {plural(sources.episodes, 'episode')} judged, "
        f"{count(sources.used)} of {plural(sources.labelled, 'labelled item')} used{cover}, by {plural(sources.raters, 'rater')}."
    )


def _tiles(findings: Findings) -> tuple[Tile, ...]:
    whole = findings.whole
    ceiling = (
        f"; people with each other {percent(whole.ceiling.value)}"
        if whole.ceiling and whole.ceiling.value is not None
        else ""
    )
    based = f"{count(whole.used)} of {plural(whole.labelled, 'label')}"
    tiles = [
        Tile(percent(whole.agreement.value) if whole.agreement else DASH, f"agree with {findings.people}{ceiling}", based),
        _stands(findings), _rate(findings),
    ]  # fmt: skip
    main = next((p for p in findings.panels if p.criterion is None), findings.panels[0] if findings.panels else None)
    if main is not None and len(main.judges) > 1:
        tiles.append(
            Tile(
                number(main.effective.value, 1),
                f"independent judges is what {count(len(main.judges))} are worth",
                plural(main.n, "label"),
            )
        )
    return tuple(tiles)


def _stands(findings: Findings) -> Tile:
    found = findings.escalation
    if found is None or found.threshold is None:
        return Tile(
            "none",
            "of the grades may stand without a second look",
            plural(found.n, "label") if found else "not looked for",
        )
    return Tile(
        percent(found.coverage),
        f"of grades may stand alone, at {percent(found.target)} agreement",
        plural(found.n, "label"),
    )


def _rate(findings: Findings) -> Tile:
    found = next((e for e in findings.estimates if e.criterion is None and e.value is not None), None)
    if found is None:
        return Tile(DASH, "is the corrected rate", "no labels")
    span = f" ({percent(found.low)} to {percent(found.high)})" if found.low is not None else ""
    raw = f"; raw {percent(found.naive)}" if found.naive is not None else ""
    return Tile(
        percent(found.value),
        f"is the corrected rate{span}{raw}",
        f"{plural(found.labelled, 'label')}, {plural(found.judged, 'episode')}",
    )
