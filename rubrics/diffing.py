"""What changed between two versions of a rubric, in plain words, and which stored verdicts stay valid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from rubrics.criterion import Criterion
from rubrics.nouns import Noun
from rubrics.rubric import Rubric, Section

Kind = Literal["added", "removed", "renamed", "reasked", "rescaled", "rechecked", "reshown", "reweighted", "regated",
               "recounted", "retagged", "moved", "rubric"]  # fmt: skip

# What of a criterion changes its fingerprint, by the kind of change it is.
_ASKED: dict[Kind, tuple[tuple[str, str], ...]] = {
    "reasked": (("ask", "asks"),),
    "rescaled": (("levels", "levels"), ("between", "numbers between levels")),
    "rechecked": (("check", "check"), ("applies_if", "applies_if"), ("may_not_apply", "may_not_apply")),
    "reshown": (("evidence", "evidence"), ("require_quote", "require_quote"), ("examples", "examples")),
}
_COUNTED: tuple[tuple[Kind, str], ...] = (
    ("regated", "gate"), ("recounted", "if_unknown"), ("recounted", "shadows"), ("retagged", "tags"),
)  # fmt: skip
_OF_RUBRIC = ("id", "version", "title", "description", "pass_mark", "accept_width", "tags")


class Difference(Noun):
    """One change. `valid` says whether stored verdicts on the criterion still answer its question.

    None where there are none to speak of: what was added, and what belongs to the rubric as a whole.
    """

    kind: Kind
    criterion: str | None
    message: str
    valid: bool | None = None

    def __str__(self) -> str:
        kept = {True: " (stored verdicts stay valid)", False: " (stored verdicts are void)", None: ""}[self.valid]
        return f"{self.criterion or 'rubric'}: {self.message}{kept}"


def diff(old: Rubric, new: Rubric) -> list[Difference]:
    """Every difference between two versions, the rubric's own first, then by criterion in the order of the new one.

    Verdicts stay valid as long as the criterion's fingerprint does: another weight or gate keeps them, another question
    does not. A criterion that only got another id is `renamed`; its verdicts are found by their fingerprint.
    """
    before = {new_id: old.by_id[old_id] for new_id, old_id in same_criteria(old, new).items()}
    found = [*_rubric_changes(old, new)]
    for criterion in new.leaves:
        if criterion.id in before:
            found += _changes(before[criterion.id], criterion, old, new)
        else:
            found.append(Difference(kind="added", criterion=criterion.id, message=f"added: {_said(criterion)}"))
    matched = {criterion.id for criterion in before.values()}
    for criterion in old.leaves:
        if criterion.id not in matched:
            message = f"removed: {_said(criterion)}"
            found.append(Difference(kind="removed", criterion=criterion.id, message=message, valid=False))
    return found


def same_criteria(old: Rubric, new: Rubric) -> dict[str, str]:
    """For criteria of the new rubric, the id of the old one: same id and question, else same question, else same id."""
    same = {c.id: c.id for c in new.leaves if c.id in old.by_id and old.by_id[c.id].fingerprint == c.fingerprint}
    moved = {c.fingerprint: c.id for c in reversed(old.leaves) if c.id not in same}
    for criterion in new.leaves:
        if criterion.id not in same and criterion.fingerprint in moved:
            same[criterion.id] = moved.pop(criterion.fingerprint)
    taken = set(same.values())
    return same | {c.id: c.id for c in new.leaves if c.id not in same and c.id in old.by_id and c.id not in taken}


def valid_verdicts(old: Rubric, new: Rubric) -> dict[str, str]:
    """The criteria of the new rubric whose stored verdicts can be used as they are, each with its id in the old one."""
    return {
        new_id: old_id
        for new_id, old_id in same_criteria(old, new).items()
        if new.by_id[new_id].fingerprint == old.by_id[old_id].fingerprint
    }


def _rubric_changes(old: Rubric, new: Rubric) -> Iterator[Difference]:
    for field in _OF_RUBRIC:
        if (was := getattr(old, field)) != (now := getattr(new, field)):
            yield Difference(kind="rubric", criterion=None, message=f"{field}: {_shown(was)} -> {_shown(now)}")
    was_in, now_in = _section_weights(old), _section_weights(new)
    for name in dict.fromkeys([*was_in, *now_in]):
        if was_in.get(name) != now_in.get(name):
            message = f"weight of section {name}: {_shown(was_in.get(name))} -> {_shown(now_in.get(name))}"
            yield Difference(kind="rubric", criterion=None, message=message)


def _changes(was: Criterion, now: Criterion, old: Rubric, new: Rubric) -> Iterator[Difference]:
    valid = was.fingerprint == now.fingerprint
    if was.id != now.id:
        yield Difference(kind="renamed", criterion=now.id, message=f"renamed from {was.id}", valid=valid)
    for kind, fields in _ASKED.items():
        changed = [
            f"{word}: {_field(was, name)} -> {_field(now, name)}" for name, word in fields if _differs(was, now, name)
        ]
        if changed:
            yield Difference(kind=kind, criterion=now.id, message="; ".join(changed), valid=False)
    if was.weight != now.weight:
        message = f"weight {was.weight:g} -> {now.weight:g} ({_share(old, was)} -> {_share(new, now)} of the score)"
        yield Difference(kind="reweighted", criterion=now.id, message=message, valid=valid)
    for kind, name in _COUNTED:
        if _differs(was, now, name):
            message = f"{name}: {_field(was, name)} -> {_field(now, name)}"
            yield Difference(kind=kind, criterion=now.id, message=message, valid=valid)
    if (before := _place(old, was.id)) != (after := _place(new, now.id)):
        yield Difference(kind="moved", criterion=now.id, message=f"moved from {before} to {after}", valid=valid)


def _differs(was: Criterion, now: Criterion, field: str) -> bool:
    return bool(getattr(was, field) != getattr(now, field))


def _field(criterion: Criterion, field: str) -> str:
    if field == "levels":
        return ", ".join(
            f"{level.name} = {level.value:g}" + (f" ({level.means})" if level.means else "")
            for level in criterion.levels
        )
    return _shown(criterion.model_dump(mode="json", include={field})[field])


def _shown(value: object) -> str:
    return "none" if value is None or value in ([], (), "") else str(value).strip()


def _said(criterion: Criterion) -> str:
    how = f"check {criterion.check.name}" if criterion.check else "judged"
    return (
        f"{criterion.ask or criterion.id} ({how}, weight {criterion.weight:g}{', gate' if criterion.is_gate else ''})"
    )


def _share(rubric: Rubric, criterion: Criterion) -> str:
    earning = sum(share for share in rubric.shares.values() if share > 0)
    return f"{rubric.shares[criterion.id] / earning:.0%}" if earning else "nothing"


def _sections(node: Rubric | Section, path: str = "") -> Iterator[tuple[str, Rubric | Section]]:
    yield path or "the top", node
    for section in node.sections:
        yield from _sections(section, f"{path}/{section.id}" if path else section.id)


def _place(rubric: Rubric, criterion_id: str) -> str:
    return next(path for path, node in _sections(rubric) if any(c.id == criterion_id for c in node.criteria))


def _section_weights(rubric: Rubric) -> dict[str, float]:
    return {path: node.weight for path, node in _sections(rubric) if isinstance(node, Section)}
