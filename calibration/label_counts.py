"""How many labels there are for each question, by how many people, and what they say at large."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from calibration.label import OVERALL_LEVELS, UNSETTLED, Label
from rubrics.criterion import CANNOT_TELL, NOT_APPLICABLE, Noun
from rubrics.grade import Score
from rubrics.scales import YES_NO

_YES_NO = {level.name: level.value for level in YES_NO}


class LabelCount(Noun):
    """The labels of one question (`criterion` None: the episode as a whole).

    `base_rate` is the mean value of the settled answers in [0, 1]: for pass/fail and yes/no the share of pass or yes; None
    where the value of a level is not known. `double_share` is the share of the labelled episodes that two people or more
    answered. `answers` counts levels, and values as `value`. `used` counts labels used for tuning or as examples.
    """

    criterion: str | None
    labels: int
    episodes: int
    raters: tuple[str, ...]
    base_rate: Score | None
    cannot_tell: int
    not_applicable: int
    double_share: Score
    used: int
    answers: dict[str, int]


def count_labels(labels: Iterable[Label], scales: Mapping[str, Mapping[str, float]] | None = None) -> list[LabelCount]:
    """A count for each question: the whole first, then criteria by name. `scales` gives each criterion's levels their values."""
    questions: dict[str | None, list[Label]] = defaultdict(list)
    for label in labels:
        questions[label.criterion].append(label)
    ordered = sorted(questions.items(), key=lambda item: (item[0] is not None, item[0] or ""))
    return [_count(criterion, said, (scales or {}).get(criterion or "", {})) for criterion, said in ordered]


def _count(criterion: str | None, labels: list[Label], scale: Mapping[str, float]) -> LabelCount:
    answers = Counter(label.level if label.level is not None else "value" for label in labels)
    raters: dict[str, set[str]] = defaultdict(set)
    for label in labels:
        raters[label.episode].add(label.rater)
    worth = OVERALL_LEVELS if criterion is None else scale or _YES_NO
    values = [worth.get(label.level) if label.level is not None else label.value for label in labels if label.settled]
    known = [value for value in values if value is not None]
    return LabelCount(
        criterion=criterion, labels=len(labels), episodes=len(raters), raters=tuple(sorted(set().union(*raters.values()))),
        base_rate=sum(known) / len(known) if known and len(known) == len(values) else None,
        cannot_tell=answers[CANNOT_TELL], not_applicable=answers[NOT_APPLICABLE],
        double_share=sum(len(people) > 1 for people in raters.values()) / len(raters),
        used=sum(label.used_for is not None for label in labels),
        answers={level: n for level, n in sorted(answers.items()) if level not in UNSETTLED},
    )  # fmt: skip
