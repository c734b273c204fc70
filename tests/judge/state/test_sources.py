"""States are read from where they stand, never from elsewhere, and never as something empty."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from judge.state import Options, State, StateCache, StateUnavailable, compare, read_goal, read_state

DUMP = """
-- a snapshot; with a comment; and semicolons
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
/* tables; here */
CREATE TABLE refunds (id INTEGER PRIMARY KEY, order_id TEXT, amount NUMERIC, note TEXT);
INSERT INTO refunds VALUES(1,'O-1',48.0,'it''s; fine -- really');
INSERT INTO refunds VALUES(2,'O-2',NULL,x'00FF');
CREATE TRIGGER t AFTER INSERT ON refunds BEGIN DELETE FROM refunds; INSERT INTO refunds VALUES(9,'x',1,'y'); END;
INSERT INTO refunds VALUES(3,'O-3',20,'last');
COMMIT;
"""


def database(path: Path, script: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def refused(value: Any, said: str, **given: Any) -> None:
    with pytest.raises(StateUnavailable) as error:
        read_state(value, **given)
    assert said in str(error.value)
    assert error.value.kind == "state_unavailable"


def test_an_inline_state_is_the_value_itself() -> None:
    value: Any = {"orders": []}
    assert read_state(value).value is value


def test_a_sql_dump_is_loaded_with_its_noise_and_without_its_triggers(tmp_path: Path) -> None:
    (tmp_path / "crm.sql").write_text(DUMP)
    state = read_state("crm.sql", base_dir=tmp_path)
    assert state.value == {
        "refunds": [
            {"id": 1, "order_id": "O-1", "amount": 48, "note": "it's; fine -- really"},
            {"id": 2, "order_id": "O-2", "amount": None, "note": "x'00FF'"},
            {"id": 3, "order_id": "O-3", "amount": 20, "note": "last"},
        ]
    }
    assert state.identity == {"refunds": ("id",)}


@pytest.mark.parametrize(
    "statement",
    [
        "ATTACH DATABASE 'other.db' AS other",
        "SELECT load_extension('evil')",
        "CREATE VIRTUAL TABLE t USING fts5(a)",
        "INSERT INTO sqlite_schema VALUES (1,2,3,4,5)",
        "VACUUM INTO 'copy.db'; SELECT nothing",
        "CREATE TABLE a (x); INSERT INTO a SELECT zeroblob(900000000)",
        "CREATE TABLE public.orders (id int)",
        "nonsense",
    ],
)
def test_a_dump_that_reaches_further_than_its_tables_is_refused(tmp_path: Path, statement: str) -> None:
    (tmp_path / "crm.sql").write_text(f"CREATE TABLE ok (id);\n{statement};\n")
    refused("crm.sql", "crm.sql, line 2: SQLite refuses", base_dir=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["crm.sql"]


def test_a_dump_that_grows_without_end_is_stopped(tmp_path: Path) -> None:
    bomb = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) INSERT INTO t SELECT hex(zeroblob(500000)) FROM n"
    (tmp_path / "crm.sql").write_text(f"CREATE TABLE t (x);\n{bomb};\n")
    start = time.monotonic()
    refused("crm.sql", "line 2: SQLite refuses", base_dir=tmp_path)
    assert time.monotonic() - start < 60


def test_a_sqlite_file_is_read_whatever_its_name_and_not_written(tmp_path: Path) -> None:
    path = database(tmp_path / "snapshot.bin", DUMP.replace("PRAGMA foreign_keys=OFF;", ""))
    path.chmod(0o444)
    before = path.read_bytes()
    assert [row["id"] for row in read_state("snapshot.bin", base_dir=tmp_path).value["refunds"]] == [9]
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["snapshot.bin"]


def test_what_still_stands_in_the_journal_is_part_of_the_database(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "live.db")) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE t (a)")
        connection.execute("INSERT INTO t VALUES (1)")
        connection.commit()
        assert read_state("live.db", base_dir=tmp_path).value == {"t": [{"a": 1}]}


def test_rows_of_a_sql_table_go_by_its_primary_key_and_have_no_order_without_one(tmp_path: Path) -> None:
    one = "CREATE TABLE a (id INTEGER, x INTEGER, PRIMARY KEY (x, id)); CREATE TABLE b (v);"
    database(tmp_path / "one.db", one + "INSERT INTO a VALUES (1,5),(2,5); INSERT INTO b VALUES (1),(2),(2);")
    database(tmp_path / "two.db", one + "INSERT INTO a VALUES (2,5),(1,5); INSERT INTO b VALUES (2),(1),(2);")
    database(tmp_path / "off.db", one + "INSERT INTO a VALUES (2,5),(1,5); INSERT INTO b VALUES (2),(1),(1);")
    one_, two, off = (read_state(name, base_dir=tmp_path) for name in ("one.db", "two.db", "off.db"))
    assert one_.identity == {"a": ("x", "id"), "b": ()}
    assert compare(one_, two, one_).match
    assert not compare(one_, off, one_).match


def test_an_ignored_primary_key_leaves_a_set_of_rows(tmp_path: Path) -> None:
    make = "CREATE TABLE refunds (id INTEGER PRIMARY KEY, o TEXT);"
    database(tmp_path / "one.db", make)
    database(tmp_path / "two.db", make + "INSERT INTO refunds VALUES (907,'b'),(908,'a');")
    database(tmp_path / "goal.db", make + "INSERT INTO refunds VALUES (1,'a'),(2,'b');")
    one, two, goal = (read_state(name, base_dir=tmp_path) for name in ("one.db", "two.db", "goal.db"))
    assert compare(one, two, goal, Options.from_args({"ignore": ["refunds.id"]})).match
    assert not compare(one, two, goal).match


def test_a_folder_gives_a_table_for_each_file_and_guesses_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    (folder / "nested").mkdir(parents=True)
    (folder / "orders.csv").write_text('\ufeffid,zip,note\n1,01234,"a, b"\n2,1e5,\n', encoding="utf-8")
    (folder / "items.tsv").write_text("a\tb\n1\t2\n")
    (folder / "users.json").write_text('{"u1": {"name": "Ann"}}')
    (folder / "log.jsonl").write_text('{"a": 1}\n\n{"a": 2}\n')
    (folder / "config.toml").write_text("at = 2025-05-01\n[x]\ny = 1.5\n")
    (folder / "nested" / "more.json").write_text("[]")
    (folder / "README.md").write_text("not a table")
    (folder / ".hidden.json").write_text("broken")
    assert read_state("state", base_dir=tmp_path).value == {
        "orders": [{"id": "1", "zip": "01234", "note": "a, b"}, {"id": "2", "zip": "1e5", "note": ""}],
        "items": [{"a": "1", "b": "2"}],
        "users": {"u1": {"name": "Ann"}},
        "log": [{"a": 1}, {"a": 2}],
        "config": {"at": "2025-05-01", "x": {"y": 1.5}},
        "nested": {"more": []},
    }


def test_long_numbers_in_json_files_stay_exact(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('{"t": [12345678901234567890.12, 0.1, 123456789012345678901234567890]}')
    assert read_state("s.json", base_dir=tmp_path).value["t"] == [
        Decimal("12345678901234567890.12"),
        0.1,
        123456789012345678901234567890,
    ]


def test_a_workbook_gives_a_table_for_each_sheet(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "refunds"
    for row in (["id", "amount", "ok", "at"], [1, 48.5, True, None], [None] * 4, ["2", "x", False, None]):
        book.active.append(row)
    book.create_sheet("empty")
    book.save(tmp_path / "crm.xlsx")
    assert read_state("crm.xlsx", base_dir=tmp_path).value == {
        "refunds": [
            {"id": 1, "amount": 48.5, "ok": True, "at": None},
            {"id": "2", "amount": "x", "ok": False, "at": None},
        ],
        "empty": [],
    }
    book["refunds"]["B2"] = "=1+1"
    book.save(tmp_path / "crm.xlsx")
    refused("crm.xlsx", "sheet 'refunds', row 2: =1+1 has no value stored with it", base_dir=tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", "{", "not JSON"),
        ("a.json", '{"t": NaN}', "holds NaN"),
        ("a.json", '{"t": 1e999}', "NaN or an infinity"),
        ("a.json", "[" * 100_000, "nested too deeply"),
        ("a.json", "3", "expected an object of tables"),
        ("a.json", '{"t": ' + "9" * 5000 + "}", "holds a number that cannot be read"),
        ("a.json", b"\xff\xfe", "not UTF-8"),
        ("a.toml", "x = ", "not TOML"),
        ("a.toml", "x = nan", "NaN or an infinity"),
        ("a.sql", "", "holds no tables"),
        ("a.db", "", "holds no tables"),
        ("a.db", "SQLite format 3\0 and then rubbish", "SQLite cannot read it"),
        ("a.xlsx", "no zip", "not a workbook"),
        ("a.exe", "x", "of a kind that is not known"),
    ],
)
def test_a_file_that_cannot_be_read_says_which_and_why(tmp_path: Path, name: str, content: Any, said: str) -> None:
    if name.endswith(".xlsx"):
        pytest.importorskip("openpyxl")
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    refused(name, said, base_dir=tmp_path)
    with pytest.raises(StateUnavailable, match=rf"state {name}"):
        read_state(name, base_dir=tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "first line must name every column"),
        ("a,a\n1,2\n", "the column 'a' is there twice"),
        ("a,\n1,2\n", "first line must name every column"),
        ("a,b\n1,2,3\n", "line 2: has 3 cells under 2 columns"),
        ("a,b\n1\n", "line 2: has 1 cells under 2 columns"),
        ('a\n"x', "not CSV"),
    ],
)
def test_a_ragged_or_headless_csv_is_refused(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "t.csv").write_text(content)
    refused("s", said, base_dir=tmp_path)
    refused("s", "state s/t.csv", base_dir=tmp_path)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/etc/passwd", "absolute paths are refused"),
        ("C:\\state.db", "absolute paths are refused"),
        ("../secret.json", "leads out of the folder"),
        ("sub/../../secret.json", "leads out of the folder"),
        ("link.json", "leads out of the folder"),
        ("folder", "a link that leads out"),
        ("missing.json", "there is no such file"),
        ("", "give a path"),
        ("a\0b", "give a path"),
        ('{"t": []}', "JSON written as text"),
    ],
)
def test_a_path_stays_inside_the_folder_of_the_episodes(tmp_path: Path, path: str, said: str) -> None:
    inside = tmp_path / "episodes"
    (inside / "folder").mkdir(parents=True)
    (inside / "sub").mkdir()
    (tmp_path / "secret.json").write_text('{"t": []}')
    os.symlink(tmp_path / "secret.json", inside / "link.json")
    os.symlink(tmp_path / "secret.json", inside / "folder" / "t.json")
    refused(path, said, base_dir=inside)


def test_a_link_that_stays_inside_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text('{"t": []}')
    os.symlink(tmp_path / "real.json", tmp_path / "link.json")
    assert read_state("link.json", base_dir=tmp_path).value == {"t": []}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "the state is missing"),
        (3, "expected an object of tables"),
        ("s.json", "needs the folder it is relative to"),
        ({"$patch": []}, "nothing else"),
        ({"$base": "initial_state"}, "nothing else"),
        ({"$base": "initial_state", "$patch": [], "t": []}, "nothing else"),
        ({"$base": "initial_state", "$patch": []}, "the episode has no initial state"),
        ({"$base": 5, "$patch": []}, "$base is a path"),
    ],
)
def test_a_state_that_is_not_there_is_never_an_empty_one(value: Any, said: str) -> None:
    refused(value, said)


def test_a_base_is_read_once_for_many_episodes_and_shared(tmp_path: Path) -> None:
    (tmp_path / "db.json").write_text(json.dumps({"big": [{"id": n} for n in range(1000)], "small": {"a": 1}}))
    cache = StateCache()
    initial = read_state("db.json", base_dir=tmp_path, cache=cache)
    given = {"$base": "db.json", "$patch": [{"op": "replace", "path": "/small/a", "value": 2}]}
    final = read_state(given, base_dir=tmp_path, cache=cache)
    goal = read_goal(given, base_dir=tmp_path, cache=cache)
    assert final.value["big"] is initial.value["big"]
    assert initial.value["small"] == {"a": 1}
    assert compare(initial, final, goal).match


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    cache = StateCache()
    (tmp_path / "db.json").write_text('{"a": 1}')
    read_state("db.json", base_dir=tmp_path, cache=cache)
    (tmp_path / "db.json").write_text('{"a": 22}')
    assert read_state("db.json", base_dir=tmp_path, cache=cache).value == {"a": 22}


def test_a_boolean_that_a_patch_brings_or_moves_is_still_told_from_a_number() -> None:
    initial = State.of({"a": {"x": 1}, "b": {"y": True}})
    for operation in ({"op": "replace", "path": "/a/x", "value": True}, {"op": "copy", "from": "/b/y", "path": "/a/x"}):
        final = read_state({"$base": "initial_state", "$patch": [operation]}, initial=initial)
        assert not compare(initial, final, initial).match


def test_changes_that_nest_without_end_are_an_error_and_no_crash() -> None:
    initial = State.of({"a": {}})
    deep = [{"op": "add", "path": "/a" + "/x" * n, "value": {}} for n in range(1, 400)]
    given = {"$base": "initial_state", "$patch": deep}
    other = {"$base": "initial_state", "$patch": [*deep, {"op": "add", "path": deep[-1]["path"] + "/y", "value": 1}]}
    final, goal = (read_state(state, initial=initial) for state in (given, other))
    with pytest.raises(StateUnavailable, match="nested too deeply"):
        compare(initial, final, goal)
