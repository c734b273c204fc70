"""Reading rubrics: what is refused, in which words; and that nothing a file holds can do harm."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from rubrics import RubricError, library, load
from rubrics.loading import MAX_BYTES, parse_text
from tests.rubrics.building import criterion, made

SMALL = "id: small\ncriteria:\n  - id: a\n    ask: Does it hold?\n"


def written(folder: Path, text: str, name: str = "r.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(content: dict[str, Any]) -> str:
    with pytest.raises(RubricError) as refused:
        load(content)
    return str(refused.value)


# Where a rubric comes from


def test_a_rubric_is_loaded_from_yaml_json_mapping_id_and_path_alike(tmp_path: Path) -> None:
    as_yaml = written(tmp_path, SMALL)
    as_json = written(
        tmp_path, json.dumps({"id": "small", "criteria": [{"id": "a", "ask": "Does it hold?"}]}), "r.json"
    )
    rubric = load(as_yaml)
    assert (
        load(str(as_yaml))
        == load(as_json)
        == load({"id": "small", "criteria": [{"id": "a", "ask": "Does it hold?"}]})
        == rubric
    )
    assert load(rubric) is rubric


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"id": "small", "criteria": [{"id": "a", "ask": "q"}]}).encode())
    assert load(path).id == "small"


@pytest.mark.parametrize("rubric_id", sorted(library()))
def test_every_library_rubric_loads_under_the_id_that_it_has(rubric_id: str) -> None:
    assert load(rubric_id).id == rubric_id


def test_a_misspelt_library_id_is_met_with_the_near_one() -> None:
    with pytest.raises(RubricError, match=r"no rubric 'refund_repl' in the library; did you mean refund_reply\?"):
        load("refund_repl")


def test_what_is_no_rubric_at_all_is_refused_in_a_sentence() -> None:
    with pytest.raises(RubricError, match="a rubric is a mapping, a file or the id of a library rubric, got int"):
        load(7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds nothing, expected a mapping with `id` and `criteria`"),
        ("- a\n- b\n", "holds a list, expected a mapping"),
        ("id: [a\n", "line 2, column 1"),
        ("id: a\n---\nid: b\n", "single document"),
        ("id: a\nid: b\n", "line 2, column 1: the key 'id' is given twice"),
        ("? [a, b]\n: c\n", "a key must be a plain word"),
        ("a: &x [1]\nb: *x\n", "line 1, column 4: anchors and aliases are not allowed"),
        ("a: !!python/object/apply:os.system ['true']\n", "the tag 'tag:yaml.org,2002:python/object/apply:os.system' is not allowed"),
        ("a: !x 1\n", "the tag '!x' is not allowed"),
        ("".join(" " * i + "a:\n" for i in range(500)), "is nested too deeply"),
        ("- " * 5000, "is nested too deeply"),
        ("[" * 100_000, "nest"),
        ("{a: " * 100_000, "nest"),
    ],
    ids=["empty", "list", "broken", "two documents", "repeated", "complex key", "anchor", "python tag", "own tag", "blocks",
         "dashes", "brackets", "braces"],
)  # fmt: skip
def test_yaml_that_is_broken_or_could_do_harm_is_refused_with_its_place(
    text: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(RubricError) as refused:
        load(written(tmp_path, text))
    assert message in str(refused.value)
    assert "r.yaml" in str(refused.value)


def test_a_bomb_of_aliases_is_refused_at_its_first_anchor(tmp_path: Path) -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)
    )
    with pytest.raises(RubricError, match="line 1, column 4: anchors and aliases are not allowed"):
        load(written(tmp_path, bomb))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "a", "id": "b"}', "the key 'id' is given twice"),
        ("[" * 100_000, "nested too deeply"),
        ("{", "line 1 column 2"),
    ],
    ids=["repeated", "deep", "broken"],
)
def test_broken_json_is_refused(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(RubricError, match=message):
        load(written(tmp_path, text, "r.json"))


def test_huge_missing_and_endless_files_are_refused_before_they_are_read(tmp_path: Path) -> None:
    with pytest.raises(RubricError, match=f"has {MAX_BYTES + 20} bytes; at most {MAX_BYTES} are read"):
        load(written(tmp_path, "#" * (MAX_BYTES + 20)))
    with pytest.raises(RubricError, match="no such file"):
        load(tmp_path / "absent.yaml")
    with pytest.raises(RubricError, match="is no file"):
        load(tmp_path)
    if os.path.exists("/dev/zero"):
        with pytest.raises(RubricError, match="is no file"):
            load(Path("/dev/zero"))


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_bytes(b"id: \xff\xfe\x00")
    with pytest.raises(RubricError, match="can't be read as UTF-8 text"):
        load(path)


def test_the_last_of_very_many_keys_is_found_to_be_repeated() -> None:
    keys = [f"k{i}: 1" for i in range(60_000)]  # comparing each with each would take minutes
    with pytest.raises(RubricError, match="line 60001, column 1: the key 'k7' is given twice"):
        parse_text("\n".join([*keys, "k7: 2"]), where="keys")


# Words that other YAML readers take for something else


@pytest.mark.parametrize(
    "word", ["yes", "no", "on", "off", "y", "n", "Yes", "NO", "12:30:00", "2024-01-01", "0x1F", "0123", "1_000", "="]
)
def test_a_plain_word_stays_the_text_that_it_is(word: str) -> None:
    assert parse_text(f"a: {word}", where="x") == {"a": word}


@pytest.mark.parametrize(
    ("written_as", "value"),
    [
        ("1", 1),
        ("-3", -3),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("2.", 2.0),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
    ],
)
def test_numbers_truth_values_and_null_are_read_as_such(written_as: str, value: object) -> None:
    found = parse_text(f"a: {written_as}", where="x")["a"]
    assert found == value
    assert type(found) is type(value)


def test_levels_named_yes_and_no_need_no_quotes(tmp_path: Path) -> None:
    text = SMALL + "    levels: [{name: no, value: 0}, {name: yes, value: 1}]\n    examples: [{reply: r, level: yes}]\n"
    assert [level.name for level in load(written(tmp_path, text)).leaves[0].levels] == ["no", "yes"]


def test_level_names_that_another_reader_turned_into_truth_values_are_explained() -> None:
    message = refusal(
        {"id": "x", "criteria": [criterion("a", levels=[{"name": False, "value": 0}, {"name": True, "value": 1}])]}
    )
    assert "criterion 'a', level 1, name: is the truth value False, not text; put it in quotes" in message


# What is wrong with the content: criterion, field, what was found, what was expected


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"wieght": 2}, "criterion 'a', wieght: unknown key; did you mean weight?"),
        ({"scal": "1-5"}, "criterion 'a', scal: unknown key; did you mean scale?"),
        ({"question": "q"}, "criterion 'a', question: unknown key; did you mean ask?"),
        ({"zzz": 2}, "criterion 'a', zzz: unknown key; known are id, ask, levels"),
        ({"weight": "2"}, "criterion 'a', weight: must be a number, got '2' (write it without quotes)"),
        ({"weight": "heavy"}, "criterion 'a', weight: must be a number, got 'heavy'"),
        ({"weight": True}, "criterion 'a', weight: must be a number, got True"),
        ({"weight": None}, "criterion 'a', weight: must be a number, got None"),
        ({"weight": float("nan")}, "criterion 'a', weight: must be a finite number, got nan"),
        ({"weight": float("inf")}, "criterion 'a', weight: must be a finite number, got inf"),
        ({"weight": 1e12}, "criterion 'a', weight: must be at most 1e+09, got 1000000000000.0"),
        ({"weight": 10**400}, "criterion 'a', weight: must be a number, got 1000"),
        ({"weight": 1e-300}, "criterion 'a', weight: is too small to count"),
        ({"if_unknown": "ignore"}, "criterion 'a', if_unknown: must be one of 'against', 'missing' or 'exclude', got 'ignore'"),
        ({"evidence": ["reply"]}, "criterion 'a', evidence.0: must be one of 'transcript', 'policy'"),
        ({"evidence": []}, "criterion 'a': `evidence` is empty"),
        ({"tags": "tone"}, "criterion 'a', tags: must be a list, got 'tone' (write [tone])"),
        ({"require_quote": "perhaps"}, "criterion 'a', require_quote: must be true or false, got 'perhaps'"),
        ({"ask": 5}, "criterion 'a', ask: must be text, got 5 (put it in quotes)"),
        ({"ask": "  "}, "criterion 'a': has neither `ask` (a question for judges) nor `check`"),
        ({"gate": []}, "criterion 'a': `gate` must be true, false or the name of a level, got []"),
        ({"gate": "maybe"}, "criterion 'a': gate 'maybe' is no level of its scale ['no', 'yes']"),
        ({"gate": "no"}, "criterion 'a': gate 'no' is the lowest level, so it could never close"),
        ({"gate": True, "weight": -1}, "criterion 'a': is a gate and a penalty"),
        ({"check": "state"}, "criterion 'a', check: must be a mapping, got 'state'"),
        ({"check": {"tables": ["x"]}}, "criterion 'a', check, name: is missing"),
        ({"check": {"name": "says", "numbers": [float("nan")]}}, "criterion 'a', check, args: holds nan"),
        ({"check": {"name": "says", "{{ x }}": 1}}, "criterion 'a', check, args: the key '{{ x }}' holds a template"),
        ({"check": {"name": "says", "words": ["{{ x.upper() }}"]}}, "criterion 'a', check, args: Call is not allowed"),
        ({"shadows": {"x": float("inf")}}, "criterion 'a': holds inf"),
        ({"applies_if": "{{ a }}"}, "criterion 'a': '{{ a }}' is an expression already: leave the braces out"),
        ({"levels": [{"name": "x", "value": 1}]}, "criterion 'a': has 1 level(s); a scale needs at least two"),
        ({"levels": [{"name": "x"}, {"name": "y", "value": 1}]}, "criterion 'a', level 'x', value: is missing"),
        ({"levels": [{"name": "x", "value": 0}, {"name": "y", "value": 4}]}, "criterion 'a', level 'y', value: must be at most 1, got 4"),
        ({"levels": [{"name": "x", "value": 1}, {"name": "y", "value": 0}]}, "criterion 'a': level values must rise"),
        ({"levels": [{"name": "x", "value": 0}, {"name": "y", "value": 1e-9}]}, "criterion 'a': level values must rise"),
        ({"levels": [{"name": "x", "value": 0}, {"name": " X", "value": 1}]}, "criterion 'a': level names must differ"),
        ({"levels": [{"name": "x", "value": 0}, {"name": "y\u200b", "value": 1}]}, "characters that nobody sees"),
        ({"levels": [{"name": "x", "value": 0}, {"name": "Cannot tell", "value": 1}]}, "level name 'Cannot tell' is reserved"),
        ({"levels": [{"name": "x", "value": 0, "weight": 1}]}, "criterion 'a', level 'x', weight: unknown key"),
        ({"scale": "1-500"}, "criterion 'a': scale '1-500' must rise, by at most 100 steps"),
        ({"scale": "five"}, "criterion 'a': scale 'five' is not like '1-5'"),
        ({"scale": "1-5", "levels": []}, "criterion 'a': give either `levels` or `scale`, not both"),
        ({"examples": [{"reply": "r", "level": "maybe"}]}, "criterion 'a': an example has level 'maybe', expected one of ['no', 'yes']"),
        ({"id": "a b"}, "criterion 'a b', id: must be 1 to 128 letters, digits and _ . : -"),
        ({"id": 7}, "criterion 1, id: must be text, got 7 (put it in quotes)"),
    ],
    ids=lambda value: str(next(iter(value.items())))[:60] if isinstance(value, dict) else None,
)  # fmt: skip
def test_a_fault_is_named_with_its_criterion_and_field(more: dict[str, Any], message: str) -> None:
    found = refusal({"id": "x", "criteria": [criterion("a") | more]})
    assert message in found
    assert found.startswith("inline rubric 'x': ")
    assert "pydantic" not in found
    assert "validation error" not in found


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"criteria": [criterion("a")]}, "id: is missing"),
        ({"id": "Refund Reply", "criteria": [criterion("a")]}, "id: must be small letters, digits and _"),
        ({"id": "x", "criteria": {"a": 1}}, "criteria: must be a list, got a mapping"),
        ({"id": "x", "criteria": ["a"]}, "criterion 1: must be a mapping, got 'a'"),
        ({"id": "x", "criteria": [criterion("a")], "pass_mark": 70}, "pass_mark: must be at most 1, got 70"),
        ({"id": "x", "criteria": [criterion("a")], "threshold": 0.7}, "threshold: unknown key; did you mean pass_mark?"),
        ({"id": "x", "criteria": [criterion("a"), criterion("a")]}, "id 'a' is given twice; ids must differ"),
        ({"id": "x", "sections": [{"id": "s"}]}, "section 's': holds no criteria and no sections"),
        ({"id": "x", "sections": [{"id": "s", "criteria": [criterion("a", weigth=1)]}]},
         "section 's', criterion 'a', weigth: unknown key; did you mean weight?"),
        ({"id": "x", "criteria": [criterion("a")], "sections": [{"id": "a", "criteria": [criterion("b")]}]}, "id 'a' is given twice"),
        ({"id": "x", "criteria": [criterion(f"c{i}") for i in range(5001)]}, "holds 5001 criteria; at most 5000 are allowed"),
    ],
    ids=["no id", "bad id", "mapping", "text", "per cent", "foreign key", "twice", "empty section", "inside", "section id", "too many"],
)  # fmt: skip
def test_a_fault_of_the_whole_is_named(content: dict[str, Any], message: str) -> None:
    assert message in refusal(content)


def test_many_faults_are_told_at_once_but_not_all() -> None:
    message = refusal({"id": "x", "criteria": [criterion(f"c{i}", wieght=1) for i in range(9)]})
    assert message.count("did you mean weight?") == 5
    assert message.endswith("and 4 more")


@pytest.mark.parametrize("written_as", [".nan", ".inf", "-.inf", "true", "'2'", "heavy"])
def test_G02_a_weight_that_is_no_finite_number_is_a_load_error(written_as: str, tmp_path: Path) -> None:
    text = f"id: x\ncriteria:\n  - {{id: a, ask: q, weight: {written_as}}}\n  - {{id: b, ask: q}}\n"
    with pytest.raises(RubricError, match=r"r\.yaml: criterion 'a', weight: must be a (finite )?number"):
        load(written(tmp_path, text))


@pytest.mark.parametrize("written_as", ["NaN", "Infinity", "-Infinity", "1e999", "true", '"2"'])
def test_G02_the_same_in_json(written_as: str, tmp_path: Path) -> None:
    text = '{"id": "x", "criteria": [{"id": "a", "ask": "q", "weight": ' + written_as + "}]}"
    with pytest.raises(RubricError, match=r"r\.json: criterion 'a', weight: must be a (finite )?number"):
        load(written(tmp_path, text, "r.json"))


@pytest.mark.parametrize("depth", [60, 1_000, 100_000])
def test_sections_nested_too_deeply_are_refused_in_a_short_sentence(depth: int) -> None:
    section: dict[str, Any] = {"id": "s", "criteria": [criterion("a")]}
    for level in range(depth):
        section = {"id": f"s{level}", "sections": [section]}
    assert refusal({"id": "x", "sections": [section]}) == "inline rubric 'x': sections are nested more than 50 deep"


def test_arguments_nested_too_deeply_are_refused() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    assert "criterion 'a'" in refusal(
        {"id": "x", "criteria": [criterion("a", check={"name": "state", "tables": deep})]}
    )


def test_weights_that_sum_to_zero_are_fine() -> None:
    assert made(criterion("a", weight=3), criterion("b", weight=-3)).shares == {"a": 3, "b": -3}


def test_numbers_may_name_levels_and_versions() -> None:
    rubric = load(
        {
            "id": "x",
            "version": 2,
            "criteria": [criterion("a", levels=[{"name": 0, "value": 0}, {"name": 0.5, "value": 1}])],
        }
    )
    assert rubric.version == "2"
    assert [level.name for level in rubric.leaves[0].levels] == ["0", "0.5"]
