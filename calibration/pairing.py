"""Items from grade records, and labels paired with them: once, here, by episode and criterion. Pair first, then filter."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from calibration.errors import LabelError
from calibration.items import Item, LeftOut, Pair, Pairing
from calibration.label import OVERALL_LEVELS, Label
from calibration.records import RecordLike
from calibration.values import covariates_of, scores_by_judge, values_by_judge

Key = tuple[str, str | None]
NO_RECORD = "no grade record of this episode"
NO_CRITERION = "no grade: the episode's rubric has no such criterion"
NO_GRADE = "no grade: no verdict of a judge"
CLOSED = "settled by a gate: the reward is 0 whatever judges say"
UNSETTLED = "the people could not tell, or said that it does not apply"
OFF_SCALE = "level not on the scale"
TWICE = "one rater gave different answers to the same question"
USED = "marked as used for tuning or as an example"


def items_of(records: Iterable[RecordLike]) -> Iterator[Item]:
    """Every judged criterion of every record, and each record as a whole (`criterion` None)."""
    for record in records:
        about, by_judge = _about(record), values_by_judge(record)
        pooled = {verdict.criterion: verdict.value for verdict in record.verdicts}
        for criterion, reference in record.rubric.criteria.items():
            if reference.judged:
                judges, value = by_judge.get(criterion, {}), pooled.get(criterion)
                yield Item(
                    **about, criterion=criterion, judges=judges, pooled=value, panel=tuple(sorted(judges)),
                    levels=reference.levels, fingerprint=reference.fingerprint, tags=reference.tags,
                    ungraded="" if value is not None else _why_ungraded(record, criterion),
                )  # fmt: skip
        judges = scores_by_judge(record)
        yield Item(
            **about, criterion=None, judges=judges, pooled=record.ungated, panel=tuple(sorted(judges)),
            levels=OVERALL_LEVELS, fingerprint=record.rubric.fingerprint,
            ungraded="" if record.ungated is not None else _why_ungraded(record, None),
        )  # fmt: skip


def _about(record: RecordLike) -> dict[str, Any]:
    return {
        "episode": record.episode_id, "task": record.task_id, "covariates": covariates_of(record), "rubric": record.rubric.id,
        "policy": record.policy, "policy_step": record.policy_step, "group": record.group_id,
        "closed": bool(record.closed_gates), "gated": any(c.gate for c in record.rubric.criteria.values()),
    }  # fmt: skip


def _why_ungraded(record: RecordLike, criterion: str | None) -> str:
    if record.closed_gates:
        return f"closed by {record.closed_gates[0]}"
    about = [f for f in record.failures if criterion is None or f.criterion == criterion]
    return f"{about[0].kind} ({about[0].blame})" if about else "no verdict"


def pair(records: Iterable[RecordLike], labels: Iterable[Label], *, items: Sequence[Item] | None = None) -> Pairing:
    """Every labelled item with its truth: the mean over people, each counted once.

    `items` saves working out those of `records` again. A level that is not on the scale, and a rater's answers to the same
    question that differ, are left out and named with their places: nothing is guessed. Raises LabelError if an episode has
    two grade records.
    """
    found = list(items_of(records)) if items is None else list(items)
    by_key: dict[Key, Item] = {}
    for item in found:
        by_key.setdefault((item.episode, item.criterion), item)
    _refuse_twice(found)
    left: dict[str, list[str]] = defaultdict(list)
    grouped = _grouped(labels, by_key, left)
    keys = sorted(grouped, key=lambda key: (key[0], key[1] or ""))  # the order of labels must not matter to a fit
    pairs = [p for key in keys if (p := _pair(by_key[key], grouped[key], left)) is not None]
    conflicts = tuple(
        _name(k) for k, said in grouped.items() if len({_value(x, by_key[k]) for x in said if x.settled}) > 1
    )
    reasons = tuple(LeftOut(reason, tuple(ids)) for reason, ids in left.items())
    return Pairing(tuple(pairs), tuple(found), reasons, conflicts)


def _refuse_twice(items: Sequence[Item]) -> None:
    counts = Counter((item.episode, item.criterion) for item in items)
    twice = list(dict.fromkeys(episode for (episode, _), n in counts.items() if n > 1))
    if twice:
        raise LabelError(
            f"{len(twice)} episode(s) are graded twice, such as {twice[0]}; give each episode one grade record"
        )


def _grouped(labels: Iterable[Label], items: Mapping[Key, Item], left: dict[str, list[str]]) -> dict[Key, list[Label]]:
    said: dict[Key, dict[str, list[Label]]] = defaultdict(lambda: defaultdict(list))
    episodes = {episode for episode, _ in items}
    for label in labels:
        key = (label.episode, label.criterion)
        if label.used_for is not None:
            left[f"{USED} ({label.used_for})"].append(_name(key))
        elif key not in items:
            left[NO_CRITERION if label.episode in episodes else NO_RECORD].append(_name(key))
        elif label.settled and _value(label, items[key]) is None:
            left[OFF_SCALE].append(_off_scale(label, items[key]))
        else:
            said[key][label.rater].append(label)
    return {key: list(_consistent(raters, items[key], left)) for key, raters in said.items()}


def _consistent(raters: Mapping[str, list[Label]], item: Item, left: dict[str, list[str]]) -> Iterator[Label]:
    """One label a rater; a rater whose answers differ is left out, since either could be the slip."""
    for rater, given in raters.items():
        if len({_value(label, item) if label.settled else label.level for label in given}) == 1:
            yield given[0]
        else:
            answers = " and ".join(f"{_said(label)}{_at(label)}" for label in given)
            left[TWICE].append(f"{_name((item.episode, item.criterion))}: {rater} said {answers}")


def _pair(item: Item, said: Sequence[Label], left: dict[str, list[str]]) -> Pair | None:
    name = _name((item.episode, item.criterion))
    raters = {label.rater: v for label in said if label.settled and (v := _value(label, item)) is not None}
    if not said:
        return None
    if not raters:
        left[UNSETTLED].append(name)
        return None
    if not item.judges and item.closed:
        left[CLOSED].append(name)
        return None
    if item.pooled is None or not item.judges:
        left[f"{NO_GRADE}: {item.ungraded or 'no judge is named'}"].append(name)
        return None
    first = said[0]
    return Pair(
        item, sum(raters.values()) / len(raters), raters, tuple(label.rater for label in said if not label.settled),
        first.inclusion, first.stratum,
    )  # fmt: skip


def _value(label: Label, item: Item) -> float | None:
    """The value of a label on the item's scale; None if it is not on it."""
    if label.level is None or label.level in (None, "cannot_tell", "not_applicable"):
        return label.value
    return item.levels.get(label.level)


def _off_scale(label: Label, item: Item) -> str:
    name = _name((label.episode, label.criterion))
    return f"{name}{_at(label)}: {label.rater} chose {_said(label)}, expected one of {list(item.levels)}"


def _said(label: Label) -> str:
    return repr(label.level if label.level is not None else label.value)


def _at(label: Label) -> str:
    return f" ({label.place})" if label.place else ""


def _name(key: Key) -> str:
    return key[0] if key[1] is None else f"{key[0]}/{key[1]}"
