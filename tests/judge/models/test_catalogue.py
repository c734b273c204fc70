"""Which judges can be used here."""

from __future__ import annotations

import pytest

from judge.errors import InputError
from judge.judges import PROVIDERS, Judge
from judge.models.catalogue import connect, survey, try_out
from judge.models.exchange import Model
from tests.judge.models.asking import each_client, judge_at
from tests.provider import Provider


@each_client
async def test_a_connected_judge_is_a_model_that_says_who_it_is(vendor: str, client: str) -> None:
    async with Provider() as provider:
        model = connect(judge_at(provider, vendor, client))
        assert isinstance(model, Model)
        assert model.reference == f"{vendor}/judge-x"
        assert model.identity["endpoint"].startswith(provider.host)
        assert provider.count == 0


def test_each_provider_is_surveyed_with_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://gateway.example")
    found = {each.provider: each for each in survey()}
    assert set(PROVIDERS) <= set(found)
    assert not found["openai"].usable
    assert "OPENAI_API_KEY" in found["openai"].missing
    assert found["openai"].base_url == "https://api.openai.com/v1"
    assert found["anthropic"].usable
    assert found["anthropic"].base_url == "https://gateway.example"
    assert found["recorded"].usable


def test_each_judge_is_surveyed_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MINE", raising=False)
    judges = [
        Judge(name="near", model="openai/x", base_url="http://localhost:1/v1"),
        Judge(name="far", model="openai/x", api_key_env="MINE"),
        Judge(name="old", model="recorded/nowhere.jsonl"),
        Judge(name="odd", model="scripted/nowhere:f"),
    ]
    found = survey(judges)
    assert [(each.name, each.usable) for each in found] == [
        ("near", True),
        ("far", False),
        ("old", False),
        ("odd", False),
    ]
    assert "MINE" in found[1].missing
    assert "nowhere.jsonl" in found[2].missing


@each_client
async def test_a_judge_is_tried_out_with_one_question(vendor: str, client: str) -> None:
    async with Provider([None, "bad_key"]) as provider:
        assert (await try_out(judge_at(provider, vendor, client))).usable
        refused = await try_out(judge_at(provider, vendor, client))
    assert not refused.usable
    assert "401" in refused.missing
    assert provider.count == 2


def test_a_provider_that_is_not_installed_is_told() -> None:
    with pytest.raises(InputError, match="there is no provider 'acme'"):
        connect(Judge.model_construct(name="x", model="acme/x"))
