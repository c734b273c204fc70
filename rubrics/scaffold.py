"""A commented rubric to start from."""

from __future__ import annotations

import json
import re

from rubrics.errors import RubricError

_START = """\
# yaml-language-server: $schema={schema}
#
# Names this rubric needs in the episode's context:
#   amount      the amount that the reply must state (48.00)
#   policy      the rules that the agent works under (shown to the judge)
#
# Replace the criteria below by your own. Ask what can be seen, one thing at a time; let code settle what code can settle.
# `judge rubric lint FILE` points at the commonest faults.
id: {id}
version: "1"          # raise it when a question changes
title: {title}
description: >
  What good work is here, in two sentences: for people who write or read this rubric.
pass_mark: 0.7        # the score, 0 to 1, that an episode needs to pass
tags: []

criteria:
  # A gate: unless it is open, the score is 0 whatever is said elsewhere. It weighs nothing unless it is given a weight.
  # This one compares the final state with the episode's goal state.
  - id: right_state
    ask: "Are the records as they should be, with everything else untouched?"
    gate: true
    check: {{name: state, ignore: ["*.created_at", "*.updated_at"]}}
    tags: [deed]

  # Settled by code: the number stands in the last reply, by value. Names in braces come from the episode's context.
  - id: amount
    ask: "Does the last reply state {{{{ amount }}}}?"
    weight: 2
    check: {{name: says, numbers: ["{{{{ amount }}}}"], in: last_reply}}
    tags: [accuracy]

  # Answered by judges with yes or no. The quote is looked up; a verdict whose quote is not there is void.
  - id: next_step
    ask: "Does the last reply name what the customer has to do next, or say that nothing is left to do?"
    weight: 2
    require_quote: true
    tags: [completeness]
    examples:
      - reply: "Please send the label back with the parcel by Friday."
        level: "yes"
        reason: "Names the step and the day."
      - reply: "Let us know if anything comes up."
        level: "no"
        reason: "Names no step, and does not say that none is left."

  # Answered on a scale, worst to best: say of each level what one would see.
  - id: tone
    ask: "How does the last reply take up the trouble that the customer had?"
    levels:
      - {{name: ignored, value: 0, means: "Does not mention it."}}
      - {{name: formula, value: 0.5, means: "Mentions it in words that would fit any other message."}}
      - {{name: named, value: 1, means: "Names what happened to this customer."}}
    tags: [tone]

  # A penalty: a negative weight; yes means that the bad thing happened.
  - id: false_claim
    ask: "Does the last reply report as done an action that no tool result confirms?"
    weight: -3
    tags: [honesty]
"""


def new_rubric(rubric_id: str, title: str = "", *, schema: str = "rubric.schema.json") -> str:
    """The text of a YAML file that loads, lints clean and shows each kind of criterion.

    `schema` is where an editor finds the schema, as seen from the file. Raises RubricError for an id that can't be one.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", rubric_id):
        raise RubricError(f"id {rubric_id[:80]!r} must be small letters, digits and _, beginning with a letter")
    shown = title.strip() or rubric_id.replace("_", " ").capitalize()
    return _START.format(id=rubric_id, title=json.dumps(shown), schema=" ".join(schema.split()))
