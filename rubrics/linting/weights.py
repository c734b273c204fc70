"""Rules about what counts: weights, gates, and how much is asked."""

from __future__ import annotations

from collections.abc import Iterator

from rubrics.criterion import Criterion
from rubrics.linting.findings import Hit, Rule, Subject

SMALL_SHARE = 0.01
MOST_CRITERIA = 20
FEWEST_CRITERIA = 2
INFORMATIONAL = "informational"
_OPPOSITE = {"called": "not_called", "not_called": "called"}


def dead_weight(subject: Subject) -> Iterator[Hit]:
    """A weight too small to matter: under 1% of what can be earned, and under a fifth of an even share."""
    rubric = subject.rubric
    earning = sum(share for share in rubric.shares.values() if share > 0)
    weighed = [share for share in rubric.shares.values() if share]
    for criterion in rubric.leaves:
        share = abs(rubric.shares[criterion.id]) / earning if earning else 0.0
        if 0 < share < min(SMALL_SHARE, 0.2 / len(weighed)):
            yield Hit(criterion.id, f"counts for {share:.2%} of the score, so that no answer to it is ever noticed")


def zero_weight(subject: Subject) -> Iterator[Hit]:
    """A criterion that is paid for and counts for nothing."""
    for criterion in subject.rubric.leaves:
        used = criterion.is_gate or criterion.shadows is not None or INFORMATIONAL in criterion.tags
        if not used and subject.rubric.signs[criterion.id] == 0:
            where = "" if criterion.weight == 0 else ", since it stands in a section of weight 0"
            yield Hit(criterion.id, f"counts for nothing{where}")


def toothless_penalty(subject: Subject) -> Iterator[Hit]:
    """A penalty that can never bite: it asks what a gate asks, and behind a closed gate the score is 0 already."""
    gates = [gate for gate in subject.rubric.gates if gate.check is not None]
    for criterion in subject.rubric.leaves:
        if subject.rubric.signs[criterion.id] < 0 and criterion.check is not None:
            twin = next((gate.id for gate in gates if _asks_the_same(gate, criterion)), None)
            if twin is not None:
                yield Hit(criterion.id, f"can never cost anything: when it does, gate {twin!r} is closed already")


def _asks_the_same(gate: Criterion, penalty: Criterion) -> bool:
    """Whether the penalty bites exactly where the gate is closed: the opposite check with the same arguments."""
    one, other = gate.check, penalty.check
    if one is None or other is None:
        return False
    inverted = bool(one.args.get("not")) != bool(other.args.get("not"))
    opposite = _OPPOSITE.get(one.name) == other.name or (one.name == other.name and inverted)
    return opposite and {**one.args, "not": None} == {**other.args, "not": None}


def judged_gate(subject: Subject) -> Iterator[Hit]:
    """A gate that models hold, and that earns as well: one lenient or severe judge moves the score twice."""
    for criterion in subject.judged:
        if criterion.is_gate and criterion.weight > 0:
            yield Hit(
                criterion.id, "is a gate held by judges, and earns: one wrong verdict closes the score or adds to it"
            )


def stalling_earns(subject: Subject) -> Iterator[Hit]:
    """Where the right thing is to change nothing, an agent that only stalls has the right state."""
    rubric = subject.rubric
    states = [c for c in rubric.leaves if c.check is not None and c.check.name == "state"]
    others = [c for c in rubric.leaves if c not in states and (rubric.signs[c.id] > 0 or c.is_gate)]
    if states and not others:
        yield Hit(
            None, "only the state earns: where the goal is to change nothing, an agent that stalls gets full marks"
        )


def no_pass_mark(subject: Subject) -> Iterator[Hit]:
    """Without a pass mark no episode passes or fails."""
    if subject.rubric.pass_mark is None:
        yield Hit(None, "has no pass_mark, so that `passed` stays open")


def too_many_criteria(subject: Subject) -> Iterator[Hit]:
    """More questions than anybody weighs with care."""
    count = len(subject.rubric.leaves)
    if count > MOST_CRITERIA:
        yield Hit(None, f"has {count} criteria; beyond {MOST_CRITERIA} judges skim, and each counts for little")


def too_few_criteria(subject: Subject) -> Iterator[Hit]:
    """One question says too little of open-ended work."""
    if len(subject.rubric.leaves) < FEWEST_CRITERIA:
        yield Hit(None, "has one criterion: one wrong verdict is the whole score")


WEIGHT_RULES = {
    "dead-weight": Rule("warning", "raise its weight, or leave it out", dead_weight),
    "zero-weight": Rule("warning", f"give it a weight, make it a gate, or tag it `{INFORMATIONAL}`", zero_weight),
    "toothless-penalty": Rule("warning", "leave the penalty out, or make the gate a weight", toothless_penalty),
    "judged-gate": Rule(
        "note", "let code hold the gate where it can; else use a panel, and look at its closed gates", judged_gate
    ),
    "stalling-earns": Rule("warning", "ask for what the reply must say or do as well", stalling_earns),
    "no-pass-mark": Rule("note", "set pass_mark by looking at samples: what you would send must pass", no_pass_mark),
    "too-many-criteria": Rule(
        "note", "drop what you would not miss, or group it into levels or sections", too_many_criteria
    ),
    "too-few-criteria": Rule("note", "say what else makes such work good or bad", too_few_criteria),
}
