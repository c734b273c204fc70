"""Tokens that a prompt has beyond the bare transcript, and what consecutive prompts share.

    python -m benchmarks.tokens

Counted with cl100k (LiteLLM carries that encoder; `rubric-judge[litellm]`). Bars: 600 for 5 two-level criteria in one call, 1,400 for
20, schema not counted; with one criterion a call, 97% of the characters shared.
"""

from __future__ import annotations

import os
from itertools import pairwise

from benchmarks.engine import RUBRIC, episodes
from judge.prompting import Exhibit, batches, compose
from rubrics import Criterion

SUBJECTS = ("refund", "delivery", "invoice", "warranty", "address", "discount", "return label", "order number", "phone number",
            "opening hours", "next step", "deadline", "name of the agent", "reason", "apology", "ticket", "account", "charge", "method",
            "reference")  # fmt: skip


def main() -> None:
    """Count and print."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from litellm import encode

    episode = next(episodes(1))
    exhibit = Exhibit(episode)
    bare = len(encode(model="gpt-4", text="\n".join(step.text or str(step.observation) for step in episode.steps)))
    twenty = [Criterion(id=f"c{i}", ask=f"Does the reply mention the {subject}?") for i, subject in enumerate(SUBJECTS)]
    for criteria, bar in ((list(RUBRIC.leaves), 600), (twenty, 1400)):
        prompt = compose(exhibit, criteria)
        count = len(encode(model="gpt-4", text=prompt.system)) + len(encode(model="gpt-4", text=prompt.user))
        print(
            f"{len(criteria):2} criteria in one call: {count} tokens, {count - bare} beyond the transcript's {bare} (bar {bar})"
        )
    texts = [(p := compose(exhibit, group)).system + p.user for group in batches(twenty, 1, "0:0")]
    shares = [_shared(a, b) / max(len(a), len(b)) for a, b in pairwise(texts)]
    print(f"one criterion a call: consecutive prompts share {min(shares):.1%} of their characters at least (bar 97%)")


def _shared(one: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


if __name__ == "__main__":
    main()
