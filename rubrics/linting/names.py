"""Names that a rubric needs from the episode, and whether its readers learn of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rubrics.criterion import Criterion
from rubrics.linting.findings import Hit, Rule, Subject
from rubrics.nouns import texts_and_numbers
from rubrics.templates import guarded_names, is_template, names_in, names_in_expression

_GIVEN = frozenset({"context", "policy"})  # names that every episode has a place for


def names_needed(criterion: Criterion) -> list[str]:
    """The names that an episode's context must hold for this criterion, in their order; not those it may leave out."""
    texts = [criterion.ask, *(level.means for level in criterion.levels)]
    if criterion.check is not None:
        texts += [str(item) for item, is_key in texts_and_numbers(criterion.check.args) if not is_key]
    texts = [text for text in texts if is_template(text)]
    guarded = {name for text in texts for name in guarded_names(text)} | _guarded_by_condition(criterion)
    named = [name for text in texts for name in names_in(text)]
    if criterion.applies_if is not None:
        named += names_in_expression(criterion.applies_if)
    return list(dict.fromkeys(_root(name) for name in named if _root(name) not in {_root(g) for g in guarded}))


def _guarded_by_condition(criterion: Criterion) -> set[str]:
    return guarded_names("{{ " + criterion.applies_if + " }}") if criterion.applies_if is not None else set()


def _root(name: str) -> str:
    """`amount` for `amount` and `context.amount`, `task` for `task.goal`: what the file has to explain."""
    parts = name.split(".")
    return parts[1] if parts[0] == "context" and len(parts) > 1 else parts[0]


def undocumented_name(subject: Subject) -> Iterator[Hit]:
    """A name that every episode must bring, and of which the file says nothing in a comment or its description."""
    if subject.text is None:
        return
    comments = " ".join(line.partition("#")[2] for line in subject.text.splitlines() if line.lstrip().startswith("#"))
    known = set(re.findall(r"\w+", f"{comments} {subject.rubric.description}")) | _GIVEN
    told: set[str] = set()
    for criterion in subject.rubric.leaves:
        for name in names_needed(criterion):
            if name not in known | told:
                told.add(name)
                yield Hit(criterion.id, f"needs {name!r} from every episode's context, and nothing says what that is")


NAME_RULES = {
    "undocumented-name": Rule(
        "note", "list it in a comment at the top, or guard it with `applies_if` or `default`", undocumented_name
    ),
}
