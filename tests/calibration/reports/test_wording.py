"""Numbers as a reader meets them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.figures import Figure
from calibration.reports.wording import columns, listed, number, percent, plural, sentence, short, signed, stated


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.624, "62%"), (0.0, "0%"), (1.0, "100%"), (0.002, "<1%"), (0.998, ">99%"), (None, "–"), (-0.1, "−10%")],
)
def test_a_share_is_never_rounded_to_none_or_all(share: float | None, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(("value", "text"), [(0.5, "0.50"), (-0.126, "−0.13"), (-0.001, "0.00"), (None, "–")])
def test_numbers_have_a_true_minus_and_no_negative_zero(value: float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(("value", "text"), [(0.04, "+0.04"), (-0.04, "−0.04"), (0.001, "0.00"), (None, "–")])
def test_a_signed_number_shows_its_sign(value: float | None, text: str) -> None:
    assert signed(value) == text


def test_a_figure_is_stated_with_its_interval() -> None:
    assert stated(Figure(value=0.84, low=0.76, high=0.9), as_percent=True) == "84% (76% to 90%)"
    assert stated(Figure(value=0.5)) == "0.50"
    assert stated(Figure(value=None, why="one class only")) == "–"


def test_lists_read_as_a_sentence_does() -> None:
    assert [listed([]), listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    assert listed([str(n) for n in range(10)], most=2) == "0, 1 and 8 more"


def test_words_follow_their_number() -> None:
    assert [plural(1, "label"), plural(1200, "label"), plural(2, "was", "were")] == [
        "1 label",
        "1,200 labels",
        "2 were",
    ]


def test_a_sentence_has_a_capital_and_one_full_stop() -> None:
    assert [sentence("it is so"), sentence("Is it?"), sentence(" ")] == ["It is so.", "Is it?", ""]


@given(st.text(min_size=1, max_size=80), st.integers(8, 40))
def test_a_shortened_name_fits_and_a_short_one_stays(name: str, most: int) -> None:
    assert columns(short(name, most)) <= most


def test_both_ends_of_a_long_name_stay() -> None:
    assert short("the_reply_states_the_amount_of_order_12", 20) == "the_reply_…_order_12"
