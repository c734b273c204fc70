"""What calls cost."""

from __future__ import annotations

import pytest

from judge.judges import Judge, Price
from judge.models.endpoints import Endpoint
from judge.models.prices import Tariff, list_price, tariff_of
from tests.judge.models.asking import asked, each_client, model_at
from tests.provider import Provider

OWN = Endpoint("https://api.openai.com/v1", "k")


def test_cached_tokens_have_their_own_price() -> None:
    tariff = Tariff(Price(input=2, cached_input=0.5, output=8))
    assert tariff.usd(1_000_000, 400_000, 500_000) == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.5 * 8)
    assert Tariff(Price(input=2, output=8)).usd(1_000_000, 400_000, 0) == pytest.approx(2)


def test_tokens_written_into_anthropics_cache_cost_more() -> None:
    tariff = Tariff(Price(input=4, cached_input=0.4, output=0.1))
    assert tariff.usd(1_000_000, 0, 0, cache_writes=1_000_000) == pytest.approx(5)


@pytest.mark.parametrize(("read", "written"), [(None, 5), (5, None), (None, None)])
def test_what_is_not_known_costs_none_and_never_nothing(read: int | None, written: int | None) -> None:
    assert Tariff(Price(input=1, output=1)).usd(read, None, written) is None
    assert Tariff(None).usd(5, 5, 5) is None


def test_a_model_that_is_free_costs_nothing_once_its_tokens_are_known() -> None:
    assert Tariff(Price(input=0, output=0)).usd(5, 0, 5) == 0.0


@pytest.mark.parametrize("name", ["gpt-5-mini", "gpt-5-mini-2025-08-07"])
def test_a_current_name_has_its_list_price_with_or_without_a_date(name: str) -> None:
    assert list_price("openai", name) == Price(input=0.25, cached_input=0.025, output=2.0)
    assert list_price("anthropic", "claude-sonnet-4-5-20250929") == Price(input=3, cached_input=0.3, output=15)


@pytest.mark.parametrize("name", ["house-judge", "gpt-5-mini-ours", "gpt-55"])
def test_an_unknown_name_has_none(name: str) -> None:
    assert list_price("openai", name) is None


def test_list_prices_hold_at_the_vendors_own_endpoint_only() -> None:
    judge = Judge(name="x", model="openai/gpt-5-mini")
    assert tariff_of(judge, OWN).price is not None
    assert tariff_of(judge, Endpoint("http://gpu:8000/v1", None)).price is None
    own = judge.model_copy(update={"price": Price(input=1, output=1)})
    assert tariff_of(own, OWN).price == Price(input=1, output=1)


@each_client
async def test_a_judges_price_makes_the_cost_of_its_calls(vendor: str, client: str) -> None:
    async with Provider() as provider:
        reply = await asked(model_at(provider, vendor, client, price={"input": 2, "cached_input": 1, "output": 10}))
    usage = reply.usage
    assert usage.input_tokens is not None
    assert usage.cached_tokens is not None
    assert usage.output_tokens is not None
    plain = usage.input_tokens - usage.cached_tokens
    assert usage.usd == pytest.approx((plain * 2 + usage.cached_tokens + usage.output_tokens * 10) / 1e6)
