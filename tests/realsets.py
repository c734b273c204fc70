"""The public sets with recorded judges and people's labels, as the files that a user would have.

Each is written as `episodes.jsonl`, `rubric.yaml`, `replies.jsonl` (recorded judges) and `labels.jsonl` (people) into a folder.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.shared import shared

Row = dict[str, Any]


class Set:
    """The files of one set, written as it is filled."""

    def __init__(self, folder: Path, rubric: Row) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        (folder / "rubric.yaml").write_text(yaml.safe_dump(rubric, sort_keys=False))
        self.episodes: list[Row] = []
        self.replies: list[Row] = []
        self.labels: list[Row] = []

    def write(self) -> Path:
        """Write all files; returns the folder."""
        for name in ("episodes", "replies", "labels"):
            text = "".join(json.dumps(row) + "\n" for row in getattr(self, name))
            (self.folder / f"{name}.jsonl").write_text(text)
        return self.folder


def rows(path: Path) -> Iterator[Row]:
    """The rows of a JSONL file."""
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def said(judge: str, episode: str, verdicts: dict[str, Any]) -> Row:
    """A recorded reply of one judge."""
    content = [{"id": criterion, "reason": "recorded", **answer} for criterion, answer in verdicts.items()]
    return {"episode_id": episode, "judge": judge, "reply": json.dumps({"verdicts": content})}


def episode(episode_id: str, task: str, instruction: str, reply: str, **more: Any) -> Row:
    """A plain record of one reply."""
    step = {"t": 0, "action": {"tool": "reply", "args": {"text": reply}}, "observation": "sent"}
    return {"task_id": task, "episode_id": episode_id, "instruction": instruction, "steps": [step], **more}


def mtrag(folder: Path) -> Path:
    """477 responses x four criteria of 1-4 by three people each; three recorded judges, who gave one number for the whole."""
    criteria = ("naturalness", "appropriateness", "completeness", "faithfulness")
    rubric = {
        "id": "mtrag", "title": "An answer in a conversation over documents", "pass_mark": 0.8,
        "criteria": [{"id": c, "ask": f"How good is the answer's {c}?", "tags": ["rag"],
                      "scale": {"min": 1, "max": 4, "integer": False}} for c in criteria],
    }  # fmt: skip
    made = Set(folder, rubric)
    for row in rows(shared("data/mtrag_human") / "responses.jsonl"):
        made.episodes.append(
            episode(row["id"], row["task_id"], row["task_id"], str(row["response"]), policy=row["model"])
        )
        for judge in ("rl_f", "rb_llm", "rb_agg"):
            if (value := row["auto"].get(judge)) is not None:
                score = round(1 + 3 * min(1.0, max(0.0, value)), 4)
                made.replies.append(said(judge, row["id"], {c: {"score": score} for c in criteria}))
        for criterion in criteria:
            for rater, level in row["human"][criterion].items():
                made.labels.append(
                    {"episode_id": row["id"], "criterion": criterion, "rater": rater, "level": str(int(level))}
                )
    return made.write()


def judge_audit(folder: Path) -> Path:
    """164 tau2 episodes judged by four prompts of one model; the label is the reward of the environment."""
    made = Set(
        folder,
        {
            "id": "solved",
            "pass_mark": 0.5,
            "criteria": [{"id": "solved", "ask": "Was the request solved by the policy?"}],
        },
    )
    for domain in ("airline", "retail"):
        for row in rows(shared("data/tau2_judge_audit") / f"episodes_{domain}.jsonl"):
            name = f"{domain}-{row['simulation_id']}"
            made.episodes.append(
                episode(name, f"{domain}-{row['task_id']}", "A customer's request", str(row["transcript"])[:4000])
            )
            for judge, verdict in row["verdict"].items():
                made.replies.append(said(judge, name, {"solved": {"level": "yes" if verdict else "no"}}))
            made.labels.append(
                {"episode_id": name, "rater": "database", "level": "pass" if row["tau2_reward"] else "fail"}
            )
    return made.write()


def pandalm(folder: Path) -> Path:
    """999 pairs of responses by three people and two judges: is the first better, as good, or worse?"""
    levels = [{"name": "worse", "value": 0}, {"name": "as_good", "value": 0.5}, {"name": "better", "value": 1}]
    made = Set(
        folder,
        {
            "id": "preference",
            "criteria": [{"id": "first", "ask": "How is the first response beside the second?", "levels": levels}],
        },
    )
    names = {0: "as_good", 1: "better", 2: "worse"}
    for row in rows(shared("data/pandalm_999") / "items.jsonl"):
        name = f"pair-{row['id']}"
        both = f"First: {row['response1']}\n\nSecond: {row['response2']}"
        made.episodes.append(
            episode(name, f"{row['app']}-{row['id']}", f"{row['instruction']} {row['input']}", both, policy=row["cmp"])
        )
        made.replies += [
            said(j, name, {"first": {"level": names[v]}}) for j, v in row["judges"].items() if v is not None
        ]
        made.labels += [
            {"episode_id": name, "criterion": "first", "rater": rater, "level": names[v]}
            for rater, v in row["human"].items()
        ]
    return made.write()


def relevance(folder: Path, judges: Iterable[str] = ("willia-umbrela1", "h2oloo-fewself", "RMITIR-llama70B", "Olz-gpt4o",
              "TREMA-CoT", "prophet-setting1", "NISTRetrieval-reason0")) -> Path:  # fmt: skip
    """4,423 query-passage pairs, 0-3 by one person; the best recorded judge of each team. Three labels are off the scale."""
    made = Set(
        folder,
        {
            "id": "relevance",
            "pass_mark": 0.6,
            "criteria": [{"id": "relevance", "ask": "How relevant is the passage?", "scale": "0-3"}],
        },
    )
    with (shared("data/llmjudge_relevance") / "verdicts.csv").open() as file:
        for row in csv.DictReader(file):
            name = f"{row['query_id']}/{row['passage_id']}"
            made.episodes.append(
                episode(name, row["query_id"], f"Query {row['query_id']}", f"Passage {row['passage_id']}")
            )
            made.replies += [
                said(judge, name, {"relevance": {"score": int(row[judge])}}) for judge in judges if row[judge]
            ]
            made.labels.append({"episode_id": name, "criterion": "relevance", "rater": "nist", "level": row["human"]})
    return made.write()


def devai(folder: Path) -> Path:
    """55 tasks by three frameworks: 1,098 yes/no requirements, each with a rubric of its own; one judge, people's consensus."""
    made = Set(folder, {"id": "unused", "criteria": [{"id": "c", "ask": "-"}]})
    by_run: dict[tuple[str, str], list[Row]] = {}
    for row in rows(shared("data/devai_requirements") / "requirements.jsonl"):
        by_run.setdefault((row["framework"], row["task"]), []).append(row)
    for (framework, task), found in by_run.items():
        name = f"{framework}/{task}"
        criteria = [
            {
                "id": f"r{r['requirement_id']}",
                "ask": r["criteria"],
                "tags": [(r["category"] or "other").split()[0].lower()],
            }
            for r in found
        ]
        rubric = {"id": "devai_" + task[:2], "pass_mark": 0.5, "criteria": criteria}
        made.episodes.append(episode(name, task, f"Build {task}", "Done.", policy=framework, rubric=rubric))
        made.replies.append(
            said(
                "agent_judge",
                name,
                {f"r{r['requirement_id']}": {"level": "yes" if r["agent_judge"] else "no"} for r in found},
            )
        )
        made.labels += [
            {
                "episode_id": name,
                "criterion": f"r{r['requirement_id']}",
                "rater": "consensus",
                "level": "yes" if r["human"] else "no",
            }
            for r in found
        ]
    return made.write()


def dialogues(folder: Path) -> Path:
    """223 help-desk dialogues rated 1-4 by one of 13 people each; one judge's expected answer. It carries no signal."""
    made = Set(
        folder,
        {
            "id": "satisfaction",
            "criteria": [
                {"id": "q0", "ask": "How satisfied is the user?", "scale": {"min": 1, "max": 4, "integer": False}}
            ],
        },
    )
    data = shared("data/llm_rubric_dialogues")
    with (data / "judge_gpt35_real.tsv").open() as file:
        expected = {
            r["text_id"]: _mean_level(r) for r in csv.DictReader(file, delimiter="\t") if r["criterion"] == "Q0"
        }
    with (data / "human_real.tsv").open() as file:
        for row in csv.DictReader(file, delimiter="\t"):
            name = row["text_id"]
            made.episodes.append(episode(name, name, "A help-desk dialogue", "See the dialogue."))
            made.replies.append(said("gpt-3.5", name, {"q0": {"score": round(expected[name], 4)}}))
            made.labels.append(
                {"episode_id": name, "criterion": "q0", "rater": row["annotator_id"], "level": row["Q0"]}
            )
    return made.write()


def _mean_level(row: Row) -> float:
    """The expected answer under the judge's probabilities of the levels 1-4."""
    shares = [float(row[f"answer{level}_prob"]) for level in range(1, 5)]
    return sum(level * share for level, share in enumerate(shares, start=1)) / sum(shares)


SETS: dict[str, Callable[[Path], Path]] = {
    "mtrag": mtrag, "judge_audit": judge_audit, "pandalm": pandalm, "relevance": relevance, "devai": devai, "dialogues": dialogues,
}  # fmt: skip
