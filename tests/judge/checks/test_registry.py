"""Checks by name: refused before anything is spent, or answered with a verdict or a failure."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from judge.checks import CHECKS, CheckSettings, check, validate_checks
from judge.checks.registry import find
from rubrics import library, load
from rubrics.criterion import Criterion
from rubrics.errors import RubricError
from rubrics.rubric import Rubric
from tests.judge.checks.episodes import criterion, failure, said


def rubric(name: str, **args: Any) -> Rubric:
    asked = criterion(name, **args)
    return Rubric(id="r", criteria=(asked,))


@pytest.mark.parametrize(
    ("name", "args", "why"),
    [
        ("sayz", {}, "there is no check 'sayz'; did you mean 'says'?"),
        ("says", {"number": [1]}, "has no argument 'number'; it takes numbers, words, any_of, in, not"),
        ("says", {}, "gives nothing to look for"),
        ("says", {"numbers": ["5-7 days"]}, "'5-7 days' is not one number"),
        ("says", {"words": ["—"]}, "holds no word"),
        ("says", {"numbers": [1], "in": "reply"}, "in: "),
        ("says", {"numbers": [1], "decimal": ";"}, "decimal"),
        ("called", {}, "needs the argument 'tool'"),
        ("called", {"tool": ""}, "is empty"),
        ("called", {"tool": "a", "times": -1}, "0 or more"),
        ("regex", {"pattern": "(a"}, "is no regular expression"),
        ("length", {}, "neither `min` nor `max`"),
        ("length", {"min": 5, "max": 1}, "above"),
        ("length", {"max": 5, "unit": "pages"}, "unit"),
        ("language", {"is": "klingon"}, "'klingon' is no language"),
        ("path", {"at": "$.[["}, "is no JSONPath"),
        ("path", {"at": "$.a", "equals": 1, "count": 1}, "give one of"),
        ("sql", {"query": "DELETE FROM refunds", "equals": 1}, "SELECT"),
        ("sql", {"query": "SELECT 1; DROP TABLE x", "equals": 1}, "SELECT"),
        ("sql", {"query": "SELEC 1", "equals": 1}, "one SELECT that only reads"),
        ("sql", {"query": "SELECT FROM WHERE", "equals": 1}, "syntax error"),
        ("sql", {"query": "SELECT 1"}, "give one of `equals`, `rows` and `exists`, not none"),
        ("json_schema", {"schema": {"type": "objekt"}}, "schema: 'objekt' is not valid"),
        ("json_schema", {"schema": {"pattern": "(a"}}, "'(a' is not a 'regex'"),
        ("cell", {"file": "a.xlsx", "cell": "B0", "equals": 1}, "'B0' is no cell"),
        ("cell", {"file": "a.xlsx", "cell": "B2"}, "neither `equals` nor `formula`"),
        ("outcome", {"of": "steps"}, "of: "),
        ("outcome", {"equals": 1, "at_least": 1}, "not both"),
        ("python", {"function": "os.system"}, "function: "),
        ("state", {"table": ["refunds"]}, "did you mean 'tables'?"),
        ("state", {"tolerance": {"a.b": "x"}}, "tolerance"),
    ],
)
def test_a_check_that_can_not_work_is_refused_at_load(name: str, args: dict[str, Any], why: str) -> None:
    with pytest.raises(RubricError) as raised:
        validate_checks(rubric(name, **args))
    assert "rubric 'r', criterion 'c'" in str(raised.value)
    assert why in str(raised.value)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("says", {"numbers": ["{{ amount }}"], "words": "{{ present }}"}),
        ("called", {"tool": "{{ tool }}", "times": "{{ n }}"}),
        ("path", {"at": "$.t[?(@.id == '{{ id }}')].note", "exists": True}),
        ("sql", {"query": "SELECT {{ column }} FROM t", "equals": "{{ total }}"}),
        ("cell", {"file": "{{ f }}", "cell": "{{ c }}", "equals": "{{ total }}", "tolerance": "{{ t }}"}),
        ("language", {"is": "{{ language }}"}),
        ("regex", {"pattern": "({{ id }}"}),
        ("length", {"max": "{{ n }}"}),
        ("state", {"tables": ["refunds"], "ignore": "{{ ignored }}"}),
    ],
)
def test_what_is_still_to_be_filled_in_is_not_refused(name: str, args: dict[str, Any]) -> None:
    validate_checks(rubric(name, **args))


def test_a_template_excuses_only_its_own_argument() -> None:
    with pytest.raises(RubricError, match="has no argument 'number'"):
        validate_checks(rubric("says", words=["{{ name }}"], number=[1]))


@pytest.mark.parametrize("name", sorted(library()))
def test_every_check_of_the_library_is_sound(name: str) -> None:
    validate_checks(load(name))


def test_code_that_is_not_allowed_is_refused_at_load() -> None:
    asked = rubric("python", function="math:floor")
    validate_checks(asked)
    with pytest.raises(RubricError, match="--allow-code"):
        validate_checks(asked, CheckSettings())
    validate_checks(asked, CheckSettings(allow_code=True))
    with pytest.raises(RubricError, match="can't import nowhere:f"):
        validate_checks(rubric("python", function="nowhere:f"), CheckSettings(allow_code=True))


def test_an_argument_that_was_filled_in_badly_is_a_failure_of_the_check() -> None:
    kind, message = failure("says", said("hi"), numbers=["about forty"])
    assert kind == "check_error"
    assert "'about forty' is not one number" in message


def test_a_criterion_for_judges_is_no_business_of_checks() -> None:
    with pytest.raises(ValueError, match="it is for judges"):
        check(said("hi"), Criterion(id="c", ask="Is it kind?"), CheckSettings())


def test_every_check_of_the_contract_is_there() -> None:
    names = "state sql path says called not_called regex length language json_schema cell outcome python".split()
    assert sorted(CHECKS) == sorted(names)


ADDED = """
from judge.checks import Arguments, Finding


class Shouting(Arguments):
    most: int = 0


def shouting(episode, args: Shouting, settings):
    count = (episode.last_reply or "").count("!")
    return Finding(float(count <= args.most), f"{count} exclamation marks")


def plain(episode, args, settings):
    return Finding(0.25, f"got {sorted(args)}")


def broken(episode, args, settings):
    raise RuntimeError("no luck")


def wrong(episode, args, settings):
    return 1.0
"""


@pytest.fixture
def added_checks(tmp_path: Path) -> Any:
    """A package that adds checks, installed as far as its entry points go."""
    (tmp_path / "added_checks.py").write_text(ADDED)
    info = tmp_path / "added_checks-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: added-checks\nVersion: 1\n")
    names = "shouting plain broken wrong gone".split()
    (info / "entry_points.txt").write_text(
        "[rubric_judge.checks]\n" + "".join(f"{n} = added_checks:{n}\n" for n in names)
    )
    sys.path.insert(0, str(tmp_path))
    yield
    sys.path.remove(str(tmp_path))
    sys.modules.pop("added_checks", None)


def test_a_package_adds_checks_by_entry_point(added_checks: None) -> None:
    validate_checks(rubric("shouting", most=1))
    with pytest.raises(RubricError, match="has no argument 'least'; it takes most"):
        validate_checks(rubric("shouting", least=1))
    checked = check(said("Done!!"), criterion("shouting", most=1), CheckSettings())
    assert checked.verdict is not None
    assert (checked.verdict.rater, checked.verdict.value, checked.verdict.reason) == (
        "check:shouting",
        0.0,
        "2 exclamation marks",
    )
    plain = check(said("x"), criterion("plain", a=1), CheckSettings())
    assert plain.verdict is not None
    assert plain.verdict.reason == "got ['a']"


def test_an_added_check_that_fails_ends_nothing(added_checks: None) -> None:
    assert failure("broken", said("x")) == ("check_error", "c: RuntimeError: no luck")
    assert "expected a Finding" in failure("wrong", said("x"))[1]
    with pytest.raises(RubricError, match="can't be loaded"):
        find("gone")


def test_a_verdict_goes_into_json() -> None:
    checked = check(said("48"), criterion("says", numbers=[48]), CheckSettings())
    assert checked.verdict is not None
    assert json.loads(checked.verdict.model_dump_json())["level"] == "yes"
