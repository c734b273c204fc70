"""What a text says: numbers by value, words by whole token, never by substring."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.checks.numbers import numbers_in
from judge.checks.words import stands_in, tokens
from tests.judge.checks.episodes import ask, failure, said, value


@pytest.mark.parametrize(
    ("number", "reply", "found"),
    [
        ("10", "Your order 4410 ships soon.", False),
        (10, "There are 110 items.", False),
        (10, "There are 10 items.", True),
        (31, "## Figures\n31 of 40 points are done.", True),
        (10, "There are 10.5 items.", False),
        (10, "There are 4,410 items.", False),
        (10, "See invoice INV-10 and ch_10.", False),
        (10, "On 2026-10-10 at 10:30.", False),
        (10, "The 10th of May at 10am.", False),
        (10, "Rooms 1,2,10", False),
        (10, "It costs 10.", True),
        (10, "(10)", True),
        (10, "**10**", True),
        (10, "10%", True),
        (10, "10kg", True),
        (10, "between 5-10 days", True),
        (4183, "It is 4,183 units.", True),
        (4183, "It is 4183.", True),
        (4183, "It is 4.183.", False),
        (4183, "It is 4'183.", True),
        (4183, "It is 4\u202f183.", True),
        ("4,183", "It is 4183.0", True),
        (48, "We refunded $48.00.", True),
        ("$48.00", "We refunded 48 today.", True),
        ("$48.00", "We refunded 48 EUR.", False),
        ("48.00 EUR", "We refunded €48.", True),
        (48, "We refunded $84.00.", False),
        (48, "The balance is -48.", False),
        (-48, "The balance is -$48.00.", True),
        (-48, "The balance is (48.00).", True),
        (-48, "The balance is −48.", True),
        (7, "It takes 5-7 days.", True),
        (890_000_000, "USD 890 million", True),
        (890_000_000, "about 890M", True),
        (890_000_000, "$890,000,000", True),
        (890, "USD 890 million", False),
        (1_500, "1.5k", True),
        (1_234_567, "₹12,34,567", True),
        (10_000_000, "10m of revenue", True),
        (10, "10m of rope", True),
        (0.12, "a share of 12%", True),
        (12, "a share of 12 percent", True),
        ("12%", "a share of 12 percent", True),
        ("12%", "12 items", False),
        ("12%", "a share of 0.12", True),
        (48, "返金額は48円です。", True),
        (48, "４８ units", True),
        (48, "4\u200b8 units", True),
        (0.5, "a factor of .5", True),
        (10, "wait...10...", True),
        (1_000_000, "1 000 000 users", True),
        (0, "1 000 000 users", False),
        (200, "rows 1 200", True),
        (1000, "1e3 rows", True),
        (7, "seven days", False),
    ],
)  # fmt: skip
def test_a_number_is_found_by_its_value_and_as_a_whole(number: Any, reply: str, found: bool) -> None:
    assert value("says", said(reply), numbers=[number]) == float(found)


@pytest.mark.parametrize(
    ("number", "reply", "found"),
    [(4183, "Es sind 4.183 Stück.", True), (4183, "Es sind 4,183 Stück.", False), (48, "48,00 €", True),
     ("48,50", "48,50 €", True), ("48.50", "48,50 €", True), (1234.56, "1 234,56 kr", True), (48, "12.05.2026", False)],
)  # fmt: skip
def test_a_decimal_comma_counts_only_where_it_is_declared(number: Any, reply: str, found: bool) -> None:
    assert value("says", said(reply), numbers=[number], decimal=",") == float(found)


def test_numbers_in_words_count_where_asked() -> None:
    assert value("says", said("It takes seven days, or twenty-one."), numbers=[7, 21], spelled=True) == 1
    assert value("says", said("Seventy days"), numbers=[7], spelled=True) == 0


@pytest.mark.parametrize(
    ("words", "reply", "found"),
    [
        ("duplicate", "Closed as DUPLICATE.", True),
        ("duplicate", "Duplicates were found.", False),
        ("5-7 days", "It takes 5–7 days.", True),
        ("5-7 days", "It takes 15-7 days.", False),
        ("12 May", "on 12  May\n2026", True),
        ("12 May", "on 112 May", False),
        ("Mira", "Mira's order", True),
        ("Ana", "Anabel wrote", False),
        ("O’Brien", "Dear Mr O'Brien,", True),
        ("10", "order 4410, 4,410 or 10.5", False),
        ("10", "order 10.", True),
        ("C++", "written in C", False),
        ("C++", "written in C++.", True),
        ("R&D", "our R & D team", True),
        ("T-5120", "Ticket T-5120 is closed", True),
        ("PROJ-1", "PROJ-10 is done", False),
        ("STRASSE", "in der Straße", True),
        ("Café", "the cafe\u0301 on the corner", True),
        ("お支払いは完了しました", "お支払いは完了しました。", True),
        ("返金", "返金は完了しました", True),
        ("返品", "返金は完了しました", False),
        ("48.00", "paid 148.00", False),
        ("done", "d\u200bone", True),
        ("ana", "_Ana_ took it", True),
    ],
)
def test_words_are_found_as_a_row_of_whole_words(words: str, reply: str, found: bool) -> None:
    assert value("says", said(reply), words=[words]) == float(found)


def test_identical_text_in_any_script_is_found() -> None:
    text = "お支払いは完了しました。"
    assert value("says", said(text), words=[text]) == 1


def test_all_or_nothing_unless_partial() -> None:
    reply = said("Refunded $48.00 to Mira.")
    assert value("says", reply, numbers=[48, 50], words=["Mira", "Ana"]) == 0
    assert value("says", reply, numbers=[48, 50], words=["Mira", "Ana"], partial=True) == 0.5


def test_one_of_several_ways_is_enough() -> None:
    ways: list[Any] = [7, "a week", {"numbers": [5], "words": ["days"]}]
    assert value("says", said("in a week"), any_of=ways) == 1
    assert value("says", said("5 working days"), any_of=ways) == 1
    assert value("says", said("5 months"), any_of=ways) == 0


def test_not_asks_that_none_of_it_is_said() -> None:
    assert value("says", said("We are sorry."), words=["voucher", "credit"], _not=True) == 1
    assert value("says", said("A voucher is on its way."), words=["voucher", "credit"], _not=True) == 0
    assert value("says", said("A voucher is on its way."), words=["voucher", "credit"], _not=True, partial=True) == 0.5


def test_the_last_reply_is_looked_at_unless_any_will_do() -> None:
    episode = said("It was $48.00.", "Anything else?")
    assert value("says", episode, numbers=[48]) == 0
    assert value("says", episode, numbers=[48], _in="any_reply") == 1


def test_where_nothing_was_said_nothing_is_found() -> None:
    checked = ask("says", said(), numbers=[48])
    assert checked.verdict is not None
    assert (checked.verdict.value, checked.verdict.level) == (0.0, "no")
    assert "sent no reply" in checked.verdict.reason


def test_a_thought_is_no_reply() -> None:
    episode = said(truncated=True)
    aborted = episode.model_copy(update={"steps": ()})
    assert value("says", aborted, numbers=[48]) == 0
    assert value("says", said("<think>The total is 48.00</think>"), numbers=[48]) == 0


def test_a_file_is_looked_at_by_its_name() -> None:
    left = said("Done.", artifacts=[{"name": "report.md", "text": "Total: 48.00"}])
    assert value("says", left, numbers=[48], _in="artifact:report.md") == 1
    checked = ask("says", left, numbers=[48], _in="artifact:other.md")
    assert checked.verdict is not None
    assert checked.verdict.value == 0
    assert "left no file other.md; it left report.md" in checked.verdict.reason


def test_where_the_record_does_not_say_what_was_left_nobody_can_look() -> None:
    kind, message = failure("says", said("Done."), numbers=[48], _in="artifact:report.md")
    assert kind == "state_unavailable"
    assert "no `artifacts`" in message


def test_the_reason_names_what_was_found_and_missed() -> None:
    checked = ask("says", said("Refunded $48.00."), numbers=[48], words=["duplicate"])
    assert checked.verdict is not None
    assert checked.verdict.reason == "in the last reply: says 48, does not say 'duplicate'"
    assert checked.verdict.rater == "check:says"


@given(st.integers(0, 10**12), st.text(max_size=30))
def test_a_number_between_spaces_is_found_in_any_text(number: int, around: str) -> None:
    written = f"{around} {number:,} x"
    assert Decimal(number) in {v for n in numbers_in(written) for v in n.values} or around[-1:] in "-−0123456789"


@given(st.integers(0, 999), st.integers(0, 10**6))
def test_a_number_is_never_found_inside_another(small: int, large: int) -> None:
    values = {v for n in numbers_in(f"order {large} ships") for v in n.values}
    assert (Decimal(small) in values) == (small == large)


@given(st.text(max_size=40), st.text(max_size=20))
def test_words_found_stand_in_the_text_as_tokens(text: str, phrase: str) -> None:
    if stands_in(tokens(phrase), tokens(text)):
        assert set(tokens(phrase)) <= set(tokens(text))
    if tokens(phrase):
        assert stands_in(tokens(phrase), tokens(f"{text} {phrase} {text}"))
