"""Each lint rule on a rubric that it must find fault with and on one that it must leave alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rubrics import Rubric, RubricError, library, load
from rubrics.importing import from_healthbench
from rubrics.linting import RULES, lint, lint_file, names_needed
from rubrics.linting.overlaps import SIMILAR, content_words, similarity
from tests.shared import shared

LEVELS = [
    {"name": "none", "value": 0, "means": "Nothing."},
    {"name": "part", "value": 0.5, "means": "Some."},
    {"name": "all", "value": 1, "means": "All."},
]
BARE = [{"name": "low", "value": 0}, {"name": "middle", "value": 0.5}, {"name": "high", "value": 1}]
STATE = {"id": "state", "gate": True, "check": {"name": "state"}}
CALLED = {"name": "called", "tool": "refund"}


def asked(ask: str, **more: Any) -> dict[str, Any]:
    return {"id": "a", "ask": ask, **more}


def two(worst: str, best: str) -> list[dict[str, Any]]:
    return [{"name": worst, "value": 0, "means": "m"}, {"name": best, "value": 1, "means": "m"}]


def rubric_of(*criteria: dict[str, Any], **more: Any) -> Rubric:
    """Beside the criteria given, one that no rule finds fault with."""
    quiet = {"id": "quiet", "ask": "Does the reply name the person who calls back?"}
    return load({"id": "x", "pass_mark": 0.7, "criteria": [*criteria, quiet], **more})


def alone(*criteria: dict[str, Any], **more: Any) -> Rubric:
    return load({"id": "x", "pass_mark": 0.7, "criteria": list(criteria), **more})


def found(rubric: Rubric, text: str | None = None) -> set[str]:
    return {finding.rule for finding in lint(rubric, text=text)}


# rule: rubrics with the fault, rubrics without it
RUBRICS: dict[str, tuple[list[Rubric], list[Rubric]]] = {
    "double-barrelled": (
        [
            rubric_of(asked("Does the reply state the amount and the time?")),
            rubric_of(asked("Is the reply complete and correct?")),
            rubric_of(asked("Does the agent apologise and offer a refund?")),
            rubric_of(asked("Does the reply explain what happened and offer a refund?")),
            rubric_of(asked("Does the reply say that it takes five days and that the card is credited?")),
            rubric_of(asked("In the last reply, does the agent thank the customer as well as explain the delay?")),
            rubric_of(asked("Does the reply give a reason? Does it name a date?")),
            rubric_of(asked("How clear and polite is the reply?", levels=LEVELS)),
        ],
        [
            rubric_of(asked("Does the reply list the terms and conditions?")),
            rubric_of(asked("Does the reply name the product that the customer bought and returned?")),
            rubric_of(asked("Is the refund between 10 and 20 euros?")),
            rubric_of(asked("Does the reply quote the line 'safe and sound'?")),
            rubric_of(asked("Does the reply say when (day and hour) the customer is called back?")),
            rubric_of(asked("Does the agent report an action that no tool result and no message confirms?", weight=-1)),
            rubric_of(asked("Does the reply greet Ana and Boris?")),
            rubric_of(asked("Are the order and the charge as they should be?", check={"name": "state"})),
        ],
    ),
    "vague-wording": (
        [
            rubric_of(asked("Is the reply helpful?")),
            rubric_of(asked("Is the tone appropriate?")),
            rubric_of(asked("Is the summary well written?")),
            rubric_of(asked("How good is the reply?", levels=BARE)),
        ],
        [
            rubric_of(asked("How good is the reply?", levels=LEVELS)),
            rubric_of(asked("Is the tone professional? Slang, emoji and insults are not professional.")),
            rubric_of(asked("Is the reply helpful?", examples=[{"reply": "r", "level": "yes"}, {"reply": "s", "level": "no"}])),
            rubric_of(asked("Does the reply name the cause as well as the customer did?")),
            rubric_of(asked("Does the reply call the product 'good'?")),
        ],
    ),
    "double-negative": (
        [
            rubric_of(asked("Does the reply not fail to mention the fee?")),
            rubric_of(asked("Did the agent never refuse without a reason?")),
            rubric_of(asked("Isn't there anything that the agent did not confirm?")),
        ],
        [
            rubric_of(asked("Does the reply name the rows that were not counted?")),
            rubric_of(asked("Does the reply report what no tool result and no change of state confirms?", weight=-1)),
            rubric_of(asked("States that no refund is due; the customer need not do anything.")),
        ],
    ),
    "asks-for-absence": (
        [rubric_of(asked("Does the reply avoid jargon?")), rubric_of(asked("Is the reply free of insults?"))],
        [rubric_of(asked("Does the reply use jargon?", weight=-1)), rubric_of(asked("Does the reply say what is not covered?"))],
    ),
    "praised-penalty": (
        [
            rubric_of(asked("Is the reply polite?", weight=-1)),
            rubric_of(asked("Does the agent thank the customer?", weight=-2)),
            alone(
                {"id": "b", "ask": "Does the reply name a date?"},
                sections=[{"id": "s", "weight": -1, "criteria": [asked("Is the final answer factually correct?")]}],
            ),
        ],
        [
            rubric_of(asked("Is the reply polite?")),
            rubric_of(asked("Is the reply impolite?", weight=-1)),
            rubric_of(asked("Does the agent fail to thank the customer?", weight=-1)),
        ],
    ),
    "blamed-reward": (
        [
            rubric_of(asked("Is the reply rude?")),
            rubric_of(asked("Does the reply contradict the policy?")),
            rubric_of(asked("Did the agent invent a figure?", gate=True)),
        ],
        [
            rubric_of(asked("Is the reply rude?", weight=-1)),
            rubric_of(asked("Does the reply acknowledge the wrong charge?")),
            rubric_of(asked("Does the reply avoid insults?")),
        ],
    ),
    "level-without-meaning": (
        [rubric_of(asked("How warm is it?", levels=BARE)), rubric_of(asked("How warm is it?", scale="1-5"))],
        [rubric_of(asked("How warm is it?", levels=LEVELS)), rubric_of(asked("Is it warm?"))],
    ),
    "scale-direction": (
        [
            rubric_of(asked("q", levels=two("good", "poor"))),
            rubric_of(asked("q", weight=-1, levels=two("severe", "none"))),
        ],
        [
            rubric_of(asked("q", levels=LEVELS)),
            rubric_of(asked("q", weight=-1, levels=two("none", "severe"))),
        ],
    ),
    "one-sided-examples": (
        [rubric_of(asked("q", examples=[{"reply": "r", "level": "yes"}, {"reply": "s", "level": "yes"}]))],
        [rubric_of(asked("q", examples=[{"reply": "r", "level": "yes"}, {"reply": "s", "level": "no"}])), rubric_of(asked("q"))],
    ),
    "dead-weight": (
        [rubric_of(asked("q", weight=0.005)), rubric_of(asked("q", weight=-0.005))],
        [
            rubric_of(asked("q", weight=0.02)),
            alone(*({"id": f"c{i}", "ask": f"Is part {i} there?"} for i in range(150))),
        ],
    ),
    "zero-weight": (
        [
            rubric_of(asked("q", weight=0)),
            alone({"id": "b", "ask": "q"}, sections=[{"id": "s", "weight": 0, "criteria": [asked("r")]}]),
        ],
        [
            rubric_of(asked("q", gate=True)),
            rubric_of(asked("q", weight=0, tags=["informational"])),
            rubric_of(asked("q", weight=0, shadows={"tables": ["t"]})),
        ],
    ),
    "toothless-penalty": (
        [
            rubric_of({"id": "gate", "gate": True, "check": {**CALLED, "name": "not_called"}}, {"id": "p", "weight": -1, "check": CALLED}),
            rubric_of(
                {"id": "gate", "gate": True, "check": {"name": "says", "words": ["x"], "not": True}},
                {"id": "p", "weight": -1, "check": {"name": "says", "words": ["x"]}},
            ),
        ],
        [
            rubric_of({"id": "gate", "gate": True, "check": CALLED}, {"id": "p", "weight": -1, "check": {**CALLED, "times": 2}}),
            rubric_of({"id": "p", "weight": -1, "check": CALLED}),
        ],
    ),
    "judged-gate": (
        [rubric_of(asked("q", gate=True, weight=1))],
        [rubric_of(asked("q", gate=True)), rubric_of({"id": "g", "gate": True, "weight": 1, "check": CALLED})],
    ),
    "stalling-earns": (
        [alone(STATE), alone({**STATE, "weight": 1}, asked("Is it rude?", weight=-1)), alone({"id": "s", "check": {"name": "state"}})],
        [alone(STATE, asked("Does the reply say why it refuses?")), alone(STATE, {"id": "n", "gate": True, "check": {"name": "says"}})],
    ),
    "no-pass-mark": ([alone(asked("q"), pass_mark=None)], [alone(asked("q"))]),
    "too-many-criteria": (
        [alone(*({"id": f"c{i}", "ask": f"Is part {i} there?"} for i in range(21)))],
        [alone(*({"id": f"c{i}", "ask": f"Is part {i} there?"} for i in range(20)))],
    ),
    "too-few-criteria": ([alone(asked("q"))], [rubric_of(asked("q"))]),
    "code-could-settle": (
        [
            rubric_of(asked("Is the reply between 50 and 100 words long?")),
            rubric_of(asked("Is the reply at most three sentences long?")),
            rubric_of(asked('Does the reply contain the word "sorry"?')),
            rubric_of(asked("Does the reply mention {{ order_id }}?")),
            rubric_of(asked("Does the reply state 48.00?")),
            rubric_of(asked("Did the agent call the refund tool?")),
            rubric_of(asked("Is the reply written in German?")),
            rubric_of(asked("Is the last reply valid JSON?")),
            rubric_of(asked("Is the total in cell B6 right?")),
        ],
        [
            rubric_of(asked("Does the reply tell the customer that the refund takes {{ days }} to arrive?")),
            rubric_of(asked("Does the reply state {{ days }}? The same span in other words counts as well.")),
            rubric_of(asked("Does the reply give the date of the next meeting?")),
            rubric_of(asked("Is it short?", check={"name": "length", "max": 100, "unit": "words"})),
        ],
    ),
    "not-in-evidence": (
        [
            rubric_of(asked("Does any statement contradict the policy?", weight=-1, evidence=["transcript"])),
            rubric_of(asked("Does the last reply name a date?", evidence=["policy"])),
            rubric_of(asked("Has the workbook a heading?", evidence=["state"])),
            rubric_of(asked("Is it so?", evidence=["context"], require_quote=True)),
        ],
        [
            rubric_of(asked("Does any statement contradict the policy?", weight=-1)),
            rubric_of(asked("Does the last reply name a date?", evidence=["transcript"])),
            rubric_of(asked("Does the workbook or the last reply name the rows?", evidence=["transcript"])),
        ],
    ),
    "overlapping": (
        [
            alone(
                {"id": "a", "ask": "Does the reply name the delivery date of the replacement lamp?"},
                {"id": "b", "ask": "Is the delivery date of the replacement lamp named in the last reply?"},
            ),
            alone({"id": "a", "check": CALLED}, {"id": "b", "check": CALLED}),
        ],
        [
            alone(
                {"id": "a", "ask": "Does the reply give the customer the refund amount in euros?"},
                {"id": "b", "ask": "Does the reply give the customer the refund date in writing?"},
            ),
            alone(
                {"id": "a", "ask": "Are the results of experiment 1 reported with their error bars?"},
                {"id": "b", "ask": "Are the results of experiment 2 reported with their error bars?"},
            ),
            alone(
                {"id": "a", "ask": "Are the results of the Hopper run reported with their error bars?"},
                {"id": "b", "ask": "Are the results of the Walker run reported with their error bars?"},
            ),
            alone(
                {"id": "a", "ask": "Is the delivery date of the lamp named?", "applies_if": "context.x is defined"},
                {"id": "b", "ask": "Is the delivery date of the lamp named?", "applies_if": "context.x is undefined"},
            ),
            alone({"id": "a", "check": CALLED}, {"id": "b", "check": {**CALLED, "times": 2}}),
        ],
    ),
}  # fmt: skip

NAMED = rubric_of(asked("Is it {{ amount }}?"))
CASES = [
    (rule, rubric, bad)
    for rule, (faulty, sound) in RUBRICS.items()
    for bad, many in ((True, faulty), (False, sound))
    for rubric in many
]


@pytest.mark.parametrize(
    ("rule", "rubric", "bad"),
    CASES,
    ids=[f"{rule}-{'bad' if bad else 'good'}-{i}" for i, (rule, _, bad) in enumerate(CASES)],
)
def test_a_rule_finds_its_fault_and_no_other_rubrics(rule: str, rubric: Rubric, bad: bool) -> None:
    assert (rule in found(rubric)) is bad


@pytest.mark.parametrize(
    ("text", "bad"),
    [("id: x\n", True), ("# amount  what is refunded\nid: x\n", False), ("id: x # the amounts\n", True), (None, False)],
    ids=["silent", "comment", "another word", "no file"],
)
def test_a_name_that_every_episode_must_bring_is_explained_in_the_file(text: str | None, bad: bool) -> None:
    assert ("undocumented-name" in found(NAMED, text)) is bad


@pytest.mark.parametrize(
    ("criterion", "names"),
    [
        (asked("Is it {{ a }} of {{ task.goal }}?"), ["a", "task"]),
        (asked("Is it {{ context.a }}?"), ["a"]),
        (asked("Is it {{ a | default('x') }}?"), []),
        (asked("Is it {{ a }}?", applies_if="context.a is defined"), []),
        (asked("Is it so?", applies_if="context.kind == 'x'"), ["kind"]),
        (asked("Is it so?", check={"name": "says", "words": ["{{ b }}"]}), ["b"]),
        (asked("Is it so?", levels=[{"name": "x", "value": 0, "means": "{{ c }}"}, {"name": "y", "value": 1}]), ["c"]),
    ],
    ids=["dotted", "context", "default", "guarded", "condition", "check", "meaning"],
)
def test_the_names_that_an_episode_must_bring(criterion: dict[str, Any], names: list[str]) -> None:
    assert names_needed(alone(criterion).leaves[0]) == names


def test_every_rule_has_a_good_and_a_bad_example_here() -> None:
    assert {*RUBRICS, "undocumented-name"} == set(RULES)
    assert all(faulty and sound for faulty, sound in RUBRICS.values())


def test_every_rule_has_its_line_in_the_docs_with_its_severity() -> None:
    lines = (Path(__file__).parents[2] / "docs" / "reference" / "lint.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:4]] for line in lines if line.startswith("| `")]
    assert [(name.strip("`"), severity) for name, severity, _ in rows] == [
        (name, rule.severity) for name, rule in RULES.items()
    ]


def test_a_finding_says_where_what_and_what_to_do() -> None:
    (finding,) = [f for f in lint(rubric_of(asked("Is the reply helpful?"))) if f.rule == "vague-wording"]
    assert finding.criterion == "a"
    assert finding.severity == "warning"
    assert finding.message == "'helpful' means something else to every rater, and no level says what it is here"
    assert finding.hint == "ask for what can be seen, or give every level a meaning"


def test_the_check_that_settles_it_is_named() -> None:
    (finding,) = [
        f for f in lint(rubric_of(asked("Did the agent call the refund tool?"))) if f.rule == "code-could-settle"
    ]
    assert finding.message == "asks judges what the check `called` settles"


def test_warnings_come_before_notes() -> None:
    severities = [f.severity for f in lint(alone(asked("Is the reply helpful and polite?"), pass_mark=None))]
    assert severities == sorted(severities, reverse=True)
    assert set(severities) == {"warning", "note"}


@pytest.mark.parametrize("rubric_id", sorted(library()))
def test_the_library_has_no_warnings(rubric_id: str) -> None:
    assert [f for f in lint_file(rubric_id) if f.severity == "warning"] == []


def test_a_file_is_linted_with_its_comments(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text("id: x\npass_mark: 0.5\ncriteria:\n  - {id: a, ask: 'Is it {{ amount }}?'}\n", encoding="utf-8")
    assert {f.rule for f in lint_file(path)} == {"too-few-criteria", "undocumented-name"}
    path.write_text("# amount: what is refunded\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert {f.rule for f in lint_file(str(path))} == {"too-few-criteria"}
    with pytest.raises(RubricError, match="no such file"):
        lint_file(tmp_path / "absent.yaml")


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        ("Does the reply name the fee?", "The fees are named in a reply.", 1.0),
        ("Is the delivery late?", "Is the refund late?", 1 / 3),
        ("Does it?", "Is it?", 0.0),
    ],
    ids=["same", "other noun", "no content"],
)
def test_similarity_is_of_content_words(one: str, other: str, share: float) -> None:
    assert similarity(content_words(one), content_words(other)) == pytest.approx(share)
    assert 0 < SIMILAR < 1


def test_rubrics_written_elsewhere_are_linted_without_breaking() -> None:
    rows = shared("data/healthbench_rubrics/items.jsonl").read_text(encoding="utf-8").splitlines()
    findings = [lint(from_healthbench(json.loads(row))) for row in rows]
    assert all(any(f.rule == "no-pass-mark" for f in found) for found in findings)
