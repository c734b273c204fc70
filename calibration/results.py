"""What the verbs of this package give: plain records that the report shows and that JSON carries."""

from __future__ import annotations

from typing import Literal

from calibration.figures import Figure, Finite
from rubrics.criterion import Noun
from rubrics.grade import Score


class Agreement(Noun):
    """How far two raters agree on the items that both answered.

    `a` is compared with `b`: where one is the truth, it is `b`. `criterion` None is the episode as a whole, `all criteria`
    every criterion together. `confusion` counts items by the level of `a` (rows) and of `b` (columns), in the order of
    `levels`; a value that is a mean counts at its nearest level, and one exactly midway at none. `rate_a` and `rate_b` are
    the shares above a half. `weighted_kappa` has quadratic weights by rank, and so has `ac2`. `alpha` is at the level of
    measurement that the scale has: nominal for two levels, else ordinal. `tpr`, `tnr` and `youden` take both cut at a half
    (ties are left out), with `b` as the truth. The correlations are of the values as they are. `ceiling` is the agreement of
    people with each other, where several labelled. `left_out` counts items without a value of both by reason, `coverage` is
    the share of what `b` answered that `a` answered too. `warnings` are sentences, such as too few items.
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


class AgreementTable(Noun):
    """Two raters compared, criterion by criterion.

    `rows` has a row for each criterion and, where both rated it, one for the episode as a whole (last). `pooled` takes the
    items of all criteria together, `macro` is the plain mean of each figure over the criteria that have it (`n` counts
    those); both leave the whole out, and are absent where there is one criterion or none.
    """

    a: str
    b: str
    rows: tuple[Agreement, ...]
    pooled: Agreement | None = None
    macro: dict[str, Figure] = {}


class Ceiling(Noun):
    """How far people agree with each other: no judge can be shown to be better. Over items with two raters or more.

    `raw` is the mean over items of the share of pairs of people who chose the same level, `kappa` that of all these pairs,
    each person in both roles (two people with the same base rates: Cohen's). `alpha` is Krippendorff's at the level of
    measurement of the scale, `ac2` has quadratic weights. `conflicts` are the items on which they differ, and how.
    """

    raters: int
    n: int
    raw: Figure
    kappa: Figure
    alpha: Figure
    ac2: Figure
    criterion: str | None = None
    tasks: int = 0
    conflicts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class AltTest(Noun):
    """The alternative-annotator test (Calderon et al., ACL 2025): may the judge stand in for a person?

    `winning_rate` is the share of people whom it can replace at the cost `epsilon`; it passes at a half or more.
    `advantage` is the mean probability that it is as close to the others as the person is. `p_values` are those of each
    person, before the correction for several tests; `replaced` are the people whom it can replace. All are None or empty
    where the test cannot be made, and `why` says what is missing.
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
    replaced: tuple[str, ...] = ()
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
    for all criteria together. `p_value` is for a slope of 0: for a covariate the larger of two, with the values as they are and
    stretched to the spread of the truth (`details` has that slope as `matched`). `flagged` is True where it stays below 5%
    after the correction of Benjamini and Hochberg (1995) over all biases looked at together. For `name` `clustering`, `slope` is
    how much larger the share of the judge's commonest value is than that of people's, and `details` has both shares, the
    entropies in bits, and the earth mover's distance between the two histograms. A slope that can't be known is None, and
    `slope.why` says why.
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
    """A rate or mean over all judged episodes, corrected with the labelled ones. `naive` is the uncorrected number.
    `criterion` None: of episodes as a whole.

    `tasks` are those of the `labelled` episodes. `variance_ratio` is the variance over that of the labels alone: 0.7 means that
    a label is worth 1 / 0.7 with the judge's help; None where it isn't known. `low` and `high` are None where no interval can
    be given, and `why` says so.
    """

    method: str
    value: Score | None
    low: Score | None
    high: Score | None
    labelled: int
    judged: int
    tasks: int
    criterion: str | None = None
    naive: Score | None = None
    labels_only: Figure | None = None
    variance_ratio: Finite | None = None
    why: str = ""
    warnings: tuple[str, ...] = ()


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
    warnings: tuple[str, ...] = ()


class Transport(Noun):
    """Whether a calibration still holds on fresh labels of one policy: the mean of truth less calibrated probability, and its slopes.

    `residual` below 0 means that rewards are too high. `p_value` is of its being 0, adjusted (Holm, 1979) for the policy's other
    steps. `slopes` are of the residual for one standard deviation of each covariate, `leans` those that are clearly not 0.
    `criterion` None: of whole episodes; `any`: of all criteria together. `holds` is False if the mean is clearly not 0.
    `left_out` counts fresh labels of episodes without a reward.
    """

    policy: str | None
    policy_step: int | None = None
    criterion: str | None = None
    n: int
    tasks: int
    residual: Figure
    p_value: Score | None
    slopes: dict[str, Figure] = {}
    leans: tuple[str, ...] = ()
    holds: bool | None
    """None: too few labels, or tasks, to say."""
    failures: int = 0
    """How many of the fresh labels are failures: fewer than 20 leave the true negative rate open."""
    left_out: int = 0
    reads: str = ""


class Drift(Noun):
    """Whether a judge has drifted on frozen anchors: CUSUM of the standardised paired mean change, pass by pass.

    Each pass is compared with those before it, at most with the first `baseline_passes`. `statistic` has a number for each pass
    from number `first` on (0 where there are too few), the larger of the upward and the downward sum; `drifted_at` is the first
    pass (from 1) at which it lay above `threshold`, `began_at` the one at which the shift most likely began. `change` is the mean
    change since then, or else over all passes after the baseline, or from the first pass to the last; in units of the values.
    `ungraded` counts anchors without a value, over all passes.
    """

    judge: str
    passes: int
    baseline_passes: int
    anchors: int
    first: int = 0
    statistic: tuple[Finite, ...] = ()
    threshold: Finite
    drifted_at: int | None = None
    began_at: int | None = None
    change: Figure
    changed: tuple[str, ...] = ()
    """What else changed, by name: the model that answered, a template, a rubric."""
    ungraded: int = 0
    why: str = ""
    """Why nothing can be said, or what the verdict lacks, such as passes for a full baseline."""
    reads: str = ""


class Canaries(Noun):
    """Episodes known to be bad, put to a judge: none should pass.

    `rate` is the share that passed, with its 95% interval; `holds` is False above 2%, and None if none was graded. `passed` names
    the episodes.
    """

    judge: str
    n: int
    passed: tuple[str, ...] = ()
    rate: Figure
    holds: bool | None
    ungraded: int = 0
    reads: str = ""


class Disagreement(Noun):
    """An episode on which two sources of truth or a judge and the truth differ, and what to look at.

    `empty_goal`: its goal requires nothing, so that the state check passes an agent that does nothing.
    """

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
    empty_goal: bool = False


class AgainstState(Noun):
    """One judge (or the panel) against the database: on a criterion that the state comparison decides, or on the whole.

    `shown` says whether it saw the state's changes: True makes it circular, None is not known. `tpr`, `tnr` and `youden` cut both at a
    half; ties are left out. `rate` is the share that it passes, `base_rate` that which the database passes. `failures` are the
    episodes that the database fails: fewer than 20 leave `tnr` open.
    """

    judge: str
    criterion: str | None
    shown: bool | None
    n: int
    tasks: int
    failures: int
    rate: Figure
    accuracy: Figure
    tpr: Figure
    tnr: Figure
    youden: Figure
    base_rate: Figure | None = None


class StateAudit(Noun):
    """Panel and people against the state check, both ways.

    `suspect_goals`: the state check fails what panel and people pass. `gamed`: the state check passes what people (or a second
    opinion) fail. `shadowed` are agreements of the judges with the state check on the criteria that it decides; `baselines`
    are trivial predictors of the same truth (AUC), to see what is skill. `judges` are all judges against the database with the
    state hidden from them, shown, and not known which. `state_hidden` False or None: the audit does not count.

    `pass_rate` is the state check's. `intraclass` is the correlation of two episodes of a task, `worth` how many independent
    episodes they are; `same_outcome` of `repeated` tasks with several episodes end alike in all. `within_tasks` is the share of pairs
    of a task's episodes that the panel ranks as the state check does, `within_tasks_people` as people do. `left_out` counts episodes
    without a state verdict, and those that are no free truth, by reason.
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
    judges: tuple[AgainstState, ...] = ()
    pass_rate: Figure | None = None
    worth: Finite | None = None
    same_outcome: int = 0
    repeated: int = 0
    within_tasks_people: Figure | None = None
    left_out: dict[str, int] = {}


class StateUse(Noun):
    """One way to make a reward of judges and a state check, measured against people.

    `check` and `mean` use one of both; `gate_mean` and `gate_calibrated` are 0 where the state is wrong, which nothing rescues;
    `feature` puts the check beside the judges. `reads` says so in words.
    """

    name: str
    reads: str
    n: int
    accuracy: Figure
    auc: Figure
    brier: Figure


class Queued(Noun):
    """An episode to be labelled next, with the probability with which it was chosen.

    `inclusion` None: it was chosen for its difficulty, so that its label says nothing about a rate. `raters` people are to
    label it.
    """

    episode: str
    inclusion: Score | None
    stratum: str = ""
    why: str = ""
    raters: int = 1


class Plan(Noun):
    """How many labels a wish takes, with the judge's help and without it, and which episodes to label next.

    None where it can't be said or no number of labels would do. `basis` says where the judge's help was taken from: the
    `labels` there are, or the `usual` saving of 1.5.
    """

    wish: str
    labels: int | None
    labels_alone: int | None
    have: int = 0
    queue: tuple[Queued, ...] = ()
    reads: str = ""
    basis: Literal["labels", "usual"] | None = None


class StepHealth(Noun):
    """The grades of one policy step, as a trainer meets them.

    What is paid is the calibrated reward, or the score where no calibration was applied (`paid` says which). `groups` are
    sets of two or more siblings (same `group_id`, or the same task where none is given); one is without signal if what is paid
    does not differ within it, or fewer than two are paid anything. `ungraded` is the share of episodes without a score,
    `by_blame` their number by the blame of the first failure, or `tie`, `nothing_applies`, `unknown`. `failures` counts the
    episodes, graded or not, with some failure of each blame. `forfeited`: held against the agent since it was not readable;
    `escalated`: scored, but without a reward; `closed`: 0 behind a gate. `mean_reward` has its interval by task.
    `length_slope` is the rise of what is paid per standard deviation of the logarithm of the reply's length, errors clustered by
    group; `length_within_groups` the same between siblings. `saturated` criteria earn all there is in at least 98% of
    episodes, `dead` ones nothing (or always the same).
    """

    policy: str | None
    policy_step: int | None
    episodes: int
    tasks: int = 0
    groups: int
    paid: Literal["reward", "score", "both", "nothing"] = "nothing"
    groups_without_signal: Figure
    ungraded: Figure
    by_blame: dict[str, int] = {}
    failures: dict[str, int] = {}
    ties: Figure
    forfeited: Figure = Figure(value=None, why="not counted")
    escalated: Figure = Figure(value=None, why="not counted")
    closed: Figure = Figure(value=None, why="not counted")
    mean_reward: Figure
    coverage: Figure = Figure(value=None, why="not counted")
    length: Figure = Figure(value=None, why="not counted")
    """The geometric mean of the reply's length in characters."""
    length_slope: Figure
    length_within_groups: Figure = Figure(value=None, why="not counted")
    saturated: tuple[str, ...] = ()
    dead: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def healthy(self) -> bool:
        """True if there is nothing to warn of: what an exit code goes by."""
        return not self.warnings


Agreement.model_rebuild()
