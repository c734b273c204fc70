"""Published and measured figures of public sets with real judges and people, reproduced to the digits that are printed.

The figures were computed from the files with scikit-learn, scipy and krippendorff.
"""

from __future__ import annotations

import csv
import json
from typing import Any

import numpy as np
import pytest

from calibration.agreeing import Ratings, agreement, ceiling
from calibration.agreeing.krippendorff import krippendorff_alpha
from calibration.items import Item, Pair
from calibration.results import Agreement
from tests.calibration.panels import YES_NO
from tests.shared import shared

FOUR = {str(n): (n - 1) / 3 for n in range(1, 5)}
GRADES = {str(n): n / 3 for n in range(4)}
CHOICES = {"second": 0.0, "tie": 0.5, "first": 1.0}
OF_CHOICE = {0: 0.5, 1: 1.0, 2: 0.0}


def lines(relative: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in shared(f"data/{relative}").read_text(encoding="utf-8").splitlines()]


def compared(judge, people, scale, tasks=None) -> Agreement:
    """The row of two columns of values, None for missing."""
    sides = [{(str(n), "c"): v for n, v in enumerate(column) if v is not None} for column in (judge, people)]
    known = {(str(n), "c"): scale for n in range(len(people))}
    by_episode = {str(n): str(task) for n, task in enumerate(tasks)} if tasks is not None else {}
    first, second = (
        Ratings(name, side, known, by_episode) for name, side in zip(("judge:x", "people"), sides, strict=True)
    )
    return agreement(first, second, resamples=200).rows[0]


def pairs_of(ratings: list[dict[str, float]], scale) -> list[Pair]:
    return [
        Pair(Item(f"e{n}", f"t{n}", "c", {"j": 0.5}, 0.5, ("j",), {}, levels=scale), float(np.mean(list(said.values()))), said)
        for n, said in enumerate(ratings)
    ]  # fmt: skip


def printed(*figures) -> list[float | None]:
    return [None if f.value is None else round(f.value, 3) for f in figures]


@pytest.mark.parametrize(
    ("dimension", "exact", "alpha"),
    [
        ("naturalness", 0.835, 0.318), ("appropriateness", 0.624, 0.064), ("completeness", 0.686, 0.263),
        ("faithfulness", 0.590, 0.470),
    ],
)  # fmt: skip
def test_people_on_multi_turn_answers(dimension, exact, alpha) -> None:
    """Seven raters, two to four of them on each answer; what is printed counts pairs of people alike, ours items alike."""
    said = [
        {k: (v - 1) / 3 for k, v in row["human"][dimension].items()} for row in lines("mtrag_human/responses.jsonl")
    ]
    found = ceiling(pairs_of(said, FOUR), resamples=200)
    assert (found.raters, found.n) == (7, len(said))
    assert printed(found.alpha) == [alpha]
    assert found.raw.value == pytest.approx(exact, abs=0.0065)


@pytest.mark.parametrize(
    ("dimension", "r", "rho"),
    [
        ("naturalness", 0.08, 0.10),
        ("appropriateness", 0.25, 0.22),
        ("completeness", 0.67, 0.45),
        ("faithfulness", 0.72, 0.58),
    ],
)
def test_a_judge_of_multi_turn_answers_against_the_mean_of_people(dimension, r, rho) -> None:
    rows = lines("mtrag_human/responses.jsonl")
    people = [float(np.mean(list(row["human"][dimension].values()))) for row in rows]
    judge = [row["auto"].get("rl_f") for row in rows]
    found = compared(judge, [(p - 1) / 3 for p in people], FOUR)
    assert [round(found.pearson.value, 2), round(found.spearman.value, 2)] == [r, rho]


@pytest.mark.parametrize(
    ("dimension", "exact", "alpha"),
    [("fluency", 0.737, 0.063), ("answer_relevance", 0.542, -0.038), ("faithfulness", 0.513, 0.455)],
)
def test_people_on_long_answers(dimension, exact, alpha) -> None:
    said = [
        {k: (float(v) - 1) / 3 for k, v in row["human"][dimension].items()}
        for row in lines("clapnq_human/responses.jsonl")
    ]
    found = ceiling(pairs_of(said, FOUR), resamples=200)
    assert printed(found.alpha) == [alpha]
    assert found.raw.value == pytest.approx(exact, abs=0.001)


def choices() -> tuple[list[dict[str, Any]], list[float]]:
    rows = lines("pandalm_999/items.jsonl")
    most = [max(set(said), key=said.count) for said in (list(row["human"].values()) for row in rows)]
    return rows, [OF_CHOICE[choice] for choice in most]


def test_people_who_choose_between_two_replies() -> None:
    rows, _ = choices()
    found = ceiling(pairs_of([{k: OF_CHOICE[v] for k, v in row["human"].items()} for row in rows], CHOICES))
    assert printed(found.raw, found.kappa) == [0.920, 0.864]
    nominal = krippendorff_alpha([list(row["human"].values()) for row in rows])
    assert printed(nominal) == [0.864]
    assert found.kappa.high - found.kappa.low < 0.05


def test_each_person_against_the_majority_of_people() -> None:
    rows, most = choices()
    found = [
        compared([OF_CHOICE[row["human"][f"annotator{n}"]] for row in rows], most, CHOICES).raw.value for n in (1, 2, 3)
    ]
    assert [round(v, 3) for v in found] == [0.962, 0.951, 0.967]


def test_judges_that_choose_between_two_replies() -> None:
    rows, most = choices()
    small = compared([OF_CHOICE[row["judges"]["pandalm-7b"]] for row in rows], most, CHOICES)
    assert printed(small.raw, small.kappa) == [0.668, 0.435]
    large = compared([OF_CHOICE.get(row["judges"]["gpt-3.5-turbo"]) for row in rows], most, CHOICES)
    assert large.left_out == {"no answer from judge:x": 25}
    assert round(large.raw.value * large.n / len(rows), 3) == 0.698
    assert large.coverage == pytest.approx(974 / 999)


@pytest.mark.parametrize(
    ("judge", "figures"),
    [
        ("willia-umbrela1", [0.534, 0.286, 0.504, 0.515, 0.507, 0.454]),
        ("h2oloo-fewself", [0.520, 0.277, 0.505, 0.509, 0.503, 0.448]),
        ("Olz-gpt4o", [0.513, 0.262, 0.507, 0.511, 0.511, 0.453]),
        ("NISTRetrieval-reason0", [0.425, 0.184, 0.394, 0.414, 0.413, 0.368]),
        ("prophet-setting4", [0.492, 0.147, 0.228, 0.320, 0.322, 0.294]),
        ("TREMA-nuggets", [0.365, 0.060, 0.155, 0.156, 0.169, 0.145]),
    ],
)
def test_judges_of_relevance_against_assessors(judge, figures) -> None:
    with shared("data/llmjudge_relevance/verdicts.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns = ([int(row[name]) / 3 for row in rows] for name in (judge, "human"))
    found = compared(*columns, GRADES, tasks=[row["query_id"] for row in rows])
    assert (found.n, found.tasks) == (4423, 25)
    assert (
        printed(found.raw, found.kappa, found.weighted_kappa, found.pearson, found.spearman, found.kendall) == figures
    )
    naive = compared(*([int(row[name]) / 3 for row in rows] for name in (judge, "human")), GRADES)
    assert found.kappa.high - found.kappa.low > naive.kappa.high - naive.kappa.low


@pytest.mark.parametrize(
    ("framework", "figures"),
    [
        (None, [0.896, 0.778, 0.875, 0.908, 0.378, 0.365]), ("MetaGPT", [0.921, 0.775, 0.852, 0.940, 0.235, 0.221]),
        ("GPT-Pilot", [0.866, 0.730, 0.871, 0.862, 0.464, 0.445]), ("OpenHands", [0.902, 0.800, 0.892, 0.909, 0.434, 0.429]),
    ],
)  # fmt: skip
def test_an_agent_that_judges_requirements(framework, figures) -> None:
    rows = [r for r in lines("devai_requirements/requirements.jsonl") if framework in (None, r["framework"])]
    judge, people = ([float(row[name]) for row in rows] for name in ("agent_judge", "human"))
    found = compared(judge, people, YES_NO, tasks=[row["task"] for row in rows])
    assert printed(found.raw, found.kappa, found.tpr, found.tnr, found.rate_a, found.rate_b) == figures


@pytest.mark.parametrize(
    ("domain", "judge", "figures"),
    [
        ("airline", "quick_triage_v1", [0.500, 0.063, 0.957, 0.111, 0.920]),
        ("airline", "customer_outcome_v1", [0.400, -0.163, 0.609, 0.222, 0.700]),
        ("airline", "policy_conversation_v1", [0.680, 0.368, 0.783, 0.593, 0.580]),
        ("airline", "policy_chain_of_thought_v1", [0.440, -0.079, 0.696, 0.222, 0.740]),
        ("retail", "quick_triage_v1", [0.614, 0.051, 1.000, 0.043, 0.982]),
        ("retail", "customer_outcome_v1", [0.640, 0.174, 0.897, 0.261, 0.833]),
        ("retail", "policy_conversation_v1", [0.614, 0.225, 0.603, 0.630, 0.509]),
        ("retail", "policy_chain_of_thought_v1", [0.623, 0.114, 0.926, 0.174, 0.886]),
    ],
)
def test_four_prompts_against_the_state_check(domain, judge, figures) -> None:
    rows = lines(f"tau2_judge_audit/episodes_{domain}.jsonl")
    found = compared(
        [row["verdict"].get(judge) for row in rows], [row["tau2_reward"] for row in rows], YES_NO,
        tasks=[row["task_id"] for row in rows],
    )  # fmt: skip
    assert printed(found.raw, found.kappa, found.tpr, found.tnr, found.rate_a) == figures
