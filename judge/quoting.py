"""Whether the words that a rater cites stand where it says: evidence is looked up, never believed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from judge.evidence import INVISIBLE
from rubrics import BLAME_OF, Criterion, Failure, Quote, Verdict

NOT_FOUND = "quote_not_found"
MISPLACED = "quote_misplaced"
TOO_SHORT = "quote_too_short"
WAIVED = "no_evidence"

LEAST_SIGNS = 3

Place = int | str

_ELLIPSIS = re.compile(r"[\[(]?(?:\.{3,}|…)[\])]?")
_NAMED_STEP = re.compile(r"\s*(?:step\s*)?\[?([0-9]{1,9})\]?\s*", re.IGNORECASE)
# How the transcript labels a piece; judges copy it with the words.
_LABEL = re.compile(r"\[-?[0-9]+\] (?:(?:user|agent) calls |(?:user|agent|tool|environment)(?: error)?: )")
_QUOTE_MARKS = {ord(char): '"' for char in "“”„‟«»"} | {ord(char): "'" for char in "‘’‚‛"}
_ESCAPED_CODE = re.compile(r"\\+u([0-9a-fA-F]{4})")
_ESCAPED_GAP = re.compile(r"\\+[nrt]")
_ESCAPED_SIGN = re.compile(r"""\\+(["'/\\])""")
_SHOWN_INVISIBLE = re.compile(r"⟨U\+[0-9A-F]{4,6}⟩")


def verify(
    verdicts: Iterable[Verdict], sources: Mapping[Place, str], criteria: Sequence[Criterion]
) -> tuple[tuple[Verdict, ...], tuple[Failure, ...]]:
    """The verdicts with their quotes verified, and as failures those that are void without one.

    `sources` holds what may be cited: steps by their `t`, and `policy`, `state`, `artifact:NAME`. White space, JSON escapes,
    quote marks and Unicode form don't matter; an ellipsis stands for words left out. A quote without a place is given the
    one where it stands. Flags: `quote_not_found`, `quote_misplaced` (it stands elsewhere), `quote_too_short` (fewer than
    three letters or digits prove nothing). Where the criterion demands a quote, a verdict above the lowest level without a
    verified one is void: a failure of kind `missing`.
    """
    demanding = {criterion.id: criterion for criterion in criteria if criterion.require_quote}
    shelf = _Shelf(sources)
    kept, void = [], []
    for verdict in verdicts:
        checked = _verified(verdict, shelf) if verdict.quotes else verdict
        criterion = demanding.get(verdict.criterion)
        if criterion is not None and _is_void(checked, criterion):
            void.append(_failure(checked))
        else:
            kept.append(checked)
    return tuple(kept), tuple(void)


def _is_void(verdict: Verdict, criterion: Criterion) -> bool:
    """True for a claim that something is there, without a quote that shows it. Absence needs none."""
    if verdict.value is None or verdict.value <= criterion.levels[0].value or WAIVED in verdict.flags:
        return False
    return not any(quote.verified and is_telling(quote.text) for quote in verdict.quotes)


def _failure(verdict: Verdict) -> Failure:
    if verdict.quotes:
        quote = verdict.quotes[0]
        place = f"step {quote.step}" if quote.step is not None else quote.source or "the evidence"
        why = "is too short to prove anything" if TOO_SHORT in verdict.flags else f"is not in {place}"
        why = f"its quote {quote.text[:80]!r} {why}"
    else:
        why = "it has no quote, and this criterion demands one"
    message = f"{verdict.rater} on {verdict.criterion!r}: chose {verdict.level!r}, void: {why}"
    return Failure(
        kind="missing", blame=BLAME_OF["missing"], criterion=verdict.criterion, rater=verdict.rater, message=message
    )


def _verified(verdict: Verdict, shelf: _Shelf) -> Verdict:
    flags = list(verdict.flags)
    quotes = tuple(_checked(quote, shelf, flags) for quote in verdict.quotes)
    return verdict.model_copy(update={"quotes": quotes, "flags": tuple(dict.fromkeys(flags))})


def _checked(quote: Quote, shelf: _Shelf, flags: list[str]) -> Quote:
    """The quote with what was found out about it; `flags` gains what is wrong with it."""
    step, source, verified = quote.step, quote.source, False
    if not is_telling(quote.text):
        flags.append(TOO_SHORT)
    elif places := shelf.named(quote):
        verified = any(shelf.holds(place, quote.text) for place in places)
        if not verified:
            flags.append(MISPLACED if shelf.find(quote.text) is not None else NOT_FOUND)
    elif (found := shelf.find(quote.text)) is not None:
        step, source, verified = (found, None, True) if isinstance(found, int) else (None, found, True)
    else:
        flags.append(NOT_FOUND)
    return Quote.trusted(text=quote.text, step=step, source=source, verified=verified)


def is_telling(text: str) -> bool:
    """True if a quote has three letters or digits at least; one of a script without spaces counts as two."""
    if text[:LEAST_SIGNS].isalnum() and len(text) >= LEAST_SIGNS:
        return True
    signs = 0
    for char in text:
        if char.isalnum():
            signs += 2 if char >= "\u2e80" else 1
            if signs >= LEAST_SIGNS:
                return True
    return False


class _Shelf:
    """The sources of one episode. Each is folded once, and only when the plain words are not in it."""

    def __init__(self, sources: Mapping[Place, str]) -> None:
        self.sources = sources
        self.folds: dict[Place, str] = {}
        self.spelled: dict[str, tuple[str, ...]] = {}

    def named(self, quote: Quote) -> list[Place]:
        """The places that a quote names; empty if it names none. A place that does not exist holds nothing."""
        places: list[Place] = [] if quote.step is None else [quote.step]
        if quote.source is not None and quote.source.casefold() != "transcript":
            places.append(self._known(quote.source))
        return places

    def _known(self, name: str) -> Place:
        if name in self.sources:
            return name
        if match := _NAMED_STEP.fullmatch(name):
            return int(match[1])
        low = name.strip().casefold()
        alike = [
            place for place in self.sources if isinstance(place, str) and place.casefold() in (low, f"artifact:{low}")
        ]
        return alike[0] if len(alike) == 1 else name

    def find(self, text: str) -> Place | None:
        """The first place that holds the words; None if none does."""
        plain = (place for place in self.sources if text in self.sources[place] and self.holds(place, text))
        return next(plain, None) or next((place for place in self.sources if self.holds(place, text)), None)

    def holds(self, place: Place, text: str) -> bool:
        """True if the words stand in that place."""
        source = self.sources.get(place)
        if source is None:
            return False
        if _stands(text, source, 0) >= 0:
            return True
        if place not in self.folds:
            self.folds[place] = fold(source)
        if text not in self.spelled:
            self.spelled[text] = tuple(_spellings(text))
        folded = self.folds[place]
        return any(_stands(words, folded, 0) >= 0 or _in_parts(words, folded) for words in self.spelled[text])


def _spellings(text: str) -> Iterator[str]:
    """A quote folded; and without a label of the transcript or quote marks around it, if it has them."""
    folded = fold(text)
    yield folded
    bare = _LABEL.sub("", folded, count=1) if folded.startswith("[") else folded
    if len(bare) > 2 and bare[0] == bare[-1] and bare[0] in "\"'":
        bare = bare[1:-1]
    if bare != folded:
        yield bare


def _in_parts(text: str, source: str) -> bool:
    """True if what stands between the ellipses of a quote occurs in that order."""
    if "…" not in text and "..." not in text:
        return False
    parts = [part.strip() for part in _ELLIPSIS.split(text)]
    parts = [part for part in parts if part]
    if not any(is_telling(part) for part in parts) or parts == [text]:
        return False
    at = 0
    for part in parts:
        at = _stands(part, source, at)
        if at < 0:
            return False
    return True


def _stands(text: str, source: str, start: int) -> int:
    """The place after the words, from `start` on, where they are not part of a longer number; -1 if nowhere."""
    at = source.find(text, start)
    while at >= 0:
        end = at + len(text)
        if not (_splits_number(source, at) or _splits_number(source, end)):
            return end
        at = source.find(text, at + 1)
    return -1


def _splits_number(source: str, at: int) -> bool:
    """True if a number goes on across `at`: 48 is not quoted from 148, 480, 48.50 or 1,048."""
    left, right = source[max(0, at - 2) : at], source[at : at + 2]
    if not left or not right:
        return False
    if left[-1].isdigit():
        return right[0].isdigit() or (right[0] in ".," and right[1:].isdigit())
    return right[0].isdigit() and left[-1] in ".," and left[:1].isdigit() and len(left) == 2


def fold(text: str) -> str:
    """Text for comparing quotes: white space and JSON escapes folded, straight quote marks, Unicode NFC, nothing invisible."""
    if "\\" in text:
        text = _ESCAPED_CODE.sub(lambda match: chr(int(match[1], 16)), text)
        text = _ESCAPED_GAP.sub(" ", text)
        text = _ESCAPED_SIGN.sub(r"\1", text)
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        text = INVISIBLE.sub("", _SHOWN_INVISIBLE.sub("", text.translate(_QUOTE_MARKS)))
        text = unicodedata.normalize("NFC", text)
    return " ".join(text.split())
