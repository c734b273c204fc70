"""The errors of a rubric.

RubricError            a ValueError: the rubric can't be used, and why
└── FillError          a criterion names something that the episode's context does not hold
"""

from __future__ import annotations


class RubricError(ValueError):
    """A rubric that can't score, can't be read or can't be found. The message names file, criterion and field."""


class FillError(RubricError):
    """A `{{ name }}` that can't be filled from the episode's context. The message names it in full."""
