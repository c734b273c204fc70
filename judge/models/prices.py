"""What tokens cost. An unknown price gives None, never 0."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from judge.judges import Judge, Price
from judge.models.endpoints import VENDORS, Endpoint

CACHE_WRITE = 1.25
"""Tokens written into Anthropic's five-minute cache cost this many times the price of input."""


@dataclass(frozen=True)
class Tariff:
    """The price of a judge's tokens, None if unknown."""

    price: Price | None

    def usd(self, read: int | None, cached: int | None, written: int | None, *, cache_writes: int = 0) -> float | None:
        """Dollars for tokens read (`cached` and `cache_writes` are among them) and written; None if anything is unknown."""
        if self.price is None or read is None or written is None:
            return None
        if self.price.input == self.price.output == 0:
            return 0.0
        from_cache = self.price.input if self.price.cached_input is None else self.price.cached_input
        hit = min(cached or 0, read)
        plain = max(0, read - hit - cache_writes)
        cost = (plain + cache_writes * CACHE_WRITE) * self.price.input + hit * from_cache + written * self.price.output
        return cost / 1e6


def tariff_of(judge: Judge, endpoint: Endpoint | None = None) -> Tariff:
    """The judge's own price; else the vendor's list price, if it is the vendor's own endpoint that is asked."""
    if judge.price is not None:
        return Tariff(judge.price)
    vendor = VENDORS.get(judge.reference.provider)
    if vendor is None or endpoint is None or endpoint.base_url != vendor.base_url:
        return Tariff(None)
    return Tariff(list_price(judge.reference.provider, judge.reference.name))


def list_price(provider: str, model: str) -> Price | None:
    """The price in the dated table that ships with this package; a date behind the model's name is ignored."""
    prices = _table().get(provider, {})
    found = prices.get(model) or prices.get(re.sub(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest|0)$", "", model))
    return None if found is None else Price(**found)


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    return tomllib.loads(files("judge.models").joinpath("prices.toml").read_text(encoding="utf-8"))


def count(given: Any) -> int | None:
    """A count of tokens, None if it is none."""
    return given if isinstance(given, int) and not isinstance(given, bool) and given >= 0 else None
