"""Looseness: when two values that are not the same are equal all the same, and what would make them so."""

from __future__ import annotations

import json
import re
import unicodedata
from datetime import UTC, datetime
from decimal import Context, Decimal
from typing import Any

from judge.state.rules import Rules
from judge.state.values import ABSENT, Json, as_decimal, holds_booleans, is_number, same, token

_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,6})?\s*", re.ASCII)
_TRUTH = {"true": True, "t": True, "yes": True, "y": True, "1": True, "on": True}
_TRUTH |= {"false": False, "f": False, "no": False, "n": False, "0": False, "off": False}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?", re.ASCII)
# Enough digits that the difference of two amounts is exact, with a bound on the work a hostile exponent can ask for.
_EXACT = Context(prec=700)
_NULLISH = "\ue000nullish"


def equal(one: Json, other: Json, rules: Rules) -> bool:
    """Whether two values at one place are equal under its rules; the whole value is compared, ABSENT included."""
    if same(one, other):
        return True
    left, right = folded(one, rules), folded(other, rules)
    return same(left, right) or _within(left, right, rules.tolerance)


def folded(value: Json, rules: Rules) -> Json:
    """The value in the one form that all its equals share; tolerance, which is not transitive, is left out."""
    if rules.nullish and is_nullish(value, rules):
        return _NULLISH
    if rules.json and isinstance(value, str):
        return decoded(value)
    if rules.boolean and (truth := _truth(value)) is not None:
        return truth
    if rules.numeric and (number := numeric(value)) is not None:
        return number
    if rules.datetime and (moment := _moment(value)) is not None:
        return moment.isoformat()
    return fold_text(value, rules.text) if rules.text and isinstance(value, str) else value


def is_nullish(value: Json, rules: Rules) -> bool:
    """Whether the value is one of those the rules take for nothing: null, empty (text, list or object) or missing."""
    if value is ABSENT:
        return "missing" in rules.nullish
    if value is None:
        return "null" in rules.nullish
    return "empty" in rules.nullish and isinstance(value, str | list | dict) and not value


def decoded(text: str) -> Json:
    """What JSON in a text column says; the text itself where it is no JSON (or says NaN, or nests without end)."""
    try:
        value = json.loads(text, parse_constant=_refuse)
        holds_booleans(value, "JSON in a text column")
        return value
    except (ValueError, RecursionError):
        return text


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def numeric(value: Json) -> Decimal | None:
    """The number that a JSON number or a plain decimal text stands for; None for all else (``1,000``, ``48 EUR``)."""
    if is_number(value):
        return as_decimal(value)
    return Decimal(value.strip()) if isinstance(value, str) and _NUMBER.fullmatch(value) else None


def fold_text(text: str, forms: tuple[str, ...]) -> str:
    """The text with the named differences folded: Unicode form, case, outer and inner white space."""
    if "nfc" in forms:
        text = unicodedata.normalize("NFC", text)
    if "casefold" in forms:
        text = text.casefold()
        # Case folding can undo composition: one more turn makes the two independent of their order.
        text = unicodedata.normalize("NFC", text) if "nfc" in forms else text
    if "collapse" in forms:
        text = re.sub(r"\s+", " ", text)
    return text.strip() if "strip" in forms else text


def _truth(value: Json) -> bool | None:
    if isinstance(value, bool):
        return value
    if is_number(value):
        return {0: False, 1: True}.get(value)
    return _TRUTH.get(value.strip().casefold()) if isinstance(value, str) else None


def _moment(value: Json) -> datetime | None:
    if not isinstance(value, str) or not _DATE.fullmatch(value.strip()):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _within(one: Json, other: Json, tolerance: Decimal | None) -> bool:
    if tolerance is None or not isinstance(one, Decimal) or not isinstance(other, Decimal):
        return False
    if abs(one.adjusted()) > 300 or abs(other.adjusted()) > 300:
        return False
    return _EXACT.abs(_EXACT.subtract(one, other)) <= tolerance


def fold_token(value: Json, rules: Rules) -> Any:
    """A hashable stand-in for a scalar: equal tokens mean equal values (tolerance left out)."""
    return token(folded(value, rules))


def near_miss(now: Json, wanted: Json) -> str:
    """Why two unequal values look alike, and what to declare if the difference means nothing; "" where it is plain."""
    if isinstance(now, str) and isinstance(wanted, str):
        return _text_near_miss(now, wanted) or _typed_near_miss(now, wanted)
    if isinstance(now, list) and isinstance(wanted, list):
        alike = len(now) == len(wanted) and sorted(map(repr, map(token, now))) == sorted(map(repr, map(token, wanted)))
        return "same elements in another order (declare `unordered` if order means nothing)" if alike else ""
    return _typed_near_miss(now, wanted)


def _text_near_miss(now: str, wanted: str) -> str:
    if "".join(now.split()) == "".join(wanted.split()):
        return "differs only by whitespace"
    if unicodedata.normalize("NFC", now) == unicodedata.normalize("NFC", wanted):
        return "differs only by Unicode form"
    if now.casefold() == wanted.casefold():
        return "differs only by case"
    loose = [fold_text("".join(text.split()), ("nfc", "casefold")) for text in (now, wanted)]
    return "differs only by case, whitespace or Unicode form" if loose[0] == loose[1] else ""


def _typed_near_miss(now: Json, wanted: Json) -> str:
    for rules, note in (
        (
            Rules(nullish=frozenset({"null", "empty", "missing"})),
            "null, empty and missing are told apart (declare `nullish`)",
        ),
        (Rules(numeric=True), "equal as numbers (declare `numeric` or `tolerance`)"),
        (Rules(boolean=True), "equal as booleans (declare `boolean`)"),
        (Rules(datetime=True), "equal as times (declare `datetime`)"),
        (Rules(json=True), "equal as JSON (declare `json`)"),
    ):
        if same(folded(now, rules), folded(wanted, rules)):
            return note
    return ""
