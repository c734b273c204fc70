"""How long a provider asks us to wait."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.models.waits import asked_wait


@pytest.mark.parametrize(
    ("headers", "text", "seconds"),
    [
        ({"retry-after": "2"}, "", 2),
        ({"retry-after": "0.5"}, "", 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, "", 1.5),
        ({"retry-after": "-3"}, "", 0),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after": "nan"}, "", None),
        ({"retry-after": "inf"}, "", None),
        ({}, "Please try again in 20s.", 20),
        ({}, "Please try again in 1m2.5s.", 62.5),
        ({}, "Please try again in 350ms.", 0.35),
        ({}, '{"retryDelay": "30s"}', 30),
        ({}, "Please retry after 12 seconds", 12),
        ({}, "slow down", None),
        ({}, "Limit 30000, used 29000, requested 2000 tokens", None),
    ],
)
def test_each_way_of_saying_it_is_understood(headers: dict[str, str], text: str, seconds: float | None) -> None:
    assert asked_wait(headers, text) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize("ahead", [3, 100])
def test_a_date_is_a_wait_from_now(ahead: int) -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=ahead), usegmt=True)
    assert asked_wait({"retry-after": at}) == pytest.approx(ahead - 0.5, abs=1)


def test_a_date_that_is_over_asks_for_no_wait() -> None:
    assert asked_wait({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0


@given(st.text(max_size=60), st.text(max_size=200))
def test_no_text_breaks_it(header: str, text: str) -> None:
    wait = asked_wait({"retry-after": header}, text)
    assert wait is None or 0 <= wait < float("inf")
