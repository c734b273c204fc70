"""Leanings of judges that people do not share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.biases import biases, biases_unlabelled
from calibration.biases.families import family_of
from calibration.items import Pair
from calibration.label import Label
from calibration.pairing import items_of, pair
from calibration.results import Bias
from judge.engine import Engine
from judge.episode import Episode, Step
from judge.options import Options
from judge.record import GradeRecord, Judgement
from rubrics import load
from rubrics.references import CriterionRef, RubricRef
from rubrics.verdict import Verdict
from tests.calibration.labelled import audit_pairs, items_from, pairs_from
from tests.calibration.panels import YES_NO, simulate
from tests.judge.fakes import Fake

LENGTH = "log_reply_chars"


def named(found: tuple[Bias, ...], name: str, judge: str = "panel") -> Bias:
    (bias,) = [bias for bias in found if (bias.name, bias.judge) == (name, judge)]
    return bias


def on_length(design: str, n: int = 200, seed: int = 1) -> tuple[Bias, ...]:
    panel = simulate(design, n, np.random.default_rng(seed))
    return biases(pairs_from(panel.values, panel.truth, covariates={LENGTH: panel.confounder}))


def test_a_panel_that_likes_length_is_flagged_and_said_in_words() -> None:
    found = on_length("corr")
    assert all(bias.flagged for bias in found if bias.name == "length")
    slope = named(found, "length", "j2").slope
    assert slope.low > 0
    assert named(found, "length", "j2").reads == (
        f"j2 gives {slope.value:.2f} more per standard deviation of length than people do: longer replies are over-rewarded"
    )


def test_a_panel_that_does_not_is_not() -> None:
    found = on_length("indep")
    assert not any(bias.flagged for bias in found)
    assert "may be chance" in named(found, "length").reads


def test_by_chance_few_panels_are_flagged() -> None:
    flagged = 0
    for seed in range(60):
        panel = simulate("indep", 60, np.random.default_rng(seed), rollouts=4, intraclass=0.5)
        length = np.random.default_rng(seed + 1000).standard_normal(15)[panel.tasks]
        pairs = pairs_from(panel.values, panel.truth, tasks=panel.tasks, covariates={LENGTH: length})
        flagged += any(bias.flagged for bias in biases(pairs))
    assert flagged <= 8


def test_slope_and_standard_error_are_those_of_truescore() -> None:
    from scipy.special import stdtrit
    from truescore import length_bias

    panel = simulate("corr", 90, np.random.default_rng(11))
    ours = named(
        biases(pairs_from(panel.values[:, :1], panel.truth, covariates={LENGTH: panel.confounder})), "length", "j1"
    ).slope
    theirs = length_bias(panel.values[:, 0], panel.truth, panel.confounder, per=panel.confounder.std())
    assert ours.value == pytest.approx(theirs.effect)
    assert (ours.high - ours.value) / stdtrit(89, 0.975) == pytest.approx(theirs.std_error)


def quality_and_length(n: int, seed: int):
    """Judges without a liking for length, where better episodes have longer replies."""
    rng = np.random.default_rng(seed)
    quality = rng.standard_normal(n)
    length = 0.6 * quality + 0.8 * rng.standard_normal(n)
    latent = np.outer(quality, [1.2, 1.0, 0.8]) + rng.standard_normal((n, 3))
    return pairs_from(np.searchsorted((-1.5, -0.5, 0.5, 1.5), latent) / 4, quality > 0, covariates={LENGTH: length})


def test_a_judge_that_only_uses_less_of_the_scale_leans_nowhere() -> None:
    found = [biases(quality_and_length(200, seed)) for seed in range(40)]
    slopes = [named(each, "length").slope for each in found]
    assert sum(slope.high < 0 for slope in slopes) > 35, "as they are, values rise less with quality than yes and no do"
    assert sum(named(each, "length").flagged for each in found) <= 4
    assert "may come of its using another part of the scale" in named(found[0], "length").reads


def test_the_slope_is_per_standard_deviation_whatever_the_unit() -> None:
    panel = simulate("corr", 80, np.random.default_rng(2))
    pairs = pairs_from(
        panel.values, panel.truth, covariates={"steps": panel.confounder, "calls": panel.confounder * 7 + 3}
    )
    found = biases(pairs)
    assert named(found, "steps").slope.value == pytest.approx(named(found, "calls").slope.value)


def test_lengths_in_other_units_are_not_counted_twice_and_constants_not_at_all() -> None:
    panel = simulate("corr", 60, np.random.default_rng(3))
    x = np.exp(panel.confounder)
    pairs = pairs_from(
        panel.values, panel.truth,
        covariates={LENGTH: panel.confounder, "reply_chars": x, "reply_words": x / 6, "steps": np.ones(60)},
    )  # fmt: skip
    assert {bias.name for bias in biases(pairs) if bias.slope.value is not None} == {"length"}


def test_criteria_are_compared_within_each_and_apart_from_the_whole() -> None:
    """A strict criterion with long replies beside a lenient one with short replies is no bias."""
    rng = np.random.default_rng(4)
    pairs: list[Pair] = []
    for criterion, length, offset in (("a", 5.0, -0.3), ("b", 3.0, 0.2)):
        truth = rng.integers(2, size=60) * 0.4 + 0.3
        values = np.clip(truth + offset + rng.normal(0, 0.05, 60), 0, 1)[:, None]
        pairs += pairs_from(values, truth, covariates={LENGTH: length + rng.normal(0, 0.3, 60)}, criterion=criterion)
    found = biases(pairs)
    assert named(found, "length", "j1").criterion == "any"
    assert abs(named(found, "length", "j1").slope.value) < 0.05


def test_a_penalty_that_long_replies_escape_over_rewards_them() -> None:
    records, labels = penalty_records()
    pairs = pair(records, labels).pairs
    assert named(biases(pairs), "length", "j1").slope.high < 0
    assert named(biases(pairs, records), "length", "j1").slope.low > 0


def penalty_records() -> tuple[list[GradeRecord], list[Label]]:
    """Sixty replies, all with a false claim; the judge finds it in short ones only."""
    rubric = RubricRef(
        id="r", version="1", fingerprint="f" * 16,
        criteria={"false_claim": CriterionRef(fingerprint="c" * 16, weight=-1, levels=YES_NO)},
    )  # fmt: skip
    records = [
        record(rubric, i, {"j1": {"false_claim": "yes" if i < 30 else "no"}}, covariates={"reply_chars": 100 + 10 * i})
        for i in range(60)
    ]
    return records, [Label(episode=f"e{i}", criterion="false_claim", rater="a", level="yes") for i in range(60)]


def record(rubric: RubricRef, i: int, answers: dict[str, dict[str, str]], **more) -> GradeRecord:
    judgements = tuple(
        Judgement(
            judge=judge, model=more.pop("model", judge), score=0.5,
            verdicts=tuple(Verdict(criterion=c, rater=f"judge:{judge}", level=x, value=YES_NO[x]) for c, x in said.items()),
        )
        for judge, said in answers.items()
    )  # fmt: skip
    first = {verdict.criterion: verdict.value for verdict in judgements[0].verdicts}
    return GradeRecord(
        score=0.5, low=0.5, high=0.5, raw=0.5, ungated=0.5, values=first, passed=None, coverage=1.0, task_id=f"t{i}",
        episode_id=f"e{i}", rubric=rubric, method="m" * 16, panel=tuple(answers), judgements=judgements,
        verdicts=tuple(v.model_copy(update={"rater": "panel"}) for v in judgements[0].verdicts), **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("openai/gpt-4o-2024-11-20", "gpt"),
        ("anthropic/claude-sonnet-4", "claude"),
        ("Qwen/Qwen2.5-7B-Instruct", "qwen"),
        ("litellm/meta-llama/Llama-3.1", "llama"),
        ("openai:o3", "o"),
        ("7", "7"),
    ],
)
def test_a_family_is_what_the_last_part_of_a_name_begins_with(name, family) -> None:
    assert family_of(name) == family


def own_family_pairs(*, favour: float, seed: int = 5) -> list[Pair]:
    """j1 (called gpt) and j2 on episodes by gpt and by claude; j1 passes more of its own failures."""
    rng = np.random.default_rng(seed)
    own, truth = np.arange(160) % 2 == 0, rng.integers(2, size=160).astype(float)
    values = np.clip(truth[:, None] * 0.6 + 0.2 + rng.normal(0, 0.1, (160, 2)), 0, 1)
    values[:, 0] = np.clip(values[:, 0] + favour * own * (truth == 0), 0, 1)
    policies = ["gpt-4o-mini" if mine else "claude-haiku" for mine in own]
    return [renamed(p) for p in pairs_from(values, truth, policies=policies)]


def renamed(pair_: Pair) -> Pair:
    judges = {"openai/gpt-4o": pair_.item.judges["j1"], "local/qwen": pair_.item.judges["j2"]}
    return replace(pair_, item=replace(pair_.item, judges=judges))


def test_a_judge_that_passes_the_failures_of_its_own_family_is_flagged() -> None:
    found = biases(own_family_pairs(favour=0.4))
    failures = named(found, "own_family_failures", "openai/gpt-4o")
    assert failures.flagged
    assert failures.slope.value == pytest.approx(0.4, abs=0.06)
    assert failures.reads.startswith(
        f"openai/gpt-4o gives {failures.slope.value:.2f} more to failed episodes of its own family"
    )
    assert named(found, "own_family", "openai/gpt-4o").slope.value == pytest.approx(0.2, abs=0.06)
    assert not any(bias.judge == "local/qwen" for bias in found if bias.name.startswith("own_family"))


def test_a_fair_judge_of_its_own_family_is_not() -> None:
    assert not any(bias.flagged for bias in biases(own_family_pairs(favour=0.0)))


def test_families_that_names_hide_can_be_told() -> None:
    found = biases(own_family_pairs(favour=0.4), families={"local/qwen": "gpt"})
    assert named(found, "own_family", "local/qwen").slope.value is not None


def test_what_can_not_be_known_says_why() -> None:
    panel = simulate("corr", 40, np.random.default_rng(6))
    found = biases(pairs_from(panel.values, panel.truth, criterion="tone"))
    why = {bias.name: bias.slope.why for bias in found if bias.slope.value is None}
    assert "no record says how long" in why["length"]
    assert "no record names its policy" in why["own_family"]
    assert "order" in why["position"]
    assert "from worst to best" in why["option_order"]


def ordered_records(*, shift: float, shuffled: bool) -> tuple[list[GradeRecord], list[Label]]:
    """Three yes/no criteria in one call: the later one stands, the likelier a wrong yes."""
    rng = np.random.default_rng(7)
    names = ["a", "b", "c"]
    criteria = {n: CriterionRef(fingerprint=n * 16, weight=1 / 3, levels=YES_NO) for n in names}
    rubric = RubricRef(id="r", version="1", fingerprint="f" * 16, criteria=criteria)
    records = []
    for i in range(80):
        order = rng.permutation(names) if shuffled else names
        said = {str(c): "yes" if rng.random() < 0.2 + shift * place else "no" for place, c in enumerate(order)}
        records.append(record(rubric, i, {"j1": said}))
    labels = [Label(episode=f"e{i}", criterion=c, rater="p", level="no") for i in range(80) for c in names]
    return records, labels


def test_a_judge_that_says_yes_more_often_to_what_stands_late_is_flagged() -> None:
    records, labels = ordered_records(shift=0.25, shuffled=True)
    bias = named(biases(pair(records, labels).pairs, records), "position", "j1")
    assert bias.flagged
    assert bias.slope.value == pytest.approx(0.25, abs=0.08)
    assert "the order of the questions moves its answers" in bias.reads


def test_a_place_that_never_changes_can_not_be_told_from_the_criterion() -> None:
    records, labels = ordered_records(shift=0.25, shuffled=False)
    bias = named(biases(pair(records, labels).pairs, records), "position", "j1")
    assert bias.slope.value is None
    assert "another `seed`" in bias.slope.why


async def test_verdicts_of_a_judgement_stand_in_the_order_in_which_they_were_asked() -> None:
    rubric = load({"id": "r", "criteria": [{"id": f"c{n}", "ask": f"Is {n} so?"} for n in range(8)]})
    judge = Fake({f"c{n}": "yes" for n in range(8)})
    async with Engine([judge], options=Options(seed=3)) as engine:
        graded = await engine.grade(Episode(task_id="t", steps=(Step(t=0, text="Done."),)), rubric)
    asked = [criterion.id for criterion in judge.prompts[0].criteria]
    assert asked != sorted(asked)
    assert [verdict.criterion for verdict in graded.judgements[0].verdicts] == asked


def test_a_judge_that_always_gives_four_is_seen_to_cluster() -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(5, size=100) / 4
    values = np.column_stack([np.where(rng.random(100) < 0.9, 0.75, truth), truth])
    found = biases(pairs_from(values, truth, criterion="tone"))
    bias = named(found, "clustering", "j1")
    assert bias.flagged
    assert bias.details["modal_value"] == 0.75
    assert bias.details["modal_share"] > 0.85
    assert bias.details["entropy"] < bias.details["people_entropy"]
    assert "gives 0.75 in 9" in bias.reads
    assert named(found, "clustering", "j2").slope.value == 0
    assert named(found, "clustering", "j2").details["distance"] == 0


def test_the_distance_of_two_histograms_is_the_earth_movers() -> None:
    truth = np.array([0.0, 0.25] * 20)
    found = biases(pairs_from((truth + 0.5)[:, None], truth, criterion="tone"))
    assert named(found, "clustering", "j1").details["distance"] == pytest.approx(0.5)


def test_without_labels_judges_are_held_against_each_other() -> None:
    rng = np.random.default_rng(9)
    length, quality = rng.standard_normal(150), rng.random(150)
    values = np.clip(quality[:, None] * 0.5 + 0.25 + rng.normal(0, 0.05, (150, 3)), 0, 1)
    values[:, 0] = np.clip(values[:, 0] + 0.1 * length, 0, 1)
    found = biases_unlabelled(items_from(values, covariates={LENGTH: length}))
    bias = named(found, "length", "j1")
    assert bias.flagged
    assert bias.reads.endswith("than the other judges do: which of them is right, only labels can tell")
    assert biases_unlabelled(items_from(values[:, :1], covariates={LENGTH: length})) == ()


def test_records_of_the_grader_carry_what_is_needed() -> None:
    records, _ = ordered_records(shift=0.0, shuffled=True)
    records = [r.model_copy(update={"covariates": {"reply_chars": 50 + i}}) for i, r in enumerate(records)]
    assert LENGTH in next(items_of(records)).covariates


def test_nothing_labelled_gives_nothing() -> None:
    assert biases([]) == ()


def test_the_longer_the_conversation_the_kinder_or_not_is_told_for_real_judges() -> None:
    found = biases(list(audit_pairs("retail")))
    assert {bias.judge for bias in found if bias.name == "length"} == {
        "customer_outcome_v1", "panel", "policy_chain_of_thought_v1", "policy_conversation_v1", "quick_triage_v1",
    }  # fmt: skip
    assert all(bias.reads for bias in found if bias.slope.value is not None)
    assert "per standard deviation of length than the state check does" in named(found, "length").reads
