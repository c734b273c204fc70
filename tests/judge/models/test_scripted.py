"""Judges that are functions."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from judge.errors import InputError, JudgeError
from judge.judges import Judge
from judge.models.catalogue import connect
from judge.models.exchange import Model, Prompt, Reply
from judge.models.scripted import Scripted
from tests.judge.models.asking import prompt


def says_its_episode(asked: Prompt) -> str:
    """The episode's id."""
    return asked.episode_id


async def test_a_function_is_found_by_its_path() -> None:
    model = connect(Judge(name="x", model=f"scripted/{__name__}:says_its_episode"))
    assert isinstance(model, Model)
    assert model.offline
    reply = await model.ask(prompt(), timeout=None)
    assert (reply.text, reply.usage.usd) == ("e1", 0.0)


async def test_a_callable_may_give_text_or_a_reply_at_once_or_awaited() -> None:
    async def later(_prompt: Prompt) -> Reply:
        return Reply("b", model="m")

    assert (await Scripted(lambda _prompt: "a").ask(prompt(), timeout=None)).text == "a"
    assert (await Scripted(later).ask(prompt(), timeout=1)).model == "m"


async def test_a_function_that_takes_a_sample_is_told_which() -> None:
    model = Scripted(lambda _prompt, sample: str(sample))
    assert [(await model.ask(prompt(), timeout=None, sample=n)).text for n in (0, 2)] == ["0", "2"]


async def test_a_slow_function_meets_its_timeout() -> None:
    async def slow(_prompt: Prompt) -> str:
        await asyncio.sleep(5)
        return ""

    with pytest.raises(JudgeError) as caught:
        await Scripted(slow).ask(prompt(), timeout=0.01)
    assert caught.value.kind == "timeout"


async def test_a_function_fails_as_a_judge_does() -> None:
    def down(_prompt: Prompt) -> str:
        raise JudgeError("provider_error", "down")

    with pytest.raises(JudgeError, match="down"):
        await Scripted(down).ask(prompt(), timeout=None)


async def test_surrogates_are_cleaned_and_noted() -> None:
    reply = await Scripted(lambda _prompt: "odd \ud83d char").ask(prompt(), timeout=None)
    assert reply.text == "odd \ufffd char"
    assert reply.notes == ("lone surrogates replaced by U+FFFD",)


async def test_another_thing_than_text_is_refused() -> None:
    with pytest.raises(JudgeError, match="returned int, expected text or a Reply"):
        await Scripted(lambda _prompt: 3).ask(prompt(), timeout=None)  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nowhere.at_all:f", "can't import"),
        (f"{__name__}:nothing", "no function 'nothing'"),
        ("justname", "pkg.mod:func"),
    ],
)
def test_a_path_that_leads_nowhere_is_told(path: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Scripted(path)


async def test_what_the_function_raises_is_this_judges_failure() -> None:
    def boom(_prompt: Prompt) -> str:
        raise ValueError("boom")

    with pytest.raises(JudgeError, match="raised ValueError: boom") as raised:
        await Scripted(boom).ask(prompt(), timeout=None)
    assert (raised.value.kind, raised.value.passing) == ("provider_error", False)


async def test_functions_that_are_not_async_run_side_by_side() -> None:
    def slow(_prompt: Prompt) -> str:
        time.sleep(0.3)
        return "{}"

    begun = time.monotonic()
    await asyncio.gather(*(Scripted(slow).ask(prompt(), timeout=None) for _ in range(4)))
    assert time.monotonic() - begun < 1.0


def test_a_function_is_looked_up_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "judge_of_this_folder.py").write_text("def strict(prompt):\n    return '{}'\n")
    monkeypatch.chdir(tmp_path)
    assert Scripted("judge_of_this_folder:strict").reference == "scripted/judge_of_this_folder:strict"
