"""Rules about levels and examples."""

from __future__ import annotations

from collections.abc import Iterator

from rubrics.linting.findings import Hit, Rule, Subject

_GOOD = frozenset(
    "yes excellent good great perfect full complete all best high strong always correct met pass passed true warm exemplary".split()
)
_BAD = frozenset(
    "no none poor bad worst low weak never wrong unmet fail failed false missing cold terrible inadequate unacceptable".split()
)
_HARMLESS = frozenset("no none minor slight harmless negligible mild nothing".split())
_HARMFUL = frozenset("severe serious major grave critical heavy extreme".split())
MOST_NAMED = 4


def level_without_meaning(subject: Subject) -> Iterator[Hit]:
    """On a scale of three levels or more, a level of which nothing is said but its name."""
    for criterion in subject.judged:
        bare = [level.name for level in criterion.levels if not level.means.strip()]
        if len(criterion.levels) >= 3 and bare:
            more = f" and {len(bare) - MOST_NAMED} more" if len(bare) > MOST_NAMED else ""
            yield Hit(criterion.id, f"says nothing of what one sees at {', '.join(bare[:MOST_NAMED])}{more}")


def scale_direction(subject: Subject) -> Iterator[Hit]:
    """Levels that read from best to worst, although they count from worst to best."""
    for criterion in subject.rubric.leaves:
        first, last = criterion.levels[0].name.casefold(), criterion.levels[-1].name.casefold()
        backwards = first in _GOOD and last in _BAD
        if subject.rubric.signs[criterion.id] < 0:
            backwards = (first in _HARMFUL and last in _HARMLESS) or (first, last) == ("yes", "no")
        if backwards:
            yield Hit(
                criterion.id,
                f"{first!r} is worth {criterion.levels[0].value:g} and {last!r} {criterion.levels[-1].value:g}",
            )


def one_sided_examples(subject: Subject) -> Iterator[Hit]:
    """Examples that all show one level: judges learn what it looks like and see it everywhere."""
    for criterion in subject.judged:
        shown = {example.level for example in criterion.examples}
        if len(shown) == 1:
            yield Hit(criterion.id, f"has {len(criterion.examples)} example(s), all of level {next(iter(shown))!r}")


SCALE_RULES = {
    "level-without-meaning": Rule(
        "warning", "say of every level what one would see, with `means`", level_without_meaning
    ),
    "scale-direction": Rule(
        "warning", "order levels from worst to best; for a penalty from harmless to bad", scale_direction
    ),
    "one-sided-examples": Rule("note", "add an example from another level, best a near miss", one_sided_examples),
}
