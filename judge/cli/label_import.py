"""What `judge label import` reads, keeps and reports."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calibration.conflicts import Conflict, conflicts
from calibration.label import Label
from calibration.label_counts import LabelCount, count_labels
from judge.adapters.labels import BadRow, LeftOut, Naming, Told, read_labels
from judge.adapters.labels.saying import USES
from judge.errors import InputError

MOST_SHOWN = 20


@dataclass
class Imported:
    """The labels of a file, and what else was in it. `new` and `there` are None until `keep` has stored them."""

    file: Path
    naming: Naming
    labels: list[Label] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)
    left: list[LeftOut] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    new: int | None = None
    there: int | None = None
    conflicts: list[Conflict] = field(default_factory=list)

    def tell(self, remark: LeftOut | Told) -> None:
        """Take down a remark of the reader."""
        if isinstance(remark, LeftOut):
            self.left.append(remark)
        else:
            self.told.append(remark)

    def keep(self, store: str | None) -> None:
        """Put the labels into the store, and look for contradictions with what is there."""
        from judge.store.labels import LabelStore

        with LabelStore(store) as kept:
            self.new, self.there = kept.put(self.labels, source=str(self.file))
            self.conflicts = conflicts(kept.labels(episodes={label.episode for label in self.labels}))

    def counts(self) -> list[LabelCount]:
        """The labels of the file, question by question."""
        rubric = self.naming.rubric
        scales = {c.id: {level.name: level.value for level in c.levels} for c in rubric.leaves} if rubric else None
        return count_labels(self.labels, scales)

    def report(self, *, as_json: bool) -> int:
        """Say what came of it; gives the exit code: 0, 1 if some rows could not be read, 2 if nothing could."""
        from judge.cli.grading import print_json
        from judge.cli.label_tables import show_import

        if as_json:
            print_json(self.as_json())
        else:
            show_import(self)
        for bad in self.bad[:MOST_SHOWN]:
            sys.stderr.write(f"judge: {bad}\n")
        if len(self.bad) > MOST_SHOWN:
            sys.stderr.write(f"judge: and {len(self.bad) - MOST_SHOWN} more rows that could not be read\n")
        if not self.labels:
            sys.stderr.write(f"judge: {self.file}: no label could be read\n")
            return 2
        return 1 if self.bad else 0

    def as_json(self) -> dict[str, Any]:
        """All that was found, for machines."""
        from judge.cli.label_tables import conflict_row

        return {
            "file": str(self.file), "labels": len(self.labels), "new": self.new, "already_there": self.there,
            "questions": [count.model_dump() for count in self.counts()],
            "conflicts": [conflict_row(conflict) for conflict in self.conflicts],
            "left_out": [
                {"reason": reason, "count": len(places), "places": places[:MOST_SHOWN]}
                for reason, places in count_reasons(self.left).items()
            ],
            "bad": [{"place": bad.place, "message": bad.message} for bad in self.bad],
            "remarks": [told.message for told in self.told],
        }  # fmt: skip


def import_labels(file: Path, form: str | None, naming: Naming) -> Imported:
    """Read a file as `judge label import` does. Raises InputError if it can't be read at all."""
    found = Imported(file, naming)
    found.labels = list(read_labels(file, form=form, on_bad=found.bad.append, tell=found.tell, naming=naming))
    found.conflicts = conflicts(found.labels)
    return found


def count_reasons(left: Iterable[LeftOut]) -> dict[str, list[str]]:
    """For each reason the places that were left out for it, the most frequent first."""
    places: dict[str, list[str]] = defaultdict(list)
    for remark in left:
        places[remark.reason].append(remark.place)
    return dict(sorted(places.items(), key=lambda item: -len(item[1])))


def naming_from(
    *, criteria: Sequence[str] | None, overall: Sequence[str] | None, levels: Sequence[str] | None, tasks: Path | None,
    rubric: str | None, used_for: str | None, **plain: str | None,
) -> Naming:  # fmt: skip
    """What the options say about a file's words. Raises InputError that names the option."""
    from judge.adapters.labels.healthbench import tasks_of
    from judge.adapters.labels.naming import OVERALL
    from rubrics.loading import load

    if used_for is not None and used_for not in USES:
        raise InputError(f"--used-for {used_for!r}: expected one of {', '.join(USES)}")
    made = Naming(
        criteria=_pairs("--criterion", criteria), levels=_pairs("--level", levels), overall=frozenset({OVERALL, *(overall or ())}),
        rubric=load(rubric) if rubric else None, tasks=tasks_of(tasks) if tasks else {}, used_for=used_for, **plain,
    )  # fmt: skip
    for name, criterion in made.criteria.items():
        if made.rubric is not None and criterion.removesuffix("_note") not in made.rubric.by_id:
            raise InputError(
                f"--criterion {name}={criterion}: rubric {made.rubric.id} has {', '.join(made.rubric.by_id)}"
            )
    return made


def _pairs(option: str, given: Sequence[str] | None) -> dict[str, str]:
    found = {}
    for pair in given or ():
        name, mark, ours = pair.rpartition("=")
        if not (name.strip() and mark and ours.strip()):
            raise InputError(f"{option} {pair!r}: expected THEIRS=OURS")
        found[name.strip()] = ours.strip()
    return found
