"""Tables of labels, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

from calibration.conflicts import Conflict
from calibration.label_counts import LabelCount
from judge.cli.setup import console

if TYPE_CHECKING:
    from judge.cli.label_import import Imported

MOST_CONFLICTS = 10


def counts_table(counts: Sequence[LabelCount]) -> Table:
    """One row a question."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("question")
    for name in ("labels", "episodes", "raters", "base rate", "could not tell", "by two or more"):
        table.add_column(name, justify="right")
    table.add_column("answers")
    for count in counts:
        unsettled = count.cannot_tell + count.not_applicable
        table.add_row(
            escape(count.criterion or "(overall)"), str(count.labels), str(count.episodes), str(len(count.raters)),
            "–" if count.base_rate is None else f"{count.base_rate:.2f}", str(unsettled), f"{count.double_share:.0%}",
            escape(", ".join(f"{level} {n}" for level, n in count.answers.items())),
        )  # fmt: skip
    return table


def show_import(found: Imported) -> None:
    """What an import came to."""
    from judge.cli.label_import import count_reasons

    out = console()
    for told in found.told:
        out.print(told.message, markup=False)
    episodes = {label.episode for label in found.labels}
    raters = {label.rater for label in found.labels}
    out.print(
        f"{found.file}: {len(found.labels)} labels of {len(raters)} rater(s) on {len(episodes)} episode(s); "
        + _stored(found),
        markup=False,
    )
    if found.labels:
        out.print(counts_table(found.counts()))
    if found.conflicts:
        out.print(
            f"conflicts: {len(found.conflicts)}; such answers count for nothing until the person has decided",
            style="bold",
        )
        for conflict in found.conflicts[:MOST_CONFLICTS]:
            out.print(f"  {conflict}", markup=False)
        if len(found.conflicts) > MOST_CONFLICTS:
            out.print("  … see `judge label conflicts` for all")
    for reason, places in count_reasons(found.left).items():
        out.print(f"left out: {len(places)}: {reason} ({places[0]}{', …' if len(places) > 1 else ''})", markup=False)


def _stored(found: Imported) -> str:
    if found.new is None:
        return "nothing stored"
    return f"{found.new} new, {found.there} there already"


def conflict_row(conflict: Conflict) -> dict[str, Any]:
    """A contradiction for machines."""
    answers = [
        {"level": x.level, "value": x.value, "place": x.place, "at": x.at.isoformat() if x.at else None}
        for x in conflict.labels
    ]
    return {"episode": conflict.episode, "criterion": conflict.criterion, "rater": conflict.rater, "answers": answers}
