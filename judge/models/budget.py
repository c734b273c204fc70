"""What calls cost, and the most that a run may spend."""

from __future__ import annotations

from judge.errors import JudgeError
from judge.models.exchange import Usage


class Bill:
    """The sum of many calls. Calls of unknown price can't be counted: `usd` is then what was spent at least."""

    def __init__(self) -> None:
        self.calls = 0
        self.unpriced_calls = 0
        self.usd = 0.0
        self.input_tokens = 0
        self.cached_tokens = 0
        self.output_tokens = 0

    def add(self, usage: Usage) -> None:
        """Count what a call cost, an answered one or one that failed."""
        self.calls += usage.calls
        self.input_tokens += usage.input_tokens or 0
        self.cached_tokens += usage.cached_tokens or 0
        self.output_tokens += usage.output_tokens or 0
        if usage.usd is None:
            self.unpriced_calls += usage.calls
        else:
            self.usd += usage.usd

    def said(self) -> str:
        """The money in words, such as `at least $0.1234 (3 calls of unknown price)`."""
        if not self.unpriced_calls:
            return f"${self.usd:.4f}"
        return f"at least ${self.usd:.4f} ({self.unpriced_calls} calls of unknown price)"


class Budget:
    """`limit` is the most that may be spent, in US dollars, None for any sum; `bill` is what was spent."""

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self.bill = Bill()

    def check(self) -> None:
        """Raise JudgeError("budget") once the limit is reached: before a call, since its price is known only afterwards.

        Also where the limit can't be kept, since most calls are of unknown price.
        """
        if self.limit is None:
            return
        if self.bill.usd >= self.limit:
            raise JudgeError("budget", f"the budget of ${self.limit:g} is spent: {self.bill.said()}; raise --budget")
        if 2 * self.bill.unpriced_calls > self.bill.calls:
            raise JudgeError(
                "budget",
                f"the budget of ${self.limit:g} can't be kept: {self.bill.unpriced_calls} of {self.bill.calls} calls are of "
                f"unknown price; give the judge a `price` in judge.toml, or no budget",
            )

    def spend(self, usage: Usage) -> None:
        """Count what a call cost."""
        self.bill.add(usage)
