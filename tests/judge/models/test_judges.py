"""judge.toml, references and fingerprints."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.errors import InputError
from judge.judges import PROVIDERS, Judge, parse_reference, read_judges, resolve


@pytest.mark.parametrize(
    ("text", "provider", "name"),
    [
        ("openai/gpt-5-mini", "openai", "gpt-5-mini"),
        ("openai:gpt-5-mini", "openai", "gpt-5-mini"),
        ("openai:/gpt-5-mini", "openai", "gpt-5-mini"),
        ("litellm/openai/x", "litellm", "openai/x"),
        ("litellm:openai/x", "litellm", "openai/x"),
        ("openai/ft:gpt-4.1:org/x", "openai", "ft:gpt-4.1:org/x"),
        ("openai/Qwen/Qwen3-8B", "openai", "Qwen/Qwen3-8B"),
        ("scripted/pkg.mod:function", "scripted", "pkg.mod:function"),
        ("recorded/a/b.jsonl#strict", "recorded", "a/b.jsonl#strict"),
        ("recorded:/tmp/b.jsonl", "recorded", "tmp/b.jsonl"),
    ],
)
def test_a_reference_is_split_at_its_first_separator(text: str, provider: str, name: str) -> None:
    assert parse_reference(text) == (provider, name)


@given(provider=st.sampled_from(PROVIDERS), name=st.from_regex(r"[A-Za-z0-9][\w./:\-]{0,30}", fullmatch=True))
def test_the_three_spellings_mean_the_same(provider: str, name: str) -> None:
    assert parse_reference(f"{provider}/{name}") == parse_reference(f"{provider}:{name}")
    assert parse_reference(f"{provider}/{name}") == parse_reference(f"{provider}:/{name}")
    assert parse_reference(str(parse_reference(f"{provider}:{name}"))) == (provider, name)


@pytest.mark.parametrize("text", ["gpt-5-mini", "opnai/x", "", "/x", ":x", "OpenAI/x"])
def test_an_unknown_provider_is_told_with_those_there_are(text: str) -> None:
    with pytest.raises(InputError, match="openai, anthropic, litellm, local, recorded, scripted"):
        parse_reference(text)


@pytest.mark.parametrize("text", ["openai", "openai/", "openai: "])
def test_a_provider_without_a_model_is_told(text: str) -> None:
    with pytest.raises(InputError, match="no model"):
        parse_reference(text)


def written(tmp_path: Path, text: str) -> Path:
    """A judge.toml with that text."""
    path = tmp_path / "judge.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_judges_are_read_by_name(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        [judges.cheap]
        model = "openai:gpt-5-mini"
        base_url = "http://gpu:8000/v1"
        params = {temperature = 0}
        price = {input = 1, output = 2.5}
        [judges.strict]
        model = "anthropic/claude-sonnet-4-5"
        """,
    )
    judges = read_judges(path)
    assert list(judges) == ["cheap", "strict"]
    assert judges["cheap"].name == "cheap"
    assert judges["cheap"].reference == ("openai", "gpt-5-mini")
    assert judges["cheap"].price is not None
    assert judges["cheap"].price.cached_input is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[judges.a]\nmodel = "openai/x"\ntemprature = 0', ["'a'", "temprature", "is unknown"]),
        ("[judges.a]\nparams = {}", ["'a'", "model", "required"]),
        ('[judges.a]\nmodel = "nobody/x"', ["'a'", "model", "nobody", "openai"]),
        ('[judges.a]\nmodel = "openai/x"\nprice = {input = -1, output = 1}', ["'a'", "price.input"]),
        ('[judges.a]\nmodel = "openai/x"\nprice = {input = nan, output = 1}', ["'a'", "price.input"]),
        ('[judges.a]\nmodel = "openai/x"\nbase_url = "gpu:8000"', ["'a'", "base_url", "http"]),
        ('[judges.a]\nmodel = "openai/x"\nclient = "curl"', ["'a'", "client", "wire"]),
        ('[judges.a]\nmodel = "openai/x"\nwindow = 0', ["'a'", "window"]),
        ("judges = 3", ["tables"]),
        ("[judges]\na = 3", ["'a'", "table"]),
        ('[judge.a]\nmodel = "openai/x"', ["'judge'", "[judges.NAME]"]),
        ("[judges.a", ["not TOML"]),
    ],
)
def test_a_mistake_is_told_with_file_judge_and_key(tmp_path: Path, text: str, words: list[str]) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_judges(path)
    for word in [str(path), *words]:
        assert word in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"judge\.toml: can't be read"):
        read_judges(tmp_path / "judge.toml")


def test_a_judge_is_found_by_name_or_made_for_a_reference() -> None:
    known = {"mine": Judge(name="mine", model="openai/x", window=1000)}
    assert resolve("mine", known).window == 1000
    assert resolve("openai:y", known) == Judge(name="openai/y", model="openai:y")
    assert resolve("recorded/f.jsonl#strict").name == "strict"
    with pytest.raises(InputError, match=r"no judge 'yours' in judge\.toml \(it has mine\)"):
        resolve("yours", known)


@pytest.mark.parametrize(
    "change",
    [
        {"model": "openai/y"}, {"base_url": "http://h/v1"}, {"params": {"temperature": 0}}, {"template": "t"},
        {"window": 9}, {"max_output_tokens": 9}, {"batch": 1}, {"structured": "tool"}, {"logprobs": True},
    ],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_the_fingerprint_changes_with_all_that_can_change_an_answer(change: dict[str, object]) -> None:
    judge = Judge(name="a", model="openai/x")
    assert judge.model_copy(update=change).fingerprint != judge.fingerprint


def test_the_fingerprint_does_not_change_with_name_spelling_key_price_or_client() -> None:
    judge = Judge(name="a", model="openai/x")
    same = Judge.model_validate(
        {"name": "b", "model": "openai:x", "api_key_env": "K", "price": {"input": 1, "output": 1}, "client": "sdk"}
    )
    assert judge.fingerprint == same.fingerprint
