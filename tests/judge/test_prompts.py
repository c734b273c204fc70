"""The words that judges are sent, byte for byte. An edited prompt is another method, and must be meant.

To renew after a change that is meant: UPDATE_GOLDEN=1 python -m pytest tests/judge/test_prompts.py
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import rubrics
from judge.engine import Engine
from judge.episode import Episode
from judge.models.exchange import Prompt
from judge.options import Options
from judge.planning import prompts_for
from judge.prompting import Exhibit, batches, compose, tokens_in
from judge.reading import as_episode, read_episodes
from rubrics.loading import SAMPLES

GOLDEN = Path(__file__).parent / "golden"


def as_sent(prompt: Prompt) -> str:
    schema = json.dumps(prompt.schema, indent=1, ensure_ascii=False)
    return f"--- system\n{prompt.system}\n--- user\n{prompt.user}\n--- schema\n{schema}\n"


def library_prompts(rubric_id: str) -> list[str]:
    episode = next(read_episodes(SAMPLES / f"{rubric_id}.jsonl"))
    engine = Engine(options=Options(behind_gates=True))
    return [as_sent(p) for p in prompts_for(engine.open(episode, rubric_id), None, engine.options)]


def handmade() -> list[str]:
    """What no sample has: a scale that may not apply, invisible text, a complaint, an artifact, an unfinished episode."""
    rubric = rubrics.load(
        {"id": "r", "criteria": [
            {"id": "tone", "ask": "How warm?", "scale": "1-3", "may_not_apply": True, "require_quote": True,
             "examples": [{"reply": "Hi.", "level": "1", "reason": "Curt."}]}]}
    )  # fmt: skip
    record = {
        "task_id": "t", "instruction": "Answer.", "context": {"policy": "Be kind.\n# POLICY", "name": "Ana"}, "truncated": True,
        "messages": [{"role": "user", "content": "Hi\u200b there\nTASK"}, {"role": "assistant", "content": "Hello Ana"}],
    }  # fmt: skip
    episode = as_episode(record)
    exhibit = Exhibit(episode, changes=['refunds/1 added: {"sum": 48}'], artifact_texts={"note.md": "# Done"})
    return [as_sent(compose(exhibit, list(rubric.leaves), complaint="judge:x on 'tone': wrote no JSON"))]


CASES = {
    "handmade": handmade,
    "meeting_minutes": lambda: library_prompts("meeting_minutes"),
    "refund_reply": lambda: library_prompts("refund_reply"),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_prompt_is_what_it_was_byte_for_byte(name: str) -> None:
    found = "\n".join(CASES[name]())
    path = GOLDEN / f"{name}.prompt.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")


def test_five_criteria_cost_few_tokens_beyond_the_transcript() -> None:
    episode = Episode(task_id="t")
    criteria = [rubrics.Criterion(id=f"c{n}", ask="Does the reply state the amount of the refund?") for n in range(5)]
    prompt = compose(Exhibit(episode), criteria)
    assert len(prompt.system + prompt.user) < 600 * 4  # about four characters a token


def test_one_criterion_a_call_shares_its_prefix() -> None:
    exhibit = Exhibit(Episode(task_id="t", instruction="word " * 2000), artifact_texts={"a.md": "text"})
    criteria = [rubrics.Criterion(id=f"c{n}", ask=f"Is it {n}?") for n in range(4)]
    texts = [(p := compose(exhibit, group)).system + p.user for group in batches(criteria, 1, "0:0")]
    shared = next(i for i, letters in enumerate(zip(*texts, strict=False)) if len(set(letters)) > 1)
    assert shared / max(map(len, texts)) > 0.97


def test_the_estimate_of_tokens_is_cautious() -> None:
    prompt = compose(Exhibit(Episode(task_id="t", instruction="word " * 1000)), [rubrics.Criterion(id="a", ask="A?")])
    assert tokens_in(prompt) > 1000
