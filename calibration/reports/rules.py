"""The rules that decide a mark. In the order of `RULES`: the first that applies decides."""

from __future__ import annotations

import math

from calibration.reports.evidence import FEWEST_TWICE, Evidence, Rule, Told
from calibration.reports.wording import count, number, percent, plural, stated
from calibration.results import Transport

FEWEST, FEWEST_RARER = 15, 5
ENOUGH, ENOUGH_RARER = 50, 20
MOST_TO_ASK = 400
SLIGHT = 0.2  # Landis and Koch 1977
SKEWED_AC2 = 0.4
WEAK_SKILL = 0.1
LEAST_SAVED, LEAST_YOUDEN = 0.05, 0.05


def labels_to_go(used: int, rarer: int) -> int | None:
    """How many more labels bring both counts to enough, in tens; the rarer class is expected at its rate so far.

    None where that would be more than anyone labels.
    """
    rate = (rarer + 0.5) / (used + 1)
    wanted = 10 * math.ceil(max(1, ENOUGH - used, math.ceil((ENOUGH_RARER - rarer) / rate)) / 10)
    return wanted if wanted <= MOST_TO_ASK else None


def label_more(e: Evidence) -> str:
    """How many more episodes to label, or which, where the rarer class is too rare to wait for."""
    more = labels_to_go(e.used, e.rarer)
    if more is None:
        return label_rarer(e)
    return f"label {more} more episodes on {e.name}, at random"


def label_rarer(e: Evidence) -> str:
    """To look for episodes of the class with fewer labels."""
    return f"label episodes that may be {rarer_class(e)} on {e.name}, and record how they were chosen"


def rarer_class(e: Evidence) -> str:
    """The name of the class with fewer labels."""
    return "failures" if e.fails <= e.passes else "passes"


def policy_name(policy: str | None, step: int | None) -> str:
    """A policy and its step, as a sentence calls them."""
    return f"{policy or 'the policy'}{f' at step {count(step)}' if step is not None else ''}"


def does_not_hold(failed: tuple[Transport, ...]) -> str:
    """For which policies a calibration fails, and how far it is off for the first."""
    names = ", ".join(policy_name(t.policy, t.policy_step) for t in failed)
    off = failed[0].residual.value
    how = "" if off is None else f": it {'overrates' if off < 0 else 'underrates'} by {percent(abs(off))} on average"
    return f"the calibration does not hold for {names}{how}"


def _unlabelled(e: Evidence) -> Told:
    if e.used:
        return None
    if e.labelled:
        found = f"{plural(e.labelled, 'episode is', 'episodes are')} labelled, but none of them has a grade"
        return found, f"grade the episodes that are labelled on {e.name}"
    return "nothing is labelled", f"label {ENOUGH} episodes on {e.name}"


def _worse_than_chance(e: Evidence) -> Told:
    if e.youden.high is None or e.youden.high >= 0:
        return None
    return (
        f"worse than chance: it tends to say the opposite of {e.people}, J {stated(e.youden)}",
        f"read ten disagreements on {e.name}: its question, its scale or its labels may be the wrong way round",
    )


def _people_disagree(e: Evidence) -> Told:
    ceiling = e.ceiling
    if ceiling is None or ceiling.alpha.value is None or ceiling.alpha.value >= SLIGHT:
        return None
    if ceiling.ac2.value is not None and ceiling.ac2.value >= SKEWED_AC2:
        return None
    agree = f"people agree with each other at alpha {number(ceiling.alpha.value)} only"
    return f"{agree}, so there is nothing to calibrate to", f"rewrite criterion {e.name}: {agree}"


def _one_class(e: Evidence) -> Told:
    if e.rarer or e.passes + e.fails == 0:
        return None
    only = "a pass" if e.passes else "a failure"
    return f"every label is {only}, so nobody can say whether the judge would notice {rarer_class(e)}", label_rarer(e)


def _few_labels(e: Evidence) -> Told:
    if e.used >= FEWEST and e.rarer >= FEWEST_RARER:
        return None
    if e.used >= FEWEST:
        return (
            f"only {e.rarer} of {count(e.used)} labels are {rarer_class(e)}, too few to see if the judge notices them",
            label_more(e),
        )
    return f"{plural(e.used, 'labelled episode')} only, with {count(e.rarer)} {rarer_class(e)}", label_more(e)


def _label_free(e: Evidence) -> Told:
    if "label_free" not in e.badges:
        return None
    return (
        "the probabilities rest on how the judges agree with each other, which makes them far too sure",
        f"label {ENOUGH} episodes on {e.name} and calibrate on them",
    )


def _no_signal(e: Evidence) -> Told:
    youden = e.youden
    if e.heldout is None and (youden.low is None or youden.low > 0):
        return None
    some = e.heldout is not None and e.heldout.signal
    if some and (e.saved is None or e.saved >= LEAST_SAVED or (youden.low is not None and youden.low >= LEAST_YOUDEN)):
        return None
    detail = f" (J {stated(youden)})" if youden.value is not None else ""
    better, as_well = ("hardly", "almost as well") if some else ("no", "as well")
    return (
        f"{better} better than chance: always giving the usual answer would do {as_well}{detail}",
        f"try another judge or a plainer question for {e.name}; until then leave it to {e.people}",
    )


def _moved(e: Evidence) -> Told:
    if not e.failed or any(t.holds for t in e.transports):
        return None
    return does_not_hold(e.failed), "calibrate again, with fresh labels of the policy that is graded now"


def _weak(e: Evidence) -> Told:
    kappa = e.kappa.value
    if kappa is None or kappa > SLIGHT:
        return None
    if e.saved is not None and e.saved >= WEAK_SKILL:
        return None
    return (
        f"its agreement with {e.people} is slight: {number(kappa)} beyond chance, where 1 is perfect",
        f"rewrite the question of {e.name} or try a stronger judge",
    )


RULES: tuple[Rule, ...] = (
    Rule("unlabelled", "not enough labels", "no graded episode has a label", _unlabelled),
    Rule("worse_than_chance", "not trusted", "the whole interval of J lies below 0", _worse_than_chance),
    Rule(
        "people_disagree", "not trusted",
        f"people agree with each other at alpha below {SLIGHT} and AC2 below {SKEWED_AC2}, "
        f"over {FEWEST_TWICE} or more items that several labelled", _people_disagree,
    ),
    Rule("one_class", "not enough labels", "all labels are of one class", _one_class),
    Rule(
        "few_labels", "not enough labels", f"fewer than {FEWEST} labels, or fewer than {FEWEST_RARER} of the rarer class",
        _few_labels,
    ),
    Rule("label_free", "not enough labels", "the map was fitted without labels", _label_free),
    Rule(
        "no_signal", "no signal",
        "on labels that the fit had not seen, neither is J above 0 nor the Brier score better than that of always predicting "
        f"the base rate, each with its interval; or J's interval reaches {LEAST_YOUDEN} and less than {LEAST_SAVED:.0%} is saved",
        _no_signal,
    ),
    Rule("moved", "not trusted", "the calibration fails on the fresh labels of every policy that was audited", _moved),
    Rule(
        "weak", "not trusted",
        f"kappa is {SLIGHT} or less, and the probabilities save less than {WEAK_SKILL:.0%} of the base rate's Brier score", _weak,
    ),
)  # fmt: skip
