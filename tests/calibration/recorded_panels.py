"""Public sets in which several judge models and people (or a state check) answered the same questions, as arrays."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.shared import shared

BEST_OF_TEAMS = (
    "NISTRetrieval-reason1", "Olz-gpt4o", "RMITIR-llama70B", "TREMA-sumdecompose", "h2oloo-zeroshot1", "prophet-setting1",
    "willia-umbrela1",
)  # fmt: skip
CHOICES = {0: 0.5, 1: 1.0, 2: 0.0}


class RecordedPanel(NamedTuple):
    """`values` (items, judges) and `truth` (items,) in [0, 1]; items of one query, task or instruction share a group."""

    name: str
    values: Any
    truth: Any
    groups: Any
    judges: Sequence[str]


def relevance(judges: Sequence[str] | None = BEST_OF_TEAMS, *, soft: bool = False) -> RecordedPanel:
    """llmjudge_relevance: grades 0-3 of passages for 25 queries; the truth is grade 2 or more, or the grade itself."""
    with (shared("data/llmjudge_relevance") / "verdicts.csv").open() as file:
        rows = list(csv.DictReader(file))
    names = judges or [name for name in rows[0] if name not in ("query_id", "passage_id", "human")]
    values = [[_grade(row[name]) for name in names] for row in rows]
    truth = [int(row["human"]) / 3 if soft else float(int(row["human"]) >= 2) for row in rows]
    kind = "grade" if soft else "relevant"
    return _panel(
        f"llmjudge_relevance, {len(names)} judges, {kind}", values, truth, [row["query_id"] for row in rows], names
    )


def _grade(text: str) -> float:
    return float(text) / 3 if text and 0 <= float(text) <= 3 else np.nan


def mtrag(dimension: str) -> RecordedPanel:
    """mtrag_human: three recorded judge scores of answers; the truth is the mean of three people."""
    rows = list(_rows(shared("data/mtrag_human") / "responses.jsonl"))
    names = ("rl_f", "rb_llm", "rb_agg")
    values = [[np.nan if row["auto"].get(name) is None else row["auto"][name] for name in names] for row in rows]
    low, high = (0, 100) if dimension == "win-rate" else (1, 4)
    truth = [(np.mean(list(row["human"][dimension].values())) - low) / (high - low) for row in rows]
    return _panel(f"mtrag_human, {dimension}", values, truth, [row["task_id"] for row in rows], names)


def tau2_audit() -> RecordedPanel:
    """tau2_judge_audit: four prompts of one model on airline and retail episodes; the truth is the environment's reward."""
    folder = shared("data/tau2_judge_audit")
    rows = [row for domain in ("airline", "retail") for row in _rows(folder / f"episodes_{domain}.jsonl")]
    names = tuple(rows[0]["verdict"])
    values = [[np.nan if row["verdict"].get(name) is None else row["verdict"][name] for name in names] for row in rows]
    truth = [float(row["tau2_reward"] >= 1) for row in rows]
    return _panel("tau2_judge_audit", values, truth, [f"{row['domain']} {row['task_id']}" for row in rows], names)


def pandalm() -> RecordedPanel:
    """pandalm_999: which of two responses is better; 1 the first, 0 the second, .5 a tie; the truth is most of three people."""
    rows = list(_rows(shared("data/pandalm_999") / "items.jsonl"))
    names = tuple(rows[0]["judges"])
    values = [[CHOICES.get(row["judges"][name], np.nan) for name in names] for row in rows]
    said = [Counter(row["human"].values()).most_common(1)[0] for row in rows]
    truth = [CHOICES[choice] if count > 1 else 0.5 for choice, count in said]
    return _panel("pandalm_999", values, truth, [row["instruction"] for row in rows], names)


def dialogues(question: str = "Q0") -> RecordedPanel:
    """llm_rubric_dialogues: the expected value of one judge's answer 1-4 to a question, and one person's rating."""
    folder = shared("data/llm_rubric_dialogues")
    expected = {
        (row["text_id"], row["criterion"]): _expected([float(row[f"answer{k}_prob"]) for k in (1, 2, 3, 4)])
        for row in _table(folder / "judge_gpt35_real.tsv")
    }
    rows = [row for row in _table(folder / "human_real.tsv") if int(row[question]) > 0]
    values = [[expected.get((row["text_id"], question), np.nan)] for row in rows]
    truth = [(int(row[question]) - 1) / 3 for row in rows]
    return _panel(
        f"llm_rubric_dialogues, {question}", values, truth, [row["text_id"] for row in rows], ("gpt-3.5-turbo",)
    )


def dialogue_annotators(question: str = "Q0") -> list[str]:
    """Who rated each dialogue of `dialogues(question)`, in its order."""
    rows = _table(shared("data/llm_rubric_dialogues") / "human_real.tsv")
    return [row["annotator_id"] for row in rows if int(row[question]) > 0]


def _expected(probabilities: Sequence[float]) -> float:
    return float(np.average([0.0, 1 / 3, 2 / 3, 1.0], weights=probabilities))


def _panel(
    name: str, values: Sequence[Sequence[float]], truth: Sequence[float], groups: Sequence[str], judges: Sequence[str]
) -> RecordedPanel:
    """Only items that every judge answered."""
    matrix = np.array(values, dtype=float)
    complete = ~np.isnan(matrix).any(axis=1)
    numbers = np.unique(np.array(groups)[complete], return_inverse=True)[1]
    return RecordedPanel(name, matrix[complete], np.array(truth, dtype=float)[complete], numbers, tuple(judges))


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open() as file:
        yield from map(json.loads, file)


def _table(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file, delimiter="\t"))


RECORDED: dict[str, Callable[[], RecordedPanel]] = {
    "relevance": relevance,
    "relevance-33": lambda: relevance(None),
    "relevance-grade": lambda: relevance(soft=True),
    "faithfulness": lambda: mtrag("faithfulness"),
    "completeness": lambda: mtrag("completeness"),
    "appropriateness": lambda: mtrag("appropriateness"),
    "naturalness": lambda: mtrag("naturalness"),
    "win-rate": lambda: mtrag("win-rate"),
    "tau2": tau2_audit,
    "pandalm": pandalm,
    "dialogues": dialogues,
}
