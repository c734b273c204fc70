"""Two raters' answers to the same questions, matched by episode and criterion; what is left out is counted by reason."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from calibration.agreeing.ratings import NO_GRADE, Key, Ratings
from calibration.agreeing.scales import commonest, of_all, rising
from calibration.errors import CalibrationError
from calibration.label import OVERALL_LEVELS

OTHER_SCALE = "on another scale than most items"
TWO_SCALES = "the two raters answer on different scales"


@dataclass(slots=True)
class Match:
    """The items of one criterion that both raters answered, and how many were left out by reason.

    `unanswered` counts what the second answered and the first did not. `scale` is that of the items, worst level first; None
    where it is not known.
    """

    keys: list[Key] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    unanswered: int = 0
    scale: dict[str, float] | None = None


def matched(first: Ratings, second: Ratings) -> dict[str | None, Match]:
    """The items by criterion, for each one that both were asked about. Raises CalibrationError if there is none."""
    asked = [{key[1] for answers in (rater.values, rater.without) for key in answers} for rater in (first, second)]
    found: dict[str | None, Match] = defaultdict(Match)
    for key in dict.fromkeys((*first.values, *second.values, *second.without)):
        if key[1] in asked[0] & asked[1]:
            _enter(found[key[1]], key, first, second)
    if not any(match.keys or match.unanswered for match in found.values()):
        raise CalibrationError(
            f"{first.rater} and {second.rater} answered no question in common; check that episode and criterion ids match"
        )
    for criterion, match in found.items():
        _on_one_scale(match, first, second)
        if match.scale is None and criterion is None:
            match.scale = rising(OVERALL_LEVELS)
    return dict(found)


def together(matches: Sequence[Match]) -> Match:
    """The items of several criteria as if they were one."""
    return Match(
        [key for match in matches for key in match.keys],
        sum((match.left_out for match in matches), Counter()),
        sum(match.unanswered for match in matches),
        of_all([match.scale or {} for match in matches]),
    )


def _enter(match: Match, key: Key, first: Ratings, second: Ratings) -> None:
    if key in second.values and key in first.values:
        match.keys.append(key)
    elif key in second.values:
        match.left_out[first.without.get(key, f"no answer from {first.rater}")] += 1
        match.unanswered += 1
    elif key in second.without:
        match.left_out[second.without[key]] += 1
        match.unanswered += second.without[key].startswith(NO_GRADE)
    else:
        match.left_out[f"no answer from {second.rater}"] += 1


def _on_one_scale(match: Match, first: Ratings, second: Ratings) -> None:
    """Keeps the items on the scale that most have."""
    scales = {key: (first.scales.get(key), second.scales.get(key)) for key in match.keys}
    one = {key: a or b for key, (a, b) in scales.items() if not (a and b) or a == b}
    match.scale = commonest(one.values())
    kept = [key for key, scale in one.items() if not scale or scale == match.scale]
    match.left_out.update({TWO_SCALES: len(scales) - len(one)} if len(one) < len(scales) else {})
    match.left_out.update({OTHER_SCALE: len(one) - len(kept)} if len(kept) < len(one) else {})
    match.keys = kept
