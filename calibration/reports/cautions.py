"""What speaks against plain trust where no rule has decided: any of these makes it `with care`, none of them `trusted`."""

from __future__ import annotations

from calibration.reports.evidence import Evidence, Rule, Told
from calibration.reports.rules import ENOUGH, ENOUGH_RARER, does_not_hold, label_more, policy_name, rarer_class
from calibration.reports.wording import count, number, percent, plural, stated

SUBSTANTIAL = 0.6  # Landis and Koch 1977
BELOW_CEILING = 0.1
LEAST_RIGHT = 0.7
ENOUGH_GRADED = 0.9


def _thin(e: Evidence) -> Told:
    if e.used >= ENOUGH and e.rarer >= ENOUGH_RARER:
        return None
    if e.used < ENOUGH:
        return f"only {plural(e.used, 'label')}, so the figures are rough", label_more(e)
    rarer = rarer_class(e)
    unknown = "how often bad work slips through" if rarer == "failures" else "how often good work is refused"
    return f"only {e.rarer} of {count(e.used)} labels are {rarer}, so {unknown} is hardly known", label_more(e)


def _cut_blind(e: Evidence) -> Told:
    if e.youden.low is None or e.youden.low > 0:
        return None
    return (
        f"its plain yes or no is no better than chance (J {stated(e.youden)}); only the calibrated probability tells anything",
        f"use the calibrated probability of {e.name}, never the judges' own yes or no",
    )


def _one_sided(e: Evidence) -> Told:
    if e.agreement is None:
        return None
    passed, refused = e.agreement.tnr.value, e.agreement.tpr.value
    wrong = []
    if passed is not None and passed < LEAST_RIGHT:
        wrong.append(f"passes {percent(1 - passed)} of the bad work")
    if refused is not None and refused < LEAST_RIGHT:
        wrong.append(f"fails {percent(1 - refused)} of the good work")
    if not wrong:
        return None
    return (
        f"by itself it {' and '.join(wrong)}",
        f"use the calibrated probability of {e.name} with a threshold of your own, and read what it lets through",
    )


def _below_people(e: Evidence) -> Told:
    kappa = e.kappa.value
    if kappa is None:
        return None
    top = e.ceiling.kappa.value if e.ceiling else None
    if top is not None and kappa < top - BELOW_CEILING:
        return (
            f"its agreement beyond chance is {number(kappa)}, where 1 is perfect and people reach {number(top)} with each other",
            f"read the worst disagreements on {e.name} and make its question plainer",
        )
    if top is not None or kappa >= SUBSTANTIAL:
        return None
    return (
        f"its agreement beyond chance is {number(kappa)}, where 1 is perfect; how far people agree with each other isn't known",
        f"let a second person label a fifth of the episodes, to see how well {e.name} can be judged at all",
    )


def _ungraded(e: Evidence) -> Told:
    if not e.labelled or e.used / e.labelled >= ENOUGH_GRADED:
        return None
    lost = count(e.labelled - e.used)
    return (
        f"{lost} of {plural(e.labelled, 'labelled episode')} have no grade, and the figures are silent on those",
        f"find out why {lost} labelled episodes have no grade on {e.name}, and grade them again",
    )


def _holds_in_part(e: Evidence) -> Told:
    if not e.failed:
        return None
    names = ", ".join(policy_name(t.policy, t.policy_step) for t in e.failed)
    return does_not_hold(e.failed), f"calibrate again for {names}, with its fresh labels"


def _borrowed(e: Evidence) -> Told:
    if e.criterion is None or e.key in (None, e.criterion):
        return None
    whose = f"all criteria tagged {e.key[4:]}" if e.key.startswith("tag:") else "all criteria together"
    return f"its probabilities come from a map fitted on {whose}", ""


def _uncertified(e: Evidence) -> Told:
    if e.escalation is None or e.escalation.threshold is not None:
        return None
    return f"no single grade can be certified to agree with {e.people} in {percent(e.escalation.target)} of cases", ""


def _leaning(e: Evidence) -> Told:
    if not e.leanings:
        return None
    first = e.leanings[0]
    steps = {
        "position": "ask in several orders, or fewer questions in one call: their order moves the answers",
        "own_family": "replace the judges that are of the policy's own family",
    }
    held = f"calibrate with {first.name.replace('_', ' ')} as a covariate held at a reference, so that nothing is earned by it"
    said = first.reads or f"they give more or less with {first.name.replace('_', ' ')}"
    return f"the judges lean on what {e.people} don't: {said}", steps.get(first.name, held)


def _uncalibrated(e: Evidence) -> Told:
    if "uncalibrated" not in e.badges:
        return None
    return "the values are plain means of what the judges said: nothing was fitted", ""


CAUTIONS: tuple[Rule, ...] = (
    Rule("thin", "with care", f"fewer than {ENOUGH} labels, or fewer than {ENOUGH_RARER} of the rarer class", _thin),
    Rule("cut_blind", "with care", "the interval of J reaches 0, though the probabilities carry signal", _cut_blind),
    Rule(
        "one_sided", "with care",
        f"the judges' own pass or fail is right on less than {LEAST_RIGHT:.0%} of the good work, or of the bad", _one_sided,
    ),
    Rule(
        "below_people", "with care",
        f"kappa is more than {BELOW_CEILING} below that of people with each other; where that isn't known, below {SUBSTANTIAL}",
        _below_people,
    ),
    Rule("ungraded", "with care", f"fewer than {ENOUGH_GRADED:.0%} of the labelled episodes have a grade", _ungraded),
    Rule("holds_in_part", "with care", "the calibration fails on the fresh labels of a policy", _holds_in_part),
    Rule("borrowed", "with care", "the criterion has no map of its own", _borrowed),
    Rule("uncertified", "with care", "no threshold could be certified above which a single grade may stand", _uncertified),
    Rule(
        "leaning", "with care", "the interval of a bias leaves 0 out, and the calibration doesn't hold it at a reference",
        _leaning,
    ),
    Rule("uncalibrated", "with care", "nothing was fitted", _uncalibrated),
)  # fmt: skip
