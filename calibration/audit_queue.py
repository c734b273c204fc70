"""Which episodes people should label to audit a state check: disagreements more often, agreements too, each at a known rate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from calibration.errors import CalibrationError
from calibration.oracles.opinions import Opinions, opinions
from calibration.records import RecordLike
from calibration.results import Queued

FAVOUR = 4.0
"""How much likelier a disagreement is chosen than an agreement, while there are enough of both."""
STATE_SAYS = {True: "state passes", False: "state fails"}
OTHERS_SAY = {True: "others pass", False: "others fail", None: "no second opinion"}
DISAGREE = {f"{STATE_SAYS[state]}, {OTHERS_SAY[not state]}" for state in (True, False)}


def queue_for_audit(
    records: Iterable[RecordLike], n: int, rng: np.random.Generator | None = None
) -> tuple[Queued, ...]:
    """`n` episodes for people to label (all, if there are fewer), in random order, with their inclusion probabilities.

    Drawn at random within strata by what the state check and the others (panel, gates, recorded outcomes) say. Settling only
    disagreements would flatter both sides: each stratum has at least one. Left out are episodes without a state verdict, and those
    that were cut off.
    Raises CalibrationError if `n` is smaller than the number of strata.
    """
    rng = rng or np.random.default_rng(0)
    strata: dict[str, list[Opinions]] = defaultdict(list)
    for one in opinions(list(records)):
        if not one.cut_off:
            strata[_stratum(one)].append(one)
    if n < len(strata):
        raise CalibrationError(
            f"{n} episode(s) can't cover {len(strata)} strata ({'; '.join(strata)}), and agreements have to be looked at too; "
            f"ask for {len(strata)} or more"
        )
    sizes = {name: len(members) for name, members in strata.items()}
    chosen = [q for name, k in _shares(sizes, n).items() for q in _drawn(name, strata[name], k, rng)]
    return tuple(chosen[i] for i in rng.permutation(len(chosen)))


def _stratum(one: Opinions) -> str:
    return f"{STATE_SAYS[one.state]}, {OTHERS_SAY[one.second]}"


def _shares(sizes: Mapping[str, int], n: int) -> dict[str, int]:
    """How many of each stratum: one each, then one at a time to the stratum that is furthest below its rate."""
    shares = dict.fromkeys(sizes, 1)
    worth = {name: size * (FAVOUR if name in DISAGREE else 1.0) for name, size in sizes.items()}
    for _ in range(min(n, sum(sizes.values())) - len(sizes)):
        open_ = [name for name, size in sizes.items() if shares[name] < size]
        shares[max(open_, key=lambda name: worth[name] / (shares[name] + 1))] += 1
    return shares


def _drawn(stratum: str, members: list[Opinions], k: int, rng: np.random.Generator) -> Iterator[Queued]:
    for i in rng.choice(len(members), size=k, replace=False):
        yield Queued(
            episode=members[i].record.episode_id, inclusion=k / len(members), stratum=stratum,
            why="a disagreement with the state check" if stratum in DISAGREE else "a check on agreements",
        )  # fmt: skip
