"""Files that are damaged or made by others: never an exception of our own making, never a label out of thin air."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.adapters.labels import FORMS, read_labels
from judge.errors import InputError
from tests.judge.labels.real import EXPORTS

JUNK = st.sampled_from([None, "", "x", 0, 1.5, True, [], {}, [[]], [None], {"a": {}}, [{"value": []}], "C", ["C", "I"]])
FORM_OF = {
    path: {"label_studio": "label-studio"}.get(path.stem, path.stem.split("_")[0]) for path in sorted(EXPORTS.iterdir())
}


def places(value: Any, trail: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield trail
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield from places(item, (*trail, key))


def damaged(value: Any, trail: tuple[Any, ...], junk: Any) -> Any:
    if not trail:
        return junk
    broken = copy.deepcopy(value)
    inner = broken
    for key in trail[:-1]:
        inner = inner[key]
    inner[trail[-1]] = junk
    return broken


@pytest.mark.parametrize("path", list(FORM_OF), ids=lambda path: path.stem)
def test_an_export_with_anything_in_the_place_of_a_part_is_still_read_or_told(path: Path, tmp_path: Path) -> None:
    whole = json.loads(path.read_text())
    trails = list(places(whole))[1:]
    file = tmp_path / "x.json"

    @settings(max_examples=100, deadline=None)
    @given(st.sampled_from(trails), JUNK)
    def holds(trail: tuple[Any, ...], junk: Any) -> None:
        file.write_text(json.dumps(damaged(whole, trail, junk)))
        for label in read_labels(file, form=FORM_OF[path], on_bad=lambda _: None):
            assert label.episode
            assert label.rater.startswith("person:")

    holds()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("labels")


@settings(max_examples=100, deadline=None)
@given(
    st.binary(max_size=80) | st.text('abc,;\t"\n\r{}[]:1 episode_idraterlevel').map(str.encode),
    st.sampled_from(sorted(FORMS)),
)
def test_any_bytes_are_labels_or_one_sentence(folder: Path, content: bytes, form: str) -> None:
    path = folder / "strange"
    path.write_bytes(content)
    for named in (form, None):
        with suppress(InputError):
            list(read_labels(path, form=named, on_bad=lambda _: None))
