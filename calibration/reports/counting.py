"""How many labelled episodes there were of each criterion, and how many of them had a grade: it stands beside every number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from calibration.items import Pairing
from calibration.pairing import NO_CRITERION
from rubrics.fingerprints import fingerprint_of

UNGRADED = "no grade"
HALF = 0.5


@dataclass
class Count:
    """Labelled episodes of one criterion: those with a grade, the classes of their truth, and the ids of those without."""

    used: int = 0
    passes: int = 0
    fails: int = 0
    ungraded: set[str] = field(default_factory=set)

    @property
    def labelled(self) -> int:
        """With a grade or without."""
        return self.used + len(self.ungraded)


def counts_of(pairing: Pairing) -> Mapping[str | None, Count]:
    """The count of each criterion that has labels; None is the episode as a whole."""
    found: dict[str | None, Count] = defaultdict(Count)
    for pair in pairing.pairs:
        one = found[pair.item.criterion]
        one.used += 1
        one.passes += pair.truth > HALF
        one.fails += pair.truth < HALF
    known = {item.criterion for item in pairing.items if item.criterion is not None}
    for left in pairing.left_out:
        if left.reason.startswith(UNGRADED):
            for name in left.ids:
                found[_criterion_of(name, known, named=left.reason == NO_CRITERION)].ungraded.add(name)
    return found


def _criterion_of(name: str, known: set[str], *, named: bool) -> str | None:
    """The criterion of `EPISODE/CRITERION`. An episode's id may hold a slash, a criterion's may not."""
    _, slash, last = name.rpartition("/")
    return last if slash and (named or last in known) else None


def hash_of_truth(pairing: Pairing) -> str:
    """Sixteen hex digits over who said what about which episode, as it was used here: another label set, another hash."""
    said = [
        [pair.item.episode, pair.item.criterion, sorted(pair.raters.items()), sorted(pair.unsettled)]
        for pair in pairing.pairs
    ]
    return fingerprint_of(sorted(said, key=str))
