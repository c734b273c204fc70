"""The verdict in words: the mark of a criterion or of the whole, and what the grades may be used for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from calibration.calibration import Escalation
from calibration.figures import Finite
from calibration.reports.cautions import CAUTIONS
from calibration.reports.evidence import Evidence, Mark, Trust, name_of
from calibration.reports.rules import RULES, does_not_hold
from calibration.reports.wording import count, listed, number, percent, plural, sentence
from calibration.results import Estimate
from rubrics.criterion import Noun

NARROW, WIDE = 0.1, 0.2

ANSWERS: dict[Mark, str] = {
    "trusted": "Yes.",
    "with care": "Yes, with care.",
    "not trusted": "No.",
    "no signal": "No: the answers carry no signal.",
    "not enough labels": "Nobody can say yet.",
}
BLOCKED: dict[Mark, str] = {
    "not trusted": "Not while the whole is not trusted.",
    "no signal": "Its answers are no better than chance.",
    "not enough labels": "Too few labels to say.",
}


class Use(Noun):
    """One thing that grades are used for, and whether these may be; `but` names what they may not be used for all the same."""

    name: str
    mark: Mark
    says: str
    but: str = ""
    value: Finite | None = None


def trust_in(e: Evidence) -> Trust:
    """The mark that the rules give to this evidence, with the reason in a sentence."""
    about = {
        "criterion": e.criterion, "used": e.used, "labelled": e.labelled, "map_key": e.key,
        "agreement": e.agrees, "ceiling": e.agreement.ceiling.raw if e.agreement and e.agreement.ceiling and not e.graded else None,
    }  # fmt: skip
    for rule in RULES:
        if (told := rule.tell(e)) is not None:
            return Trust(mark=rule.mark, rule=rule.name, reason=sentence(told[0]), steps=_steps([told]), **about)
    held = [(rule, told) for rule in CAUTIONS if (told := rule.tell(e)) is not None]
    if not held:
        return Trust(mark="trusted", rule="trusted", reason=sentence(_good(e) + _beyond_chance(e)), **about)
    return Trust(
        mark="with care", rule=held[0][0].name, reason=sentence(f"{_good(e)}; but {held[0][1][0]}"), steps=_steps(told for _, told in held),
        cautions=tuple(sentence(told[0]) for _, told in held[1:]), **about,
    )  # fmt: skip


def trust_in_all(criteria: Sequence[Trust], used: int, labelled: int) -> Trust:
    """The mark of the whole where nobody labelled episodes as a whole: what its criteria come to.

    `trusted` if all are; else `with care` if any is trusted or to be taken with care; else the worst that was found out.
    """
    marks = [trust.mark for trust in criteria]
    order: tuple[Mark, ...] = ("not trusted", "no signal", "not enough labels")
    if marks and set(marks) == {"trusted"}:
        mark: Mark = "trusted"
    elif {"trusted", "with care"} & set(marks):
        mark = "with care"
    else:
        mark = next((m for m in order if m in marks), "not enough labels")
    good = sum(m in ("trusted", "with care") for m in marks)
    return Trust(
        criterion=None, mark=mark, rule="criteria", used=used, labelled=labelled,
        reason=f"{count(good)} of {plural(len(marks), 'labelled criterion', 'labelled criteria')} may be used; "
        "nobody labelled episodes as a whole." if marks else "Nothing is labelled.",
        steps=() if marks else ("Label 50 episodes, chosen at random.",),
    )  # fmt: skip


def single_grades(escalation: Escalation | None, whole: Trust, people: str) -> Use:
    """Whether a single grade may stand without another look."""
    name = "Single grades without another look"
    if whole.mark in ("not trusted", "no signal"):
        return Use(name=name, mark=whole.mark, says=BLOCKED[whole.mark])
    if escalation is None:
        return Use(name=name, mark="not enough labels", says="No threshold was looked for.")
    if escalation.threshold is None:
        why = escalation.why or f"{plural(escalation.n, 'label')} can't certify {percent(escalation.target)} agreement"
        return Use(name=name, mark="not trusted", says=sentence(why))
    share = escalation.coverage or 0.0
    return Use(
        name=name, mark="trusted", value=share,
        says=f"The {percent(share)} of episodes with a confidence of {number(escalation.threshold)} or more: they agree with "
        f"{people} in at least {percent(escalation.target)}, with {percent(1 - escalation.delta)} assurance.",
        but=f"The other {percent(1 - share)} of single grades, without a second look.",
    )  # fmt: skip


def pass_rate(estimates: Sequence[Estimate]) -> Use:
    """Whether the rate over all judged episodes may be quoted. The first estimate of the whole that has an interval is taken."""
    name = "The rate over all episodes"
    wholes = [e for e in estimates if e.criterion is None]
    found = next((e for e in wholes if e.value is not None and e.low is not None and e.high is not None), None)
    if found is None or found.low is None or found.high is None:
        why = next((e.why for e in wholes if e.why), "no estimate was made of episodes as a whole")
        return Use(name=name, mark="not enough labels", says=sentence(why))
    half = (found.high - found.low) / 2
    mark: Mark = "trusted" if half <= NARROW else "with care" if half <= WIDE else "not enough labels"
    says = (
        f"Corrected with {plural(found.labelled, 'label')}: {percent(found.value)}, between {percent(found.low)} and "
        f"{percent(found.high)}."
    )
    but = ""
    if found.naive is not None and found.low <= found.naive <= found.high:
        says += f" The raw rate, {percent(found.naive)}, lies inside."
    elif found.naive is not None:
        but = f"The raw rate of {percent(found.naive)}: it lies outside what the labels allow."
    return Use(name=name, mark=mark, says=says, but=but, value=found.value)


def training_reward(e: Evidence, whole: Trust) -> Use:
    """Whether the calibrated value may be a reward: it must rank better than chance, on the policy that is trained."""
    name = "A reward in training"
    if whole.mark in ("not trusted", "no signal", "not enough labels"):
        return Use(name=name, mark=whole.mark, says=BLOCKED[whole.mark])
    if e.failed:
        return Use(name=name, mark="not trusted", says=sentence(does_not_hold(e.failed)))
    if e.youden.low is None:
        return Use(
            name=name, mark="not enough labels", says="Whether it ranks whole episodes better than chance is not known."
        )
    if e.youden.low <= 0:
        return Use(
            name=name,
            mark="with care",
            says="Only as the calibrated probability: a plain yes or no is no better than chance.",
        )
    if not any(t.holds for t in e.transports):
        return Use(
            name=name, mark="with care",
            says="It ranks better than chance, but was not audited on a policy in training: label 30 to 60 fresh episodes a checkpoint.",
        )  # fmt: skip
    return Use(
        name=name, mark="trusted", says="It ranks better than chance, and holds for the policies that were audited."
    )


def by_mark(criteria: Sequence[Trust], mark: Mark) -> str:
    """The criteria with this mark, as `a, b and c`."""
    return listed([name_of(t.criterion) for t in criteria if t.criterion is not None and t.mark == mark], most=8)


def _good(e: Evidence) -> str:
    if e.agrees is None or e.agrees.value is None:
        return f"it tells good from bad as {e.people} do"
    ceiling = None if e.graded or e.agreement is None or e.agreement.ceiling is None else e.agreement.ceiling.raw.value
    beside = f", and people with each other on {percent(ceiling)}" if ceiling is not None else ""
    on = "pass or fail in" if e.graded else "on"
    return f"it agrees with {e.people} {on} {percent(e.agrees.value)} of episodes{beside}"


def _beyond_chance(e: Evidence) -> str:
    """Kappa is never hidden behind accuracy, which flatters a judge where nearly all is good."""
    if e.kappa.value is None:
        return ""
    top = e.ceiling.kappa.value if e.ceiling else None
    people = f", that of people with each other {number(top)}" if top is not None else ""
    return f"; its agreement beyond chance is {number(e.kappa.value)} of 1{people}"


def _steps(told: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sentence(step) for _, step in told if step))
