"""Our own CSV and JSON Lines: what is tolerated, and what is named with its line and what to do."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path

import pytest

from calibration.errors import LabelError
from calibration.label import Label
from judge.adapters.labels import BadRow, LeftOut, Naming, Told, labels_from, read_labels
from judge.errors import InputError
from rubrics.loading import load


def given(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path: Path, **naming: object) -> tuple[list[Label], list[BadRow], list[str]]:
    bad: list[BadRow] = []
    told: list[LeftOut | Told] = []
    found = list(read_labels(path, on_bad=bad.append, tell=told.append, naming=Naming(**naming)))  # type: ignore[arg-type]
    return found, bad, [str(remark) for remark in told]


def test_a_table_gives_labels_with_the_lines_they_stand_on(tmp_path: Path) -> None:
    text = (
        "episode_id,criterion,rater,level,value,note,inclusion_probability,stratum,at,used_for\n"
        'a1,amount,ann,yes,,"two\nlines",0.25,passes,2026-03-31T14:05:00+02:00,tuning\n'
        "a1,,ben,,0.8,,,,,\n"
    )
    found, bad, _ = read(given(tmp_path / "labels.csv", text))
    assert not bad
    assert found == [
        Label(
            episode="a1", criterion="amount", rater="ann", level="yes", note="two\nlines", inclusion=0.25, stratum="passes",
            at=datetime(2026, 3, 31, 12, 5, tzinfo=UTC), used_for="tuning", place="labels.csv line 2",
        ),
        Label(episode="a1", rater="ben", value=0.8, place="labels.csv line 4"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfepisode_id,rater,level\na1,ann,pass\n",
        b"episode_id;rater;level\na1;ann;pass\n",
        b"episode_id\trater\tlevel\r\n\r\na1\tann\tpass\r\n;\r\n",
        b"sep=;\nepisode_id;rater;level\na1;ann;pass\n",
        "episode_id\trater\tlevel\na1\tann\tpass\n".encode("utf-16"),
        b"Episode ID,Rater, Level \n a1 , ann , Pass \n",
        b"episode,rater,label\na1,ann,pass\n",
        b'\n{"episode_id": "a1", "rater": "ann", "level": "pass"}\n',
        b'[{"episode_id": "a1", "rater": "ann", "level": true}]',
        gzip.compress(b"episode_id,rater,level\na1,ann,pass\n"),
    ],
    ids=[
        "BOM", "semicolons", "tabs, CRLF, blank rows", "sep line", "UTF-16", "blanks and case", "other spellings", "JSONL",
        "JSON list", "gzip",
    ],
)  # fmt: skip
def test_what_spreadsheets_and_people_write_is_tolerated(tmp_path: Path, content: bytes) -> None:
    found, bad, _ = read(given(tmp_path / "labels", content))
    assert [(x.episode, x.criterion, x.rater, x.level) for x in found] == [("a1", None, "person:ann", "pass")]
    assert all(row.place == "labels line 4" for row in bad)


@pytest.mark.parametrize(
    ("written", "level", "value"),
    [
        ("pass", "pass", None), ("TRUE", "pass", None), ("yes", "pass", None), ("1", "pass", None), ("1.0", "pass", None),
        ("fail", "fail", None), ("False", "fail", None), ("no", "fail", None), ("0", "fail", None), ("0.7", None, 0.7),
        ("Can not tell", None, None), ("cannot tell", "cannot_tell", None), ("Not-Applicable", "not_applicable", None),
    ],
)  # fmt: skip
def test_overall_answers_have_one_meaning_or_none(
    tmp_path: Path, written: str, level: str | None, value: float | None
) -> None:
    found, bad, _ = read(given(tmp_path / "x.csv", f"episode_id,rater,level\na1,ann,{written}\n"))
    if level is value is None:
        assert "expected pass, fail, cannot_tell, or a number from 0 to 1" in str(bad[0])
    else:
        assert [(x.level, x.value) for x in found] == [(level, value)]


@pytest.mark.parametrize(
    ("written", "level"), [("4", "4"), ("4.0", "4"), ("true", "yes"), ("No", "no"), ("warm", "warm"), ("0.5", "0.5")]
)
def test_a_level_of_a_criterion_is_taken_as_it_is_named(tmp_path: Path, written: str, level: str) -> None:
    found, _, _ = read(given(tmp_path / "x.csv", f"episode_id,criterion,rater,level\na1,tone,ann,{written}\n"))
    assert found[0].level == level


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (",amount,ann,yes,,,,", "no `episode_id`: say which episode"),
        ("a1,amount,,yes,,,,", "no `rater`: say whose answer it is, or name the person with --rater"),
        ("a1,amount,ann,,,,,", "neither `level` nor `value` is given; write cannot_tell"),
        ("a1,amount,ann,,1.5,,,", "`value` '1.5', expected a number from 0 to 1"),
        ("a1,amount,ann,,NaN,,,", "`value` 'NaN', expected a number from 0 to 1"),
        ("a1,amount,ann,yes,,0,,", "`inclusion_probability` '0', expected a number above 0 and at most 1"),
        ("a1,amount,ann,yes,,,31/03/2026,", "`at` '31/03/2026', expected a time such as 2026-03-31"),
        ("a1,amount,ann,yes,,,,tunning", "`used_for` 'tunning', expected tuning, example or nothing; did you mean tuning?"),
        ("a1,is it right?,ann,yes,,,,", "'is it right?' is no criterion's id; say which it is: --criterion NAME=ID"),
        ("a1,,ann,4,,,,", "overall answer '4', expected pass, fail, cannot_tell, or a number from 0 to 1; a rating belongs"),
        ("a1,,ann,pas,,,,", "did you mean pass?"),
        ("a1,amount,ann,yes,,,,,so, many", "has 10 cells where the header has 8; put a text that holds the separator in quotes"),
    ],
)  # fmt: skip
def test_a_bad_row_is_named_with_its_line_and_the_others_are_read(tmp_path: Path, row: str, message: str) -> None:
    head = "episode_id,criterion,rater,level,value,inclusion_probability,at,used_for"
    path = given(tmp_path / "labels.csv", f"{head}\na0,amount,ann,yes,,,,\n{row}\na2,amount,ann,no,,,,\n")
    found, bad, _ = read(path)
    assert [x.episode for x in found] == ["a0", "a2"]
    assert str(bad[0]).startswith("labels.csv line 3: ")
    assert message in str(bad[0])
    with pytest.raises(LabelError, match="line 3"):
        list(read_labels(path))


def test_a_quotation_mark_that_is_never_closed_is_told_where_it_opens(tmp_path: Path) -> None:
    _, bad, _ = read(given(tmp_path / "x.csv", 'episode_id,rater,level\na1,ann,pass\na2,"ann,pass\na3,ann,pass\n'))
    assert str(bad[0]).startswith("x.csv line 3: a quotation mark opens")


def test_bad_lines_of_json_are_named_too(tmp_path: Path) -> None:
    text = '{"episode_id": "a1", "rater": "ann", "level": "pass"}\n{"episode_id": \n[1]\n{"episode_id": {}, "rater": "ann", "level": 1}\n'
    found, bad, _ = read(given(tmp_path / "x.jsonl", text))
    assert len(found) == 1
    assert [row.place for row in bad] == ["x.jsonl line 2", "x.jsonl line 3", "x.jsonl line 4"]


def test_a_column_nobody_knows_is_told_once_with_what_may_be_meant(tmp_path: Path) -> None:
    _, _, told = read(
        given(tmp_path / "x.csv", "episode_id,rater,level,critrion,colour\na1,ann,pass,x,y\na2,ann,pass,x,y\n")
    )
    assert told[1:] == [
        "x.csv: column 'critrion' is not read; did you mean criterion?",
        "x.csv: column 'colour' is not read",
    ]
    rows = '{"episode_id": "a1", "rater": "ann", "level": 1, "comment": "x"}\n' * 2
    _, _, told = read(given(tmp_path / "x.jsonl", rows))
    assert told[1:] == ["x.jsonl: column 'comment' is not read; did you mean note?"]


def test_label_and_score_count_only_where_the_column_itself_is_not_there(tmp_path: Path) -> None:
    found, _, told = read(
        given(tmp_path / "x.csv", "episode_id,criterion,rater,label,level,score\na1,tone,ann,x,4,0.5\n")
    )
    assert (found[0].level, found[0].value) == ("4", 0.5)
    assert "column 'label' is not read" in told[1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("episode_id,annotator,level\na1,ann,pass\n", r"no column rater, found .*did you mean annotator\? Rename it, or name the person"),
        ("episode_id,rater,verdict\na1,ann,pass\n", r"no column level, .*did you mean verdict\? Rename it"),
        ("case,rater,level\na1,ann,pass\n", "no column episode_id, found case, rater, level; name it with --episode-field"),
        ("episode_id,rater,level,level\n", "column 'level' is there twice"),
        ("what is this?\n", "neither JSON nor a table with a header, which looks like no known form; say which with --from"),
        ('{"colour": 1}', "an object with colour, which looks like no known form"),
        ("", "is empty"),
        (b"PK\x03\x04...", "is an archive, as workbooks and Inspect's .eval logs are; save a workbook as CSV"),
        (b"\x1f\x8b...", "the compressed file is damaged"),
        (b"episode_id,rater,level\na1,\xff\xe4,pass\n", "line 2: is no UTF-8 text; save the file as CSV in UTF-8"),
    ],
)  # fmt: skip
def test_a_file_of_which_nothing_can_be_read_is_one_sentence(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        list(read_labels(given(tmp_path / "x.csv", content)))


def test_a_file_that_is_not_there_and_a_form_that_nobody_knows_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        list(read_labels(tmp_path / "none.csv"))
    with pytest.raises(InputError, match=r"form 'argila': .*did you mean argilla\?"):
        list(read_labels(given(tmp_path / "x.csv", "a\n"), form="argila"))


def test_the_caller_says_what_the_words_of_a_file_mean(tmp_path: Path) -> None:
    text = "case,episode_id,question,level\nc1,x,Is the amount stated?,not sure\nc1,x,Verdict,good\n".replace(
        "question", "criterion"
    )
    found, bad, _ = read(
        given(tmp_path / "x.csv", text), episode="case", rater="ann", criteria={"Is the amount stated?": "amount"},
        levels={"not sure": "cannot_tell", "good": "pass"}, overall=frozenset({"Verdict"}), used_for="example",
    )  # fmt: skip
    assert not bad
    assert [(x.episode, x.criterion, x.rater, x.level, x.used_for) for x in found] == [
        ("c1", "amount", "person:ann", "cannot_tell", "example"),
        ("c1", None, "person:ann", "pass", "example"),
    ]


RUBRIC = {
    "id": "r",
    "criteria": [
        {"id": "tone", "ask": "?", "levels": [{"name": "Cold", "value": 0}, {"name": "warm", "value": 1}]},
        {"id": "stars", "ask": "?", "scale": "1-5"},
        {"id": "share", "ask": "?", "scale": "0-1"},
    ],
}


@pytest.mark.parametrize(
    ("criterion", "written", "level", "value"),
    [
        ("tone", "cold", "Cold", None), ("tone", "true", "warm", None), ("tone", "0", "Cold", None), ("stars", "4.0", "4", None),
        ("share", "0.25", None, 0.25), ("share", "1", "1", None),
    ],
)  # fmt: skip
def test_with_a_rubric_answers_are_found_on_its_scales(
    tmp_path: Path, criterion: str, written: str, level: str | None, value: float | None
) -> None:
    path = given(tmp_path / "x.csv", f"episode_id,criterion,rater,level\na1,{criterion},ann,{written}\n")
    found, bad, _ = read(path, rubric=load(RUBRIC))
    assert not bad
    assert (found[0].level, found[0].value) == (level, value)


@pytest.mark.parametrize(
    ("criterion", "written", "message"),
    [
        ("tone", "lukewarm", r"'lukewarm' for 'tone', expected one of \['Cold', 'warm'\].*--level lukewarm=LEVEL"),
        ("stars", "7", r"'7' for 'stars', expected one of \['1', '2', '3', '4', '5'\]"),
        ("stars", "3.5", "expected one of"),
        ("stars", "true", "expected one of"),
        ("ton", "warm", r"'ton' is no criterion of rubric r; did you mean tone\?"),
    ],
)
def test_with_a_rubric_an_answer_off_the_scale_is_refused_with_its_row(
    tmp_path: Path, criterion: str, written: str, message: str
) -> None:
    """C06: a label outside the scale is refused with its row."""
    path = given(tmp_path / "x.csv", f"episode_id,criterion,rater,level\na1,{criterion},ann,{written}\n")
    with pytest.raises(LabelError, match=f"x.csv line 2: .*{message}"):
        list(read_labels(path, naming=Naming(rubric=load(RUBRIC))))


def test_without_a_file_the_labels_are_those_of_the_store(tmp_path: Path) -> None:
    path = given(tmp_path / "x.csv", "episode_id,rater,level\na1,ann,pass\n")
    assert [x.episode for x in labels_from(path, tmp_path / "j.db")] == ["a1"]
    with pytest.raises(InputError, match="the store holds no labels; put some in with `judge label import FILE`"):
        list(labels_from(None, tmp_path / "j.db"))
