"""Quotes are looked up where they are said to stand; a claim that must be shown and isn't is void."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.quoting import verify
from rubrics import Criterion, Quote, Verdict, verdict_on

SHOWN = Criterion(id="amount", ask="?", require_quote=True)
FREE = Criterion(id="amount", ask="?")
SOURCES = {
    0: "Where is my refund of 48.50 for order 99173?",
    3: 'reply\n{"text": "We refunded 42.10 to your card.\\nIt takes 5–7 days, \\"at most\\"."}',
    4: "It’s done: the café was told. First we wait... then we pay. Paid 1,048 in all.",
    "policy": "Refund the later charge.\n   No credit, ever.",
    "artifact:report.xlsx": "Total 4183",
}


def checked(*quotes: Quote, criterion: Criterion = FREE, level: str = "yes") -> tuple:
    verdict = verdict_on(criterion, level, rater="judge:x", quotes=quotes)
    return verify([verdict], SOURCES, [criterion])


def verified(text: str, *, step: int | None = None, source: str | None = None) -> tuple[bool | None, tuple[str, ...]]:
    (verdict,), failures = checked(Quote(text=text, step=step, source=source))
    assert failures == ()
    return verdict.quotes[0].verified, verdict.flags


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("refund of 48.50", 0),
        ("We refunded 42.10 to your card. It takes 5–7 days", 3),
        ("card.\\nIt takes", 3),
        ('days, "at most"', 3),
        ("days, “at most”", 3),
        ("It's done", 4),
        ("the cafe\u0301 was told", 4),
        ("First we wait... then we pay", 4),
        ("It’s done … was told", 4),
        ("It’s done [...] then we pay.", 4),
        ("...the café was told...", 4),
        ('"the café was told"', 4),
        ("[4] agent: It’s done", 4),
        ("  refund   of\n48.50 ", 0),
        ("the ca\u200bfé was", 4),
        ("the ca⟨U+200B⟩fé was", 4),
    ],
    ids=[
        "plain", "line break escaped in the source", "escape kept in the quote", "escaped quote marks", "curly for straight",
        "straight for curly", "decomposed", "dots of the source itself", "ellipsis", "bracketed ellipsis", "dots around",
        "quote marks around", "label of the transcript", "white space", "invisible", "invisible as shown",
    ],
)  # fmt: skip
def test_words_that_stand_in_the_step_named_are_verified(text: str, step: int) -> None:
    assert verified(text, step=step) == (True, ())


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("No credit, ever.", "policy"),
        ("No credit", "Policy"),
        ("Total 4183", "report.xlsx"),
        ("refund of 48.50", "step 0"),
    ],
    ids=["exact", "capital", "artifact by its name", "a step as source"],
)
def test_words_that_stand_in_the_source_named_are_verified(text: str, source: str) -> None:
    assert verified(text, source=source) == (True, ())


@pytest.mark.parametrize(
    "text",
    ["refund of 84.00", "then we pay … It’s done", "It’s done … was sold", "Paid 048", "ITS DONE", "refund of 48"],
    ids=["never said", "wrong order", "one part never said", "part of a number", "other letters", "number cut short"],
)
def test_words_that_stand_nowhere_are_flagged(text: str) -> None:
    assert verified(text, step=4) == (False, ("quote_not_found",))
    assert verified(text) == (False, ("quote_not_found",))


def test_words_that_stand_elsewhere_are_not_verified_but_told_apart() -> None:
    assert verified("refund of 48.50", step=3) == (False, ("quote_misplaced",))
    assert verified("refund of 48.50", step=99) == (False, ("quote_misplaced",))
    assert verified("refund of 48.50", source="state") == (False, ("quote_misplaced",))


def test_a_quote_without_a_place_is_given_its_own() -> None:
    (verdict,), _ = checked(
        Quote(text="the café was"), Quote(text="No credit, ever"), Quote(text="to your card. It takes")
    )
    assert [(quote.step, quote.source, quote.verified) for quote in verdict.quotes] == [
        (4, None, True),
        (None, "policy", True),
        (3, None, True),
    ]


def test_the_source_transcript_means_any_step() -> None:
    (verdict,), _ = checked(Quote(text="the café was", source="transcript"))
    assert (verdict.quotes[0].step, verdict.quotes[0].verified) == (4, True)


@pytest.mark.parametrize(
    "text", ["48", "a.", "…", "!!!!", " 5 "], ids=["two digits", "a letter", "dots", "signs", "digit"]
)
def test_two_letters_prove_nothing(text: str) -> None:
    assert verified(text, step=0) == (False, ("quote_too_short",))


def test_two_signs_of_a_script_without_spaces_are_a_word() -> None:
    verdict = verdict_on(SHOWN, "yes", rater="judge:x", quotes=(Quote(text="退款", step=1),))
    (kept,), void = verify([verdict], {1: "已退款。"}, [SHOWN])
    assert (kept.quotes[0].verified, void) == (True, ())


def test_one_false_quote_is_flagged_beside_a_true_one() -> None:
    (verdict,), void = checked(Quote(text="refund of 48.50", step=0), Quote(text="never said", step=0), criterion=SHOWN)
    assert [quote.verified for quote in verdict.quotes] == [True, False]
    assert (verdict.flags, void) == (("quote_not_found",), ())


@pytest.mark.parametrize(
    ("quotes", "why"),
    [
        ((), "no quote"),
        ((Quote(text="refund of 84", step=3),), "'refund of 84' is not in step 3"),
        ((Quote(text="refund of 48.50", step=3),), "is not in step 3"),
        ((Quote(text="never said", source="policy"),), "is not in policy"),
        ((Quote(text="never said"),), "is not in the evidence"),
        ((Quote(text="48", step=0),), "too short"),
    ],
    ids=["none", "never said", "misplaced", "in a source", "nowhere", "too short"],
)
def test_a_claim_that_must_be_shown_and_is_not_is_void(quotes: tuple[Quote, ...], why: str) -> None:
    verdicts, (void,) = checked(*quotes, criterion=SHOWN)
    assert verdicts == ()
    assert (void.kind, void.blame, void.criterion, void.rater) == ("missing", "judge", "amount", "judge:x")
    assert "void" in void.message
    assert why in void.message


@pytest.mark.parametrize("level", ["no", "cannot_tell", "not_applicable"])
def test_a_verdict_of_absence_needs_no_quote(level: str) -> None:
    verdicts, void = checked(criterion=SHOWN, level=level)
    assert (len(verdicts), void) == (1, ())


def test_a_penalty_that_is_claimed_must_be_shown_too() -> None:
    penalty = Criterion(id="amount", ask="?", weight=-2, require_quote=True)
    assert checked(criterion=penalty)[0] == ()
    assert checked(criterion=penalty, level="no")[1] == ()


def test_a_middle_level_is_a_claim() -> None:
    scale = Criterion.model_validate({"id": "amount", "ask": "?", "scale": "1-3", "require_quote": True})
    assert checked(criterion=scale, level="2")[0] == ()
    assert checked(criterion=scale, level="1")[1] == ()


def test_a_judge_that_writes_nothing_is_not_asked_for_quotes() -> None:
    verdict = Verdict(
        criterion="amount", rater="judge:x", level="yes", value=0.9, probability=0.9, flags=("no_evidence",)
    )
    assert verify([verdict], SOURCES, [SHOWN]) == ((verdict,), ())


def test_everything_but_the_quotes_stays_as_it_was() -> None:
    quotes = (Quote(text="refund of 48.50", step=0),)
    verdict = Verdict(
        criterion="amount", rater="judge:x", episode="e", level="yes", value=0.9, probability=0.9, reason="r", quotes=quotes,
        flags=("tie",),
    )  # fmt: skip
    (after,), _ = verify([verdict], SOURCES, [SHOWN])
    assert after.model_dump(exclude={"quotes"}) == verdict.model_dump(exclude={"quotes"})


WORDS = st.text(st.sampled_from('ab 1.,"\\n\u2019\u00e9\u0301…[]{}:'), min_size=0, max_size=30)


@settings(deadline=None)
@given(source=WORDS, start=st.integers(0, 20), length=st.integers(1, 20))
def test_any_whole_words_of_a_source_are_found_in_it(source: str, start: int, length: int) -> None:
    text = source[start : start + length]
    inside = f"x {source[:start]} {text} {source[start + length :]} x"
    if sum(char.isalnum() for char in text) < 3:
        return
    verdict = verdict_on(FREE, "yes", rater="judge:x", quotes=(Quote(text=text, step=1),))
    (after,), _ = verify([verdict], {1: inside}, [FREE])
    assert after.quotes[0].verified is True


@settings(deadline=None)
@given(text=st.text(), source=st.text(), step=st.one_of(st.none(), st.integers()), name=st.one_of(st.none(), st.text()))
def test_no_quote_breaks_verification(text: str, source: str, step: int | None, name: str | None) -> None:
    verdict = verdict_on(SHOWN, "yes", rater="judge:x", quotes=(Quote(text=text, step=step, source=name),))
    verdicts, void = verify([verdict], {1: source, "policy": source}, [SHOWN])
    assert len(verdicts) + len(void) == 1
