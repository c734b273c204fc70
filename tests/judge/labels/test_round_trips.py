"""What is written is read back: everything in our own forms, and of other tools' what they can hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.label import Label
from judge.adapters.labels import FORMS, read_labels, write_labels
from judge.adapters.labels.reading import written
from judge.errors import InputError
from tests.judge.labels.making import labels, sampled

FOLDERS = settings(max_examples=25, deadline=None)
Keep = Callable[[Label], dict[str, Any]]


def through(path: Path, form: str, given: Iterable[Label]) -> list[Label]:
    write_labels(given, path, form)
    return [label.model_copy(update={"place": ""}) for label in read_labels(path, form=form)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("labels")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_our_own_forms_keep_all(folder: Path, form: str) -> None:
    @FOLDERS
    @given(st.lists(labels(), min_size=1, max_size=4))
    def holds(some: list[Label]) -> None:
        assert through(folder / form, form, some) == some

    holds()


def comparable(given: Iterable[Label], *without: str) -> list[str]:
    """Labels as text in an order of their own, since tools group them by task and person."""
    return sorted(str(label.model_dump(mode="json", exclude={"place", *without})) for label in given)


@pytest.mark.parametrize(
    ("form", "lost"),
    [("label-studio", ()), ("langfuse", ()), ("mlflow", ()), ("argilla", ("at",))],
)
def test_other_tools_keep_answers_notes_people_and_sampling(folder: Path, form: str, lost: tuple[str, ...]) -> None:
    @FOLDERS
    @given(sampled(values=form != "argilla"))
    def holds(some: list[Label]) -> None:
        assert comparable(through(folder / form, form, some), *lost) == comparable(some, *lost)

    holds()


def test_two_answers_of_one_person_to_one_question_both_come_through(folder: Path) -> None:
    twice = [Label(episode="a", criterion="tone", rater="ann", level=level, note=level) for level in ("cold", "warm")]
    for form in ("csv", "jsonl", "label-studio", "langfuse", "mlflow"):
        assert comparable(through(folder / form, form, twice)) == comparable(twice)
    assert [x.level for x in through(folder / "argilla", "argilla", twice)] == ["cold", "warm"]


ONE_PERSON = [
    Label(episode="a", rater="ann", level="pass", note="fine", inclusion=0.5, stratum="s"),
    Label(episode="b", criterion="tone", rater="ann", level="4", note="warm"),
    Label(episode="b", criterion="share", rater="ann", value=1.0),
    Label(episode="b", rater="ann", level="fail"),
    Label(episode="c", rater="ann", value=0.0, used_for="tuning"),
]


def test_precomputed_scores_keep_one_persons_answers(folder: Path) -> None:
    assert comparable(through(folder / "scores.jsonl", "inspect", ONE_PERSON)) == comparable(ONE_PERSON)


def test_cases_of_scout_keep_answers_and_what_was_used_for_tuning(folder: Path) -> None:
    some = [x for x in ONE_PERSON if x.value is None]
    write_labels(some, folder / "cases.csv", "scout")
    text = (folder / "cases.csv").read_text()
    assert text == "id,target_overall,target_tone,split\na,true,,\nb,false,4,\n"
    overall = [
        Label(episode="a", rater="ann", level="pass", used_for="tuning"),
        Label(episode="b", rater="ann", value=0.5),
    ]
    assert written(overall, "scout")[0] == "id,target,split\na,true,dev\nb,0.5,\n"


def test_what_a_form_cannot_hold_is_given_back_with_the_reason(folder: Path) -> None:
    unsaid = Label(episode="a", rater="ann", level="cannot_tell")
    assert "Inspect has no word" in write_labels([unsaid], folder / "x", "inspect")[0].reason
    assert (
        "Scout takes for several"
        in write_labels([Label(episode="a,b", rater="ann", level="pass")], folder / "x", "scout")[0].reason
    )
    assert "no answer" in write_labels([Label(episode="a", rater="ann", value=0.5)], folder / "x", "argilla")[0].reason
    check = Label(episode="a", rater="check:state", level="pass", place="x line 2")
    for form in ("label-studio", "argilla", "langfuse", "mlflow", "inspect", "scout"):
        (left,) = write_labels([check], folder / "x", form)
        assert str(left) == "x line 2: of check:state, which is no person"


def test_inspect_refuses_what_it_would_have_to_choose_from(folder: Path) -> None:
    both = [Label(episode="a", rater=rater, level="pass") for rater in ("ann", "ben")]
    for form in ("inspect", "scout"):
        with pytest.raises(InputError, match="choose a person with --rater"):
            write_labels(both, folder / "x", form)


def test_every_form_can_be_read_and_all_but_the_benchmark_written(folder: Path) -> None:
    assert {name for name, form in FORMS.items() if form.writes is None} == {"healthbench"}
    with pytest.raises(InputError, match="is only read"):
        write_labels([], folder / "x", "healthbench")
    with pytest.raises(InputError, match="can't be written"):
        write_labels([], folder, "csv")
