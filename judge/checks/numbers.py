"""Numbers as people write them: whole tokens, read by value, never a part of a longer one.

"4,183" is 4183, "$48.00" is 48, "890M" and "USD 890 million" are 890,000,000, "12%" is 12 per cent. What is part of an
identifier ("T-5120", "ch_8842"), a date, a time or a telephone number is no number, nor is a run of digits and commas that
no grouping explains. Where one spelling has two readings ("10m"), both count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal

from judge.checks.matching import number_of
from judge.checks.small_numbers import spelled_out
from judge.checks.words import is_unspaced

Mark = Literal[".", ","]

_GROUP_MARKS = "'’\u00a0\u202f\u2009\u066c"
_DIGITS = rf"\d(?:[\d.,{_GROUP_MARKS}\u066b]*\d)?"
_RUN = {
    # A plain space groups digits for certain only where a group begins with a 0: "1 200" may be two numbers.
    ".": re.compile(rf"\d{{1,3}}(?: \d{{3}})*? 0\d\d(?: \d{{3}})*(?!\d)(?:\.\d+)?|(?:(?<![\w.])\.)?{_DIGITS}"),
    ",": re.compile(rf"\d{{1,3}}(?: \d{{3}})+(?!\d)(?:,\d+)?|(?:(?<![\w,]),)?{_DIGITS}"),
}
# Dates, times, telephone numbers and the like: digits joined twice or more, or a clock's.
_NO_QUANTITY = re.compile(r"(?<!\d)\d++(?:[-–/]\d++){2,}|\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?")
_CURRENCIES = {
    "$": "$", "usd": "$", "cad": "$", "aud": "$", "dollar": "$", "dollars": "$", "€": "€", "eur": "€", "euro": "€", "euros": "€",
    "£": "£", "gbp": "£", "pound": "£", "pounds": "£", "¥": "¥", "jpy": "¥", "cny": "¥", "yen": "¥", "₹": "₹", "inr": "₹",
    "rs": "₹", "chf": "chf", "sek": "sek", "nok": "nok", "dkk": "dkk", "pln": "pln", "czk": "czk", "brl": "brl", "krw": "krw",
}  # fmt: skip
_CODES = "|".join(sorted((name for name in _CURRENCIES if name.isalpha()), key=len, reverse=True))
_BEFORE = re.compile(rf"(?:(?<![^\W_])({_CODES})\.?|[A-Za-z]{{0,2}}([$€£¥₹]))\s?([-−]?)$", re.IGNORECASE)
_AFTER = re.compile(rf"\s?(?:({_CODES})(?![^\W_])|([$€£¥₹]))", re.IGNORECASE)
_EXPONENT = re.compile(r"[eE]([+-]?\d{1,3})(?![\w])")
_WORD_SCALE = re.compile(
    r"[\s-]?(hundred|thousand|tausend|million(?:s|en)?|mio|mn|billions?|bn|bil|mrd|milliarden?|trillions?|tn|lakhs?|crores?)"
    r"\.?(?![^\W_])", re.IGNORECASE,
)  # fmt: skip
_CJK_SCALE = re.compile(r"\s?([千万萬億亿兆])")
_LETTER_SCALE = re.compile(r"(\s?)([kKmMbBtT])(?![^\W_])")
_SCALES = {
    "hundred": 2, "thousand": 3, "tausend": 3, "million": 6, "millions": 6, "millionen": 6,
    "mio": 6, "mn": 6, "billion": 9, "billions": 9, "bn": 9, "bil": 9, "mrd": 9, "milliarde": 9, "milliarden": 9,
    "trillion": 12, "trillions": 12, "tn": 12, "lakh": 5, "lakhs": 5, "crore": 7, "crores": 7, "k": 3, "m": 6, "b": 9, "t": 12,
    "千": 3, "万": 4, "萬": 4, "億": 8, "亿": 8, "兆": 12,
}  # fmt: skip
_PERCENT = re.compile(r"\s?(?:%|per\s?cent(?![^\W_])|percent(?:age)?(?![^\W_])|prozent(?![^\W_]))", re.IGNORECASE)
_NOT_A_QUANTITY_AFTER = re.compile(
    r"(?:st|nd|rd|th|am|pm|[ap]\.m\.)(?![^\W_])|[^\W_]*\d|_[^\W_]|[^\W\d_]{6,}", re.IGNORECASE
)


# Not `$`, which also matches before a line break: a number at the start of a line is no tail of the line before.
_TAIL_OF_A_WORD = re.compile(r"[^\W_]\Z|[^\W_]_+\Z|[^\W\d_][-–/]\Z")
_BESIDE_A_NUMBER = re.compile(rf"{_PERCENT.pattern}|[\s$€£¥₹%+−-]|{_CODES}", re.IGNORECASE)


@dataclass(frozen=True)
class Number:
    """A number in a text: its possible values, whether it is a percentage, its currency if it shows one, and its words."""

    values: frozenset[Decimal]
    text: str
    percent: bool = False
    currency: str | None = None

    def meets(self, other: Number, tolerance: Decimal = Decimal(0)) -> bool:
        """Whether both can mean the same: a value in common, and no two different currencies."""
        if self.currency and other.currency and self.currency != other.currency:
            return False
        return any(abs(a - b) <= tolerance for a in self._beside(other) for b in other._beside(self, stated=True))

    def _beside(self, other: Number, *, stated: bool = False) -> frozenset[Decimal]:
        """The values to hold against `other`: 12% is 0.12 to a plain number, and where it is stated, 12 too."""
        if self.percent == other.percent or not self.percent:
            return self.values
        shares = frozenset(v / 100 for v in self.values)
        return shares | self.values if stated else shares


def expected(value: Any, decimal: Mark = ".") -> Number:
    """The number that an author asks for: a JSON number, or text that is one number and nothing else. Raises ValueError."""
    if isinstance(value, str):
        found = list(numbers_in(value, decimal))
        if len(found) == 1 and not _BESIDE_A_NUMBER.sub("", value.replace(found[0].text, "", 1)):
            return found[0]
    plain = number_of(value)
    if plain is None:
        raise ValueError(f"{value!r} is not one number; words and ranges go under `words`")
    return Number(frozenset({plain}), str(value).strip())


@lru_cache(maxsize=16)
def all_numbers(text: str, decimal: Mark, spelled: bool) -> tuple[Number, ...]:
    """Every number in `text`, in order; with `spelled`, also the small ones written in English words."""
    found = list(numbers_in(text, decimal))
    if spelled:
        found += [Number(frozenset({Decimal(value)}), words) for value, words in spelled_out(text)]
    return tuple(found)


def numbers_in(text: str, decimal: Mark = ".") -> Iterator[Number]:
    """Every number in `text` that is written in digits. `decimal` is the mark before the fraction: "." or ","."""
    # A date or a time becomes a word of the same length, so that no part of it is taken for a number.
    text = _NO_QUANTITY.sub(lambda m: "x" * len(m[0]), _plain(text))
    for match in _RUN[decimal].finditer(text):
        number = _read(text, match, decimal)
        if number is not None:
            yield number


def _plain(text: str) -> str:
    """`text` without characters that nobody sees."""
    return text if text.isascii() else "".join(c for c in text if unicodedata.category(c) != "Cf")


def _read(text: str, match: re.Match[str], decimal: Mark) -> Number | None:
    value = value_of(match[0], decimal)
    before = text[max(0, match.start() - 12) : match.start()]
    unit = _BEFORE.search(before)
    start = match.start() - (len(unit[0]) if unit else 0)
    if value is None or (unit is None and _is_tail_of_a_word(before)):
        return None
    negative = bool(unit and unit[3]) or _is_minus(text, start)
    currency = _CURRENCIES[(unit[1] or unit[2]).lower()] if unit else None
    values, end, currency = _scaled(value, text, match.end(), currency)
    after = text[end : end + 24]
    if (
        end == match.end()
        and not is_unspaced(after[:1])
        and _NOT_A_QUANTITY_AFTER.match(after)
        and not _AFTER.match(after)
    ):
        return None
    percent = _PERCENT.match(after)
    if currency is None and (symbol := _AFTER.match(after)):
        currency = _CURRENCIES[(symbol[1] or symbol[2]).lower()]
    if negative:
        values = frozenset(-v for v in values)
    elif text[start - 1 : start] == "(" and text[end : end + 1] == ")":
        values |= {-v for v in values}
    return Number(values, text[match.start() : end], percent is not None, currency)


def _is_tail_of_a_word(before: str) -> bool:
    tail = _TAIL_OF_A_WORD.search(before)
    return tail is not None and not is_unspaced(tail[0][0])


def _is_minus(text: str, start: int) -> bool:
    if text[start - 1 : start] in ("-", "−") and start > 0:
        return re.search(r"[\w)\]%$€£]$", text[max(0, start - 2) : start - 1]) is None
    return re.search(r"(?<![^\W_])minus\s+$", text[max(0, start - 8) : start], re.IGNORECASE) is not None


def _scaled(value: Decimal, text: str, end: int, currency: str | None) -> tuple[frozenset[Decimal], int, str | None]:
    """The values with what multiplies them (million, k, an exponent), and where that ends."""
    after = text[end : end + 16]
    if exponent := _EXPONENT.match(after):
        return frozenset({value.scaleb(int(exponent[1]))}), end + exponent.end(), currency
    if word := _WORD_SCALE.match(after) or _CJK_SCALE.match(after):
        return frozenset({value.scaleb(_SCALES[word[1].lower()])}), end + word.end(), currency
    letter = _LETTER_SCALE.match(after)
    if letter and (not letter[1] or currency):
        scaled = value.scaleb(_SCALES[letter[2].lower()])
        sure = letter[2] in "kKMB" or currency is not None
        return frozenset({scaled} if sure else {value, scaled}), end + letter.end(), currency
    return frozenset({value}), end, currency


@lru_cache(maxsize=2)
def _shapes(decimal: Mark) -> tuple[re.Pattern[str], re.Pattern[str]]:
    group = re.escape("," if decimal == "." else ".")
    point = rf"[{re.escape(decimal)}\u066b]"
    whole = rf"(?:\d{{1,3}}(?:{group}\d{{3}})+|\d{{1,3}}(?:([ {_GROUP_MARKS}])\d{{3}})(?:\1\d{{3}})*|\d+)"
    indian = rf"\d{{1,2}}(?:{group}\d{{2}})+{group}\d{{3}}"
    return re.compile(rf"{whole}(?:{point}\d+)?|{point}\d+"), re.compile(rf"{indian}(?:{point}\d+)?")


def value_of(run: str, decimal: Mark) -> Decimal | None:
    """The value of a run of digits and marks; None if no grouping explains its marks."""
    if len(run) > 60 or not any(shape.fullmatch(run) for shape in _shapes(decimal)):
        return None
    digits = []
    for character in run:
        if character in (decimal, "\u066b"):
            digits.append(".")
        elif character.isdigit():
            digits.append(str(unicodedata.digit(character)))
    return Decimal("".join(digits))
