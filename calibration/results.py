"""What the verbs of this package give: plain records that the report shows and that JSON carries."""

from __future__ import annotations

from typing import Literal

from calibration.figures import Figure, Finite
from rubrics.criterion import Noun
from rubrics.grade import Score


class Agreement(Noun):
    """How far two raters agree on the items that both answered.

    `a` is compared with `b`: where one is the truth, it is `b`. `confusion` counts items by the level of `a` (rows) and of
    `b` (columns), in the order of `levels`. `alpha` is at the level of measurement that the scale has. `tpr`, `tnr` and
    `youden` take both cut at a half (ties are left out). `ceiling` is the agreement of people with each other, where several
    labelled. `warnings` are sentences, such as too few items.
    """

    a: str
    b: str
    criterion: str | None
    n: int
    tasks: int
    levels: tuple[str, ...] = ()
    confusion: tuple[tuple[int, ...], ...] = ()
    raw: Figure
    rate_a: Figure
    rate_b: Figure
    kappa: Figure
    weighted_kappa: Figure
    alpha: Figure
    alpha_nominal: Figure
    alpha_interval: Figure
    ac1: Figure
    ac2: Figure
    tpr: Figure
    tnr: Figure
    youden: Figure
    pearson: Figure
    spearman: Figure
    kendall: Figure
    ceiling: Ceiling | None = None
    left_out: dict[str, int] = {}
    coverage: Score | None = None
    warnings: tuple[str, ...] = ()


class Ceiling(Noun):
    """How far people agree with each other: no judge can be shown to be better. Over items with two raters or more."""

    raters: int
    n: int
    raw: Figure
    kappa: Figure
    alpha: Figure
    ac2: Figure


class AltTest(Noun):
    """The alternative-annotator test (Calderon et al., ACL 2025): may the judge stand in for a person?

    `winning_rate` is the share of people whom it can replace at the cost `epsilon`; it passes at a half or more.
    `advantage` is the mean probability that it is as close to the others as the person is.
    """

    judge: str
    criterion: str | None
    epsilon: Score
    winning_rate: Score | None
    advantage: Score | None
    passes: bool | None
    raters: int
    n: int
    p_values: dict[str, Score] = {}
    why: str = ""


class JudgeDiagnosis(Noun):
    """One judge of a panel. It passes an episode with a value above a half; `accuracy`, `tpr`, `tnr` and `youden` are against the
    truth cut likewise. `severity` is how far its values lie above (+: lenient) the panel's mean, `leniency` how far above the
    truth. `gain` is how much worse the cross-validated Brier score gets without it; `adds_nothing` is True if that is within
    its standard error of 0, None if there are too few labels to say."""

    judge: str
    n: int
    accuracy: Figure
    tpr: Figure
    tnr: Figure
    youden: Figure
    severity: Figure
    leniency: Figure = Figure(value=None, why="not asked for")
    gain: Figure
    adds_nothing: bool | None = None


class PanelDiagnosis(Noun):
    """How a panel's judges hang together. Matrices are in the order of `judges`.

    `error_correlation` is that of being wrong (0 or 1). `effective` is Kish's number of independent judges, m / (1 + (m - 1) r)
    with r the mean of those correlations, at most m. `majority` is how often the panel's vote is right (a tie counts half),
    `independent` how often it would be if judges as good erred independently. `agreement` is the share of items on which two
    judges give the same pass or fail, `kappa` the quadratic weighted kappa of their values (Cohen's on two levels).
    `variance` gives the shares of the variance of values that lie between episodes, between judges and in the rest;
    `dependability` for 1, 3, 5 … judges the relative (G) and absolute (Phi) coefficient: how consistent they are, not how right.
    """

    criterion: str | None
    judges: tuple[JudgeDiagnosis, ...]
    n: int
    tasks: int = 0
    error_correlation: tuple[tuple[Finite | None, ...], ...] = ()
    agreement: tuple[tuple[Score | None, ...], ...] = ()
    kappa: tuple[tuple[Finite | None, ...], ...] = ()
    mean_correlation: Figure
    effective: Figure
    majority: Figure = Figure(value=None, why="not asked for")
    independent: Figure = Figure(value=None, why="not asked for")
    variance: dict[Literal["episode", "judge", "rest"], Score] = {}
    dependability: dict[int, tuple[Score, Score]] = {}
    reads: str = ""
    """What it means in a sentence."""
    warnings: tuple[str, ...] = ()


class Bias(Noun):
    """A leaning of the judges that people do not share: the slope of (judge - truth) on one covariate, per `unit` of it.

    `judge` is a judge's name or `panel` (what the judges give together). `criterion` is None for episodes as a whole, `any`
    for all criteria together. `p_value` is for a slope of 0; `flagged` is True where it stays below 5% after the correction of
    Benjamini and Hochberg (1995) over all biases looked at together. For `name` `clustering`, `slope` is how much larger the
    share of the judge's commonest value is than that of people's, and `details` has both shares, the entropies in bits, and
    the earth mover's distance between the two histograms. A slope that can't be known is None, and `slope.why` says why.
    """

    name: str
    judge: str
    slope: Figure
    unit: str = "standard deviation"
    criterion: str | None = None
    p_value: Score | None = None
    flagged: bool = False
    details: dict[str, Finite] = {}
    reads: str = ""
    """What it means in a sentence."""


class Estimate(Noun):
    """A rate or mean over all judged episodes, corrected with the labelled ones. `naive` is the uncorrected number."""

    method: str
    value: Score | None
    low: Score | None
    high: Score | None
    labelled: int
    judged: int
    tasks: int
    naive: Score | None = None
    labels_only: Figure | None = None
    why: str = ""


class Difference(Noun):
    """The difference of two policies' means, first less second, each corrected; with its 95% interval."""

    first: str
    second: str
    value: Finite | None
    low: Finite | None
    high: Finite | None
    naive: Finite | None = None
    paired_tasks: int = 0
    why: str = ""


class Transport(Noun):
    """Whether a calibration still holds on fresh labels: mean of (truth - calibrated), its slope on covariates, and for whom."""

    policy: str | None
    policy_step: int | None = None
    n: int
    tasks: int
    residual: Figure
    p_value: Score | None
    slopes: dict[str, Figure] = {}
    holds: bool | None
    """None: too few labels to say."""
    failures: int = 0
    """How many of the fresh labels are failures: fewer than 20 leave the true negative rate open."""
    reads: str = ""


class Drift(Noun):
    """Whether a judge has drifted on frozen anchors: CUSUM of the standardised paired mean change, pass by pass."""

    judge: str
    passes: int
    baseline_passes: int
    anchors: int
    statistic: tuple[Finite, ...] = ()
    threshold: Finite
    drifted_at: int | None = None
    change: Figure
    changed: tuple[str, ...] = ()
    """What else changed, by name: the model that answered, a template, a rubric."""
    reads: str = ""


class Disagreement(Noun):
    """An episode on which two sources of truth or a judge and the truth differ, and what to look at."""

    episode: str
    task: str
    criterion: str | None = None
    kind: str
    panel: Score | None = None
    people: Score | None = None
    state: Score | None = None
    p: Score | None = None
    detail: str = ""
    reason: str = ""


class StateAudit(Noun):
    """Panel and people against the state check, both ways.

    `suspect_goals`: the state check fails what panel and people pass. `gamed`: the state check passes what people (or a second
    opinion) fail. `shadowed` are agreements of the judges with the state check on the criteria that it decides; `baselines`
    are trivial predictors of the same truth (AUC), to see what is skill.
    """

    n: int
    tasks: int
    state_hidden: bool | None
    agreement: Agreement | None = None
    shadowed: tuple[Agreement, ...] = ()
    suspect_goals: tuple[Disagreement, ...] = ()
    gamed: tuple[Disagreement, ...] = ()
    baselines: dict[str, Figure] = {}
    empty_goals: tuple[str, ...] = ()
    intraclass: Figure | None = None
    within_tasks: Figure | None = None
    warnings: tuple[str, ...] = ()


class Queued(Noun):
    """An episode to be labelled next, with the probability with which it was chosen."""

    episode: str
    inclusion: Score
    stratum: str = ""
    why: str = ""


class Plan(Noun):
    """How many labels a wish takes, with the judge's help and without it, and which episodes to label next."""

    wish: str
    labels: int | None
    labels_alone: int | None
    have: int = 0
    queue: tuple[Queued, ...] = ()
    reads: str = ""


class StepHealth(Noun):
    """The grades of one policy step, as a trainer meets them."""

    policy: str | None
    policy_step: int | None
    episodes: int
    groups: int
    groups_without_signal: Figure
    ungraded: Figure
    by_blame: dict[str, int] = {}
    ties: Figure
    mean_reward: Figure
    length_slope: Figure
    saturated: tuple[str, ...] = ()
    dead: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


Agreement.model_rebuild()
