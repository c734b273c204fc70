"""The probability of a level, read from the likelihood of the token that names it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from rubrics.criterion import Criterion

LEAST_MASS = 0.5
"""Where the two levels have less of the likelihood than this between them, nothing is said."""

_LEVEL = re.compile(r'"level"\s*:\s*"')


def likelihoods_of(logprobs: Any, criteria: Sequence[Criterion]) -> Mapping[str, Mapping[str, float]] | None:
    """{criterion id: {level: probability}} of one two-level criterion asked alone; None where it can't be read."""
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(tokens, list) or len(criteria) != 1 or len(criteria[0].levels) != 2:
        return None
    low, high = (level.name for level in criteria[0].levels)
    candidates = _candidates(tokens)
    masses = [sum(p for token, p in candidates if _begins(token, name)) for name in (low, high)]
    total = sum(masses)
    if total < LEAST_MASS or low[:1].casefold() == high[:1].casefold():
        return None
    return {criteria[0].id: {low: masses[0] / total, high: masses[1] / total}}


def _candidates(tokens: list[Any]) -> list[tuple[str, float]]:
    """The tokens that could have stood where the last level begins, with their probabilities."""
    text, starts = "", []
    for token in tokens:
        starts.append(len(text))
        text += str(token.get("token", "")) if isinstance(token, dict) else ""
    places = list(_LEVEL.finditer(text))
    if not places:
        return []
    at = next((i for i in range(len(starts)) if starts[i] >= places[-1].end()), None)
    if at is None:
        return []
    top = tokens[at].get("top_logprobs") or [tokens[at]]
    return [
        (str(each.get("token", "")).strip(' "'), math.exp(min(0.0, float(each.get("logprob", -99))))) for each in top
    ]


def _begins(token: str, name: str) -> bool:
    return bool(token) and name.casefold().startswith(token.casefold())
