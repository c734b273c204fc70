"""What can stand in a file of episodes, and what becomes of lines that can't be read."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from judge.episode import Episode
from judge.errors import InputError
from judge.reading import BadLine, read_episodes


def record(task: str = "t1", **more: Any) -> dict[str, Any]:
    return {"task_id": task, "steps": [{"t": 0, "action": {"tool": "reply", "args": {"text": "done"}}}], **more}


def read(path: Path | str, **more: Any) -> tuple[list[Episode], list[BadLine]]:
    bad: list[BadLine] = []
    return list(read_episodes(path, on_bad=bad.append, **more)), bad


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return path


ONE, TWO = json.dumps(record("t1")), json.dumps(record("t2"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", f"{ONE}\n{TWO}\n"),
        ("a.jsonl", f"{ONE}\n{TWO}"),
        ("a.jsonl", f"\n\n{ONE}\r\n   \r\n{TWO}\r\n"),
        ("a.jsonl", b"\xef\xbb\xbf" + f"{ONE}\n{TWO}\n".encode()),
        ("a.json", f"{ONE}\n{TWO}\n"),
        ("a.json", f"[{ONE}, {TWO}]"),
        ("a.json", json.dumps([record("t1"), record("t2")], indent=2)),
        ("a.json", json.dumps({"episodes": [record("t1"), record("t2")]}, indent=2)),
        ("a.json", json.dumps({"timestamp": 1, "simulations": [record("t1"), record("t2")]})),
        ("a.jsonl", json.dumps(record("t1"), indent=1) + "\n" + json.dumps(record("t2"), indent=1)),
        ("a.jsonl.gz", gzip.compress(f"{ONE}\n{TWO}\n".encode())),
        ("a.json.gz", gzip.compress(f"[{ONE},\n{TWO}]".encode())),
        ("noending", f"{ONE}\n{TWO}\n"),
    ],
    ids="lines no-last-newline blank-and-crlf bom lines-named-json list pretty-list episodes simulations pretty-records gz "
    "list-gz no-ending".split(),
)
def test_the_same_two_episodes_are_read_from_every_kind_of_file(
    tmp_path: Path, name: str, content: str | bytes
) -> None:
    episodes, bad = read(written(tmp_path / name, content))
    assert [e.task_id for e in episodes] == ["t1", "t2"]
    assert bad == []
    assert episodes[0].last_reply == "done"
    assert episodes[0].base_dir == tmp_path


def test_a_bad_line_is_reported_with_its_number_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", f'{ONE}\n\n{{"task_id": "x", "steps": [}}\nnull\n{TWO}\n{{"episode":"e7","sco')
    episodes, bad = read(path)
    assert [(e.task_id, e.line) for e in episodes] == [("t1", 1), ("t2", 5)]
    assert [b.line for b in bad] == [3, 4, 6]
    assert bad[0].source == str(path)
    assert "NoneType" in bad[1].message
    assert "cut off" in bad[2].message
    assert bad[2].raw == '{"episode":"e7","sco'


def test_a_cut_first_line_costs_only_itself(tmp_path: Path) -> None:
    episodes, bad = read(written(tmp_path / "a.jsonl", f'{{"task_id": "x", "steps": [\n{ONE}\n{TWO}\n'))
    assert [e.task_id for e in episodes] == ["t1", "t2"]
    assert [b.line for b in bad] == [1]


def test_a_list_that_is_cut_gives_what_came_before(tmp_path: Path) -> None:
    text = json.dumps([record("t1"), record("t2"), record("t3")], indent=1)
    episodes, bad = read(written(tmp_path / "a.json", text[: text.rindex('"t3"')]))
    assert [e.task_id for e in episodes] == ["t1", "t2"]
    assert len(bad) == 1
    assert bad[0].line > 20


def test_a_list_without_its_end_is_no_whole_list(tmp_path: Path) -> None:
    episodes, bad = read(written(tmp_path / "a.json", f"[{ONE},{TWO}"))
    assert len(episodes) == 2
    assert "closing" in bad[0].message


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"task_id": ' + "9" * 5000 + "}", "no JSON that can be read"),
        ('{"task_id": "x"}', "neither `steps` nor `messages`"),
        ('{"task_id": "x", "steps": 3}', "`steps` is int"),
        ('{"task_id": "x", "steps": [], "reward": "high"}', "reward"),
        ('{"task_id": "x", "steps": [], "reward": NaN}', "reward is NaN"),
        (
            '{"task_id": "x", "steps": [], "final_state": {"a": [{"b": -Infinity}]}}',
            "final_state.a[0].b is NaN or Infinity",
        ),
        ('{"task_id": "x", "steps": [], "reward": 1e999}', "reward"),
        ('{"task_id": "x", "steps": [], "goal_state": {"n": -1e999}}', "goal_state.n is NaN or Infinity"),
        (
            '{"task_id": "x", "steps": [{"t": 1, "text": "a"}, {"t": 1, "text": "b"}]}',
            "steps[0] and steps[1] both have t = 1",
        ),
        ('{"task_id": "x", "steps": [7]}', "steps[0] is int"),
        ('{"task_id": "x", "steps": [{"t": 1.5, "text": "a"}]}', "steps[0].t is '1.5', expected a whole number"),
        ('{"task_id": "x", "steps": [{"t": "one", "text": "a"}]}', "steps[0].t is 'one'"),
        ('{"task_id": "x", "steps": [{"by": "wizard", "text": "a"}]}', "'wizard'"),
        ('{"task_id": "x", "messages": [{"role": "wizard", "content": "a"}]}', "messages[0] has role 'wizard'"),
        ('{"task_id": "x", "messages": ["hello"]}', "messages[0] is text"),
        ('{"task_id": "x", "steps": [], "context": "text"}', "context"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_what_is_wrong_with_a_line_is_said(tmp_path: Path, line: str, why: str) -> None:
    episodes, bad = read(written(tmp_path / "a.jsonl", f"{ONE}\n{line}\n{TWO}\n"))
    assert [e.task_id for e in episodes] == ["t1", "t2"]
    assert [b.line for b in bad] == [2]
    assert why in bad[0].message
    assert len(bad[0].raw) <= 200


def test_a_nan_in_metadata_is_read_as_unknown(tmp_path: Path) -> None:
    line = '{"task_id": "x", "steps": [], "metadata": {"loss": NaN, "n": [1, Infinity, 1e999]}, "speed": NaN}'
    episodes, bad = read(written(tmp_path / "a.jsonl", line))
    assert bad == []
    assert episodes[0].metadata == {"loss": None, "n": [1, None, None], "speed": None}


def test_a_long_integer_keeps_every_digit(tmp_path: Path) -> None:
    line = '{"task_id": 123456789012345678901234567890, "steps": [], "final_state": {"n": [18446744073709551617]}}'
    episodes, _ = read(written(tmp_path / "a.jsonl", line))
    assert episodes[0].task_id == "123456789012345678901234567890"
    assert episodes[0].final_state == {"n": [18446744073709551617]}


def test_bytes_that_are_no_text_are_a_bad_line(tmp_path: Path) -> None:
    episodes, bad = read(written(tmp_path / "a.jsonl", ONE.encode() + b'\n{"task_id": "\xff\xfe"}\n' + TWO.encode()))
    assert len(episodes) == 2
    assert "UTF-8" in bad[0].message


def test_a_file_in_utf_16_says_how_to_save_it(tmp_path: Path) -> None:
    episodes, bad = read(written(tmp_path / "a.jsonl", ONE.encode("utf-16")))
    assert episodes == []
    assert "UTF-16" in bad[0].message


def test_a_line_of_more_than_64_mb_is_refused_and_the_next_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with path.open("w") as file:
        file.write(f'{ONE}\n{{"task_id": "big", "steps": [], "pad": "')
        for _ in range(65):
            file.write("x" * 2**20)
        file.write(f'"}}\n{TWO}\n')
    episodes, bad = read(path)
    assert [(e.task_id, e.line) for e in episodes] == [("t1", 1), ("t2", 3)]
    assert [b.line for b in bad] == [2]
    assert "64 MB" in bad[0].message


def test_a_compressed_file_that_breaks_off_keeps_what_came_before(tmp_path: Path) -> None:
    lines = "".join(json.dumps(record(f"t{i}", pad=str(hash(i)) * 50)) + "\n" for i in range(2000))
    whole = gzip.compress(lines.encode(), compresslevel=1)
    episodes, bad = read(written(tmp_path / "a.jsonl.gz", whole[: len(whole) // 2]))
    assert 0 < len(episodes) < 2000
    assert "breaks off" in bad[-1].message


def test_a_folder_is_read_file_by_file_in_order(tmp_path: Path) -> None:
    written(tmp_path / "b.jsonl", TWO)
    written(tmp_path / "a.json", f"[{ONE}]")
    written(tmp_path / "crm.sql", "CREATE TABLE t (x);")
    written(tmp_path / ".hidden.jsonl", ONE)
    (tmp_path / "tables").mkdir()
    written(tmp_path / "tables" / "orders.json", "[]")
    episodes, bad = read(tmp_path)
    assert [e.task_id for e in episodes] == ["t1", "t2"]
    assert bad == []


def test_a_folder_without_episodes_and_a_missing_file_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no episodes"):
        read_episodes(tmp_path, on_bad=print)
    with pytest.raises(InputError, match="no such file"):
        read_episodes(tmp_path / "none.jsonl", on_bad=print)


def test_an_empty_file_gives_nothing_and_no_complaint(tmp_path: Path) -> None:
    assert read(written(tmp_path / "a.jsonl", "\n \n")) == ([], [])


def test_the_standard_input_is_read_for_a_dash() -> None:
    episodes, bad = read("-", stdin=io.BytesIO(f"{ONE}\nx\n".encode()))
    assert [e.task_id for e in episodes] == ["t1"]
    assert str(bad[0]).startswith("stdin:2: ")


def test_repeats_of_a_task_are_numbered_and_trials_are_named(tmp_path: Path) -> None:
    rows = [record("t"), record("t"), record("t", trial=3), record("t"), record("t", trial=3), record(7)]  # type: ignore[arg-type]
    episodes, bad = read(written(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows))))
    assert [e.episode_id for e in episodes] == ["t", "t#2", "t/3", "t#3", "t/3#2", "7"]
    assert bad == []


def test_an_episode_id_given_twice_is_a_bad_line(tmp_path: Path) -> None:
    rows = [record("t", episode_id="a"), record("u", episode_id="a"), record("a")]
    episodes, bad = read(written(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows))))
    assert [e.episode_id for e in episodes] == ["a", "a#2"]
    assert [b.line for b in bad] == [2]
    assert "'a' is given twice" in bad[0].message


def test_ids_differ_over_the_files_of_a_folder(tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", ONE)
    written(tmp_path / "b.jsonl", ONE)
    assert [e.episode_id for e in read(tmp_path)[0]] == ["t1", "t1#2"]


def test_reading_many_lines_takes_no_more_memory_than_reading_few(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with path.open("w") as file:
        for i in range(3000):
            file.write(json.dumps(record(f"t{i}", pad="x" * 5000)) + "\n")
    tracemalloc.start()
    for _ in read_episodes(path, on_bad=print):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3_000_000 < path.stat().st_size


def test_a_lone_surrogate_and_a_nul_stay_in_the_record_and_break_nothing(tmp_path: Path) -> None:
    line = '{"task_id": "x", "steps": [{"text": "Thanks \\ud83d see you", "observation": "PK\\u0000"}]}'
    episodes, bad = read(written(tmp_path / "a.jsonl", line + '\n{"task_id": "\\ud83d\\u0000", "steps": 1}'))
    assert episodes[0].steps[0].text == "Thanks \ud83d see you"
    assert episodes[0].steps[0].observation == "PK\x00"
    assert bad[0].raw.encode()
    assert "\x00" not in bad[0].raw
