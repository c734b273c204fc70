"""What a run would send, before anything is spent: the prompts, their tokens and what they would cost."""

from __future__ import annotations

from collections.abc import Sequence

from judge.asking import window_of
from judge.grading import Case
from judge.judges import Judge
from judge.models.exchange import Prompt
from judge.options import Options
from judge.prompting import batches, compose
from rubrics.criterion import Criterion

OUTPUT_TOKENS_A_CRITERION = 70  # a reason of a sentence or two, a quote and the braces
OUTPUT_TOKENS_A_CALL = 12


def prompts_for(case: Case, judge: Judge | None, options: Options, *, sample: int = 0) -> list[Prompt]:
    """The prompts that ask `judge` (None: one with a large window) what is left to ask of the case."""
    if not case.to_ask:
        return []
    exhibit = case.exhibit
    size = (judge.batch if judge else None) or options.batch
    groups = batches(case.to_ask, size, f"{options.seed}:{sample}")
    return [
        compose(
            exhibit, group, window=window_of(judge) if judge else None, instructions=judge.template if judge else None
        )
        for group in groups
    ]


def output_tokens(criteria: Sequence[Criterion]) -> int:
    """About how many tokens a judge writes for these criteria."""
    return OUTPUT_TOKENS_A_CALL + OUTPUT_TOKENS_A_CRITERION * len(criteria)
